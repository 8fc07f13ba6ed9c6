"""The bytes that a thread spills, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..builds.log_merging import LOGS
from ..readers import KernelRecord

COUNTED = "~"
"""Before what we counted in the code, and no compiler stated."""

STATIC = "a static count of the code, each spill instruction once however often a loop repeats it"

SPILL_FIELDS = ("spill_store_bytes", "spill_load_bytes", "spills_from")


def spills(row: KernelRecord) -> str:
    """``~ 420 / 424 B``: bytes that a thread stores / loads, marked where they were counted in the code;
    empty where there are none."""
    if row.spills is None or not any(row.spills):
        return ""
    stores, loads = row.spills
    return f"{COUNTED + ' ' if row.spills_are_counted else ''}{stores:,} / {loads:,} B"


def meaning_of_spills(rows: Iterable[KernelRecord], said_by: str = "") -> str:
    """What the numbers of the column are, and what the mark is where a row has it."""
    mark = f"; {COUNTED}: {STATIC}" if any(row.spills_are_counted for row in rows) else ""
    return f"Spills: bytes that a thread stores / loads in local memory{said_by}{mark}."


NOT_IN_LOGS = (
    "Logs tell neither launch bounds, nor what spills to shared memory, nor setmaxnreg; the cubins do."
)


def logs_are_in_doubt(rows: Iterable[KernelRecord]) -> bool:
    """Whether a kernel is known from a log alone. Without the launch bounds nothing shows that it does not
    launch at a size that was asked for."""
    return any(row.format in LOGS for row in rows)


def not_in_logs(changed: Iterable[tuple[KernelRecord, KernelRecord]]) -> Iterator[str]:
    """Where to read what logs do not tell, if it may be the cause: shared memory that grew beside spills.

    Args:
        changed: Kernels of two builds, each in the old one and in the new one.
    """
    for old, new in changed:
        are_spilling = any((*(old.spills or ()), *(new.spills or ())))
        has_grown = (old.shared_memory or 0) < (new.shared_memory or 0)
        if are_spilling and has_grown and {old.format, new.format} <= LOGS:
            yield NOT_IN_LOGS
            return
