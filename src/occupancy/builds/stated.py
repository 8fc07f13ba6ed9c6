"""What one file states of a kernel, and how a record takes what only another file states."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..readers import KernelRecord
from ..readers.record import SPILLS, all_values

Placed = tuple[int, KernelRecord]
"""A record, and its place among all that was found."""

STATED_ONCE = ("linked", "code", "is_static", "file", "line")
"""What not every file can state, and no two state differently."""

OF_LOGS = (*SPILLS, *STATED_ONCE)
"""What an image takes from a log of its compiler."""


def fill(record: KernelRecord, other: KernelRecord, names: Iterable[str]) -> KernelRecord:
    """The record, with what only the other states, or states better."""
    # What the compiler states goes before what was counted in its code.
    better = SPILLS if other.spills_from == "compiler" != record.spills_from else ()
    lacking = {
        name: getattr(other, name) for name in names if getattr(record, name) is None or name in better
    }
    known = {name: value for name, value in lacking.items() if value is not None}
    return replace(record, **known) if known else record


def also_in(record: KernelRecord, sources: Iterable[str]) -> KernelRecord:
    """The record, with the names of more files that it comes from."""
    files = {*record.also_in, *sources} - {record.source}
    return replace(record, also_in=tuple(sorted(files))) if files != set(record.also_in) else record


def line_of(record: KernelRecord) -> str:
    """A text that is the same for equal records only, to be independent of the order."""
    return repr(all_values(record))
