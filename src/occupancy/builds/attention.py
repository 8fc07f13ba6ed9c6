"""Which kernels deserve a look: they do not launch, spill, have a low occupancy, or use a stack.

Candidates that an autotuner did not choose deserve none: they do not run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..readers import KernelRecord
from ..values.kernel import MAX_REGISTERS_PER_THREAD
from .kernel_names import base_name
from .scanner import Scanner, Verdict

LOW = 0.5
"""An occupancy below this deserves a look. A convention, not a verdict: low occupancy can be right."""


def spilled_bytes(record: KernelRecord) -> int | None:
    """Bytes of a thread that go to memory and come back because there are too few registers: stores and
    loads, and what a block keeps in shared memory for that; None where no file says.

    Images say the last alone, so that a 0 there says nothing of the others.
    """
    stores, loads, in_shared = record.spill_store_bytes, record.spill_load_bytes, record.spill_smem or 0
    if stores is None and loads is None:
        return in_shared or None
    return max(0, stores or 0) + max(0, loads or 0) + in_shared


NEAR_THE_CAP = 8
"""Registers per thread that an SM allocates at once; ptxas often stops a few short of the cap, and spills."""


def uses_all_registers(record: KernelRecord) -> bool | None:
    """Whether it uses as many registers as the compiler may give it, or at most `NEAR_THE_CAP` fewer; None
    where the cap is not known.

    The compiler spills what does not fit below the cap: a stack beside registers that are left is rather
    one of arrays that variables index. A sign, and no proof.
    """
    cap = record.register_cap or MAX_REGISTERS_PER_THREAD
    if record.regs is None:
        return None
    is_near = record.regs >= cap - NEAR_THE_CAP
    return is_near if is_near or record.register_cap is not None else None


def has_stack_of_unknown_spills(record: KernelRecord) -> bool:
    """Whether it has a stack, and no file says whether that is of spills."""
    return bool(record.stack_bytes) and spilled_bytes(record) is None


def spills_likely(record: KernelRecord) -> bool:
    """Whether no file says whether it spills, and it has a stack and no registers left."""
    return has_stack_of_unknown_spills(record) and bool(uses_all_registers(record))


def may_spill(record: KernelRecord) -> bool:
    """Whether it spills; where no file says, whether it has a stack, in which spills would be."""
    spilled = spilled_bytes(record)
    return bool(record.stack_bytes if spilled is None else spilled)


def worst_first(records: Iterable[KernelRecord], scanner: Scanner) -> Iterator[KernelRecord]:
    """What deserves a look, the worst first; of all variants of a template, for whatever architecture, the
    worst one. What deserves none is left out.

    Before everything comes what does not launch; then spills, the most first; an occupancy below `LOW`,
    the lowest first; a stack, first of those that use all their registers, the largest first. Where launches
    have times, the longest come first of those of the same kind.
    """
    ranked = [
        (rank, number, record)
        for number, record in enumerate(records)
        if (rank := _rank(record, scanner.verdict(record))) is not None
    ]
    ranked.sort(key=lambda each: each[:2])
    seen: set[str] = set()
    for _, _, record in ranked:
        template = base_name(record.name)
        if template not in seen:
            seen.add(template)
            yield record


def deserves_a_look(record: KernelRecord, verdict: Verdict) -> bool:
    """Whether there is a reason to look at it."""
    return _rank(record, verdict) is not None


def _rank(record: KernelRecord, verdict: Verdict) -> tuple[float, ...] | None:
    """The smaller, the worse; None where all is well."""
    if record.chosen is False:  # it does not run
        return None
    time = -(record.duration_us or 0)
    if verdict.launchable is False:
        return 0, time
    if spilled := spilled_bytes(record):
        return 1, time, -spilled
    if verdict.occupancy is not None and verdict.occupancy < LOW:
        return 2, time, verdict.occupancy, -(record.regs or 0)
    if record.stack_bytes:
        return 3, time, not spills_likely(record), -record.stack_bytes
    return None
