"""Fatbins: containers of kernel images for several architectures.

Executables, libraries, objects and archives store fatbins in sections with many names, and some libraries in
plain data. Files are therefore searched for fatbins and standalone cubins, not parsed. Images can be
compressed as LZ4 blocks or zstd frames.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field

from .content import WINDOW_BYTES, Bytes, Content
from .cubin import read_cubin
from .elf import CUBIN_START, Image, is_cubin, is_relocatable
from .limits import MIB, Malformed, checked
from .record import FatbinModule, Item, KernelRecord, ReadProblem, SourceFormat

FATBIN_MAGIC = b"\x50\xed\x55\xba"
CONTAINER = struct.Struct("<IHHQ")  # magic, version, size of this header, size of all entries
VERSION = 1
ENTRY = struct.Struct("<H2xIQI8xI8xQ8xQ")
KIND_ELF, KIND_NVVM = 2, 8
FLAG_LZ4 = 0x2000
FLAG_ZSTD = 0x8000

MAX_IMAGE_BYTES = 512 * MIB
"""Limit for a decompressed image. The largest in NVIDIA's libraries (NCCL) have 160 MiB."""
MAX_LZ4_RATIO = 255  # maximum expansion of an LZ4 block


def read_device_code(content: Content) -> Iterator[Item]:
    """Yield the kernels of every fatbin and every cubin in a file.

    A library of separately compiled objects contains both linked and relocatable kernels. A linked kernel
    replaces its relocatable copy. Relocatable kernels without a linked copy come last. If a linked image cannot
    be read, its relocatable copies are dropped with a problem: their registers and shared memory would differ.
    """
    search = _Search(content)
    linked: set[tuple[str, str | None]] = set()
    relocatable: list[KernelRecord] = []
    nothing = True
    for item in checked(content.limits, search.run(), content.name):
        nothing = False
        if isinstance(item, KernelRecord):
            if not item.linked:
                relocatable.append(item)
                continue
            linked.add((item.name, item.arch))
        yield item
    unread = search.unread if search.is_complete else search.unread | {None}
    skipped = 0
    for record in relocatable:
        if (record.name, record.arch) in linked:
            continue
        number = int("".join(filter(str.isdigit, record.arch or "")) or 0)
        if number in unread or (linked and None in unread):
            skipped += 1
        else:
            yield record
    what = ""
    if skipped:
        what = f"{skipped} relocatable kernels are skipped: their linked image could not be read"
    elif nothing and not content.has_device_code and KIND_NVVM in search.other_kinds:
        what = "has code for link-time optimization only. Read the linked file instead"
    elif nothing and not content.has_device_code and search.other_kinds:
        what = "has PTX only. Compile it for an architecture (nvcc -arch=sm_90) to get registers"
    if what:
        yield ReadProblem(content.name, None, what)


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
                    read_image = self._read_container if is_container else self._read_cubin
                    position = yield from read_image(start)
        self.is_complete = True

    def _read_container(self, start: int) -> Generator[Item, None, int]:
        """Yield the kernels of a fatbin; return the position at which the search continues."""
        position = start + CONTAINER.size
        if position > self.content.size:
            return position
        _, version, header_size, size = CONTAINER.unpack(self.content.part(start, position)[:])
        if version != VERSION or header_size != CONTAINER.size:
            return start + len(FATBIN_MAGIC)  # programs that read fatbins contain the magic number too
        modules = ((self.content.name, self.fatbins),)
        self.fatbins += 1
        end = position + size
        if end > self.content.size:
            left = self.content.size - position
            yield self._problem(start, f"the file is cut off after {left:,} of {size:,} bytes. Build again.")
        while position < end:
            try:
                entry = self._entry(position, end)
            except Malformed as error:
                self.unread.add(None)
                yield self._problem(position, str(error))
                break
            kind, header_size, stored_size, packed_size, arch_number, flags, size = entry
            start = position + header_size
            position = start + stored_size
            if kind != KIND_ELF:
                self.other_kinds.add(kind)
                continue
            try:
                data = self.content.part(start, position)
                if flags & (FLAG_LZ4 | FLAG_ZSTD):
                    data = self._decompressed(data, flags, packed_size, size)
            except Malformed as error:
                self.unread.add(arch_number)
                yield self._problem(start, str(error))
            else:
                yield from self._read_kernels(data, start, "fatbin", arch_number, modules)
        return position

    def _entry(self, position: int, end: int) -> tuple[int, ...]:
        end = min(end, self.content.size)
        if position + ENTRY.size > end:
            raise Malformed("the fatbin ends within the header of an entry")
        entry = ENTRY.unpack(self.content.part(position, position + ENTRY.size)[:])
        _, header_size, stored_size, *_ = entry
        if header_size < ENTRY.size:
            raise Malformed(f"an entry of the fatbin has a header of {header_size} bytes")
        if position + header_size + stored_size > end:
            raise Malformed(f"an entry of {stored_size} bytes exceeds the fatbin")
        return entry

    def _decompressed(self, stored: Bytes, flags: int, packed_size: int, size: int) -> memoryview:
        if packed_size > len(stored):
            raise Malformed(f"an entry of {len(stored)} bytes claims {packed_size} compressed bytes")
        if size > MAX_IMAGE_BYTES:
            raise Malformed(f"a kernel image of {size} decompressed bytes exceeds the limit")
        self.content.limits.expand(size)
        decompress = decompress_lz4 if flags & FLAG_LZ4 else decompress_zstd
        plain = decompress(stored[:packed_size], size)
        if len(plain) != size:
            more = "more" if len(plain) > size else f"only {len(plain)}"
            raise Malformed(f"an image claims {size} bytes, but decompresses to {more}")
        return memoryview(plain)

    def _read_cubin(self, start: int) -> Generator[Item, None, int]:
        """Yield the kernels of a standalone cubin; return the position at which the search continues.

        The search continues within the cubin, so that sections with false sizes cannot hide later images.
        """
        data = self.content.part(start)
        if is_cubin(data):
            image = yield from self._read_kernels(data, start, "cubin")
            if image is not None and (end := start + image.end) > self.content.size:
                yield self._problem(start, f"a cubin claims to end at {end:#x}, beyond the end of the file")
        return start + len(CUBIN_START)

    def _read_kernels(
        self, data: Bytes, start: int, format: SourceFormat, arch_number: int | None = None,
        modules: tuple[FatbinModule, ...] = (),
    ) -> Generator[Item, None, Image | None]:  # fmt: skip
        """Yield the kernels of an image; return the image if it was read completely."""
        try:
            image = Image(data, self.content.limits)
            yield from read_cubin(image, self.content.name, format, modules)
        except Malformed as error:
            if not is_relocatable(data):
                self.unread.add(arch_number)
            yield self._problem(start, str(error))
            return None
        self.content.has_device_code = True
        return image

    def _problem(self, offset: int, what: str) -> ReadProblem:
        return ReadProblem(self.content.name, offset, what)


def decompress_lz4(data: memoryview, size: int) -> bytes:
    """Decompress an LZ4 block to a declared size."""
    import lz4.block

    if size > MAX_LZ4_RATIO * len(data) + 64:
        raise Malformed(f"{len(data)} bytes of LZ4 cannot expand to {size}")
    try:
        plain: bytes = lz4.block.decompress(data, uncompressed_size=size)
    except (lz4.block.LZ4BlockError, ValueError, MemoryError) as error:
        raise Malformed(f"the LZ4 data is damaged: {error}") from error
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
        raise Malformed(f"the zstd data is damaged: {error}") from error
