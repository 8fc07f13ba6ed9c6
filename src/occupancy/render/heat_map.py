"""A map of the occupancy over two inputs, in axes of matplotlib's."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from . import words
from .axis_labels import MOST_TICKS, OF_PERCENTAGES, label_color_bar, places_of, value_at
from .charts import HeatMap

MOST_CELLS_WITH_NUMBERS = 16
DARK_COLORS = 0.6
"""Occupancy below which the colours of the map are dark."""
NOTHING_FITS_COLOR = "#dddddd"


def draw_map(chart: HeatMap, panel: Any) -> None:
    """Draw a map; with a number in each cell where there are few."""
    from .fitting_ticks import set_ticks

    # What does not fit is left out of the colours, so that it is not taken for a little.
    shares = [[100 * share or math.nan for share in line] for line in chart.lines]
    how: dict[str, Any] = {"cmap": "viridis", "vmin": 0, "vmax": 100, "aspect": "auto", "origin": "lower"}
    # Else a map that is drawn small has colours between those of neighbours, which no cell has.
    image = panel.imshow(shares, interpolation="nearest", **how)
    panel.set_facecolor(NOTHING_FITS_COLOR)
    bar = panel.figure.colorbar(image, ax=panel)
    label_color_bar(bar, panel, "occupancy (%)", "grey: does not fit")
    set_ticks(bar.ax.yaxis, *OF_PERCENTAGES)
    panel.set_xlabel(chart.across.scale.title)
    panel.set_ylabel(chart.down.scale.title)
    for drawn, axis in ((panel.xaxis, chart.across), (panel.yaxis, chart.down)):
        set_ticks(drawn, partial(places_of, axis), MOST_TICKS, partial(value_at, axis))
    if max(len(chart.down.values), len(chart.across.values)) <= MOST_CELLS_WITH_NUMBERS:
        for row, line in enumerate(chart.lines):
            for column, share in enumerate(line):
                _write_number(panel, row, column, share)


def _write_number(panel: Any, row: int, column: int, share: float) -> None:
    if share:
        color = "white" if share < DARK_COLORS else "black"
        panel.text(column, row, words.whole_percent(share), ha="center", va="center", color=color)
