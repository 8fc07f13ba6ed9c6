"""How much is read before a file is called damaged or hostile: every ceiling of the readers.

Whatever costs time or memory is paid for: each file brings an allowance in proportion to its size, and
all files of one question (a command, a call of the library) share another one on top, so that a small
file may be what an honest small file is. What honest files need is a fraction of it; a file that lies
about lengths, counts and sharing runs out, a problem says so, and what was read is kept.
"""

from __future__ import annotations

from typing import NamedTuple

MIB = 1 << 20

MAX_STREAM_BYTES = 1 << 30
"""What is taken from a pipe; a file may be of any size."""
MAX_IMAGE_BYTES = 512 * MIB
"""One decompressed kernel image. The largest in NVIDIA's libraries, NCCL's, have 160 MiB."""
MAX_TABLE_BYTES = 64 * MIB
"""One table of an image, or one message of a report, which is in memory as a whole."""
MAX_SECTIONS = 1 << 18
MAX_ATTRIBUTE_BYTES = 4 * MIB
"""What the image says about all of its kernels, or about one, beside their code."""
MAX_CODE_BYTES = 64 * MIB
MAX_STACK_ACCESSES = 1 << 17
"""Of one kernel whose spills are counted: its code, and what it stores to and loads from its stack. Those of
NVIDIA's libraries reach some hundreds of KiB, and of loads and stores."""
MAX_NAME_BYTES = 1 << 16
"""Names of C++ templates reach a tenth of this; what is longer is cut."""
SHORT_NAME_BYTES = 1 << 10
MOST_REMEMBERED = 1 << 13
"""Short names, and the like, that are remembered because they come again: a library has each of its kernels
for ten architectures."""
NAME_COST = 16
"""Bytes of tables for each byte of a name: names are kept, while tables are only passed over."""
MAX_LINE_CHARACTERS = 1 << 20
"""A longer line of text is read in pieces of this length."""
MAX_COLUMNS = 1 << 14
"""Of a page of Nsight Compute, which has two thousand."""
MAX_PROBLEMS = 100
"""After so many damaged pieces, the rest of a file is not read."""
MAX_HELD_KERNELS = 1 << 17
"""Kernels of one file that are remembered, to know a linked one from its relocatable copy."""
MAX_NUMBER = 10**12 - 1
"""The largest count, size or time in JSON, which may have numbers too large for a float, or to be printed."""
LEAST_FILE_BYTES = 1 << 12
"""A file counts as at least so long: opening it takes time, too."""


class Malformed(Exception):  # noqa: N818, it is caught within the readers
    """Raised and caught within the readers: this piece cannot be read.

    Args:
        what: What is wrong, as a phrase.
    """

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(what)


class Exhausted(Malformed):
    """Raised and caught within the readers: of this file, nothing more is read."""


class Ceiling(NamedTuple):
    """How much of something is read."""

    for_all: int
    """Of all files of a question together, beyond what each may have by its size."""
    of_a_file: int
    """For each MiB of a file."""
    problem: str
    ends_the_file: bool = True
    """Whether nothing more is read of a file that meets it; otherwise only the piece is left out."""


CEILINGS = {
    "expanded": Ceiling(
        64 * MIB, 100 * MIB, "the file expands to more than is read of one file", ends_the_file=False
    ),
    "tables": Ceiling(
        MIB,
        4 * MIB,
        "its tables overlap, so that there is more to read than the file holds",
        ends_the_file=False,
    ),
    "pieces": Ceiling(1_000_000, 2 * MIB, "more lines, values or entries of tables than are read"),
    "kernels": Ceiling(17_500, MIB // 32, "more kernels than are read"),
    "launches": Ceiling(15_000, MIB // 64, "more launches than are read"),
    "names": Ceiling(16 * MIB, 32 * MIB, "longer names of kernels than are read"),
    "advice": Ceiling(2_000, MIB // 1000, "more different kernels than next steps are found for"),
    "problems": Ceiling(1_000, MIB // 1024, "too much is damaged"),
}
"""What is paid for. ``expanded``: bytes after decompression; ``tables``: bytes of the images' tables that
are looked at; ``pieces``: lines of text, values of JSON, fields of messages, entries of tables; ``names``:
bytes of the names of what was found; ``advice``: kernels, different in what they need, for which the next
steps are found; the others are counts.

SECURITY.md has what they come to, as it was measured."""


def cost_of(name: str) -> int:
    """Bytes of memory that a name takes, more or less."""
    return len(name) if name.isascii() else 4 * len(name)


class Allowance:
    """What all files of one question may cost beyond what each may by its size."""

    def __init__(self) -> None:
        self._left = {kind: ceiling.for_all for kind, ceiling in CEILINGS.items()}

    def bring(self, kind: str, amount: int) -> None:
        """What a file adds, of something that is paid for when the file is closed already."""
        self._left[kind] += amount

    def take(self, kind: str, amount: int) -> bool:
        """Whether so much is left; then it is taken."""
        left = self._left[kind] - amount
        if left >= 0:
            self._left[kind] = left
        return left >= 0


class Budget:
    """What one file may still make a reader do.

    Args:
        size: Bytes of the file.
        common: What it shares with the other files of the question.
    """

    def __init__(self, size: int, common: Allowance | None = None) -> None:
        self._common = Allowance() if common is None else common
        length = max(size, LEAST_FILE_BYTES)
        self._left = {kind: ceiling.of_a_file * length // MIB for kind, ceiling in CEILINGS.items()}
        self._common.bring("advice", self._left["advice"])

    def pay(self, kind: str, amount: int = 1) -> None:
        """Pay for something.

        Raises:
            Exhausted: It comes to more than is read of the file.
            Malformed: The same, where other pieces of the file can still be read.
        """
        left = self._left[kind] - amount
        if left >= 0:
            self._left[kind] = left
        elif self._common.take(kind, -left):
            self._left[kind] = 0
        else:
            ceiling = CEILINGS[kind]
            if ceiling.ends_the_file:
                raise Exhausted(f"{ceiling.problem}; the rest is not read")
            raise Malformed(ceiling.problem)

    def expand(self, size: int) -> None:
        """Pay for a decompression, which brings tables of its own.

        Raises:
            Malformed: The file expands too far.
        """
        self.pay("expanded", size)
        self._left["tables"] += 4 * size
