"""What changed of a kernel, in one line."""

from __future__ import annotations

from collections.abc import Collection

from ..builds.scanner import ScanRow
from ..render import words
from .diff import COLUMNS
from .scan_columns import short_name


def change_in_words(old: ScanRow, new: ScanRow, titles: Collection[str] = ()) -> str:
    """``occ. 100% -> 50%, regs 40 -> 72, at 256 threads, was blur``; or what some of the columns say."""
    shown = [each for each in COLUMNS if not titles or each.title in titles]
    parts = [
        f"{each.title.lower()} {each.value(old)} -> {each.value(new)}"
        for each in shown
        if each.has_changed(old, new)
    ]
    if not titles and old.threads == new.threads and old.occupancy != new.occupancy:
        parts.append(f"at {words.count(new.threads or 0, 'thread')}")
    if not titles and short_name(old) != short_name(new):
        parts.append(f"was {short_name(old)}")
    return ", ".join(parts)
