"""The parts of an ELF file that a cubin needs: sections, symbols and names.

Layouts are those of the System V ABI, for 64-bit little-endian files. A cubin bends the rules in two
places, which is why a general reader does not serve: old ones have the CUDA version where the ELF
version belongs, and `st_other` has a flag in bit 4.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from .budget import MAX_NAME_BYTES, MAX_SECTIONS, NAME_COST, Budget, Malformed
from .content import Bytes

MAGIC = b"\x7fELF"
HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")

ET_REL, ET_EXEC = 1, 2
EM_CUDA = 190
CLASS_64_LITTLE_ENDIAN = b"\x02\x01"

SHT_SYMTAB = 2
SHT_NOBITS = 8
SHT_SYMTAB_SHNDX = 18
SHN_XINDEX = 0xFFFF
STT_FUNC = 2
STB_LOCAL = 0


class Header(NamedTuple):
    ident: bytes
    type: int
    machine: int
    version: int
    entry: int
    program_headers: int
    section_headers: int
    flags: int
    header_size: int
    program_header_size: int
    program_header_count: int
    section_header_size: int
    section_count: int
    name_section: int


class Section(NamedTuple):
    name: int
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_size: int


class Symbol(NamedTuple):
    number: int
    name_table: int
    name: int
    section: int
    is_local: bool
    """Whether other images cannot see it."""


def is_cubin(data: Bytes) -> bool:
    """Whether these bytes start with the header of a cubin."""
    head = bytes(data[: HEADER.size])
    return (
        len(head) == HEADER.size
        and head.startswith(MAGIC + CLASS_64_LITTLE_ENDIAN)
        and int.from_bytes(head[18:20], "little") == EM_CUDA
    )


class Image:
    """An ELF image, whose parts are read when they are asked for.

    Args:
        data: The image; what follows it is ignored.
        budget: What may be read of it.

    Raises:
        Malformed: The header or the section table does not fit in the image.
    """

    def __init__(self, data: Bytes, budget: Budget) -> None:
        self._data = data
        self.budget = budget
        self._string_tables: dict[int, memoryview] = {}
        if len(data) < HEADER.size:
            raise Malformed("the image ends within the ELF header")
        self.header = Header._make(HEADER.unpack(data[: HEADER.size]))
        self.sections = self._read_sections()

    def _read_sections(self) -> list[Section]:
        offset, count = self.header.section_headers, self.header.section_count
        if not offset:
            return []
        if self.header.section_header_size != SECTION.size:
            raise Malformed(f"section headers of {self.header.section_header_size} bytes are not ELF's")
        if not count:  # too many for the header's 16 bits: the first section has the number
            count = Section._make(SECTION.unpack(self.part(offset, SECTION.size, "section table"))).size
        if count > MAX_SECTIONS:
            raise Malformed(f"{count} sections are declared, more than are read of one image")
        self.budget.pay("pieces", count)
        table = self.part(offset, count * SECTION.size, "section table")
        # As Section._make, without a call into Python for each: libraries have a million.
        return list(map(partial(tuple.__new__, Section), SECTION.iter_unpack(table)))

    def part(self, offset: int, size: int, what: str) -> memoryview:
        """A part of the image.

        Raises:
            Malformed: It lies outside the image.
        """
        end = offset + size
        if end > len(self._data):
            raise Malformed(f"the {what} ends at {end:#x}, but the image at {len(self._data):#x}")
        self.budget.pay("tables", size)
        return self._data[offset:end]

    @property
    def end(self) -> int:
        """Where the image ends, by its headers."""
        contents = (section.offset + section.size for section in self.sections if section.type != SHT_NOBITS)
        table = self.header.section_headers + len(self.sections) * SECTION.size
        return max(HEADER.size, table, *contents)

    def section_name(self, section: Section) -> str:
        """The name of a section.

        Raises:
            Malformed: The name or the table of names lies outside the image.
        """
        table = self.header.name_section
        return self._string(self.sections[0].link if table == SHN_XINDEX else table, section.name)

    def functions(self, flag: int) -> Iterator[Symbol]:
        """The functions whose `st_other` has a flag, in the order of the symbol table.

        Raises:
            Malformed: A table lies outside the image.
        """
        table = self._first(SHT_SYMTAB)
        if table is None:
            return
        wide = self._wide_section_indices()
        count = table.size // SYMBOL.size
        entries = self.part(table.offset, count * SYMBOL.size, "symbol table")
        self.budget.pay("pieces", count)
        for number, (name, info, other, section, _, _) in enumerate(SYMBOL.iter_unpack(entries)):
            if info & 0xF == STT_FUNC and other & flag:
                if section == SHN_XINDEX and number < len(wide):
                    section = wide[number]
                yield Symbol(number, table.link, name, section, info >> 4 == STB_LOCAL)

    def sections_of_symbols(self) -> dict[int, int]:
        """The section that each symbol lies in, by the symbol's number.

        Raises:
            Malformed: A table lies outside the image.
        """
        table = self._first(SHT_SYMTAB)
        if table is None:
            return {}
        wide = self._wide_section_indices()
        count = table.size // SYMBOL.size
        entries = self.part(table.offset, count * SYMBOL.size, "symbol table")
        self.budget.pay("pieces", count)
        return {
            number: wide[number] if section == SHN_XINDEX and number < len(wide) else section
            for number, (_, _, _, section, _, _) in enumerate(SYMBOL.iter_unpack(entries))
        }

    def symbol_name(self, symbol: Symbol) -> str:
        """The name of a symbol.

        Raises:
            Malformed: The name or the table of names lies outside the image.
        """
        return self._string(symbol.name_table, symbol.name)

    def _wide_section_indices(self) -> memoryview:
        # Where a section's number does not fit the symbol's 16 bits, it is in a table of its own.
        table = self._first(SHT_SYMTAB_SHNDX)
        if table is None:
            return memoryview(b"")
        return self.part(table.offset, table.size // 4 * 4, "table of section numbers").cast("I")

    def _first(self, kind: int) -> Section | None:
        return next((section for section in self.sections if section.type == kind), None)

    def _string(self, table_index: int, offset: int) -> str:
        table = self._string_tables.get(table_index)
        if table is None:
            if table_index >= len(self.sections):
                raise Malformed(f"the table of names is section {table_index} of {len(self.sections)}")
            section = self.sections[table_index]
            table = self.part(section.offset, section.size, "table of names")
            self._string_tables[table_index] = table
        if offset >= len(table):
            raise Malformed(f"a name lies at {offset:#x} of a table of {len(table):#x} bytes")
        length = 256
        while True:
            name, end, _ = bytes(table[offset : offset + length]).partition(b"\0")
            if end or length >= MAX_NAME_BYTES or offset + length >= len(table):
                self.budget.pay("tables", NAME_COST * len(name))
                return name.decode("utf-8", "replace")
            length *= 4
