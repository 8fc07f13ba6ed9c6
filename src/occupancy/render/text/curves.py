"""The three curves of a kernel on a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from ...report.curves import Curve, CurvesReport
from .. import answers, scale, words
from . import PLAIN_WIDTH, to_string
from .chart import GUTTER, ColumnChart

MOST_TICKS = 9


def render(report: CurvesReport, width: int = PLAIN_WIDTH, color: bool = False) -> str:
    """A chart for each of block size, registers and shared memory, the kernel marked, and what is near."""
    parts: list[RenderableType] = []
    for curve in report.curves:
        parts += [Text(), *curve_lines(report, curve, width)]
    return to_string(*parts[1:], width=width, color=color)


def curve_lines(report: CurvesReport, curve: Curve, width: int) -> Iterator[Text]:
    """One of the charts, with its title above and the kernel's place in it below."""
    yield Text(f"Warps per SM by {scale.title(curve.variable)}", style="bold")
    yield from _chart(report, curve, width - GUTTER - 1).lines()
    yield Text(" " * GUTTER + caption(report, curve))


def _chart(report: CurvesReport, curve: Curve, columns: int) -> ColumnChart:
    span = curve.last - curve.first + 1
    columns = max(columns, 1)
    if curve.variable == "threads" and columns >= len(curve.steps):
        columns -= columns % len(curve.steps)  # as many for each number of warps

    def column_of(value: int) -> int:
        return min(max((value - curve.first) * columns // span, 0), columns - 1)

    warps = [
        curve.at(curve.first + (column + 1) * span // columns - 1).active_warps for column in range(columns)
    ]
    marked = None if curve.now is None else column_of(curve.now)
    if marked is not None:
        warps[marked] = report.active_warps
    labels = {
        column_of(tick): scale.label(curve.variable, tick)
        for tick in scale.ticks(curve.first, curve.last, MOST_TICKS)
    }
    quarters = {share: str(round(share * report.max_warps)) for share in (0, 0.25, 0.5, 0.75, 1)}
    return ColumnChart([each / report.max_warps for each in warps], quarters, labels, marked)


def caption(report: CurvesReport, curve: Curve) -> str:
    """Where the kernel is, and the nearest values with more warps."""
    if curve.now is None:
        return "Not given, and counted as none."
    parts = [f"Now {answers.amount(curve, curve.now)}: {_warps(report.active_warps, report.occupancy)}."]
    for better in curve.better:
        parts.append(
            f"With {answers.amount(curve, better.value)}: {_warps(better.active_warps, better.occupancy)}."
        )
    if not curve.better and report.occupancy < 1:
        parts.append("No other value gives more warps.")
    return " ".join(parts)


def _warps(warps: int, occupancy: float) -> str:
    return f"{words.count(warps, 'warp')}, {words.percent(occupancy)}"
