"""A sweep as a picture: steps or bars over one variable, a heat map over two."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...report.sweep import Axis, SweepReport
from .. import answers, scale, words
from .curves import CURVE_COLOR

MOST_TICKS = 16
MOST_WIDE_BARS = 12
MOST_CELLS_WITH_NUMBERS = 16
PERCENTAGES = [0, 25, 50, 75, 100]
DARK_COLORS = 0.6
"""Occupancy below which the colours of the map are dark."""
NOTHING_FITS_COLOR = "#dddddd"


def draw(report: SweepReport, figure: Figure) -> None:
    """The occupancy over the variables."""
    names = words.listing([scale.name(axis.variable) for axis in report.axes])
    figure.suptitle(f"Occupancy by {names}\n{answers.fixed(report)}")
    panel = figure.subplots()
    if len(report.axes) == 2:
        _draw_map(report, figure, panel)
    elif report.axes[0].is_numeric:
        _draw_steps(report, panel)
    else:
        _draw_bars(report, panel)


def _draw_steps(report: SweepReport, panel: Axes) -> None:
    (axis,) = report.axes
    points = sorted((int(cell.values[0]), 100 * cell.occupancy) for cell in report.cells)
    values, shares = zip(*points, strict=True)
    panel.plot(values, shares, "o-", color=CURVE_COLOR, drawstyle="steps-mid", linewidth=2.5)
    panel.set_xlabel(scale.title(axis.variable))
    panel.set_ylabel("occupancy (%)")
    panel.set_ylim(0, 105)
    panel.set_yticks(PERCENTAGES)
    panel.grid(alpha=0.3)
    ticks = scale.ticks(values[0], values[-1], MOST_TICKS)
    panel.set_xticks(ticks, [scale.label(axis.variable, tick) for tick in ticks])


def _draw_bars(report: SweepReport, panel: Axes) -> None:
    (axis,) = report.axes
    labels = [scale.label(axis.variable, value) for value in axis.values]
    bars = panel.bar(range(len(labels)), [100 * cell.occupancy for cell in report.cells], color=CURVE_COLOR)
    is_narrow = len(labels) > MOST_WIDE_BARS
    numbers = [words.whole_percent(cell.occupancy) for cell in report.cells]
    panel.bar_label(bars, numbers, fontsize=10 if is_narrow else None)
    panel.set_xticks(range(len(labels)), labels, rotation=90 if is_narrow else 0)
    panel.set_xlabel(scale.title(axis.variable))
    panel.set_ylabel("occupancy (%)")
    panel.set_ylim(0, 105)
    panel.set_yticks(PERCENTAGES)


def _draw_map(report: SweepReport, figure: Figure, panel: Axes) -> None:
    down, across = report.axes
    # What does not fit is left out of the colours, so that it is not taken for a little.
    shares = [[100 * cell.occupancy or math.nan for cell in line] for line in report.lines()]
    image = panel.imshow(shares, cmap="viridis", vmin=0, vmax=100, aspect="auto", origin="lower")
    panel.set_facecolor(NOTHING_FITS_COLOR)
    figure.colorbar(image, ax=panel, label="occupancy (%); grey: does not fit", ticks=PERCENTAGES)
    panel.set_xlabel(scale.title(across.variable))
    panel.set_ylabel(scale.title(down.variable))
    panel.set_xticks(*_ticks(across))
    panel.set_yticks(*_ticks(down))
    if max(len(down.values), len(across.values)) <= MOST_CELLS_WITH_NUMBERS:
        for row, line in enumerate(report.lines()):
            for column, cell in enumerate(line):
                _write_number(panel, row, column, cell.occupancy)


def _write_number(panel: Axes, row: int, column: int, share: float) -> None:
    if share:
        color = "white" if share < DARK_COLORS else "black"
        panel.text(column, row, words.whole_percent(share), ha="center", va="center", color=color)


def _ticks(axis: Axis) -> tuple[Sequence[int], list[str]]:
    """Places along the axis of a map, and what to write there."""
    step = -(-len(axis.values) // MOST_TICKS)
    places = range((len(axis.values) - 1) % step, len(axis.values), step)  # the last one has one
    return places, [scale.label(axis.variable, axis.values[place]) for place in places]
