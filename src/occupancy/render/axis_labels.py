"""What is written beside the axes of a picture, and above them, as far as there is room."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from textwrap import wrap
from typing import Any

from .charts import Axis, ticks

MOST_TICKS = 16
LABEL_WIDTH = 2.5
"""Of a label below an axis and the gap beside it, by the size of the letters."""
LABEL_HEIGHT = 1.5
"""Of a label beside an axis and the gap below it, likewise."""
ROOM_FOR_TITLE = 1.1
"""Of axes' width, above them: labels keep the next ones at a distance."""
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
    """Write a title above axes that others may stand beside, about as wide as they are at the most."""
    _fit(panel.set_title(title), ROOM_FOR_TITLE * panel.bbox.width, panel)


def add_title_of_all(title: str, panels: Sequence[Any]) -> None:
    """Write a title above all axes of a figure, no wider than it is."""
    above = panels[0].figure.suptitle(title)
    margins = 2 * above.get_fontsize() / POINTS_PER_INCH * panels[0].figure.dpi
    _fit(above, panels[0].figure.bbox.width - margins, panels[0])


def _fit(title: Any, pixels: float, panel: Any) -> None:
    """Have a title be no wider than there is room: in letters as small as a label's, then in more lines."""
    lines = title.get_text().splitlines()
    letters = max(map(len, lines), default=0)
    if title.get_window_extent().width > pixels:
        title.set_fontsize(panel.xaxis.label.get_fontsize())
    while letters > 1 and (width := title.get_window_extent().width) > pixels:
        letters = max(1, min(letters - 1, int(letters * pixels / width)))
        title.set_text("\n".join(part for line in lines for part in wrap(line, letters)))


def label_color_bar(bar: Any, panel: Any, *parts: str) -> None:
    """Write beside a bar of colours what it shows: in a line, or in one for each part where the axes to which
    it belongs are too low for that."""
    bar.set_label("; ".join(parts))
    if bar.ax.yaxis.label.get_window_extent().height > panel.bbox.height:
        bar.set_label("\n".join(parts))


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


PERCENTAGES = [0, 25, 50, 75, 100]
OF_PERCENTAGES = partial(evenly, PERCENTAGES), len(PERCENTAGES)
"""Which of them to write where there is room for fewer."""
