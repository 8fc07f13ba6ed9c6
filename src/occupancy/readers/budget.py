"""How much a reader reads before it calls a file damaged or hostile.

Every table, name and image that is read is paid for out of a `Budget` in proportion to the size of
the file. In a sound file the pieces lie side by side and the budget cannot run out; in a hostile one,
where a million headers point to the same hundred megabytes, it does.
"""

from __future__ import annotations

MIB = 1 << 20

MAX_STREAM_BYTES = 4 << 30
"""What is taken from a pipe; a file may be of any size."""
MAX_IMAGE_BYTES = 256 * MIB
"""One decompressed kernel image. The largest in NVIDIA's libraries are a tenth of this."""
MAX_EXPANSION = 64
"""All that is decompressed, as a multiple of the file; device code shrinks to a third or a tenth."""
MIN_EXPANDED_BYTES = 1 << 30
"""What may be decompressed whatever the size of the file; logs shrink to a hundredth."""
MAX_SECTIONS = 1 << 18
MAX_ATTRIBUTE_BYTES = 4 * MIB
"""What the image says about all of its kernels, or about one, beside their code."""
MAX_NAME_BYTES = 1 << 16
"""Names of C++ templates reach a tenth of this."""
NAME_COST = 16
"""Bytes of the budget for each byte of a name: names are kept, while tables are only passed over."""
MAX_LINE_CHARACTERS = 1 << 20
"""A longer line of text is read in pieces of this length."""
MAX_PROBLEMS = 100
"""After so many damaged pieces, the rest of a file is not read."""
MAX_KERNELS = 1 << 20
"""Kernels of one file; the largest libraries have some tens of thousands. Launches may be any number."""
MAX_HELD_KERNELS = 1 << 17
"""Kernels of one file that are remembered, to know a linked one from its relocatable copy."""
MAX_NUMBER = 10**12 - 1
"""The largest count, size or time in JSON, which may have numbers too large for a float, or to be printed."""


class Malformed(Exception):  # noqa: N818, it is caught within the readers
    """Raised and caught within the readers: this piece cannot be read.

    Args:
        what: What is wrong, as a phrase.
    """

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(what)


class Budget:
    """The bytes that one file may still make a reader look at."""

    def __init__(self, size: int) -> None:
        self._tables = 4 * size + MIB
        self._expanded = max(MIN_EXPANDED_BYTES, MAX_EXPANSION * size)

    def spend(self, size: int) -> None:
        """Pay for a table or a name.

        Raises:
            Malformed: More was read than the file can honestly hold.
        """
        self._tables -= size
        if self._tables < 0:
            raise Malformed("its tables overlap, so that there is more to read than the file holds")

    def expand(self, size: int) -> None:
        """Pay for the decompression of an image, which brings tables of its own.

        Raises:
            Malformed: The file expands too far.
        """
        self._expanded -= size
        if self._expanded < 0:
            raise Malformed("the file expands to more than is read of one file")
        self._tables += 4 * size
