"""Source files and lines of kernels, from the line tables of cubins.

Line tables are line number programs of DWARF 2 to 4 (section 6.2 of version 4). Each function has its own
sequence, which begins with DW_LNE_set_address and a relocation to the function's section.
Only the first row of each sequence is decoded, starting at its relocation.
"""

from __future__ import annotations

import ntpath
import struct
from bisect import bisect_right
from contextlib import suppress
from typing import NamedTuple

from .content import leb128
from .elf import SHT_PROGBITS, Image, Section
from .limits import Malformed, ReadLimits

_SECTION_NAME = b".debug_line\0"
RELOCATIONS = {9: struct.Struct("<QQ"), 4: struct.Struct("<QQq")}
"""SHT_REL and SHT_RELA -> offset, symbol and type, and addend."""
_OPERAND = 3  # bytes of DW_LNE_set_address before its relocated operand: 0, length, opcode
_MIN_UNIT = 15
MAX_LINE_TABLE_BYTES = 16 << 20
MAX_PROGRAM_BYTES = 1 << 8  # before the first row of a sequence; about 10 are usual
_PIECES_OF_ROW = 16
MAX_PATH_CHARACTERS = 4096

_COPY, _ADVANCE_LINE, _SET_FILE, _FIXED_ADVANCE_PC = 1, 3, 4, 9

Place = tuple[str, int]  # source file and line


class _Unit(NamedTuple):
    start: int
    end: int
    line_base: int
    line_range: int
    opcode_base: int
    lengths: bytes  # number of operands of each standard opcode
    folders: list[str]
    files: list[tuple[str, int]]

    def path(self, number: int) -> str | None:
        if not 1 <= number <= len(self.files):
            return None
        name, folder = self.files[number - 1]
        is_absolute = name.startswith("/") or ntpath.splitdrive(name)[0]  # Linux or Windows
        if folder == 0 or is_absolute or folder > len(self.folders):
            return name
        return f"{self.folders[folder - 1].rstrip('/')}/{name}"


def read_places(image: Image, relocations: Section) -> dict[int, Place] | None:
    """Return the first lines of functions by section; None for relocations of another table."""
    _, type, _, offset, size, _, table = relocations
    if table >= len(image.sections):
        return None
    name, table_type, _, table_offset, table_size, _, _ = image.sections[table]
    if table_type != SHT_PROGBITS or not image.section_names.startswith(_SECTION_NAME, name):
        return None
    places: dict[int, Place] = {}
    with suppress(Malformed, IndexError, ValueError, struct.error):  # the kernel is still valid
        if max(table_size, size) > MAX_LINE_TABLE_BYTES:
            return {}
        data = bytes(image.part(table_offset, table_size, "table of lines"))
        form = RELOCATIONS[type]
        entries = image.part(offset, size // form.size * form.size, "relocations of the table of lines")
        _, symbols = image.symbols()
        sections = [section for _, _, _, section, _, _ in symbols]
        units = _units(data, image.limits)
        starts = [unit.start for unit in units]
        for address, info, *_ in form.iter_unpack(entries):
            image.limits.consume("pieces", _PIECES_OF_ROW)
            symbol = info >> 32
            if units and symbol < len(sections) and (section := sections[symbol]) not in places:
                unit = units[max(0, bisect_right(starts, address) - 1)]
                with suppress(Malformed, IndexError, ValueError, ZeroDivisionError):
                    if place := _first_place(data, address - _OPERAND, unit):
                        places[section] = place
    return places


def _units(data: bytes, limits: ReadLimits) -> list[_Unit]:
    units = []
    position = 0
    while position + _MIN_UNIT < len(data):
        size, version, header_size = struct.unpack_from("<IHI", data, position)
        end = position + 4 + size
        if not 2 <= version <= 4 or end > len(data):
            break
        program = min(position + 10 + header_size, end)
        position += 12 if version < 4 else 13
        line_base, line_range, opcode_base = struct.unpack_from("<bBB", data, position)
        position += 3
        lengths = data[position : position + opcode_base - 1]
        position += opcode_base - 1
        limits.consume("pieces", 1 + data.count(0, position, program))  # upper bound of the number of names
        folders = []
        while position < program and data[position]:
            folder, position = _string(data, position)
            folders.append(folder)
        position += 1
        files = []
        while position < program and data[position]:
            name, position = _string(data, position)
            folder_number, position = leb128(data, position)
            for _ in ("time of its change", "size"):
                _, position = leb128(data, position)
            files.append((name, folder_number))
        units.append(_Unit(program, end, line_base, line_range, opcode_base, lengths, folders, files))
        position = end
    return units


def _first_place(data: bytes, position: int, unit: _Unit) -> Place | None:
    file = line = 1
    last = min(unit.end, position + MAX_PROGRAM_BYTES)
    while unit.start <= position < last:
        opcode = data[position]
        position += 1
        if opcode >= unit.opcode_base or opcode == _COPY:
            if opcode != _COPY:
                line += unit.line_base + (opcode - unit.opcode_base) % unit.line_range
            path = unit.path(file)
            return (path[:MAX_PATH_CHARACTERS], line) if path and 0 < line < 1 << 31 else None
        if opcode == 0:
            size, position = leb128(data, position)
            if data[position] == 1:  # the sequence ends without a row
                return None
            position += size
        elif opcode == _ADVANCE_LINE:
            delta, position = _signed(data, position)
            line += delta
        elif opcode == _SET_FILE:
            file, position = leb128(data, position)
        elif opcode == _FIXED_ADVANCE_PC:
            position += 2
        else:
            for _ in range(min(unit.lengths[opcode - 1], last - position)):
                _, position = leb128(data, position)
    return None


def _string(data: bytes, position: int) -> tuple[str, int]:
    end = data.index(0, position)
    return data[position:end].decode("utf-8", "replace"), end + 1


def _signed(data: bytes, position: int) -> tuple[int, int]:
    value, after = leb128(data, position)
    bits = 7 * (after - position)
    return value - (1 << bits) if value >> (bits - 1) else value, after
