"""Which kernels deserve a look: they do not launch, spill, have a low occupancy, or use a stack.

Candidates that an autotuner did not choose deserve none: they do not run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import itemgetter

from ..readers import KernelRecord
from .kernel_names import base_name
from .scanner import Scanner, Verdict

LOW = 0.5
"""An occupancy below this deserves a look. A convention, not a verdict: low occupancy can be right."""


def spilled_bytes(record: KernelRecord) -> int | None:
    """Bytes of a thread that go to memory and come back because there are too few registers: stores and
    loads, and what a block keeps in shared memory for that; None where they are not known."""
    if record.spills is None:
        return record.spill_smem or None
    return sum(record.spills) + (record.spill_smem or 0)


def has_stack_of_unknown_spills(record: KernelRecord) -> bool:
    """Whether it has a stack of which neither a file nor the code says whether it is of spills."""
    return bool(record.stack_bytes) and spilled_bytes(record) is None


def worst_first(records: Iterable[KernelRecord], scanner: Scanner) -> list[KernelRecord]:
    """The records, the worst first; after them, as they were, those that deserve no look.

    Before everything comes what does not launch; then spills, the most first; an occupancy below `LOW`,
    the lowest first; a stack, first of those that may spill, the largest first. Where launches have times,
    the longest come first of those of the same kind.
    """
    return [record for each in _worst_and_others(records, scanner) for record in each]


def worst_of_templates(records: Iterable[KernelRecord], scanner: Scanner) -> Iterator[KernelRecord]:
    """In the same order, of all variants of a template, for whatever architecture, the worst one; what
    deserves no look is left out."""
    seen: set[str] = set()
    worst, _ = _worst_and_others(records, scanner)
    for record in worst:
        template = base_name(record.name)
        if template not in seen:
            seen.add(template)
            yield record


def _worst_and_others(
    records: Iterable[KernelRecord], scanner: Scanner
) -> tuple[list[KernelRecord], list[KernelRecord]]:
    """Those that deserve a look, the worst first, and the others as they were."""
    ranked = [(_rank(record, scanner.verdict(record)), record) for record in records]
    worst = [(rank, record) for rank, record in ranked if rank is not None]
    worst.sort(key=itemgetter(0))
    return [record for _, record in worst], [record for rank, record in ranked if rank is None]


def deserves_a_look(record: KernelRecord, verdict: Verdict) -> bool:
    """Whether there is a reason to look at it."""
    return _rank(record, verdict) is not None


def _rank(record: KernelRecord, verdict: Verdict) -> tuple[float, ...] | None:
    """The smaller, the worse; None where all is well."""
    if record.rejected_by_autotuner:
        return None
    time = -(record.duration_us or 0)
    if verdict.launchable is False:
        return 0, time
    if spilled := spilled_bytes(record):
        return 1, time, -spilled
    if verdict.occupancy is not None and verdict.occupancy < LOW:
        return 2, time, verdict.occupancy, -(record.regs or 0)
    if record.stack_bytes:
        return 3, time, not has_stack_of_unknown_spills(record), -record.stack_bytes
    return None
