"""The answer to ``occupancy sweep`` over some variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from itertools import islice, product
from typing import Any, ClassVar, Literal, cast

from ..errors import InputError
from ..render import words
from ..render.answers import ANSWER, answer_cells, charts_of, heat_map
from ..render.charts import SCALES, Axis, BarChart, Chart, Curves, HeatMap, Picture, Value, scale
from ..render.document import Column, Document, Marked, Only, Paragraph, Table, Together
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
CHIPS = (SCALES["gpu"].name, SCALES["cc"].name)


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

    def picture(self, title: str | None = None, marks: Sequence[int] = ()) -> Picture:
        """A curve or bars over one variable; over two a curve for each chip, else a heat map.

        Args:
            title: Instead of what varies; what does not stands below it.
            marks: Values of the numbers that vary, to draw a line at.

        Raises:
            InputError: Something is to be marked, and there is no curve.
        """
        self._check_axes()
        axes = self.axes
        has_curves = axes[-1].is_numeric and (len(axes) == 1 or axes[0].scale.name in CHIPS)
        if marks and not has_curves:
            raise InputError(
                "there is no curve on which to mark a value",
                where="marks",
                hint="Vary one input over numbers, as --regs 16:255, on one chip or more.",
            )
        for mark in marks:
            self._check_mark(mark)
        if has_curves:
            chart: Chart | Curves = Curves(axes[-1], self._lines(), marks)
        elif len(axes) == 1:
            chart = BarChart(axes[0], [cell.occupancy for cell in self.cells])
        else:
            chart = self._heat_map()
        named = axes[-1:] if has_curves else axes
        subject = f"Occupancy by {words.listing([axis.scale.name for axis in named])}"
        return Picture("\n".join([title or subject, self._fixed()]), (chart,), subject)

    def _check_mark(self, mark: int) -> None:
        axis = self.axes[-1]
        low, high = min(map(int, axis.values)), max(map(int, axis.values))
        if not low <= mark <= high:
            alone = axis.scale.alone
            raise InputError(
                f"{alone(mark)} is outside of the axis, {axis.scale.name}",
                where="marks",
                allowed=f"{alone(low)} to {alone(high)}",
            )

    def _check_axes(self) -> None:
        if len(self.variables) > MOST_AXES:
            shown = f"A picture shows two{self._for_each_chip()}; a screen of numbers the best, with NumPy"
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

    def _lines(self) -> list[tuple[str, Sequence[float]]]:
        """The curve of the only chip, without a name, or that of each chip."""
        if len(self.axes) == 1:
            return [("", [cell.occupancy for cell in self.cells])]
        down, _, lines = self._heat_map()
        return list(zip(map(str, down.values), lines, strict=True))

    def _fixed(self) -> str:
        """What does not vary: ``compute capability 9.0, 40 registers per thread``."""
        return ", ".join(scale(name).given(value) for name, value in self.fixed.items())

    def _heat_map(self) -> HeatMap:
        return heat_map(self.axes, [cell.occupancy for cell in self.cells])

    def _table(self) -> Table:
        headers = [Column(axis.scale.header) for axis in self.axes]
        rows = []
        for values, cell in zip(product(*self.variables.values()), self.cells, strict=True):
            labels = (axis.scale.label(value) for axis, value in zip(self.axes, values, strict=True))
            rows.append((*labels, *answer_cells(cell)))
        return Table((*headers, *ANSWER), rows)
