"""Cubins: the ELF images that hold the machine code of one architecture.

The layout is not documented. What is relied on here was compared with what ptxas prints, for
thousands of kernels of every toolkit from 11.7 to 13.5, and with cuobjdump for libraries of 8.0 on.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from math import prod
from typing import NamedTuple
from zlib import crc32

from .budget import MAX_ATTRIBUTE_BYTES, Budget, Malformed
from .content import Bytes
from .elf import ET_REL, SHT_NOBITS, Image, Section, Symbol, is_cubin
from .record import Format, KernelRecord, Shape
from .source_lines import NOWHERE, Place, is_of_lines, places_of

STO_CUDA_ENTRY = 0x10
"""Flag of `st_other`: this function is a kernel, not a device function."""
SHT_CUDA_INFO = 0x70000000
SHT_CUDA_SHARED = 0x7000000A
"""Shared memory before linking; after it, the section is an ordinary one without bits."""
SHT_CUDA_COMPAT = 0x70000086
EF_CUDA_ACCELERATOR_OLD = 0x800
"""Old layout: the architecture is an "a" variant."""
EF_CUDA_ACCELERATOR = 0x8
"""New layout up to CUDA 12.9: likewise. From 13.0 on, the section .nv.compat says so."""
SHT_NOTE = 7
TOOL_NOTE = ".note.nv.tkinfo"
"""The command lines of the tools that made the image, from CUDA 12.9 on."""
MAX_TOOL_NOTE_BYTES = 1 << 16
"""A note takes a few hundred bytes for each tool and each linked part."""

FIRST_NEW_ABI_VERSION = 8
"""Of `e_ident[8]`; CUDA 13, and 12.8 for sm_100 and up."""

FIRST_WITH_RESERVED_SHARED_MEMORY = 90
RESERVED_SHARED_MEMORY = 1024
"""Bytes that the linker adds to the shared memory of each kernel from sm_90 on."""

# Attributes of .nv.info, by NVIDIA's names without EIATTR_. Records of the module as a whole:
REGCOUNT = 0x2F
FRAME_SIZE = 0x11
MIN_STACK_SIZE = 0x12
# Records of one kernel:
MAX_THREADS = 0x05
REQNTID = 0x10
MAXREG_COUNT = 0x1B
CTA_PER_CLUSTER = 0x3D
MAX_CLUSTER_RANK = 0x3F
NUM_BARRIERS = 0x4C
SHARED_SCRATCH = 0x32
"""Where in its shared memory the compiler spills registers to, and how many bytes (from CUDA 13.0)."""
VRC_CTA_INIT_COUNT = 0x4A
"""Virtual resources of a block: 128 for a kernel that allocates tensor memory. sm_100 and newer."""
REG_RECONFIG = 0x54
"""setmaxnreg takes effect: the warpgroups of a block pass registers to one another."""
# Of .nv.compat:
COMPAT_ARCH_VARIANT = 0x09

_OF_MODULE = frozenset({REGCOUNT, FRAME_SIZE, MIN_STACK_SIZE})
_OF_KERNEL = frozenset(
    {
        MAX_THREADS,
        REQNTID,
        MAXREG_COUNT,
        CTA_PER_CLUSTER,
        MAX_CLUSTER_RANK,
        NUM_BARRIERS,
        SHARED_SCRATCH,
        VRC_CTA_INIT_COUNT,
        REG_RECONFIG,
    }
)
_OF_COMPAT = frozenset({COMPAT_ARCH_VARIANT})
_SHARED_MEMORY = frozenset({SHT_NOBITS, SHT_CUDA_SHARED})

_FORMAT_BYTE, _FORMAT_SIZED = 2, 4
_ATTRIBUTE = struct.Struct("<BBH")
_OF_SYMBOL = struct.Struct("<II")
"""Payload of a record of the module as a whole: a symbol, and its value."""
_RECORD_OF_SYMBOL = struct.Struct("<BBHII")
"""The same with its header."""
_SHAPE = struct.Struct("<III")
_SCRATCH = struct.Struct("<II")
"""Payload of SHARED_SCRATCH: where it begins, and its size."""
_FAMILY = re.compile(rb"-arch[ =]sm_(\d{1,4})f\b")
_USUAL_SIZES = (12, 4, 8, 0, 16, 20, 24, 28, 32)
"""Bytes of the payload of most records, the commonest first."""
_MOST_SKIPPED = 4096
"""Records that are passed over at once: matching takes memory for each."""


class Attribute(NamedTuple):
    id: int
    value: int
    """Of an attribute without payload."""
    payload: memoryview


@dataclass(slots=True)
class _Module:
    """What the image says about all of its kernels, by symbol or by section of code."""

    arch_number: int
    arch: str
    is_old: bool
    linked: bool
    registers: dict[int, int] = field(default_factory=dict)
    frames: dict[int, int] = field(default_factory=dict)
    stacks: dict[int, int] = field(default_factory=dict)
    shared: dict[int, int] = field(default_factory=dict)
    info: dict[int, Section] = field(default_factory=dict)
    attributes: dict[tuple[int, int], dict[int, Attribute]] = field(default_factory=dict)
    """Those of a section, by its place and size: kernels that share one, which is a lie, cost no more."""
    places: dict[int, Place] = field(default_factory=dict)
    """In the source."""


def read_cubin(data: Bytes, source: str, format: Format, budget: Budget) -> Iterator[KernelRecord]:
    """The kernels of one cubin, in the order of its symbols.

    Args:
        data: The image.
        source: What the records name as their source.
        format: What the records name as their format.
        budget: What may be read of it.

    Raises:
        Malformed: The image is damaged, or none; the kernels before the damage have been yielded.
    """
    if not is_cubin(data):
        raise Malformed("the image is not a cubin")
    image = Image(data, budget)
    module = _read_module(image)
    for symbol in image.functions(STO_CUDA_ENTRY):
        yield _kernel(image, module, symbol, source, format)


def _read_module(image: Image) -> _Module:
    number, suffix = _architecture(image)
    module = _Module(
        arch_number=number,
        arch=f"sm_{number}{suffix}",
        is_old=_is_old(image),
        linked=image.header.type != ET_REL,
    )
    of_all: Section | None = None
    for section in image.sections:
        if section.type == SHT_CUDA_INFO:
            if section.info:
                module.info[section.info] = section
            else:
                of_all = of_all or section
        elif section.info and section.type in _SHARED_MEMORY:
            if image.section_name(section).startswith(".nv.shared."):
                module.shared[section.info] = section.size
        elif is_of_lines(image, section):
            module.places = places_of(image, section)
    if of_all is not None:
        per_symbol = {REGCOUNT: module.registers, FRAME_SIZE: module.frames, MIN_STACK_SIZE: module.stacks}
        for id, symbol, value in _attributes_of_symbols(image, of_all):
            per_symbol[id][symbol] = value
    return module


def _attributes_of_symbols(image: Image, section: Section) -> Iterator[tuple[int, int, int]]:
    """What the module says of its functions: attribute, symbol, value."""
    data = _attribute_data(image, section)
    if len(data) % _RECORD_OF_SYMBOL.size == 0:
        records = list(_RECORD_OF_SYMBOL.iter_unpack(data))
        if all(form == _FORMAT_SIZED and size == _OF_SYMBOL.size for form, _, size, _, _ in records):
            for _, id, _, symbol, value in records:  # as compilers write it, and six times as fast
                if id in _OF_MODULE:
                    yield id, symbol, value
            return
    for attribute in _attributes(data, _OF_MODULE):
        if len(attribute.payload) == _OF_SYMBOL.size:
            yield attribute.id, *_OF_SYMBOL.unpack(attribute.payload)


def _is_old(image: Image) -> bool:
    # By the version of the ABI, not by the architecture: sm_90 comes in both layouts.
    return image.header.ident[8] < FIRST_NEW_ABI_VERSION


def _architecture(image: Image) -> tuple[int, str]:
    flags = image.header.flags
    if _is_old(image):
        return flags & 0xFF, "a" if flags & EF_CUDA_ACCELERATOR_OLD else ""
    number = flags >> 8 & 0xFF
    return number, _variant(image, number)


def _variant(image: Image, number: int) -> str:
    """``a`` for code that runs on this very architecture, ``f`` for code of its family, or nothing.

    Only the compiler's command line tells code of a family.
    """
    if image.header.flags & EF_CUDA_ACCELERATOR:
        return "a"
    is_family = False
    for section in image.sections:
        if section.type == SHT_CUDA_COMPAT:
            if any(each.value == 1 for each in _attributes(_attribute_data(image, section), _OF_COMPAT)):
                return "a"
        elif section.type == SHT_NOTE and image.section_name(section) == TOOL_NOTE:
            size = min(section.size, MAX_TOOL_NOTE_BYTES)
            lines = image.part(section.offset, size, "note about the compiler")
            is_family = any(int(each) == number for each in _FAMILY.findall(lines))
    return "f" if is_family else ""


def _attributes_of_kernel(image: Image, module: _Module, section: Section) -> dict[int, Attribute]:
    place = section.offset, section.size
    known = module.attributes.get(place)
    if known is None:
        known = {each.id: each for each in _attributes(_attribute_data(image, section), _OF_KERNEL)}
        module.attributes[place] = known
    return known


def _attribute_data(image: Image, section: Section) -> memoryview:
    if section.size > MAX_ATTRIBUTE_BYTES:
        raise Malformed(f"{section.size} bytes about its kernels are declared, more than are read")
    image.budget.pay("pieces", section.size // _ATTRIBUTE.size)
    return image.part(section.offset, section.size, "section of attributes")


def _attributes(data: memoryview, wanted: frozenset[int]) -> list[Attribute]:
    unpack, nothing, unwanted = _ATTRIBUTE.unpack_from, data[:0], _unwanted(wanted).match
    found = []
    position, last = 0, len(data) - _ATTRIBUTE.size
    while position <= last:
        # Most of the time went here, record by record; a kernel has some thirty, of which two are wanted.
        if skipped := unwanted(data, position):
            position = skipped.end()
            if position > last:
                break
        form, id, value = unpack(data, position)
        position += _ATTRIBUTE.size
        if form == _FORMAT_SIZED:
            if id in wanted:
                found.append(Attribute(id, 0, data[position : position + value]))
            position += value
        elif id in wanted:
            found.append(Attribute(id, value & 0xFF if form == _FORMAT_BYTE else value, nothing))
    return found


@cache
def _unwanted(wanted: frozenset[int]) -> re.Pattern[bytes]:
    """Records side by side that are not wanted and of the usual sizes; the others are for the loop."""
    id = b"[^%s]" % b"".join(b"\\x%02x" % each for each in sorted(wanted))
    sizes = b"|".join(b"\\x%02x\\x00.{%d}" % (size, size) for size in _USUAL_SIZES)
    sized = b"\\x%02x%s(?:%s)" % (_FORMAT_SIZED, id, sizes)
    plain = b"[^\\x%02x]%s.." % (_FORMAT_SIZED, id)
    return re.compile(b"(?:%s|%s){1,%d}" % (sized, plain, _MOST_SKIPPED), re.DOTALL)


def _kernel(image: Image, module: _Module, symbol: Symbol, source: str, format: Format) -> KernelRecord:
    if symbol.section >= len(image.sections):
        raise Malformed(f"a kernel lies in section {symbol.section} of {len(image.sections)}")
    code = image.sections[symbol.section]
    attributes = {}
    if section := module.info.get(symbol.section):
        attributes = _attributes_of_kernel(image, module, section)
    required = _shape(attributes, REQNTID)
    bound = _shape(attributes, MAX_THREADS)
    static_smem = _static_shared_memory(module, symbol.section)
    place = module.places.get(symbol.section, NOWHERE)
    return KernelRecord(
        source=source,
        format=format,
        name=image.symbol_name(symbol),
        arch=module.arch,
        code=_checksum(image, code),
        is_static=symbol.is_local,
        file=place.file,
        line=place.line,
        linked=module.linked,
        # Before CUDA 10.1 there is no REGCOUNT; there the section header has the count. Where both are,
        # the section header lacks what callees need.
        regs=module.registers.get(symbol.number, code.info >> 24 or None),
        static_smem=static_smem,
        spill_smem=min(_scratch(attributes), static_smem),
        barriers=code.flags >> 20 & 0x7F if module.is_old else _value(attributes, NUM_BARRIERS, 0),
        # The sum over all callees is there once the image is linked.
        stack_bytes=module.stacks.get(symbol.number, module.frames.get(symbol.number)),
        max_threads=prod(bound) if bound else None,
        required_threads=prod(required) if required else None,
        register_cap=_value(attributes, MAXREG_COUNT),
        cluster_dim=_shape(attributes, CTA_PER_CLUSTER),
        max_cluster_rank=_value(attributes, MAX_CLUSTER_RANK),
        # Absent before sm_100, where there is no such resource.
        virtual_resources=_value(attributes, VRC_CTA_INIT_COUNT),
        reallocates_registers=REG_RECONFIG in attributes or None,
        threads=prod(required) if required else None,
        threads_from="required" if required else None,
        block_dim=required,
    )


def _checksum(image: Image, code: Section) -> int | None:
    try:
        return crc32(image.part(code.offset, code.size, "machine code of a kernel"))
    except Malformed:  # as in an image without its code, of which the rest still can be read
        return None


def _static_shared_memory(module: _Module, code: int) -> int:
    """Bytes that the kernel declares.

    From sm_90 on, the linker has added the system's reservation to every section of shared memory.
    (Sections of cuFFT that are empty have no reservation either.)
    """
    size = module.shared.get(code, 0)
    if module.linked and module.arch_number >= FIRST_WITH_RESERVED_SHARED_MEMORY:
        return max(0, size - RESERVED_SHARED_MEMORY)
    return size


def _shape(attributes: dict[int, Attribute], id: int) -> Shape | None:
    attribute = attributes.get(id)
    if attribute is None or len(attribute.payload) < _SHAPE.size:
        return None
    x, y, z = _SHAPE.unpack_from(attribute.payload)
    return x, y, z


def _scratch(attributes: dict[int, Attribute]) -> int:
    """Bytes of its shared memory that the compiler spills registers to."""
    attribute = attributes.get(SHARED_SCRATCH)
    if attribute is None or len(attribute.payload) < _SCRATCH.size:
        return 0
    _, size = _SCRATCH.unpack_from(attribute.payload)
    return int(size)


def _value(attributes: dict[int, Attribute], id: int, default: int | None = None) -> int | None:
    attribute = attributes.get(id)
    if attribute is None:
        return default
    return int.from_bytes(attribute.payload[:4], "little") if attribute.payload else attribute.value
