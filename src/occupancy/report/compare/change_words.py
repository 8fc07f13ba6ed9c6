"""What changed of a kernel between two builds, in words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from ...builds.scan_row import ScanRow
from ...compare.diff import knows_bounds
from ...compare.measures import measures
from ...compare.same_sizes import AtSize
from ...render import words
from ..arch_words import architecture
from ..assumed_sizes import threads, word_for
from ..name_words import short_name
from ..spilled_bytes import spills

_UNITS = (" KiB", " B")


class DiffColumn(NamedTuple):
    """Something of a kernel that can change."""

    title: str
    value: Callable[[ScanRow], str]
    """What is shown of one side; empty where it is not known."""

    def has_changed(self, old: ScanRow, new: ScanRow) -> bool:
        """Whether both builds know it and it is not the same."""
        return "" not in (self.value(old), self.value(new)) and self.value(old) != self.value(new)

    def cell(self, before: ScanRow, after: ScanRow) -> str:
        """``64 -> 72``, ``4 -> 36 KiB``, or ``64`` where nothing changed."""
        old, new = self.value(before), self.value(after)
        if not self.has_changed(before, after):
            return new or old
        unit = next((each for each in _UNITS if old.endswith(each) and new.endswith(each)), "")
        return f"{old.removesuffix(unit)} -> {new}"


def _size(amount: int | None) -> str:
    if amount is None:
        return ""
    return words.size(amount).replace(" bytes", " B") if amount else "0"


def _spills(row: ScanRow) -> str:
    """``420 / 424 B``: what a thread stores / loads."""
    if row.spills is None:
        return ""
    return spills(row) or "0"


def _occupancy(row: ScanRow) -> str:
    return "" if row.occupancy is None else words.percent(row.occupancy)


def _limiters(row: ScanRow) -> str:
    if row.launchable is False:
        return "no launch"
    return words.short_names(row.limiters)


REGISTER_CAP = DiffColumn("Register cap", lambda row: words.number(row.register_cap, ""))

COLUMNS = (
    DiffColumn("Arch", architecture),
    DiffColumn("Occ.", _occupancy),
    # What the compiler was told comes before what it made of it.
    REGISTER_CAP,
    DiffColumn("Bound", lambda row: words.number(row.max_threads, "none") if knows_bounds(row) else ""),
    DiffColumn("Limited by", _limiters),
    DiffColumn("Regs", lambda row: words.number(row.regs, "")),
    DiffColumn("Spills", _spills),
    DiffColumn("Spills to shared", lambda row: _size(row.spill_smem)),
    DiffColumn("Stack", lambda row: _size(row.stack_bytes)),
    DiffColumn("Shared", lambda row: _size(measures(row).smem)),
    DiffColumn("Bar", lambda row: words.number(row.barriers, "")),
    DiffColumn("Virtual", lambda row: words.number(row.virtual_resources, "")),
    DiffColumn("Threads", threads),
)


def changes(
    old: ScanRow, new: ScanRow, titles: Collection[str] = (), besides: Collection[str] = ()
) -> Iterator[str]:
    """``regs 40 -> 72``, ``limited by warps + regs -> regs``: what changed of some of the columns, or of all.

    Args:
        old: The kernel in the old build.
        new: The kernel in the new one.
        titles: The columns that are looked at; none: all.
        besides: Those that are not.
    """
    for each in COLUMNS:
        if (not titles or each.title in titles) and each.title not in besides and each.has_changed(old, new):
            yield f"{each.title.lower()} {each.cell(old, new).replace(', ', ' + ')}"


def at_size_in_words(size: AtSize) -> str:
    """``100% -> 50% at 256 threads (usual)``, ``unchanged 50% at 128 threads (bound)``."""
    old, new = words.percent(size.old), words.percent(size.new)
    word = word_for(size.threads_from)
    origin = f" ({word})" if word else ""
    return f"{f'unchanged {new}' if old == new else f'{old} -> {new}'} at {size.threads:,} threads{origin}"


def other_size_in_words(size: AtSize) -> str:
    """``worst at 64 threads (100% -> 12.5%)``: what decides where it is not what is shown."""
    how = "worst" if size.new < size.old else "better"
    return f"{how} at {size.threads:,} threads ({words.percent(size.old)} -> {words.percent(size.new)})"


def change_in_words(
    old: ScanRow, new: ScanRow, titles: Collection[str] = (), deciding: AtSize | None = None
) -> str:
    """``occ. 100% -> 50%, regs 40 -> 72, at 256 threads, worst at 64 threads (100% -> 25%), was blur``; or
    what some of the columns say."""
    parts = list(changes(old, new, titles))
    if not titles and old.threads == new.threads and old.occupancy != new.occupancy:
        parts.append(f"at {words.count(new.threads or 0, 'thread')}")
    parts += [] if deciding is None else [other_size_in_words(deciding)]
    if not titles and short_name(old) != short_name(new):
        parts.append(f"was {short_name(old)}")
    return ", ".join(parts)
