"""What capped the registers of kernels whose cap changed, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...builds.scan_row import ScanRow
from ...compare.register_caps import CapOrigin, CappedBy, cap_origin
from ...render import words
from ..name_words import MOST_IN_A_NOTE, brief_name
from .change_words import REGISTER_CAP


def meaning_of_caps(pairs: Iterable[tuple[ScanRow, ScanRow]]) -> Iterator[str]:
    """What a register cap is, and what set those that are shown to have changed.

    Args:
        pairs: Kernels of both builds, the old one first.
    """
    causes: dict[str, dict[str, None]] = {}
    by_bounds = False
    for old, new in pairs:
        if REGISTER_CAP.has_changed(old, new):
            before, now = cap_origin(old), cap_origin(new)
            causes.setdefault(_cause(before, now), {})[brief_name(new)] = None
            by_bounds |= now is not None and now.by == _BOUNDS
    if not causes:
        return
    said = [cause.format(_names(list(names))) for cause, names in causes.items()]
    beside = "-maxrregcount does nothing beside launch bounds."
    by = [f"{each}." for each in words.first_of(said, MOST_IN_A_NOTE)]
    meaning = "Register cap: the most per thread that the compiler may use."
    yield " ".join([meaning, *by, *[beside] * by_bounds])


_BOUNDS: CappedBy = "launch bounds"


def _cause(old: CapOrigin | None, new: CapOrigin | None) -> str:
    """``The launch bounds of {} changed from (256, 2) to (256, 6)``, of the names of kernels."""
    if new is None or new.by == "nothing":
        return "Nothing caps {} any more"
    if new.by != _BOUNDS:
        return f"{new.by} caps {{}}"
    sides = [_arguments(each.bounds) for each in (old, new) if each is not None and each.bounds is not None]
    if new.bounds is None or not sides:
        return "Launch bounds cap {}"
    if len(set(sides)) == 1:
        return f"The launch bounds {sides[0]} cap {{}}"
    return f"The launch bounds of {{}} changed from {sides[0]} to {sides[1]}"


def _arguments(bounds: tuple[int, int]) -> str:
    threads, blocks = bounds
    return f"({threads})" if blocks == 1 else f"({threads}, {blocks})"


def _names(names: list[str]) -> str:
    return words.listing(names) if len(names) <= MOST_IN_A_NOTE else words.count(len(names), "kernel")
