"""The report of a kernel with some inputs varied, on one GPU or on several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from math import ceil
from typing import NamedTuple

from ..engine import Result
from ..errors import InputError
from ..tables.gpus import Gpu
from ..values.fields import FIELDS
from . import pictures
from .calc import RESULT_COLUMNS
from .model import Block, Column, Paragraph, Report, Table, chosen
from .pictures import Picture, Value, value_text

MAX_AXES = 2
"""Inputs that a screen or a picture shows."""
MAX_COLUMNS = 12
"""Columns of a table over two inputs."""
MAX_ROWS = 60
BEST = 10
"""Rows of each GPU if more inputs vary than a table shows."""
BAR_WIDTH = 16


class Point(NamedTuple):
    """The result of one combination."""

    gpu: Gpu
    inputs: Mapping[str, Value]
    """The inputs that were given."""
    result: Result

    def value(self, name: str) -> Value:
        """Return the value of an input, or the name of the GPU."""
        return self.gpu.label if name == "gpu" else self.inputs[name]


class Grid(NamedTuple):
    """GPUs, the values of each input, and the result of every combination."""

    gpus: Sequence[Gpu]
    inputs: Mapping[str, Sequence[Value]]
    points: Iterable[Point]
    """The GPUs change slowest, the last input fastest; an iterator is read once."""

    @property
    def varied(self) -> list[str]:
        """Inputs with several values, the GPU first."""
        several = [name for name, values in self.inputs.items() if len(values) > 1]
        return [*(["gpu"] if len(self.gpus) > 1 else []), *several]

    @property
    def fixed(self) -> dict[str, Value]:
        """Inputs with one value, and the only GPU."""
        only = {"gpu" if self.gpus[0].name else "cc": self.gpus[0].label} if len(self.gpus) == 1 else {}
        return {**only, **{name: values[0] for name, values in self.inputs.items() if len(values) == 1}}

    def values(self, name: str) -> Sequence[Value]:
        """Return the values of an input, or the names of the GPUs."""
        return [gpu.label for gpu in self.gpus] if name == "gpu" else self.inputs[name]

    def lines(self) -> list[list[Point]]:
        """Return the points in a line for each value of all inputs but the last that varies."""
        points, length = list(self.points), len(self.values(self.varied[-1]))
        return [points[start : start + length] for start in range(0, len(points), length)]


def _input_column(name: str) -> Column:
    field = FIELDS[name]
    return Column(name, "", lambda point: point.inputs.get(name), about=field.help, type=field.json_type)


COLUMNS = (
    *chosen(RESULT_COLUMNS, "gpu", "cc"),
    *(_input_column(name) for name, field in FIELDS.items() if field.options),
    *chosen(RESULT_COLUMNS, "model", "launchable", "occupancy", "active_blocks", "active_warps", "limiters"),
)

BAR = Column("bar", "", lambda row: "█" * round(row.result.occupancy * BAR_WIDTH), align="left")
SCREEN_COLUMNS = chosen((*RESULT_COLUMNS, BAR), "occupancy", "bar", "active_blocks", "limiters")
"""Columns of a result in a table."""


def sweep_report(grid: Grid, *, has_screen: bool = True) -> Report:
    """Return the report of every combination.

    Args:
        grid: The combinations.
        has_screen: Whether a person reads it: a table of all results over one input or two, else of the best.
            Programs get a row for each combination.
    """
    details: list[Block] = []
    if has_screen:
        points = tuple(grid.points) if len(grid.varied) <= MAX_AXES else grid.points
        grid = grid._replace(points=points)
        if len(grid.varied) > MAX_AXES:
            details += _best_tables(grid)
        else:
            details.append(_matrix(grid) if len(grid.varied) == MAX_AXES else _runs(grid))
    given = {name: values[0] if len(values) == 1 else list(values) for name, values in grid.inputs.items()}
    return Report(
        name="sweep",
        headline=pictures.title(grid.varied, grid.fixed).split("\n"),
        columns=COLUMNS,
        rows=grid.points,
        inputs=given,
        shows_rows=False,
        details=details,
    )


class _Run(NamedTuple):
    """Neighbouring values with the same result."""

    text: str
    result: Result


def _runs(grid: Grid) -> Table:
    """Return a row for each run of neighbouring numbers with the same result, or for each name."""
    (name,), points = grid.varied, list(grid.points)
    keys = [
        (result.block_limits.smallest(), result.active_warps, result.limiters, result.launchable)
        for result in (point.result for point in points)
    ]
    values = grid.values(name)
    rows = [_Run(span(name, values, run), points[run[-1]].result) for run in _alike(values, keys)]
    first = Column("text", pictures.title_of(name, short=True), align="left")
    return Table("", [first, *SCREEN_COLUMNS], rows)


def span(name: str, values: Sequence[Value], places: range) -> str:
    """Return one value, or the first and the last of several, without the unit that the title has."""
    ends = [pictures.tick(name, values[place]) for place in (places[0], places[-1])]
    return " to ".join(dict.fromkeys(ends))


def _matrix(grid: Grid) -> Table:
    """Return a table over two inputs, with neighbours of the same results in one row or column."""
    down, across = grid.varied
    shares = [[point.result.occupancy for point in line] for line in grid.lines()]
    columns = _alike(grid.values(across), list(zip(*shares, strict=True)))
    rows = _alike(grid.values(down), [tuple(line) for line in shares])
    kept = columns[:: ceil(len(columns) / MAX_COLUMNS)]
    shown = rows[:: ceil(len(rows) / MAX_ROWS)]

    def column(run: range) -> Column:
        title = pictures.tick(across, grid.values(across)[run[-1]])
        return Column("", title, lambda row: _whole_percent(shares[row[-1]][run[-1]]))

    heading = Column(down, "", lambda row: span(down, grid.values(down), row))
    title = f"{pictures.title_of(down)} down, {pictures.title_of(across).lower()} across, each up to"
    hidden = len(rows) * len(columns) - len(shown) * len(kept)
    lines = [f"{hidden:,} cells are hidden; --format csv has all."] if hidden else []
    return Table(title, [heading, *map(column, kept)], shown, lines)


def _whole_percent(share: float) -> str:
    return f"{int(100 * share + 0.5)}%" if share else "-"


def _alike(values: Sequence[Value], keys: Sequence[object]) -> list[range]:
    """Return the places of neighbouring numbers with the same key; names stay apart."""
    are_numbers = all(isinstance(value, int) for value in values)
    runs = groupby(range(len(values)), lambda place: keys[place] if are_numbers else place)
    places = [list(run) for _, run in runs]
    return [range(each[0], each[-1] + 1) for each in places]


def _best_tables(grid: Grid) -> Iterator[Block]:
    columns = [*(_best_column(name) for name in grid.varied if name != "gpu"), *SCREEN_COLUMNS]
    columns.remove(BAR)
    for gpu, points in groupby(grid.points, lambda point: point.gpu):
        found = best(points, BEST)
        title = f"The best on {gpu.label}"
        yield Table(title, columns, found) if found else Paragraph([f"None of them launches on {gpu.label}."])
    yield Paragraph(
        [
            "Of combinations with the same block size and occupancy, only those with the most resources are listed. "
            "--format csv has every combination."
        ]
    )


def _best_column(name: str) -> Column:
    title = pictures.title_of(name, short=True)
    return Column(name, title, lambda point: pictures.tick(name, point.inputs[name]))


def best(points: Iterable[Point], most: int) -> list[Point]:
    """Return the points with the highest occupancy that are different trade-offs.

    At the same threads and occupancy, a point that uses no more registers, shared memory and barriers than
    another is skipped. They are sorted by occupancy, more registers, more shared memory, more barriers, then
    fewer threads.
    """
    fronts: dict[tuple[float, int], dict[tuple[int, ...], Point]] = {}
    for point in points:
        if not point.result.launchable:
            continue
        kernel = point.result.kernel
        use = (kernel.regs or 0, kernel.shared_memory, kernel.barriers or 0, kernel.tensor_memory or 0)
        front = fronts.setdefault((-point.result.occupancy, kernel.threads), {})
        if not any(_covers(other, use) for other in front):
            for other in [each for each in front if _covers(use, each)]:
                del front[other]
            front[use] = point
    found = [(key, use, point) for key, front in fronts.items() for use, point in front.items()]
    found.sort(key=lambda each: (each[0][0], [-amount for amount in each[1]], each[0][1]))
    return [point for *_, point in found[:most]]


def _covers(uses: Sequence[int], others: Sequence[int]) -> bool:
    return all(use >= other for use, other in zip(uses, others, strict=True))


def sweep_picture(
    grid: Grid, title: str | None = None, marks: Sequence[int] = (), *, marks_best: bool = False
) -> Picture:
    """Return a step plot over numbers with a curve for each GPU, a heat map over two inputs, or bars.

    Raises:
        InputError: More than two inputs vary, or a value to mark is outside of the axis.
    """
    if len(grid.varied) > MAX_AXES:
        raise InputError(
            f"{len(grid.varied)} inputs vary: {', '.join(grid.varied)}",
            where="sweep",
            hint="A picture shows two. Fix some of them, or write every combination with --format csv.",
        )
    *down, across = grid.varied
    values = grid.values(across)
    numbers = [value for value in values if isinstance(value, int)]
    rows = [[point.result.occupancy for point in line] for line in grid.lines()]
    highest = max(map(max, rows))
    if len(numbers) == len(values) and down in ([], ["gpu"]):
        for mark in marks:
            _check_mark(mark, across, numbers)
        places = [*marks, *(_best_value(numbers, row) for row in rows if marks_best)]
        names = [gpu.label for gpu in grid.gpus] if down else [""]
        plot: pictures.Plot = pictures.StepPlot(across, numbers, dict(zip(names, rows, strict=True)), places)
    elif marks:
        raise InputError(
            "there is no curve on which to mark a value",
            where="marks",
            hint="Vary one input over numbers, such as --regs 16:255, on one GPU or more.",
        )
    else:
        best_places = [
            (row, column)
            for row, line in enumerate(rows)
            for column, share in enumerate(line)
            if marks_best and share == highest
        ]
        if down:
            plot = pictures.HeatMap((down[0], across), grid.values(down[0]), values, rows, best_places)
        else:
            names = [value_text(across, value) for value in values]
            plot = pictures.Bars(names, rows[0], [column for _, column in best_places])
    return Picture(pictures.title(grid.varied, grid.fixed, title), (plot,))


def _best_value(values: Sequence[int], shares: Sequence[float]) -> int:
    """Return the largest value with the highest occupancy, as `block_sizes` ranks."""
    return max(value for value, share in zip(values, shares, strict=True) if share == max(shares))


def _check_mark(mark: int, name: str, values: Sequence[int]) -> None:
    low, high = min(values), max(values)
    if not low <= mark <= high:
        raise InputError(
            f"{value_text(name, mark)} is outside of the axis, {pictures.LABELS[name]}",
            where="marks",
            allowed=f"{value_text(name, low)} to {value_text(name, high)}",
        )
