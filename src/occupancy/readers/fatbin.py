"""Fatbins: containers of kernel images for several architectures.

Executables, libraries, objects and archives store fatbins in sections with many names, and some libraries in
plain data. Files are therefore searched for fatbins and standalone cubins, not parsed. Images can be
compressed as LZ4 blocks or zstd frames.
"""

from __future__ import annotations

import struct
import sys
from collections import defaultdict
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from .content import WINDOW_BYTES, Bytes, Content
from .cubin import read_cubin
from .elf import CUBIN_START, HEADER, SECTION, Image, claimed_size, is_cubin, is_program, is_relocatable
from .limits import MIB, Malformed, Truncated, Unreadable, checked
from .record import Item, KernelRecord, ReadProblem, agreed_ptx

FATBIN_MAGIC = b"\x50\xed\x55\xba"
CONTAINER = struct.Struct("<IHHQ")  # magic, version, size of this header, size of all entries
VERSION = 1
ENTRY = struct.Struct("<H2xIQI8xI8xQ8xQ")
KIND_PTX, KIND_ELF, KIND_NVVM = 1, 2, 8
VARIANTS = {0x10_0000: "a", 0x20_0000: "f"}  # flags of PTX
FLAG_LZ4 = 0x2000
FLAG_ZSTD = 0x8000

MAX_IMAGE_BYTES = 512 * MIB
"""Limit for a decompressed image. The largest in NVIDIA's libraries (NCCL) have 160 MiB."""
MAX_PTX = 32  # entries of one fatbin
MAX_LZ4_RATIO = 255  # maximum expansion of an LZ4 block


def read_device_code(content: Content) -> Iterator[Item]:
    """Yield the kernels of every fatbin and every cubin in a file.

    A library of separately compiled objects contains both linked and relocatable kernels. A linked kernel
    replaces its relocatable copy. Relocatable kernels without a linked copy come last. In executables and shared
    libraries they are dropped, because nvlink removed them, and if a linked image cannot be read.
    """
    search = _Search(content)
    linked, relocatable = (defaultdict[tuple[str, str | None], list[KernelRecord]](list) for _ in range(2))
    for item in checked(content.limits, search.run(), content.name):
        if isinstance(item, KernelRecord):
            (linked if item.linked else relocatable)[item.name, item.arch].append(item)
            if not item.linked:
                continue
        yield item
    is_linked_program = is_program(content.part(0))
    unread = search.unread if search.is_complete else search.unread | {None}
    for key, records in relocatable.items():
        number = int("".join(filter(str.isdigit, key[1] or "")) or 0)
        for record in linked.get(key, ()):
            if record.ptx == ():
                record.ptx = agreed_ptx(records)  # which the driver compiles and links
        if not (key in linked or number in unread or (linked and (None in unread or is_linked_program))):
            yield from records
    if not content.has_device_code and search.other_kinds:
        what = "has PTX only. Compile it for an architecture (nvcc -arch=sm_90) to get registers"
        if KIND_NVVM in search.other_kinds:
            what = "has code for link-time optimization only. Read the linked file instead"
        yield ReadProblem(content.name, what)


@dataclass
class _Search:
    content: Content
    fatbins: int = 0  # number so far
    other_kinds: set[int] = field(default_factory=set)  # kinds of entries without machine code
    unread: set[int | None] = field(default_factory=set)
    """Architectures of the linked images that could not be read; None: unknown architecture."""
    is_complete: bool = False  # true after the whole file was searched

    def run(self) -> Iterator[Item]:
        # Windows overlap, so that a magic number across two of them is found.
        buffer = bytearray(WINDOW_BYTES + max(len(FATBIN_MAGIC), len(CUBIN_START)) - 1)
        position = 0
        while position < self.content.size:
            low, high, piece = self.content.window(position, buffer)
            position = low
            following = dict.fromkeys((FATBIN_MAGIC, CUBIN_START), -1)  # their next positions
            while position < high:
                start = high
                for pattern, place in following.items():
                    if place < position:  # search up to the other pattern
                        place = piece.find(pattern, position - low, start - low + len(pattern) - 1)
                        following[pattern] = start if place < 0 else low + place
                    start = min(start, following[pattern])
                position = start
                if start < high:
                    is_container = start == following[FATBIN_MAGIC]
                    position = yield from (self._read_container if is_container else self._read_elf)(start)
        self.is_complete = True

    def _read_container(self, start: int) -> Generator[Item, None, int]:
        """Yield the kernels of a fatbin; return the position at which the search continues."""
        position = start + CONTAINER.size
        if position > self.content.size:
            return position
        _, version, header_size, size = CONTAINER.unpack(self.content.part(start, position)[:])
        if version != VERSION or header_size != CONTAINER.size:
            return start + len(FATBIN_MAGIC)  # programs that read fatbins contain the magic number too
        end = position + size
        if end > self.content.size:
            yield self._problem(Truncated(self.content.size, end))
        common = {"format": "fatbin", "modules": ((self.content.name, self.fatbins),)}
        with suppress(Malformed):  # reported below; `ptx` remains unknown
            ptx = (entry for entry in self._entries(position, end) if entry[0] == KIND_PTX)
            first = islice(ptx, MAX_PTX + 1)
            targets = [(number, VARIANTS.get(flags & sum(VARIANTS), "")) for *_, number, flags, _ in first]
            if len(targets) <= MAX_PTX:
                common["ptx"] = tuple(f"compute_{number}{variant}" for number, variant in sorted({*targets}))
        self.fatbins += 1
        entries = self._entries(position, end)
        try:
            for kind, start, position, packed_size, number, flags, size in entries:
                if kind != KIND_ELF:
                    self.other_kinds.add(kind)
                    continue
                try:
                    data = self.content.part(start, position)
                    if flags & (FLAG_LZ4 | FLAG_ZSTD):
                        data = self._decompressed(data, flags, packed_size, size)
                except Malformed as error:
                    yield self._unread(error, number)
                else:
                    yield from self._read_kernels(data, number, **common)
        except Malformed as error:
            yield self._unread(error)
        return position

    def _entries(self, position: int, end: int) -> Iterator[tuple[int, ...]]:
        """Yield kind, start, end and further values of each entry; raise if the header of one is damaged."""
        end, claimed = min(end, self.content.size), end
        while position < claimed:
            if position + ENTRY.size > end:
                raise Malformed("the fatbin ends within the header of an entry")
            header = self.content.part(position, position + ENTRY.size)[:]
            kind, header_size, stored_size, *values = ENTRY.unpack(header)
            start, position = position + header_size, position + header_size + stored_size
            if header_size < ENTRY.size or position > end:
                raise Malformed(f"an entry of {stored_size:,} bytes exceeds the fatbin")
            yield kind, start, position, *values

    def _decompressed(self, stored: Bytes, flags: int, packed_size: int, size: int) -> memoryview:
        if size > MAX_IMAGE_BYTES:
            raise Unreadable(f"a kernel image of {size:,} decompressed bytes exceeds the limit")
        self.content.limits.expand(size)
        decompress = decompress_lz4 if flags & FLAG_LZ4 else decompress_zstd
        plain = decompress(stored[:packed_size], size)
        if len(plain) != size:
            raise Malformed(f"an image does not decompress to {size:,} bytes")
        return memoryview(plain)

    def _read_elf(self, start: int) -> Generator[Item, None, int]:
        """Yield the kernels of a standalone cubin, and a problem if any ELF file is truncated.

        The search continues within the cubin, so that sections with false sizes cannot hide later images.
        """
        data = self.content.part(start)
        least = 0 if start else HEADER.size
        if (end := start + max(least, claimed_size(data))) > self.content.size:
            yield self._problem(Truncated(self.content.size, end))
        elif end > start and not (start or any(self.content.part(end - SECTION.size, end)[:])):
            yield self._problem(Malformed("the section table is zero-filled"))
        if is_cubin(data):
            yield from self._read_kernels(data, format="cubin")
        return start + len(CUBIN_START)

    def _read_kernels(self, data: Bytes, arch_number: int | None = None, **common: Any) -> Iterator[Item]:
        try:
            for record in read_cubin(Image(data, self.content.limits), self.content.name, **common):
                yield record
                if record.linked and record.regs is None:
                    yield self._problem(Malformed("the register counts of kernels are missing"))
        except Malformed as error:
            yield self._problem(error) if is_relocatable(data) else self._unread(error, arch_number)
        else:
            self.content.has_device_code = True

    def _unread(self, error: Malformed, arch_number: int | None = None) -> ReadProblem:
        self.unread.add(arch_number)
        return self._problem(error)

    def _problem(self, error: Malformed) -> ReadProblem:
        return ReadProblem(self.content.name, error.problem)


def decompress_lz4(data: memoryview, size: int) -> bytes:
    import lz4.block

    if size > MAX_LZ4_RATIO * len(data) + 64:
        raise Malformed(f"{len(data):,} bytes of LZ4 cannot expand to {size:,}")
    try:
        plain: bytes = lz4.block.decompress(data, uncompressed_size=size)
    except (lz4.block.LZ4BlockError, ValueError, MemoryError) as error:
        raise Malformed("its LZ4 data is invalid") from error
    return plain


def decompress_zstd(data: memoryview, size: int) -> bytes:
    """Decompress a zstd frame to at most one byte more than declared."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd

    try:
        return zstd.ZstdDecompressor().decompress(data, max_length=size + 1)
    except (zstd.ZstdError, EOFError, MemoryError) as error:
        raise Malformed("its zstd data is invalid") from error
