"""Which values of an axis of a picture are written beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .charts import Axis, ticks

MOST_TICKS = 16
LABEL_WIDTH = 2.5
"""Of a label below an axis and the gap beside it, by the size of the letters."""
POINTS_PER_INCH = 72


def room_for(most: int, panel: Any) -> int:
    """How many labels have room side by side below matplotlib's axes, up to so many; two at the least."""
    letters = panel.xaxis.label.get_fontsize() / POINTS_PER_INCH
    width = panel.bbox.width / panel.figure.dpi
    return max(2, min(most, int(width / letters / LABEL_WIDTH)))


def ticks_of(axis: Axis, most: int) -> tuple[Sequence[int], list[str]]:
    """Places along the axis of a map, at most so many, and what to write there."""
    places: Sequence[int] = range(len(axis.values))
    if len(places) > most:
        step = -(-len(places) // most)
        round_ones = ticks(int(axis.values[0]), int(axis.values[-1]), most) if axis.is_numeric else []
        found = [place for place in places if axis.values[place] in round_ones]
        # Else the last one has one.
        places = found if 2 * len(found) > most // 2 else range((len(places) - 1) % step, len(places), step)
    return places, [axis.scale.label(axis.values[place]) for place in places]
