"""Two builds of a kernel at the same block sizes: a judgement must not rest on a size that nobody stated.

Where a file or the user states the block size, that counts. Where neither does, both builds are shown at the
launch bound, else at a usual size; the judgement looks at every size that both can launch with, and the one
where the occupancy drops the most decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ..advice.next_steps import COMMON_SIZES, USUAL_SIZE
from ..builds.log_merging import LOGS
from ..builds.scan_row import ScanRow
from ..builds.scanner import Scanner
from ..builds.stated import fill
from ..errors import OccupancyError
from ..readers import KernelRecord
from ..readers.record import ThreadsFrom
from ..values.dataclass import copier, dataclass

OURS: tuple[ThreadsFrom | None, ...] = ("launch_bounds", "best", "usual", "deciding")
"""Where a block size comes from that neither a file nor the user states."""

OTHER_SIZES = "so it is compared at every size that both builds launch with; the worst drop decides."
BEST_SIZE = "so the best occupancy of all sizes that it launches with counts."
INSTEAD = (OTHER_SIZES, BEST_SIZE)
"""End the note on a kernel that cannot have the block size that was given, in two builds and alone."""

WARP = 32
"""Threads per warp, on every chip there is."""


@dataclass(frozen=True, slots=True)
class AtSize:
    """The occupancy of both builds at one block size."""

    threads: int
    threads_from: ThreadsFrom
    """Why this size: as for a kernel; or ``deciding``, of all sizes the one with the greatest drop."""
    old: float
    """The occupancy of the old build: active warps by the most warps of an SM, 0 to 1."""
    new: float
    """That of the new one."""


class Compared(NamedTuple):
    """Both builds of a kernel at the size that is stated, else at the launch bound or a usual size."""

    old: ScanRow
    new: ScanRow
    deciding: AtSize | None = None
    """Another size that decides: it loses more, or it wins where nothing changes at the one shown."""

    @property
    def shown(self) -> AtSize | None:
        """The occupancies at the size of the rows; None where one of them has no answer."""
        size, origin = self.new.threads, self.new.threads_from
        was, now = self.old.occupancy, self.new.occupancy
        if size is None or origin is None or was is None or now is None:
            return None
        return AtSize(size, origin, was, now)


def is_ours(row: KernelRecord) -> bool:
    """Whether the block size of an answer was chosen by us."""
    return row.threads_from in OURS


def at_the_same_size(old: KernelRecord, new: KernelRecord, scanner: Scanner) -> Compared:
    """Both builds of a kernel, answered at the same block size, with the one that decides."""
    old, new = _completed(old, new), _completed(new, old)
    sizes = {scanner.is_stated(each) for each in (old, new)}
    if sizes == {True}:
        given = Compared(scanner.row(old), scanner.row(new))
        # What neither can launch with is no size to compare at: all that got worse would be better than that.
        if not all(map(_is_refused, given[:2])):
            return given
        old, new = (_without_size(each, given.old, OTHER_SIZES) for each in (old, new))
    if sizes == {True, False}:
        threads = old.threads if new.threads is None else new.threads
        old, new = (_sized(each, threads, "compared") for each in (old, new))
        return Compared(scanner.row(old), scanner.row(new))
    try:
        before, after = scanner.occupancies(old), scanner.occupancies(new)
    except OccupancyError:  # the rows say why
        return Compared(scanner.row(old), scanner.row(new))
    rows = _at_the_bound(old, new, scanner) or _at_a_usual_size(old, new, before, after, scanner)
    return Compared(*rows, _deciding(before, after, *rows))


def at_the_deciding_size(pair: Compared, scanner: Scanner) -> tuple[ScanRow, ScanRow]:
    """The two rows, answered at the size that decides."""
    size = pair.deciding
    if size is None:
        return pair.old, pair.new
    old, new = (_with_threads(each, size.threads, size.threads_from, None) for each in pair[:2])
    return scanner.row(old), scanner.row(new)


def at_a_usual_size(record: KernelRecord, scanner: Scanner) -> ScanRow:
    """A kernel of one build alone, as `at_the_same_size` shows those of both."""
    if scanner.is_stated(record) and not _is_refused(row := scanner.row(record)):
        return row
    return at_the_same_size(record, record, scanner).new


def _is_refused(row: ScanRow) -> bool:
    """Whether its block size was given, and it does not launch with that."""
    return row.threads_from in ("option", "rules") and row.launchable is False


def _without_size(record: KernelRecord, refused: ScanRow, instead: str) -> KernelRecord:
    """The kernel without the size that it refused, and with a note that says so."""
    note = f"It does not launch with {refused.threads:,} threads, {instead}"
    return _with_threads(replace(record, notes=(*record.notes, note)), None, None, None)


def _at_the_bound(old: KernelRecord, new: KernelRecord, scanner: Scanner) -> tuple[ScanRow, ScanRow] | None:
    """Both at the tighter of their launch bounds; None without one, and where one cannot launch."""
    bounds = [each.max_threads for each in (old, new) if each.max_threads is not None]
    if not bounds:
        return None
    before, after = (scanner.row(_sized(each, min(bounds), "launch_bounds")) for each in (old, new))
    return (before, after) if before.launchable and after.launchable else None


def _at_a_usual_size(
    old: KernelRecord, new: KernelRecord, before: Sequence[float], after: Sequence[float], scanner: Scanner
) -> tuple[ScanRow, ScanRow]:
    """Both at 256 threads, or at the size nearest to it that both can launch with."""
    nearest = min(
        _launchable(before, after),
        key=lambda size: (abs(WARP * (1 + size) - USUAL_SIZE), -size),
        default=0,
    )
    threads = WARP * (1 + nearest)
    return scanner.row(_sized(old, threads, "usual")), scanner.row(_sized(new, threads, "usual"))


def at_its_best(record: KernelRecord, scanner: Scanner) -> ScanRow:
    """A kernel at the block size that is stated, or at the one with the highest occupancy that its launch
    bound allows: where that is not enough, no size is. The latter, too, where a size was given with which it
    does not launch."""
    if scanner.is_stated(record):
        row = scanner.row(record)
        if not _is_refused(row):
            return row
        record = _without_size(record, row, BEST_SIZE)
    try:
        found = scanner.occupancies(record)
    except OccupancyError:  # the row says why
        return scanner.row(record)
    if not found:
        return scanner.row(record)
    best = max(range(len(found)), key=lambda size: (found[size], size))
    return scanner.row(_sized(record, WARP * (1 + best), "best"))


def _launchable(old: Sequence[float], new: Sequence[float]) -> Sequence[int]:
    """The sizes, from 0, that both builds can launch with; else those of the old one, else all."""
    sizes = range(min(len(old), len(new)))
    both = [size for size in sizes if old[size] and new[size]]
    return both or [size for size in sizes if old[size]] or sizes


def _deciding(before: Sequence[float], after: Sequence[float], old: ScanRow, new: ScanRow) -> AtSize | None:
    """The size with the greatest drop; without a drop, that with the greatest rise. Where it is the same with
    several, a common one, then the one with the higher occupancy, and then the larger.

    Returns:
        None where the size that is shown loses as much; or where nothing is lost, and it wins.
    """
    changes = {size: before[size] - after[size] for size in _launchable(before, after)}
    worst = max(changes.values(), default=0.0)
    shown = (old.occupancy or 0.0) - (new.occupancy or 0.0)
    if not changes or (worst <= shown if worst > 0 else shown):
        return None
    sign = 1 if worst > 0 else -1
    size = max(
        changes,
        key=lambda size: (
            sign * changes[size],
            WARP * (1 + size) in COMMON_SIZES,
            max(before[size], after[size]),
            size,
        ),
    )
    if not changes[size]:
        return None
    return AtSize(WARP * (1 + size), "deciding", before[size], after[size])


def _sized(record: KernelRecord, threads: int | None, origin: ThreadsFrom) -> KernelRecord:
    if record.threads is not None:
        return record
    return _with_threads(record, threads, origin, None)


_with_threads = copier(KernelRecord, "threads", "threads_from", "block_dim")


def _completed(record: KernelRecord, other: KernelRecord) -> KernelRecord:
    """The record, with what only the other can state: dynamic shared memory is known to a launch alone, and
    the compiler's log names no virtual resources."""
    if record.lacks_dynamic_smem and other.dynamic_smem is not None:
        record = replace(record, dynamic_smem=other.dynamic_smem)
    if record.format in LOGS and other.format not in LOGS and other.virtual_resources is not None:
        record = fill(record, other, ("virtual_resources", "tensor_memory"))
    return record
