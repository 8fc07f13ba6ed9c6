"""Sections, symbols and names of 64-bit little-endian ELF files (System V ABI), as used in cubins.

Cubins deviate in two places: old ones have the CUDA version in place of the ELF version, and bit 4 of
`st_other` is a flag.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

from .content import Bytes
from .limits import MAX_NAME_BYTES, MAX_TABLE_BYTES, Malformed, ReadLimits

CUBIN_START = b"\x7fELF\x02\x01"  # 64-bit, little-endian
HEADER = struct.Struct("<16sH22xQI6xHHH")  # unused fields are skipped
SECTION = struct.Struct("<IIQ8xQQII16x")  # without address, alignment and entry size
SYMBOL = struct.Struct("<IBBHQQ")

ET_REL, ET_EXEC, ET_DYN = 1, 2, 3
EM_CUDA = 190
MAX_SECTIONS = 1 << 18
NAME_COST = 16  # charge for a byte of a name, in bytes of tables: names stay in memory, tables do not

SHT_PROGBITS = 1
SHT_SYMTAB = 2
SHT_NOBITS = 8
SHT_SYMTAB_SHNDX = 18
SHN_XINDEX = 0xFFFF
STT_FUNC = 2
STO_CUDA_ENTRY = 0x10  # flag of `st_other`: this function is a kernel, not a device function

Section = tuple[int, int, int, int, int, int, int]
"""Name, type, flags, offset, size, link, info. A plain tuple, because a library has a million sections and
creating named tuples took longer than reading them."""

Symbol = tuple[int, int, int, int, int, int]
"""Name, type and binding, flags, section, start, size."""

KernelSymbol = tuple[int, str, int]
"""Symbol number, name and code section of a function."""


def is_cubin(data: Bytes) -> bool:
    head = bytes(data[: HEADER.size])
    return len(head) == HEADER.size and head.startswith(CUBIN_START) and head[18] | head[19] << 8 == EM_CUDA


def is_program(data: Bytes) -> bool:
    """Return True for an executable or a shared library of Linux or Windows."""
    head = bytes(data[: HEADER.size])
    is_linked = head.startswith(CUBIN_START) and int.from_bytes(head[16:18], "little") in (ET_EXEC, ET_DYN)
    return head.startswith(b"MZ") or (is_linked and not is_cubin(data))


def claimed_size(data: Bytes) -> int:
    """Return the end of the section table of a cubin or a host file; 0 for other bytes."""
    head = bytes(data[: HEADER.size])
    if len(head) < HEADER.size or not (is_cubin(data) or head[20:24] == b"\1\0\0\0"):  # the version of ELF
        return 0
    _, _, table, _, size, count, _ = HEADER.unpack(head)
    return table + size * max(count, 1) if size == SECTION.size and table else 0


def is_relocatable(data: Bytes) -> bool:
    return is_cubin(data) and int.from_bytes(data[16:18], "little") == ET_REL


class Image:
    """ELF image of a cubin, read on demand."""

    def __init__(self, data: Bytes, limits: ReadLimits) -> None:
        self._data = data
        self.limits = limits
        self._string_tables: dict[int, bytes] = {}
        if not is_cubin(data):
            raise Malformed("the image is not a cubin")
        header: tuple[bytes, int, int, int, int, int, int] = HEADER.unpack(data[: HEADER.size])
        self.ident, self.type, table, self.flags, size, count, self._name_section = header
        self.sections: list[Section] = []
        if not table:
            return
        if size != SECTION.size:
            raise Malformed(f"section headers have {size:,} bytes, not {SECTION.size}")
        if not count:  # more than 16 bits: the count is in the first section
            *_, count, _, _ = SECTION.unpack(self.part(table, SECTION.size, "section table"))
        if count > MAX_SECTIONS:
            raise Malformed(f"{count:,} sections exceed the limit of an image")
        limits.consume("pieces", count)
        self.sections = list(SECTION.iter_unpack(self.part(table, count * SECTION.size, "section table")))

    def part(self, offset: int, size: int, what: str) -> memoryview:
        if (end := offset + size) > len(self._data):
            raise Malformed(f"the {what} exceeds the image")
        self.limits.consume("tables", size)
        return self._data[offset:end]

    @cached_property
    def by_type(self) -> defaultdict[int, list[Section]]:
        sections: defaultdict[int, list[Section]] = defaultdict(list)
        for section in self.sections:
            sections[section[1]].append(section)
        return sections

    @cached_property
    def section_names(self) -> bytes:
        if (number := self._name_section) == SHN_XINDEX:
            *_, number, _ = self.sections[0]
        return self._strings(number)

    def kernels(self) -> Iterator[KernelSymbol]:
        names, symbols = self.symbols()
        table = b""
        for number, (start, info, other, section, _, _) in enumerate(symbols):
            if other & STO_CUDA_ENTRY and info & 0xF == STT_FUNC:
                table = table or self._strings(names)
                if start >= len(table):
                    raise Malformed(f"a name is at byte {start:,} of a table of {len(table):,} bytes")
                longest = start + MAX_NAME_BYTES
                end = table.find(b"\0", start, longest)
                name = table[start : end if end >= 0 else longest]
                self.limits.consume("tables", NAME_COST * len(name))
                yield number, name.decode("utf-8", "replace"), section

    @cached_property
    def callees(self) -> defaultdict[int, list[tuple[int, int]]]:
        """Extents of the functions that are no kernels, by section."""
        _, symbols = self.symbols()
        extents: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for _, info, other, section, start, size in symbols:
            if info & 0xF == STT_FUNC and not other & STO_CUDA_ENTRY:
                extents[section].append((start, start + size))
        return extents

    def symbols(self) -> tuple[int, Iterator[Symbol]]:
        """Return the string table's section number, and the symbols."""
        if not self.sections:
            return 0, iter(())
        if not self.by_type[SHT_SYMTAB]:
            raise Malformed("the image has no symbols")
        _, _, _, offset, size, names, _ = self.by_type[SHT_SYMTAB][0]
        count = size // SYMBOL.size
        symbols = SYMBOL.iter_unpack(self.part(offset, count * SYMBOL.size, "symbol table"))
        self.limits.consume("pieces", count)
        if not self.by_type[SHT_SYMTAB_SHNDX]:
            return names, symbols
        _, _, _, offset, size, _, _ = self.by_type[SHT_SYMTAB_SHNDX][0]
        sections = self.part(offset, size // 4 * 4, "table of section numbers").cast("I")
        return names, (
            (*symbol[:3], sections[number], *symbol[4:])
            if symbol[3] == SHN_XINDEX and number < len(sections)
            else symbol
            for number, symbol in enumerate(symbols)
        )

    def _strings(self, number: int) -> bytes:
        if number not in self._string_tables:
            if number >= len(self.sections):
                raise Malformed(f"the table of names is section {number:,} of {len(self.sections):,}")
            _, _, _, offset, size, _, _ = self.sections[number]
            if size > MAX_TABLE_BYTES:
                raise Malformed(f"{size:,} bytes of names exceed the limit of an image")
            self._string_tables[number] = bytes(self.part(offset, size, "table of names"))
        return self._string_tables[number]
