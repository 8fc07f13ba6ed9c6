"""Limits of reading, and the check of every record.

Work that costs time or memory is charged to an allowance. Each file has one in proportion to its size, and
all files of a command share another. Valid files need a fraction of both. Files with false lengths, counts or
overlaps exhaust them. Reading then stops with a problem, and the results so far are kept. SECURITY.md lists
the resulting bounds of time and memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, replace
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from ..errors import MAX_SHOWN, shown
from ..values.spellings import INT_MAX
from ..values.untrusted import printable
from .record import Item, KernelRecord, ReadProblem

MIB = 1 << 20

MAX_TABLE_BYTES = 64 * MIB  # size in memory of a table of an image, or of a message of a report
MAX_NAME_BYTES = 1 << 16  # longer names are cut; names of C++ templates reach a tenth of this
MAX_NUMBER = 10**12 - 1  # largest accepted number; JSON numbers can be too large for a float, or to print
MIN_FILE_BYTES = 1 << 12  # minimum size charged for a file, because opening it takes time too
CACHE_SIZE = 1 << 14  # known names and counts: libraries repeat each of them for ten architectures


class Malformed(Exception):  # noqa: N818, internal to the readers
    """A damaged piece of a file; the text is the cause."""

    form = "is damaged: {}. Copy or create it again"

    @property
    def problem(self) -> str:
        """Problem of the file, in the same words for every format."""
        return self.form.format(self)


class Truncated(Malformed):
    """A file that ends early, with its size and the size that its headers claim."""

    form = "is truncated{}. Copy or create it again"

    def __init__(self, size: int = 0, claimed: int = 0) -> None:
        super().__init__(f": {size:,} of at least {claimed:,} bytes" if claimed else "")


class Unreadable(Malformed):
    """A file that is not read, although it can be intact; the text is the whole problem."""

    form = "{}"


class Exhausted(Exception):  # noqa: N818, internal to the readers
    """An exhausted allowance: the rest of the file is not read."""


class Ceiling(NamedTuple):
    """Allowance for all files together, and per MiB of each file."""

    shared: int
    per_mib: int
    problem: str
    error: type[Malformed | Exhausted] = Exhausted  # another one ends only the piece


CEILINGS = {
    # Decompressed bytes, and bytes of the tables that are read in images.
    "expanded": Ceiling(64 * MIB, 100 * MIB, "the decompressed file exceeds the limit", Unreadable),
    "tables": Ceiling(MIB, 4 * MIB, "its tables overlap and add up to more than the file", Malformed),
    # Lines of text, JSON values, fields of messages, table entries.
    "pieces": Ceiling(1_000_000, 2 * MIB, "too many lines, values or table entries"),
    "kernels": Ceiling(17_500, MIB // 32, "too many kernels"),
    # Compressed traces of CUDA graphs take 22 bytes per launch.
    "launches": Ceiling(15_000, MIB // 20, "too many launches in a compressed file (decompress it first)"),
    # Bytes of names in the results, and the work of demangling each distinct name.
    "names": Ceiling(16 * MIB, 32 * MIB, "too many or too long kernel names"),
    "demangling": Ceiling(4 * MIB, 4 * MIB, "too many or too long mangled names"),
    "problems": Ceiling(1_000, MIB // 1024, "too many damaged parts"),
}


class ReadLimits:
    """Remaining allowances of one file, or those that all files of a command share (``size`` None)."""

    def __init__(self, size: int | None = None, shared: ReadLimits | None = None) -> None:
        self.images: set[tuple[int, int]] = set()
        """Images beside metadata of one source whose allowance was already added, by device and inode."""
        self.shared = self if size is None else shared or ReadLimits()
        self._left = {
            kind: ceiling.shared if size is None else ceiling.per_mib * max(size, MIN_FILE_BYTES) // MIB
            for kind, ceiling in CEILINGS.items()
        }

    def consume(self, kind: str, amount: int = 1) -> None:
        """Consume an amount of the file's allowance, then of the shared one; raise if both are exhausted."""
        if (left := self._left[kind] - amount) < 0:
            if self.shared is self or self.shared._left[kind] + left < 0:
                raise CEILINGS[kind].error(CEILINGS[kind].problem)
            self.shared._left[kind] += left
            left = 0
        self._left[kind] = left

    def expand(self, size: int) -> None:
        """Consume decompressed bytes, and add an allowance for the tables in them."""
        self.consume("expanded", size)
        self._left["tables"] += 4 * size

    def consume_name(self, name: str) -> None:
        self.consume("names", len(name) if name.isascii() else 4 * len(name))


def checked(limits: ReadLimits, items: Iterator[Item], source: str) -> Iterator[Item]:
    """Yield the sanitized results of a reader, up to the limits."""
    known: set[object] = set()  # printable names whose demangling was charged, and valid counts
    try:
        for item in items:
            if isinstance(item, KernelRecord):
                item = _check(item, limits, known)
            elif not isinstance(item, ReadProblem):
                limits.consume("kernels")
                limits.consume_name(repr(item))
            if isinstance(item, ReadProblem):
                limits.consume("problems")
            yield item
    except Exhausted as error:
        yield ReadProblem(source, f"{error}, so the rest was not read")


def _check(record: KernelRecord, limits: ReadLimits, known: set[object]) -> KernelRecord | ReadProblem:
    limits.consume("kernels" if record.launches is None else "launches")
    limits.consume_name(record.name)
    if record.name not in known or not _is_architecture(record.arch):
        record = sanitize(record)
    name = record.name
    if name.startswith("_Z") and name not in known:
        # Nested pack expansions (Dp) multiply the length of the demangled name.
        limits.consume("demangling", len(name) * (1 + 2 * name.count("Dp")))
        if len(known) < CACHE_SIZE:
            known.add(name)
    if (counts := _counts(record)) not in known:
        for field, value in zip(_COUNTS, counts, strict=True):
            if value is not None and not 0 <= value <= INT_MAX:
                damage = Malformed(f"{name[:MAX_SHOWN]}: {field} is {shown(value)}, out of range")
                return ReadProblem(record.source, damage.problem)
        if len(known) < CACHE_SIZE:
            known.add(counts)
    return record


_NO_COUNTS = ("code", "frame_bytes", "spill_store_bytes", "spill_load_bytes")  # any 32 bits, or negative
_COUNTS = [x.name for x in fields(KernelRecord) if x.type == "int | None" and x.name not in _NO_COUNTS]
_counts = attrgetter(*_COUNTS)


def sanitize(record: KernelRecord) -> KernelRecord:
    """Return the record with a printable name of limited length and a valid architecture, or None."""
    name = printable(record.name[:MAX_NAME_BYTES])[:MAX_NAME_BYTES]
    arch = record.arch if _is_architecture(record.arch) else None
    return record if (name, arch) == (record.name, record.arch) else replace(record, name=name, arch=arch)


@lru_cache(maxsize=64)
def _is_architecture(arch: str | None) -> bool:
    return arch is None or re.fullmatch(r"sm_\d{1,4}[a-z]?", arch, re.ASCII) is not None
