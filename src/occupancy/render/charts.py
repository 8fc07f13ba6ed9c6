"""Charts as plain data: `render.text` draws them with characters, `render.plot` as pictures.

They are blocks of a document (`occupancy.render.document`) that a terminal and a notebook show, and Markdown
does not: there the tables hold the numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import groupby
from math import ceil
from typing import Literal, NamedTuple, TypeVar

from . import words

T = TypeVar("T")

NUMBERS_LEGEND = "-  does not fit"

Value = int | str
"""Of an axis: threads, registers, bytes; or as it was given."""


class Scale(NamedTuple):
    """What an axis of a chart or a column of a table holds, and how its values are written."""

    name: str
    """In words: ``registers per thread``."""
    noun: str = ""
    """For one of it: ``register``."""
    unit: Literal["", "bytes", "carveout", "name"] = ""
    """How a value is written: as a number, as a size, as a percentage of the L1 memory or a size; a name says
    itself what it is of."""

    @property
    def title(self) -> str:
        """What to write along an axis, with its unit."""
        return f"{self.name} (KiB)" if self.unit == "bytes" else self.name

    @property
    def header(self) -> str:
        """The same at the head of a column."""
        return self.title[0].upper() + self.title[1:]  # capitalize() would make kib of KiB

    def label(self, value: Value) -> str:
        """What to write at a value of an axis; sizes in KiB."""
        if self.unit == "carveout" and isinstance(value, int):
            return f"{value}%" if value <= 100 else words.size(value)
        if self.unit == "bytes" and isinstance(value, int):
            return f"{value / 1024:.4g}"
        return f"{value:,}" if isinstance(value, int) else value

    def alone(self, value: Value) -> str:
        """A value beside the scale's name, with its unit: ``20 KiB``."""
        return words.size(value) if self.unit == "bytes" and isinstance(value, int) else self.label(value)

    def given(self, value: Value) -> str:
        """A value with what it is of: ``256 threads per block``, ``compute capability 9.0``."""
        if self.unit == "name":
            return str(value)
        if isinstance(value, int) and self.noun:
            return words.count(value, self.noun) + self.name.removeprefix(f"{self.noun}s")
        if isinstance(value, int) and self.unit == "bytes":
            return f"{words.size(value)} of {self.name}"
        return f"{self.name} {self.alone(value)}"

    def counted(self, value: int) -> str:
        """A value without the scale's name: ``37 registers``, ``9.5 KiB``."""
        return words.size(value) if self.unit == "bytes" else words.count(value, self.noun)


THREADS = Scale("threads per block", "thread")
REGISTERS = Scale("registers per thread", "register")
SHARED_MEMORY = Scale("shared memory per block", unit="bytes")

SCALES = {
    "gpu": Scale("GPU", unit="name"),
    "cc": Scale("compute capability"),
    "threads": THREADS,
    "regs": REGISTERS,
    "smem": SHARED_MEMORY,
    "static_smem": Scale("static shared memory per block", unit="bytes"),
    "dynamic_smem": Scale("dynamic shared memory per block", unit="bytes"),
    "carveout": Scale("carveout", unit="carveout"),
    "tensor_memory": Scale("columns of tensor memory per block", "column"),
}


def scale(name: str) -> Scale:
    """By the name of an option, or of a resource; of all others the name says what they are."""
    return SCALES.get(name) or Scale(words.name(name))


class Axis(NamedTuple):
    """A scale and some values of it, in the order in which they are drawn."""

    scale: Scale
    values: Sequence[Value]

    @property
    def is_numeric(self) -> bool:
        """Whether all values are numbers."""
        return all(isinstance(value, int) for value in self.values)

    def label(self, first: int, last: int, between: str) -> str:
        """What to write at the values at some places: at the first, or at the first and the last."""
        ends = [self.scale.label(self.values[place]) for place in (first, last)]
        return ends[0] if first == last else between.join(ends)


class Step(NamedTuple):
    """Neighbouring numbers at which a chart is equally high."""

    first: int
    last: int
    height: int


class Mark(NamedTuple):
    """A point of a chart that is pointed at."""

    value: int
    height: int
    label: str


class StepChart(NamedTuple):
    """Something that rises and falls in steps over all numbers between two."""

    title: str
    height: str
    """What the height is."""
    highest: int
    """Of what is possible, not of what is shown."""
    scale: Scale
    steps: Sequence[Step]
    """From the lowest number to the highest, without gaps."""
    has_even_steps: bool
    """Whether each step is to be as wide as the others, where that can be done."""
    now: Mark | None
    """Where the reader stands."""
    better: Sequence[Mark]
    """Where it would be higher."""
    nowhere: str
    """What to say where the reader stands at no number."""
    caption: str

    @property
    def first(self) -> int:
        """The lowest number."""
        return self.steps[0].first

    @property
    def last(self) -> int:
        """The highest number."""
        return self.steps[-1].last


class BarChart(NamedTuple):
    """An occupancy, 0 to 1, at each value of an axis: columns, or a curve where the values are numbers."""

    axis: Axis
    shares: Sequence[float]


class HeatMap(NamedTuple):
    """An occupancy, 0 to 1, at each combination of the values of two axes; 0 is what does not fit."""

    down: Axis
    across: Axis
    lines: Sequence[Sequence[float]]
    """One for each value downwards."""

    def places(self) -> tuple[list[range], list[range]]:
        """The rows and the columns, neighbours that are alike together. Chips stay apart: others lie between
        two of them, which are not meant."""
        down, lines = self.down, self.lines
        return (
            _runs(len(lines), lambda row: tuple(lines[row]) if down.is_numeric else row),
            _runs(len(lines[0]), lambda column: tuple(line[column] for line in lines)),
        )

    def labels(self, rows: Sequence[range], columns: Sequence[range]) -> tuple[list[str], list[str]]:
        """What to write at them: of a column its upper edge, because what stands between two labels has the
        answer of the right one."""
        down, across = self.down, self.across
        return (
            [down.label(row[0], row[-1], "-") for row in rows],
            [across.scale.label(across.values[column[-1]]) for column in columns],
        )

    @property
    def directions(self) -> str:
        """What the axes are."""
        return f"{self.down.scale.title} down, {self.across.scale.title} right, each up to"


Chart = StepChart | BarChart | HeatMap


def ticks(first: int, last: int, most: int) -> list[int]:
    """Multiples of a power of two between two values, as many as there is room for.

    Powers of two, because every unit of an SM is one.
    """
    step = 1
    while last // step - (first - 1) // step > most:
        step *= 2
    return [tick for tick in range(0, last + 1, step) if tick >= first]


def thinned(places: Sequence[T], most: int) -> Sequence[T]:
    """Every so many of them, from the first on, so that there are no more than so many."""
    return places[:: ceil(len(places) / most)]


def left_out(places: int, shown: int) -> str:
    """That a heat map has more than is shown; empty where all of it is."""
    return f"{places - shown:,} of {places:,} places are left out for want of room." if shown < places else ""


def whole_share(share: float) -> str:
    """What a cell of a heat map says."""
    return words.whole_percent(share) if share else "-"


def _runs(count: int, key: Callable[[int], Hashable]) -> list[range]:
    """Neighbours with the same key."""
    runs = []
    for _, group in groupby(range(count), key):
        places = list(group)
        runs.append(range(places[0], places[-1] + 1))
    return runs
