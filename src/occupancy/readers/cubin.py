"""Cubins: ELF images with the machine code of one architecture.

The layout is undocumented. These rules were checked against the output of ptxas for thousands of kernels
(every toolkit from 11.7 to 13.5), and against cuobjdump for libraries since CUDA 8.0.
"""

from __future__ import annotations

import re
import struct
from collections import defaultdict
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import Any
from zlib import crc32

from ..engine.common import round_up
from .elf import ET_REL, SHT_NOBITS, SHT_PROGBITS, Image, KernelSymbol, Section
from .limits import MIB, Malformed
from .record import NO_SPILLS, KernelRecord, Shape, Spills, block_shapes
from .source_lines import RELOCATIONS, Place, read_places
from .spills import FIRST_ARCHITECTURE, count_spills

SHT_CUDA_INFO = 0x70000000
SHT_CUDA_SHARED = 0x7000000A  # shared memory before linking; after it, the section has SHT_NOBITS
SHT_CUDA_COMPAT = 0x70000086
EF_CUDA_ACCELERATOR_OLD = 0x800  # old layout: the architecture is an "a" variant
EF_CUDA_ACCELERATOR = 0x8  # new layout up to CUDA 12.9; from 13.0 on, this is in the section .nv.compat
SHT_NOTE = 7
TOOL_NOTE = b".note.nv.tkinfo\0"  # command lines of the compiler and linker, from CUDA 12.9 on
MAX_TOOL_NOTE_BYTES = 1 << 16  # A note takes a few hundred bytes for each tool and each linked part
MAX_ATTRIBUTE_BYTES = 4 * MIB  # one section of attributes

FIRST_NEW_ABI_VERSION = 8  # of `e_ident[8]`; CUDA 13, and 12.8 for sm_100 and up

FIRST_WITH_RESERVED_SHARED_MEMORY = 90
RESERVED_SHARED_MEMORY = 1024
"""Bytes that the linker adds to the shared memory of each kernel from sm_90 on, for the system."""

_SHARED_MEMORY = (SHT_NOBITS, SHT_CUDA_SHARED, SHT_PROGBITS)
"""Types of static shared memory sections; NVIDIA's internal assembler writes SHT_PROGBITS, in cuBLASLt."""
_SHARED_NAME = b".nv.shared."
STT_CUDA_OBJECT = 13
_FAMILY = re.compile(rb"-arch[ =]sm_(\d{1,4})f\b")

# Attributes: the sections .nv.info and .nv.compat are lists of records. Each has a form, a number, and a value
# of 0 to 2 bytes, or the size of a value after the record. The names are NVIDIA's without EIATTR_.
# Attributes of a module:
REGCOUNT = 0x2F
FRAME_SIZE = 0x11
MIN_STACK_SIZE = 0x12
# Attributes of a kernel:
MAX_THREADS = 0x05
REQNTID = 0x10
MAXREG_COUNT = 0x1B
CTA_PER_CLUSTER = 0x3D
NUM_BARRIERS = 0x4C
SHARED_SCRATCH = 0x32  # offset and size of the spill area in shared memory (CUDA 13.0)
VRC_CTA_INIT_COUNT = 0x4A  # virtual resources of a block: 128 if it allocates tensor memory (sm_100)
REG_RECONFIG = 0x54  # setmaxnreg takes effect: the warpgroups of a block exchange registers
# Attributes in .nv.compat:
COMPAT_ARCH_VARIANT = 0x09

_BYTE, _SIZED = 2, 4  # forms
_RECORD = struct.Struct("<BBH")  # form, number, value or size of the value after the record
_SYMBOL_RECORD = struct.Struct("<QI")  # form, attribute, size and symbol as one number; value
_SYMBOL_VALUE_BYTES = 8  # symbol, value
_SHAPE = struct.Struct("<III")  # the longest value in use

_KERNEL_ATTRIBUTES = frozenset({
    MAX_THREADS, REQNTID, MAXREG_COUNT, CTA_PER_CLUSTER, NUM_BARRIERS, SHARED_SCRATCH, VRC_CTA_INIT_COUNT,
    REG_RECONFIG,
})  # fmt: skip

Values = tuple[tuple[int, bytes], ...]  # attributes of a kernel with their values


def read_cubin(image: Image, source: str, **common: Any) -> Iterator[KernelRecord]:
    return map(_Cubin(image, {"source": source, **common}).kernel, image.kernels())


def _architecture(image: Image, is_old: bool) -> tuple[int, str]:
    """Return the number and the suffix of the architecture; ``f`` is only in the compiler's command line."""
    flags = image.flags
    if is_old:
        return flags & 0xFF, "a" if flags & EF_CUDA_ACCELERATOR_OLD else ""
    number = flags >> 8 & 0xFF
    if flags & EF_CUDA_ACCELERATOR:
        return number, "a"
    for section in image.by_type[SHT_CUDA_COMPAT]:
        variants = records(_attribute_data(image, section), (COMPAT_ARCH_VARIANT,))
        if any(variants.get(COMPAT_ARCH_VARIANT, b"")[:4]):
            return number, "a"
    for name, _, _, offset, size, _, _ in image.by_type[SHT_NOTE]:
        if image.section_names.startswith(TOOL_NOTE, name):
            lines = image.part(offset, min(size, MAX_TOOL_NOTE_BYTES), "note about the compiler")
            if any(int(each) == number for each in _FAMILY.findall(lines)):
                return number, "f"
    return number, ""


def _attribute_data(image: Image, section: Section) -> memoryview:
    _, _, _, offset, size, _, _ = section
    if size > MAX_ATTRIBUTE_BYTES:
        raise Malformed(f"{size:,} bytes of attributes exceed the limit of a section")
    image.limits.consume("pieces", size // _RECORD.size)
    return image.part(offset, size, "section of attributes")


def records(data: memoryview, wanted: Collection[int]) -> dict[int, bytes]:
    """Return the wanted attributes; the last value of each counts."""
    values: dict[int, bytes] = {}
    plain, unpack, head = bytes(data), _RECORD.unpack_from, _RECORD.size
    position, last = 0, len(plain) - head
    while position <= last:
        form, id, size = unpack(plain, position)
        position += head
        if form == _SIZED:
            if id in wanted:
                values[id] = plain[position : position + min(size, _SHAPE.size)]
            position += size
        elif id in wanted:
            values[id] = plain[position - 2 : position - (form == _BYTE)]
    return values


def symbol_values(data: memoryview) -> dict[int, int]:
    """Return the attributes of a module's functions, by the first eight bytes of their records."""
    plain, size = bytes(data), _SYMBOL_RECORD.size
    count = len(plain) // size
    heads = [plain[place::size] for place in (0, 2, 3)]
    if heads == [each * count for each in (b"\x04", b"\x08", b"\x00")] and len(plain) == count * size:
        return dict(_SYMBOL_RECORD.iter_unpack(plain))  # the usual layout, and 20 times as fast
    values, position = {}, 0
    while position <= len(plain) - size:
        key, value = _SYMBOL_RECORD.unpack_from(plain, position)
        is_sized, value_size = key & 0xFF == _SIZED, key >> 16 & 0xFFFF
        if is_sized and value_size == _SYMBOL_VALUE_BYTES:
            values[key] = value
        position += _RECORD.size + (value_size if is_sized else 0)
    return values


@lru_cache(maxsize=1 << 12)
def attribute_fields(values: Values) -> dict[str, Any]:
    """Return the fields of a record from the attributes of a kernel."""
    numbers = {id: int.from_bytes(value[:4], "little") for id, value in values}
    longest = ((id, value) for id, value in values if len(value) >= _SHAPE.size)
    shapes: dict[int, Shape] = {id: _SHAPE.unpack_from(value) for id, value in longest}
    return block_shapes(shapes.get(MAX_THREADS), shapes.get(REQNTID)) | {
        # Before CUDA 12.8 or 13, the header of the code section has the barriers.
        "barriers": numbers.get(NUM_BARRIERS, 0),
        "spill_smem": int.from_bytes(dict(values).get(SHARED_SCRATCH, b"")[4:8], "little"),
        "register_cap": numbers.get(MAXREG_COUNT), "cluster_dim": shapes.get(CTA_PER_CLUSTER),
        "virtual_resources": numbers.get(VRC_CTA_INIT_COUNT),
        "reallocates_registers": True if REG_RECONFIG in numbers else None,
    }  # fmt: skip


class _Cubin:
    """Tables of an image, by symbol or by code section."""

    def __init__(self, image: Image, common: dict[str, Any]) -> None:
        self._image = image
        # The ABI version decides, not the architecture: sm_90 comes in both layouts.
        self._is_old = image.ident[8] < FIRST_NEW_ABI_VERSION
        arch, suffix = _architecture(image, self._is_old)
        linked = image.type != ET_REL
        self._common = common | {"arch": f"sm_{arch}{suffix}", "linked": linked}  # fields of every record
        reserved = RESERVED_SHARED_MEMORY if linked and arch >= FIRST_WITH_RESERVED_SHARED_MEMORY else 0
        self._code_is_known = arch >= FIRST_ARCHITECTURE  # true if the instruction format is known
        self._shared: dict[int, int] = {}  # without the reserved bytes
        # Sections of attributes; the first of each kernel counts.
        self._info = {section[-1]: section for section in reversed(image.by_type[SHT_CUDA_INFO])}
        # Results by offset and size: kernels that maliciously share attributes or code cost nothing extra.
        self._fields: dict[tuple[int, ...], dict[str, Any]] = {}
        self._spilled: dict[tuple[int, ...], Spills | None] = {}
        for type in _SHARED_MEMORY:
            for name, _, _, _, size, _, code in image.by_type[type]:
                if code and image.section_names.startswith(_SHARED_NAME, name):
                    # Empty sections, as in cuFFT, have no reservation either.
                    self._shared[code] = max(0, size - reserved)
        if not linked:
            self._add_weak_variables()
        tables = (read_places(image, each) for type in RELOCATIONS for each in image.by_type[type])
        # Source lines, from the first line table.
        self._places: dict[int, Place] = next((places for places in tables if places is not None), {})
        module_info = self._info.pop(0, None)
        self._symbol_values = symbol_values(_attribute_data(image, module_info)) if module_info else {}

    def _add_weak_variables(self) -> None:
        """Add the shared variables of templates; nvlink allocates by descending alignment, then by size."""
        image, used = self._image, defaultdict[int, set[int]](set)
        shared = {at: each[-1] for at, each in enumerate(image.sections) if each[1] == SHT_CUDA_SHARED}
        variables: dict[int, tuple[int, int]] = {}  # by symbol
        # Variables of no kernel are weak. The sections of kernels are padded, as if all variables were in them.
        symbols = enumerate(image.symbols()[1] if 0 in shared.values() else ())
        for number, (_, kind, _, section, alignment, size) in symbols:
            if section in shared and kind & 0xF == STT_CUDA_OBJECT:
                variables[number] = -alignment, size
                used[shared[section]].add(number)
        for type, form in RELOCATIONS.items() if variables else ():
            for _, _, _, offset, size, _, code in image.by_type[type]:
                image.limits.consume("pieces", size // form.size)
                data = image.part(offset, size // form.size * form.size, "relocations")
                used[code].update(info >> 32 for _, info, *_ in form.iter_unpack(data))
        for code, numbers in used.items():
            end = 0
            for alignment, size in sorted(map(variables.__getitem__, numbers & variables.keys())):
                end = round_up(end, max(1, -alignment)) + size
            self._shared[code] = end or self._shared.get(code, 0)

    def kernel(self, function: KernelSymbol) -> KernelRecord:
        image = self._image
        number, name, code = function
        if code >= len(image.sections):
            raise Malformed(f"a kernel is in section {code:,} of {len(image.sections):,}")
        _, _, flags, offset, size, _, info = image.sections[code]
        fields = self._kernel_fields(code)
        static_smem = self._shared.get(code, 0)
        values, key = self._symbol_values, _SIZED | _SYMBOL_VALUE_BYTES << 16 | number << 32
        frame = values.get(key | FRAME_SIZE << 8)
        machine_code = image.part(offset, size, "machine code of a kernel")
        if size and not any(machine_code[:16]):
            raise Malformed("the machine code of a kernel is zero-filled")
        stack = values.get(key | MIN_STACK_SIZE << 8, frame)
        spills = self._spills(code, machine_code, frame)
        stores, loads = (None, None) if spills is None else spills
        file, line = self._places.get(code, (None, None))
        # CUDA before 10.1 writes the count to the section header, not to REGCOUNT. In later images the section
        # header excludes the registers of callees. Only a linked image includes the stack of all callees.
        return KernelRecord(**{
            **self._common, **fields, "name": name, "file": file, "line": line,
            "code": crc32(machine_code),
            "regs": values.get(key | REGCOUNT << 8, info >> 24 or None),
            "static_smem": static_smem, "spill_smem": min(fields["spill_smem"], static_smem),
            "barriers": flags >> 20 & 0x7F if self._is_old else fields["barriers"],
            "frame_bytes": frame, "stack_bytes": None if stack == 0xFFFF_FFFF else stack,  # unknown, for recursion
            "spill_store_bytes": stores, "spill_load_bytes": loads,
            "spills_from": None if spills is None else "code",
        })  # fmt: skip

    def _kernel_fields(self, code: int) -> dict[str, Any]:
        if (section := self._info.get(code)) is None:
            return attribute_fields(())
        if (place := section[3:5]) not in self._fields:
            values = records(_attribute_data(self._image, section), _KERNEL_ATTRIBUTES)
            self._fields[place] = attribute_fields(tuple(values.items()))
        return self._fields[place]

    def _spills(self, code: int, machine_code: memoryview, frame: int | None) -> Spills | None:
        if frame == 0:
            return NO_SPILLS
        if frame is None or not self._code_is_known:
            return None
        if (place := self._image.sections[code][3:5]) not in self._spilled:
            self._spilled[place] = count_spills(machine_code, self._image.callees[code], self._image.limits)
        return self._spilled[place]
