"""What the lines of a compiler's log say of the images that it made."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

from ..readers import KernelRecord
from .stated import OF_LOGS, Placed, also_in, fill, line_of

LOGS = frozenset({"ptxas", "res-usage"})
"""Texts of the compiler, in which there is no image."""

MOST_COMPARED = 1 << 14
"""Pairs of different images and lines of one name and architecture; there are some dozens. Names that
were made to mean harm have more, and stay as they were found, which a problem says."""


_WORDS = {
    "regs": "registers",
    "static_smem": "bytes of shared memory",
    "barriers": "barriers",
    "stack_bytes": "bytes of stack",
}
"""What tells whether a log's line is about an image: the fields, in words."""
_stated = attrgetter(*_WORDS)


class WithLogs(NamedTuple):
    """Images with what logs state of them."""

    rows: list[Placed]
    contradictions: tuple[tuple[KernelRecord, KernelRecord], ...] = ()
    """An image, and a line that says other than it."""
    too_many: tuple[KernelRecord, ...] = ()
    """Lines that were not looked at, because there are too many."""


def with_logs(rows: list[Placed], logs: Sequence[Placed], relocatable: Sequence[KernelRecord]) -> WithLogs:
    """The images of one name and architecture, with the spills that logs state of them.

    Args:
        rows: The images.
        logs: The lines of logs.
        relocatable: What the images were linked of.
    """
    if not logs:
        return WithLogs(rows)
    left = [log for _, log in logs]
    ours = {_stated(record): record for _, record in rows}
    parts = {_stated(record): record for record in relocatable}
    lines_of = {_stated(log): log for log in left}
    if max(len(lines_of) * (len(ours) + len(parts)), len(rows) * len(left)) > MOST_COMPARED:
        return WithLogs(rows, too_many=tuple(left))
    of_parts = {key for key, log in lines_of.items() if any(_agree(log, each) for each in parts.values())}
    used: set[int] = set()
    done, without = [], []
    for place, row in rows:
        lines = [log for log in left if _stated(log) in of_parts or _agree(log, row)]
        used.update(map(id, lines))
        done.append((place, _with_spills(row, lines)))
        if not lines:
            without.append(row)
    unused = [log for log in left if id(log) not in used and log.linked is None]
    # Lines that are left over beside others that agree are of an earlier compilation.
    pairs = zip(sorted(without, key=line_of), sorted(unused, key=line_of), strict=False)
    return WithLogs(done, contradictions=tuple(pairs))


class Unfit(NamedTuple):
    """Why a log is of another build than the images of the kernels that it names."""

    line: KernelRecord
    """What it says of a kernel that no image is of."""
    image: KernelRecord
    """A kernel that no log names, from a file of which the log names others."""


def unfit_logs(groups: Iterable[tuple[Sequence[KernelRecord], Sequence[KernelRecord]]]) -> dict[str, Unfit]:
    """The logs that name kernels which no image is of, and lack others of what was compiled together, for the
    same architecture.

    A log of more than the images that are there has the first alone; one of less, as an incremental build
    prints it, lacks all that was compiled together, or nothing of it.

    Args:
        groups: Of each name and architecture the images, and the lines of logs.
    """
    alone: dict[tuple[str | None, str], KernelRecord] = {}
    named: dict[Hashable, set[str]] = defaultdict(set)
    without_line: list[KernelRecord] = []
    for images, logs in groups:
        lines = [log for log in logs if log.linked is None]
        for log in () if images else lines:
            key = log.arch, log.source
            alone[key] = min(alone.get(key, log), log, key=_by_name)
        for image in images:
            for unit in _compiled_together(image):
                named[unit].update(log.source for log in lines)
        without_line += () if logs else images
    unfit: dict[str, Unfit] = {}
    for image in sorted(without_line, key=_by_name) if alone else ():
        for source in sorted(set[str]().union(*(named[unit] for unit in _compiled_together(image)))):
            if (image.arch, source) in alone:
                unfit.setdefault(source, Unfit(alone[image.arch, source], image))
    return unfit


def _compiled_together(image: KernelRecord) -> Sequence[Hashable]:
    """What holds the image, with others that were compiled together with it for its architecture."""
    return [(image.arch, unit) for unit in image.modules or [image.source]]


def _by_name(record: KernelRecord) -> tuple[object, ...]:
    return record.name, record.arch or "", line_of(record)


def _agree(log: KernelRecord, image: KernelRecord) -> bool:
    """Whether a log's line can be about an image. Its stack may lack what the callees need."""
    return not any(
        log_has > image_has if name == "stack_bytes" else log_has != image_has
        for name, log_has, image_has in _stated_by_both(log, image)
    )


def difference(log: KernelRecord, image: KernelRecord) -> str:
    """In what a log's line is not about an image, in words."""
    return ", ".join(
        f"{log_has:,} {_WORDS[name]} in the log, {image_has:,} in the image"
        for name, log_has, image_has in _stated_by_both(log, image)
        if log_has != image_has
    )


def _stated_by_both(log: KernelRecord, image: KernelRecord) -> Iterator[tuple[str, int, int]]:
    for name, log_has, image_has in zip(_WORDS, _stated(log), _stated(image), strict=True):
        if log_has is not None and image_has is not None:
            yield name, log_has, image_has


def _with_spills(image: KernelRecord, logs: Sequence[KernelRecord]) -> KernelRecord:
    """The image with the spills of the line that is most like it; of several such, with the most."""
    if not logs:
        return image
    best = max(
        logs,
        key=lambda log: (log.stack_bytes == image.stack_bytes, _spills(log), log.source),
    )
    return also_in(fill(image, best, OF_LOGS), {log.source for log in logs})


def _spills(record: KernelRecord) -> tuple[int, int]:
    known = record.spill_store_bytes is not None
    return known, (record.spill_store_bytes or 0) + (record.spill_load_bytes or 0)
