"""Names that are too long for a line, cut so that different names still look different."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

DOTS = "..."
LEAST_HEAD = 12
"""Characters of the beginning that are kept, where there is room for more than that."""
MOST_PLACES = 3
"""Where differences are shown."""
BEFORE_DIFFERENCE = 6
"""Characters that are kept in front of the first one that differs."""


def shortened(names: Iterable[str], width: int) -> dict[str, str]:
    """What to show of each name in so many columns.

    A name is cut at its end; where several would look the same then, what they have in common is cut
    within, so that the first difference is seen: ``cub::DeviceReduce...<float, 4>``.
    """
    whole = dict.fromkeys(names)
    shown = {name: name if len(name) <= width else name[: max(0, width - len(DOTS))] + DOTS for name in whole}
    _tell_apart(shown, (), width)
    return shown


def _tell_apart(shown: dict[str, str], places: tuple[int, ...], width: int) -> None:
    """Where several names look the same, show where they differ, beside the places known so far."""
    alike: dict[str, list[str]] = defaultdict(list)
    for name, text in shown.items():
        alike[text].append(name)
    for group in alike.values():
        if len(group) > 1:
            differing = (*places, _first_difference(min(group), max(group)))
            again = {name: _around(name, differing, width) for name in group}
            if 1 < len(set(again.values())) < len(group) and len(places) < MOST_PLACES:
                _tell_apart(again, differing, width)
            shown.update(again)


def _first_difference(least: str, greatest: str) -> int:
    """Where the names between these two, in the order of the alphabet, begin to differ."""
    pairs = enumerate(zip(least, greatest, strict=False))
    return next((place for place, (one, other) in pairs if one != other), min(len(least), len(greatest)))


def _around(name: str, places: tuple[int, ...], width: int) -> str:
    """The beginning, and what stands around some places."""
    room = max(0, width - len(DOTS) * (len(places) + 1))
    head = min(LEAST_HEAD, room // (len(places) + 1))
    text = _windows(name, places, head, (room - head) // len(places))
    # The beginning has whatever room the rest leaves to it.
    spare = width - len(text)
    return text if spare <= 0 else _windows(name, places, head + spare, (room - head) // len(places))[:width]


def _windows(name: str, places: tuple[int, ...], head: int, size: int) -> str:
    pieces, end = [name[:head]], head
    for place in places:
        start = max(end, place - min(BEFORE_DIFFERENCE, size // 2))
        if start > end:
            pieces.append(DOTS)
        pieces.append(name[start : start + size])
        end = start + size
    return "".join(pieces) + (DOTS if end < len(name) else "")
