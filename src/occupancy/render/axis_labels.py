"""What is written beside the axes of a picture, and above them, as far as there is room."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

from .charts import Axis, ticks

MOST_TICKS = 16
LABEL_WIDTH = 2.5
"""Of a label below an axis and the gap beside it, by the size of the letters."""
LABEL_HEIGHT = 1.5
"""Of a label beside an axis and the gap below it, likewise."""
LETTER_WIDTH = 0.52
"""Of a letter in a sentence, by the size of the letters."""
POINTS_PER_INCH = 72


def room_for(most: int, panel: Any) -> int:
    """How many labels have room side by side below matplotlib's axes, up to so many; two at the least."""
    return room_along(panel.xaxis, most)


def room_along(axis: Any, most: int) -> int:
    """The same along one of their axes: side by side below them, or below each other beside them."""
    panel = axis.axes
    is_below = axis.axis_name == "x"
    pixels = panel.bbox.width if is_below else panel.bbox.height
    letters = pixels / panel.figure.dpi * POINTS_PER_INCH / axis.label.get_fontsize()
    return max(2, min(most, int(letters / (LABEL_WIDTH if is_below else LABEL_HEIGHT))))


def add_title(title: str, panel: Any) -> None:
    """Write a title above axes that others may stand beside: in smaller letters, and in more lines, where it
    is wider than they are."""
    size = panel.title.get_fontsize()
    longest = max(map(len, title.splitlines()), default=0)
    if longest * LETTER_WIDTH > _letters_across(panel, size):
        size = panel.xaxis.label.get_fontsize()
        letters = max(1, int(_letters_across(panel, size) / LETTER_WIDTH))
        title = "\n".join(part for line in title.splitlines() for part in wrap(line, letters))
    panel.set_title(title, fontsize=size)


def _letters_across(panel: Any, size: float) -> float:
    """How many times the size of the letters, in points, matplotlib's axes are wide."""
    return float(panel.bbox.width / panel.figure.dpi * POINTS_PER_INCH / size)


def places_of(axis: Axis, most: int) -> Sequence[int]:
    """Places along the axis of a map, at most so many, at which to write its values."""
    places: Sequence[int] = range(len(axis.values))
    if len(places) > most:
        step = -(-len(places) // most)
        round_ones = ticks(int(axis.values[0]), int(axis.values[-1]), most) if axis.is_numeric else []
        found = [place for place in places if axis.values[place] in round_ones]
        # Else the last one has one.
        places = found if 2 * len(found) > most // 2 else range((len(places) - 1) % step, len(places), step)
    return places


def value_at(axis: Axis, place: int) -> str:
    """What to write at a place along the axis of a map; at its end for what lies beyond."""
    return axis.scale.label(axis.values[max(0, min(place, len(axis.values) - 1))])


def evenly(places: Sequence[float], most: int) -> Sequence[float]:
    """Of some places those at even distances that have both ends; at most so many, but two at the least."""
    last = len(places) - 1
    step = next(each for each in range(1, last + 1) if not last % each and last // each < max(2, most))
    return places[::step]
