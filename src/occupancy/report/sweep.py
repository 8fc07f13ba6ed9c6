"""The answer to ``occupancy sweep`` over one or two variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby, product
from typing import Any, ClassVar, Literal

from ..engine import Answer
from ..errors import InputError
from ..render import words
from ..render.charts import SCALES, Axis, BarChart, Chart, Curves, HeatMap, Picture, Value, scale
from ..render.document import Block, Column, Document, Marked, Only, Paragraph, Table, Together
from ..values.dataclass import dataclass
from ..values.resources import Resource
from .base import Report
from .curves import ANSWER, answer_cells

Variable = Literal["gpu", "cc", "threads", "regs", "smem", "carveout"]

BAR_WIDTH = 10
FEWEST_IN_A_CHART = 3
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
    """The answers over one or two variables."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {
        **Report.__pydantic_config__,
        "alias_generator": _in_json,
    }

    fixed: dict[str, Value | bool]
    """What was given of the rest, by the names of the options."""
    variables: dict[Variable, tuple[Value, ...]]
    """Threads per block, registers per thread, bytes of shared memory per block; else as given."""
    cells: tuple[Cell, ...]
    """One for each combination; the last variable changes fastest."""

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The variables as axes of a chart."""
        return tuple(Axis(scale(name), values) for name, values in self.variables.items())

    def to_dict(self) -> dict[str, Any]:
        """What was asked, and the rows."""
        return {
            "schema_version": self.schema_version,
            "fixed": self.fixed,
            "variables": {name: list(values) for name, values in self.variables.items()},
            "rows": list(self.rows()),
        }

    def rows(self) -> Iterator[Mapping[str, Any]]:
        """A row for each combination, with what is the same for all of them."""
        for values, cell in zip(product(*self.variables.values()), self.cells, strict=True):
            yield {**self.fixed, **dict(zip(self.variables, values, strict=True)), **asdict(cell)}

    def document(self) -> Document:
        """A chart or a heat map on a terminal; a row for each combination in Markdown."""
        names = " and ".join(axis.scale.title for axis in self.axes)
        heading = Paragraph(Marked(f"Occupancy by {names}", "strong"))
        charts = self._charts()
        return (
            Only("text", (Together((heading, Paragraph(self._fixed()))), *charts)),
            Only("markdown", (self._table(),)),
        )

    def picture(self, title: str | None = None, marks: Sequence[int] = ()) -> Picture:
        """A curve or bars over one variable; over two a curve for each chip, else a heat map.

        Args:
            title: Instead of what varies and what does not.
            marks: Values of the numbers that vary, to draw a line at.

        Raises:
            InputError: Something is to be marked, and there is no curve.
        """
        axes = self.axes
        has_curves = axes[-1].is_numeric and (len(axes) == 1 or axes[0].scale.name in CHIPS)
        if marks and not has_curves:
            raise InputError(
                "there is no curve on which to mark a value",
                where="marks",
                cure="Vary one input over numbers, on one chip or more.",
            )
        if len(axes) == 1:
            chart: Chart | Curves = self._bars()
        else:
            chart = self._curves() if has_curves else self._heat_map()
        named = axes[-1:] if has_curves else axes
        names = words.listing([axis.scale.name for axis in named])
        return Picture(title or f"Occupancy by {names}\n{self._fixed()}", (chart,), marks)

    def _curves(self) -> Curves:
        down, across, lines = self._heat_map()
        names = map(str, down.values)
        return Curves(across, list(zip(names, lines, strict=True)))

    def _fixed(self) -> str:
        """What does not vary: ``compute capability 9.0, registers per thread 40``."""
        given = ((scale(name), value) for name, value in self.fixed.items())
        return ", ".join(f"{each.name} {each.alone(value)}" for each, value in given)

    def _charts(self) -> tuple[Block, ...]:
        """For a terminal: a chart for numbers, bars for anything else; then what limits each answer."""
        if len(self.variables) == 2:
            return (self._heat_map(),)
        (axis,) = self.axes
        if axis.is_numeric and len(axis.values) >= FEWEST_IN_A_CHART:
            return self._bars(), self._runs(axis, with_bars=False)
        return (self._runs(axis, with_bars=True),)

    def _bars(self) -> BarChart:
        return BarChart(self.axes[0], [cell.occupancy for cell in self.cells])

    def _heat_map(self) -> HeatMap:
        down, across = self.axes
        shares = [cell.occupancy for cell in self.cells]
        length = len(across.values)
        lines = [shares[start : start + length] for start in range(0, len(shares), length)]
        return HeatMap(down, across, lines)

    def _runs(self, axis: Axis, *, with_bars: bool) -> Table:
        """A row for each run of neighbours with the same answer."""
        *numbers, limited_by = ANSWER
        bars = [Column("", is_number=False, cuts=True, mark="drawn")] if with_bars else []
        rows = []
        last = -1
        for _, run in groupby(self.cells, lambda cell: (answer_cells(cell), cell.occupancy)):
            cell, *others = run
            first, last = last + 1, last + 1 + len(others)
            *texts, limiters = answer_cells(cell)
            bar = ["█" * round(cell.occupancy * BAR_WIDTH)] if with_bars else []
            rows.append((axis.label(first, last, " to "), *texts, *bar, limiters))
        columns = (Column(axis.scale.header, is_number=False, cuts=True), *numbers, *bars, limited_by)
        return Table(columns, rows, splits=False, gaps=(3, 3))

    def _table(self) -> Table:
        headers = [Column(axis.scale.header) for axis in self.axes]
        rows = []
        for values, cell in zip(product(*self.variables.values()), self.cells, strict=True):
            labels = (axis.scale.label(value) for axis, value in zip(self.axes, values, strict=True))
            rows.append((*labels, *answer_cells(cell)))
        return Table((*headers, *ANSWER), rows)


def sweep_report(
    variables: Mapping[Variable, tuple[Value, ...]],
    answers: Iterable[Answer],
    fixed: Mapping[str, Value | bool],
) -> SweepReport:
    """The answers, in the order of the variables' combinations, the last variable fastest, as a report."""
    cells = (
        Cell(
            answer.active_blocks,
            answer.active_warps,
            answer.occupancy,
            answer.limiters,
            answer.launchable,
        )
        for answer in answers
    )
    return SweepReport(dict(fixed), dict(variables), tuple(cells))
