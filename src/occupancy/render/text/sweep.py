"""A sweep on a terminal: a chart over one variable, a heat map over two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ...report.sweep import Axis, Cell, SweepReport
from .. import answers, scale, words
from . import PLAIN_WIDTH, to_string
from .chart import BAR, GUTTER, ColumnChart
from .heat_map import heat_map, thinned

BAR_WIDTH = 20
QUARTERS = {share: words.percent(share) for share in (0, 0.25, 0.5, 0.75, 1)}
LABELS_APART = 10


def render(report: SweepReport, width: int = PLAIN_WIDTH, color: bool = False) -> str:
    """The occupancy over the variables, and what stops one more block."""
    parts: list[RenderableType] = [Text(heading(report), style="bold"), Text(answers.fixed(report)), Text()]
    if len(report.axes) == 1:
        parts += _over_one(report, report.axes[0], width)
    else:
        parts += heat_map(report, width)
    return to_string(*parts, width=width, color=color)


def heading(report: SweepReport) -> str:
    """What is shown."""
    return "Occupancy by " + " and ".join(scale.title(axis.variable) for axis in report.axes)


def _over_one(report: SweepReport, axis: Axis, width: int) -> Iterator[RenderableType]:
    """A chart for numbers, a bar for anything else; then each answer with what limits it."""
    has_chart = axis.is_numeric and len(axis.values) > 2
    if has_chart:
        yield from _chart(report, axis, width - GUTTER - 1).lines()
        yield Text()
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="bold")
    table.add_column(scale.header(axis.variable), no_wrap=True)
    *numbers, limited_by = answers.HEADER
    for header in numbers:
        table.add_column(header, justify="right", no_wrap=True)
    if not has_chart:
        table.add_column("", no_wrap=True)
    table.add_column(limited_by)
    for run in runs(report.cells):
        cell = run[0]
        ends = [scale.label(axis.variable, each.values[0]) for each in (cell, run[-1])]
        bar = [] if has_chart else [Text("█" * round(cell.occupancy * BAR_WIDTH), style=BAR)]
        *texts, limiters = answers.cells(cell)
        table.add_row(ends[0] if len(run) == 1 else " to ".join(ends), *texts, *bar, limiters)
    yield table


def runs(cells: Sequence[Cell]) -> list[list[Cell]]:
    """Neighbours with the same answer."""
    return [
        list(group)
        for _, group in groupby(
            cells, lambda cell: (cell.active_blocks, cell.active_warps, cell.occupancy, cell.limiters)
        )
    ]


def _chart(report: SweepReport, axis: Axis, room: int) -> ColumnChart:
    count, columns = len(report.cells), max(room, 1)
    if columns >= count:
        columns -= columns % count
    shown = [report.cells[column * count // columns] for column in range(columns)]
    labels = {
        index * columns // count: scale.label(axis.variable, axis.values[index])
        for index in thinned(range(count), max(columns // LABELS_APART, 1))
    }
    return ColumnChart([cell.occupancy for cell in shown], QUARTERS, labels)
