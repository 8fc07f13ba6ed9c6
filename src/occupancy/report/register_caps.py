"""What capped the registers of kernels whose cap changed, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..builds.register_caps import CapOrigin, cap_origin
from ..builds.scan_row import ScanRow
from ..render import words
from .change_words import REGISTER_CAP
from .name_words import MOST_IN_A_NOTE, brief_name


def meaning_of_caps(pairs: Iterable[tuple[ScanRow, ScanRow]]) -> Iterator[str]:
    """What a register cap is, and what set those that are shown to have changed.

    Args:
        pairs: Kernels of both builds, the old one first.
    """
    causes: dict[str, dict[str, None]] = {}
    for old, new in pairs:
        if REGISTER_CAP.has_changed(old, new):
            causes.setdefault(_cause(cap_origin(old), cap_origin(new)), {})[brief_name(new)] = None
    if not causes:
        return
    said = [f"{_names(list(names))}, {cause}" for cause, names in causes.items()]
    by_bounds = any(cause.startswith(_BY_BOUNDS) for cause in causes)
    beside = " -maxrregcount does nothing beside launch bounds." if by_bounds else ""
    by = "; ".join(words.first_of(said, MOST_IN_A_NOTE))
    yield f"Register cap: the most per thread that the compiler may use. {by}.{beside}"


_BY_BOUNDS = "by launch bounds"


def _cause(old: CapOrigin | None, new: CapOrigin | None) -> str:
    """``by launch bounds, as (256, 2) -> (256, 6)``."""
    if new is None or new.by == "nothing":
        return "no cap any more"
    if new.by != "launch bounds":
        return f"by {new.by}"
    sides = [_arguments(each.bounds) for each in (old, new) if each is not None and each.bounds is not None]
    return f"{_BY_BOUNDS}, as {' -> '.join(sides)}" if new.bounds is not None else _BY_BOUNDS


def _arguments(bounds: tuple[int, int]) -> str:
    threads, blocks = bounds
    return f"({threads})" if blocks == 1 else f"({threads}, {blocks})"


def _names(names: list[str]) -> str:
    return words.listing(names) if len(names) <= MOST_IN_A_NOTE else words.count(len(names), "kernel")
