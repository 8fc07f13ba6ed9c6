"""Limits of reading: every ceiling of the readers, and the check of all that they find.

Whatever costs time or memory is paid for. Each file brings an allowance in proportion to its size, and all
files of one command share another one, so that a small file may be what an honest small file is. Honest
files need a fraction of it. A file that lies about lengths, counts and sharing runs out: a problem is
reported, and what was read is kept. SECURITY.md has the time and memory that the limits come to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, replace
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from ..errors import MAX_SHOWN, shown
from ..values.kernel import INT_MAX
from ..values.untrusted import printable
from .record import Found, Fusion, KernelRecord, ReadProblem

MIB = 1 << 20

MAX_TABLE_BYTES = 64 * MIB
"""One table of an image, or one message of a report, which is in memory as a whole."""
MAX_NAME_BYTES = 1 << 16
"""Longer names are cut. Names of C++ templates reach a tenth of this."""
SHORT_NAME_BYTES = 1 << 10
MOST_REMEMBERED = 1 << 13
"""Short names and counts that are remembered: a library has each kernel for ten architectures."""
MAX_PROBLEMS = 100
"""Damaged pieces after which the rest of a file is not read."""
MAX_NUMBER = 10**12 - 1
"""The largest count, size or time in JSON, whose numbers can be too large for a float, or to be printed."""
LEAST_FILE_BYTES = 1 << 12
"""Size that each file counts as at least: opening it takes time, too."""


class Malformed(Exception):  # noqa: N818, it is caught within the readers
    """A piece of a file that cannot be read. Caught within the readers."""

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(what)


class Exhausted(Malformed):
    """The end of an allowance: nothing more is read of this file. Caught within the readers."""


class Ceiling(NamedTuple):
    """The amount of something that is read."""

    shared: int
    """For all files of a command together, beyond the allowance of each."""
    per_mib: int
    """For each MiB of a file."""
    problem: str
    ends_the_file: bool = True
    """False if only the piece is left out."""


CEILINGS = {
    "expanded": Ceiling(64 * MIB, 100 * MIB, "the file expands to more than is read of one file", False),
    "tables": Ceiling(
        MIB, 4 * MIB, "its tables overlap, so that there is more to read than the file holds", False
    ),
    "pieces": Ceiling(1_000_000, 2 * MIB, "more lines, values or entries of tables than are read"),
    "kernels": Ceiling(17_500, MIB // 32, "more kernels than are read"),
    "launches": Ceiling(15_000, MIB // 64, "more launches than are read"),
    "names": Ceiling(16 * MIB, 32 * MIB, "longer names of kernels than are read"),
    "demangling": Ceiling(4 * MIB, 4 * MIB, "longer mangled names of kernels than are read"),
    "advice": Ceiling(2_000, MIB // 1000, "more different kernels than next steps are found for"),
    "problems": Ceiling(1_000, MIB // 1024, "too much is damaged"),
}
"""Ceilings by kind.

expanded: bytes after decompression. tables: bytes of the tables of images that are looked at. pieces: lines
of text, values of JSON, fields of messages, entries of tables. names: bytes of the names of what was found.
demangling: the work of demangling each different name. advice: kernels, different in what they need, for
which next steps are found. The others are counts.
"""


class ReadLimits:
    """The amounts that may still be read: of all files of a command, or of one file.

    Args:
        size: Bytes of the file; None for the limits that all files of a command share.
        shared: The limits that the file shares with the others of the command.
    """

    def __init__(self, size: int | None = None, shared: ReadLimits | None = None) -> None:
        self.images: set[tuple[int, int]] = set()
        """Images beside metadata of one source that have brought their allowance, by device and inode."""
        if size is None:
            self._shared = None
            self._left = {kind: ceiling.shared for kind, ceiling in CEILINGS.items()}
            return
        self._shared = ReadLimits() if shared is None else shared.shared
        length = max(size, LEAST_FILE_BYTES)
        self._left = {kind: ceiling.per_mib * length // MIB for kind, ceiling in CEILINGS.items()}
        # Next steps are found when the file is closed already.
        self._shared._left["advice"] += self._left["advice"]

    @property
    def shared(self) -> ReadLimits:
        """The limits of all files of the command."""
        return self if self._shared is None else self._shared

    def try_consume(self, kind: str, amount: int = 1) -> bool:
        """Return whether an amount is left; if so, it is consumed."""
        left = self._left[kind] - amount
        if left >= 0:
            self._left[kind] = left
            return True
        if self._shared is None or not self._shared.try_consume(kind, -left):
            return False
        self._left[kind] = 0
        return True

    def consume(self, kind: str, amount: int = 1) -> None:
        """Consume an amount.

        Raises:
            Exhausted: More than is read of the file.
            Malformed: The same, where other pieces of the file can still be read.
        """
        if self.try_consume(kind, amount):
            return
        ceiling = CEILINGS[kind]
        if ceiling.ends_the_file:
            raise Exhausted(f"{ceiling.problem}; the rest is not read")
        raise Malformed(ceiling.problem)

    def expand(self, size: int) -> None:
        """Consume the bytes of a decompression, which brings tables of its own.

        Raises:
            Malformed: The file expands too far.
        """
        self.consume("expanded", size)
        self._left["tables"] += 4 * size

    def consume_name(self, name: str) -> None:
        """Consume the memory that a name takes, more or less.

        Raises:
            Exhausted: The names are longer than is read.
        """
        self.consume("names", len(name) if name.isascii() else 4 * len(name))


def checked(limits: ReadLimits, found: Iterator[Found], source: str) -> Iterator[Found]:
    """Yield what a reader finds in a file, sanitized and as far as the limits go.

    It also ends where so much is damaged that the source is none of its kind. A problem reports that.
    """
    problems = 0
    possible: set[object] = set()
    demangled: set[str] = set()
    try:
        for each in found:
            if isinstance(each, KernelRecord):
                limits.consume("kernels" if each.launches is None else "launches")
                limits.consume_name(each.name)
                each = sanitize(each)
                name = each.name
                if name.startswith("_Z") and name not in demangled:
                    # A pack that is expanded within another one is written out again and again.
                    limits.consume("demangling", len(name) * (1 + 2 * name.count("Dp")))
                    if len(demangled) < MOST_REMEMBERED:
                        demangled.add(name)
                counts = _counts(each)
                # Most kernels of a library have the counts of another one, which need no second look.
                wrong = None if counts in possible else _impossible_count(each)
                if wrong is None:
                    if len(possible) < MOST_REMEMBERED:
                        possible.add(counts)
                    yield each
                    continue
                each = ReadProblem(each.source, None, f"of {name[:MAX_SHOWN]}, {wrong}")
            if isinstance(each, ReadProblem):
                problems += 1
                limits.consume("problems")
                yield each
                if problems == MAX_PROBLEMS:
                    yield replace(each, what="too much is damaged; the rest is not read")
                    return
            else:
                limits.consume("kernels")
                for text in (each.file, *each.operations) if isinstance(each, Fusion) else (each.folder,):
                    limits.consume_name(text)
                yield each
    except Exhausted as error:
        yield ReadProblem(source, None, error.what)


_NO_COUNTS = ("code", "spill_store_bytes", "spill_load_bytes")
"""A checksum, and numbers that can be below 0."""
_COUNTS = tuple(
    each.name for each in fields(KernelRecord) if each.type == "int | None" and each.name not in _NO_COUNTS
)
_counts = attrgetter(*_COUNTS)


def _impossible_count(record: KernelRecord) -> str | None:
    """Return what is wrong with the first count that neither a kernel nor a launch can have."""
    for name, value in zip(_COUNTS, _counts(record), strict=True):
        if value is not None and not 0 <= value <= INT_MAX:
            return f"{name} is {shown(value)}, which no kernel has"
    return None


def sanitize(record: KernelRecord) -> KernelRecord:
    """Return the record with a name and an architecture that are safe to show.

    A name of a real kernel has no characters that a terminal would obey, and fits in a page.
    """
    name, arch = record.name, record.arch
    fit = _fit_again(name) if len(name) <= SHORT_NAME_BYTES else _fit(name)
    if fit == name and _is_architecture(arch):
        return record
    return replace(record, name=fit, arch=arch if _is_architecture(arch) else None)


def _fit(name: str) -> str:
    return printable(name[:MAX_NAME_BYTES])[:MAX_NAME_BYTES]


_fit_again = lru_cache(maxsize=MOST_REMEMBERED)(_fit)


@lru_cache(maxsize=64)
def _is_architecture(arch: str | None) -> bool:
    return arch is None or re.fullmatch(r"sm_\d{1,4}[a-z]?", arch, re.ASCII) is not None
