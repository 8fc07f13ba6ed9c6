"""Ticks that are as many as their labels have room for whenever a picture is drawn; imports matplotlib.

How large axes are is known only then: a layout makes room for titles and labels, and people resize windows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from matplotlib.ticker import FuncFormatter, Locator

from .axis_labels import room_along

Chosen = Callable[[int], Sequence[float]]
"""The places of at most so many ticks."""


class FittingTicks(Locator):
    """At most so many ticks, and fewer where there is less room."""

    def __init__(self, chosen: Chosen, most: int) -> None:
        self.chosen = chosen
        self.most = most

    def __call__(self) -> Sequence[float]:
        return list(self.chosen(room_along(self.axis, self.most)))

    def tick_values(self, vmin: float, vmax: float) -> Sequence[float]:  # they lie within all that is drawn
        return self()


def set_ticks(axis: Any, chosen: Chosen, most: int, label: Callable[[Any], str] | None = None) -> None:
    """Have an axis of matplotlib's, or one of a bar of colours, choose its ticks when it is drawn.

    Args:
        axis: The axis.
        chosen: The places of at most so many ticks.
        most: The most ticks, wherever there is room.
        label: What to write at a place; by default its number.
    """
    axis.set_major_locator(FittingTicks(chosen, most))
    if label is not None:
        axis.set_major_formatter(FuncFormatter(_AtAPlace(label)))


class _AtAPlace:
    """What to write at a place; below the mouse, at the nearest."""

    def __init__(self, label: Callable[[Any], str]) -> None:
        self.label = label

    def __call__(self, place: float, position: int | None = None) -> str:
        return self.label(round(place))
