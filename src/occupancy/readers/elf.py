"""Sections, symbols and names of ELF files, as far as cubins need them.

Layouts are those of the System V ABI, for 64-bit little-endian files. Cubins bend the rules in two places:
old ones have the CUDA version where the ELF version belongs, and `st_other` has a flag in bit 4.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import cached_property

from .content import Bytes
from .limits import MAX_NAME_BYTES, MAX_TABLE_BYTES, Malformed, ReadLimits

CUBIN_START = b"\x7fELF\x02\x01"  # of ELF files of 64 bits, little-endian
HEADER = struct.Struct("<16sH22xQI6xHHH")  # as far as it is used
SECTION = struct.Struct("<IIQ8xQQII16x")  # without its address, alignment and size of entries
SYMBOL = struct.Struct("<IBBHQQ")

ET_REL = 1
EM_CUDA = 190
MAX_SECTIONS = 1 << 18
NAME_COST = 16  # bytes of tables for each byte of a name: names are kept, while tables are only passed over

SHT_PROGBITS = 1
SHT_SYMTAB = 2
SHT_NOBITS = 8
SHT_SYMTAB_SHNDX = 18
SHN_XINDEX = 0xFFFF
STT_FUNC = 2

Section = tuple[int, int, int, int, int, int, int]
"""Name, type, flags, offset, size, link, info. A plain tuple, as a library has a million of them: naming the
parts of each took longer than reading them."""

Symbol = tuple[int, int, int, int, int, int]
"""Name, type and binding, flags, section, start, size."""

KernelSymbol = tuple[int, str, int]
"""The number of a function's symbol, its name, the section of its code."""


def is_cubin(data: Bytes) -> bool:
    head = bytes(data[: HEADER.size])
    return len(head) == HEADER.size and head.startswith(CUBIN_START) and head[18] | head[19] << 8 == EM_CUDA


def is_relocatable(data: Bytes) -> bool:
    return is_cubin(data) and int.from_bytes(data[16:18], "little") == ET_REL


class Image:
    """The ELF image of a cubin, whose parts are read when they are needed."""

    def __init__(self, data: Bytes, limits: ReadLimits) -> None:
        self._data = data
        self._size = len(data)
        self.limits = limits
        self._string_tables: dict[int, bytes] = {}
        if not is_cubin(data):
            raise Malformed("the image is not a cubin")
        header: tuple[bytes, int, int, int, int, int, int] = HEADER.unpack(data[: HEADER.size])
        self.ident, self.type, table, self.flags, size, count, self._name_section = header
        self._table = table
        self.sections: list[Section] = []
        if not table:
            return
        if size != SECTION.size:
            raise Malformed(f"section headers have {size} bytes, not {SECTION.size}")
        if not count:  # too many for the header's 16 bits: the first section has the number
            *_, count, _, _ = SECTION.unpack(self.part(table, SECTION.size, "section table"))
        if count > MAX_SECTIONS:
            raise Malformed(f"{count} sections exceed the limit of an image")
        limits.consume("pieces", count)
        self.sections = list(SECTION.iter_unpack(self.part(table, count * SECTION.size, "section table")))

    def part(self, offset: int, size: int, what: str) -> memoryview:
        end = offset + size
        if end > self._size:
            raise Malformed(f"truncated: the {what} ends at {end:#x}, the image at {self._size:#x}")
        self.limits.consume("tables", size)
        return self._data[offset:end]

    @property
    def end(self) -> int:
        """The end of the image, by its headers."""
        contents = (offset + size for _, type, _, offset, size, _, _ in self.sections if type != SHT_NOBITS)
        table = self._table + len(self.sections) * SECTION.size
        return max(HEADER.size, table, *contents)

    @cached_property
    def section_names(self) -> bytes:
        number = self._name_section
        if number == SHN_XINDEX:
            *_, number, _ = self.sections[0]
        return self._strings(number)

    def functions(self, flag: int) -> Iterator[KernelSymbol]:
        """Yield the functions whose `st_other` has a flag, in their order."""
        names, symbols = self._symbols()
        for number, (name, info, other, section, _, _) in enumerate(symbols):
            if other & flag and info & 0xF == STT_FUNC:
                yield number, self._name(names, name), section

    def places_of_functions(self, flag: int) -> dict[int, list[tuple[int, int]]]:
        """Return the places of functions whose `st_other` lacks a flag, by section, without overlaps."""
        _, symbols = self._symbols()
        found: dict[int, list[tuple[int, int]]] = {}
        for _, info, other, section, start, size in symbols:
            if info & 0xF == STT_FUNC and not other & flag:
                found.setdefault(section, []).append((start, start + size))
        return {section: _without_overlaps(places) for section, places in found.items()}

    def sections_of_symbols(self) -> dict[int, int]:
        _, symbols = self._symbols()
        return {number: section for number, (_, _, _, section, _, _) in enumerate(symbols)}

    def _symbols(self) -> tuple[int, Iterator[Symbol]]:
        """Return the section of the names, and the symbols."""
        table = self._first_section(SHT_SYMTAB)
        if table is None:
            return 0, iter(())
        _, _, _, offset, size, names, _ = table
        count = size // SYMBOL.size
        symbols = SYMBOL.iter_unpack(self.part(offset, count * SYMBOL.size, "symbol table"))
        self.limits.consume("pieces", count)
        wide = self._first_section(SHT_SYMTAB_SHNDX)
        if wide is None:
            return names, symbols
        _, _, _, offset, size, _, _ = wide
        sections = self.part(offset, size // 4 * 4, "table of section numbers").cast("I")
        return names, (
            (*symbol[:3], sections[number], *symbol[4:])
            if symbol[3] == SHN_XINDEX and number < len(sections)
            else symbol
            for number, symbol in enumerate(symbols)
        )

    def _first_section(self, type: int) -> Section | None:
        return next((section for section in self.sections if section[1] == type), None)

    def _strings(self, number: int) -> bytes:
        known = self._string_tables.get(number)
        if known is None:
            if number >= len(self.sections):
                raise Malformed(f"the table of names is section {number} of {len(self.sections)}")
            _, _, _, offset, size, _, _ = self.sections[number]
            if size > MAX_TABLE_BYTES:
                raise Malformed(f"{size} bytes of names exceed the limit of an image")
            known = self._string_tables[number] = bytes(self.part(offset, size, "table of names"))
        return known

    def _name(self, number: int, offset: int) -> str:
        table = self._string_tables.get(number) or self._strings(number)
        if offset >= len(table):
            raise Malformed(f"a name is at {offset:#x} of a table of {len(table):#x} bytes")
        end = table.find(b"\0", offset, offset + MAX_NAME_BYTES)
        name = table[offset : end if end >= 0 else offset + MAX_NAME_BYTES]
        self.limits.consume("tables", NAME_COST * len(name))
        return name.decode("utf-8", "replace")


def _without_overlaps(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if merged and start <= merged[-1][1]:
            start, end = merged[-1][0], max(end, merged.pop()[1])
        merged.append((start, end))
    return merged
