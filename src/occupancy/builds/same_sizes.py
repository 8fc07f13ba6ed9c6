"""Two builds of a kernel at the same block sizes: a judgement must not rest on a size that nobody stated.

Where a file or the user states the block size, that counts. Where neither does, both builds are looked at
with every size that both can launch with, and the one where the occupancy drops the most decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..errors import OccupancyError
from ..readers import KernelRecord
from ..readers.record import ThreadsFrom
from ..values.dataclass import copier, dataclass
from .merging import LOGS
from .scanner import Scanner, ScanRow
from .stated import fill

COMPARED: ThreadsFrom = "compared"
OURS: tuple[ThreadsFrom | None, ...] = ("launch_bounds", "best", COMPARED)
"""Where a block size comes from that neither a file nor the user states."""

OTHER_SIZES = "so it is compared at every size that both builds launch with; the worst drop decides."
"""Ends the note on a kernel that cannot have the block size that was given."""

WARP = 32
"""Threads per warp, on every chip there is."""


USUAL = (128, 192, 256, 384, 512, 768, 1024)
"""Threads per block that kernels are mostly launched with."""


@dataclass(frozen=True, slots=True)
class Usual:
    """The occupancy of both builds at one more block size."""

    threads: int
    is_bound: bool
    """Whether it is the launch bound of the new build; else the worst of the usual sizes."""
    old: float
    """The occupancy of the old build: active warps by the most warps of an SM, 0 to 1."""
    new: float
    """That of the new one."""


def is_ours(row: KernelRecord) -> bool:
    """Whether the block size of an answer was chosen by us."""
    return row.threads_from in OURS


def at_the_same_size(old: KernelRecord, new: KernelRecord, scanner: Scanner) -> tuple[ScanRow, ScanRow]:
    """Both builds of a kernel, answered at the block size that decides."""
    old, new = _completed(old, new), _completed(new, old)
    sizes = {scanner.is_stated(each) for each in (old, new)}
    if sizes == {True}:
        given = scanner.row(old), scanner.row(new)
        # What neither can launch with is no size to compare at: all that got worse would be better than that.
        if not all(each.threads_from == "option" and each.launchable is False for each in given):
            return given
        note = f"It does not launch with {given[0].threads:,} threads, {OTHER_SIZES}"
        old, new = (replace(each, notes=(*each.notes, note)) for each in (old, new))
    if sizes == {True, False}:
        threads = old.threads if new.threads is None else new.threads
        return scanner.row(_sized(old, threads)), scanner.row(_sized(new, threads))
    try:
        threads = WARP * (1 + _deciding(scanner.occupancies(old), scanner.occupancies(new)))
    except OccupancyError:  # the rows say why
        return scanner.row(old), scanner.row(new)
    return scanner.row(_sized(old, threads)), scanner.row(_sized(new, threads))


def at_its_best(record: KernelRecord, scanner: Scanner) -> ScanRow:
    """A kernel at the block size that is stated, or at the one with the highest occupancy that its launch
    bound allows: where that is not enough, no size is."""
    if scanner.is_stated(record):
        return scanner.row(record)
    try:
        found = scanner.occupancies(record)
    except OccupancyError:  # the row says why
        return scanner.row(record)
    if not found:
        return scanner.row(record)
    best = max(range(len(found)), key=lambda size: (found[size], size))
    return scanner.row(_sized(record, WARP * (1 + best)))


def usual_size(old: ScanRow, new: ScanRow, scanner: Scanner) -> Usual | None:
    """The launch bound of the new build, or the usual size with the worst drop; None where that is the size
    that decides, where a size is stated, and where no usual size launches in both."""
    if new.threads_from != COMPARED or new.threads is None:
        return None
    before, after = (scanner.occupancies(_unsized(each)) for each in (old, new))
    sizes = [size for size in USUAL if size <= WARP * min(len(before), len(after))]
    bound = new.max_threads
    if bound is not None and bound % WARP == 0 and bound <= WARP * min(len(before), len(after)):
        sizes = [bound]
    found = [(size, before[size // WARP - 1], after[size // WARP - 1]) for size in sizes]
    found = [each for each in found if each[1] and each[2]]
    if not found or new.threads in sizes:
        return None
    threads, was, now = max(found, key=lambda each: (abs(each[1] - each[2]), each[1], each[0]))
    return Usual(threads, threads == bound, was, now)


def _unsized(row: KernelRecord) -> KernelRecord:
    return _with_threads(row, None, None, row.block_dim)


def _deciding(old: Sequence[float], new: Sequence[float]) -> int:
    """Which size decides, from 0: that with the greatest drop of those that both can launch with; without
    a drop, that with the greatest rise. Where it is the same with several, a usual one, then the one with
    the higher occupancy, and then the larger."""
    sizes = range(min(len(old), len(new)))
    both = [size for size in sizes if old[size] and new[size]]
    either = both or [size for size in sizes if old[size]] or list(sizes)
    drop = max((old[size] - new[size] for size in either), default=0.0)
    sign = 1 if drop > 0 else -1
    return max(
        either,
        key=lambda size: (
            sign * (old[size] - new[size]),
            old[size] != new[size] and WARP * (1 + size) in USUAL,
            max(old[size], new[size]),
            size,
        ),
        default=0,
    )


def _sized(record: KernelRecord, threads: int | None) -> KernelRecord:
    if record.threads is not None:
        return record
    return _with_threads(record, threads, COMPARED, None)


_with_threads = copier(KernelRecord, "threads", "threads_from", "block_dim")


def _completed(record: KernelRecord, other: KernelRecord) -> KernelRecord:
    """The record, with what only the other can state: dynamic shared memory is known to a launch alone, and
    the compiler's log names no virtual resources."""
    if record.dynamic_smem is None and record.smem is None and other.dynamic_smem is not None:
        record = replace(record, dynamic_smem=other.dynamic_smem)
    if record.format in LOGS and other.format not in LOGS and other.virtual_resources is not None:
        record = fill(record, other, ("virtual_resources", "tensor_memory"))
    return record
