"""The answer to ``occupancy sweep`` over some variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from itertools import islice, product
from typing import Any, ClassVar, Literal, cast

from ..errors import InputError
from ..render import pictures
from ..render.answers import ANSWER, answer_cells, charts_of
from ..render.charts import Axis, Value, scale
from ..render.document import Column, Document, Marked, Only, Paragraph, Table, Together
from ..render.pictures import Bars, HeatMap, Picture, StepPlot
from ..values.dataclass import dataclass
from ..values.resources import Counted, Resource
from .base import Report
from .inputs import ONLY_IN_FILES, Inputs

Variable = Literal["gpu", "cc", "threads", "regs", "smem", "static_smem", "dynamic_smem", "carveout", Counted]
_FIRST = ("threads", "regs", "smem")
_OTHERS = (each.name for each in fields(Inputs) if each.name not in (*_FIRST, *ONLY_IN_FILES))
INPUTS = (*_FIRST, *_OTHERS, "model")
"""What can be said of the kernel, in the order of the columns; the last that varies changes fastest."""

MOST_AXES = 2
"""Variables that a screen or a picture shows."""
LINES = 10_000
"""Rows that are written at a time."""


def _with_inputs(schema: dict[str, Any]) -> None:
    schema["additionalProperties"] = {
        "anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "boolean"}],
        "description": "What was given, and what varies, by the names of the options.",
    }


@dataclass(frozen=True, slots=True)
class Cell:
    """The answer for one value of each variable; in the JSON with what was given, and these values."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"json_schema_extra": _with_inputs}

    active_blocks: int
    active_warps: int
    occupancy: float
    limiters: tuple[Resource, ...]
    launchable: bool


def _in_json(field: str) -> str:
    return "rows" if field == "cells" else field


@dataclass(frozen=True, slots=True)
class SweepReport(Report):
    """The answers over some variables."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {
        **Report.__pydantic_config__,
        "alias_generator": _in_json,
    }

    fixed: dict[str, Value | bool]
    """What was given of the rest, by the names of the options."""
    variables: dict[Variable, tuple[Value, ...]]
    """Threads per block, registers per thread, bytes of shared memory per block; else as given."""
    ccs: tuple[str, ...]
    """The compute capability of each chip."""
    cells: tuple[Cell, ...]
    """One for each combination; the last variable changes fastest."""

    @property
    def compares_chips_alone(self) -> bool:
        """Whether nothing varies but the chip."""
        return set(self.variables) <= {"gpu", "cc"}

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The variables as axes of a chart."""
        return tuple(Axis(scale(name), values) for name, values in self.variables.items())

    def to_dict(self) -> dict[str, Any]:
        """What was asked, and the rows."""
        return {**self._head(), "rows": list(self._each_row())}

    def _head(self) -> dict[str, Any]:
        return {
            "schema_version": self.schema_version,
            "fixed": self.fixed,
            "variables": {name: list(values) for name, values in self.variables.items()},
            "ccs": list(self.ccs),
        }

    def _each_row(self) -> Iterator[Mapping[str, Any]]:
        """A row for each combination, with what is the same for all of them."""
        for parts, cell in zip(product(*self._inputs()), self.cells, strict=True):
            yield {**{name: value for part in parts for name, value in part.items()}, **asdict(cell)}

    def for_programs(self, output_format: str) -> Iterator[str]:
        """The rows in pieces, each input and each answer written once, because there may be millions."""
        from ..render.csv_json import csv_cells, json_members

        is_csv = output_format == "csv"
        inputs = self._inputs(is_whole=is_csv)
        text, between = (csv_cells, ",") if is_csv else (json_members, ", ")
        ends = {key: text(asdict(cell)) for key, cell in {id(each): each for each in self.cells}.items()}
        parts = product(*(list(map(text, axis)) for axis in inputs))
        lines = (between.join((*each, ends[id(cell)])) for each, cell in zip(parts, self.cells, strict=True))
        if is_csv:
            yield ",".join(
                (*(name for axis in inputs for name in axis[0]), *(each.name for each in fields(Cell)))
            )
            yield from self._pieces(lines, "\n")
        elif output_format == "jsonl":
            yield from self._pieces((f"{{{line}}}" for line in lines), "\n")
        else:
            head = json_members(self._head(), ",\n  ")
            yield f'{{\n  {head},\n  "rows": ['
            yield from self._pieces((f"    {{{line}}}" for line in lines), ",\n")
            yield "  ]\n}"

    def _pieces(self, lines: Iterator[str], between: str) -> Iterator[str]:
        for start in range(0, len(self.cells), LINES):
            is_last = start + LINES >= len(self.cells)
            yield between.join(islice(lines, LINES)) + ("" if is_last else between.removesuffix("\n"))

    def _inputs(self, *, is_whole: bool = False) -> list[list[dict[str, Any]]]:
        """For each input what its values say, by the names of the columns.

        Args:
            is_whole: Whether all that could be said has a column.
        """
        chips = self.variables.get("gpu") or self.variables.get("cc")
        is_product = "gpu" in self.variables or "gpu" in self.fixed
        names = chips or (self.fixed["gpu" if is_product else "cc"],)
        axes: list[list[dict[str, Any]]] = [
            [
                {**({"gpu": name if is_product else None} if is_product or is_whole else {}), "cc": cc}
                for name, cc in zip(names, self.ccs, strict=True)
            ]
        ]
        variables = cast("Mapping[str, Sequence[Value]]", self.variables)
        for name in INPUTS:
            if is_whole or name in self.fixed or name in self.variables:
                values = variables.get(name) or (self.fixed.get(name),)
                axes.append([{name: value} for value in values])
        return axes

    def document(self) -> Document:
        """A chart or a heat map on a terminal; a row for each combination in Markdown."""
        self._check_axes()
        names = " and ".join(axis.scale.title for axis in self.axes)
        heading = Paragraph(Marked(f"Occupancy by {names}", "strong"))
        charts = charts_of(self.axes, self.cells)
        return (
            Only("text", (Together((heading, Paragraph(self._fixed()))), *charts)),
            Only("markdown", (self._table(),)),
        )

    def picture(self, title: str | None = None, marks: Sequence[int] = (), *, best: bool = False) -> Picture:
        """Return a step plot over numbers with a curve for each GPU, bars, or over two inputs a heat map.

        Args:
            title: The title instead of the inputs that vary.
            marks: Values of the input that varies to mark.
            best: Whether to mark the best.

        Raises:
            InputError: More than two inputs vary, or a value to mark is outside of the axis.
        """
        self._check_axes()
        *down, across = self.variables
        values = self.variables[across]
        numbers = [value for value in values if isinstance(value, int)]
        shares = [cell.occupancy for cell in self.cells]
        rows = [shares[start : start + len(values)] for start in range(0, len(shares), len(values))]
        heading = pictures.title([*self.variables], self.fixed, title)
        if len(numbers) == len(values) and (not down or down[0] in ("gpu", "cc")):
            names = [str(value) for value in self.variables[down[0]]] if down else [""]
            for mark in marks:
                _check_mark(mark, across, numbers)
            chosen = [*marks, *(_best(across, numbers, row) for row in rows if best)]
            plot: pictures.Plot = StepPlot(across, numbers, dict(zip(names, rows, strict=True)), chosen)
        elif marks:
            raise InputError(
                "there is no curve on which to mark a value",
                where="marks",
                hint="Vary one input over numbers, such as --regs 16:255, on one GPU or more.",
            )
        elif down:
            highest = max(shares)
            cells = [divmod(place, len(values)) for place, share in enumerate(shares) if share == highest]
            inputs = (str(down[0]), str(across))
            plot = HeatMap(inputs, self.variables[down[0]], values, rows, cells if best else ())
        else:
            labels = [pictures.label(across, value) for value in values]
            places = [place for place, share in enumerate(shares) if share == max(shares)]
            plot = Bars(labels, shares, places if best else ())
        return Picture(heading, (plot,))

    def _check_axes(self) -> None:
        if len(self.variables) > MOST_AXES:
            shown = f"A screen or a picture shows two{self._for_each_chip()}"
            raise InputError(
                f"{len(self.variables)} inputs vary: {', '.join(self.variables)}",
                where="sweep",
                hint=f"{shown}; --format csv, json or jsonl has all.",
            )

    def _for_each_chip(self) -> str:
        """How to see what varies beside the chips, where that alone is not too much."""
        option = "gpu" if "gpu" in self.variables else "cc"
        if option not in self.variables or len(self.variables) > MOST_AXES + 1:
            return ""
        import shlex  # only an error needs it

        return f": one for each chip, --{option} {shlex.quote(str(self.variables[option][0]))}"

    def _fixed(self) -> str:
        """What does not vary: ``compute capability 9.0, 40 registers per thread``."""
        return ", ".join(scale(name).given(value) for name, value in self.fixed.items())

    def _table(self) -> Table:
        headers = [Column(axis.scale.header) for axis in self.axes]
        rows = []
        for values, cell in zip(product(*self.variables.values()), self.cells, strict=True):
            labels = (axis.scale.label(value) for axis, value in zip(self.axes, values, strict=True))
            rows.append((*labels, *answer_cells(cell)))
        return Table((*headers, *ANSWER), rows)


def _best(name: str, values: Sequence[int], shares: Sequence[float]) -> int:
    """Return the fewest threads with the highest occupancy, or the largest value of another input."""
    best = [value for value, share in zip(values, shares, strict=True) if share == max(shares)]
    return min(best) if name == "threads" else max(best)


def _check_mark(mark: int, name: str, values: Sequence[int]) -> None:
    low, high = min(values), max(values)
    if not low <= mark <= high:
        raise InputError(
            f"{pictures.label(name, mark)} is outside of the axis, {pictures.LABELS[name]}",
            where="marks",
            allowed=f"{pictures.label(name, low)} to {pictures.label(name, high)}",
        )
