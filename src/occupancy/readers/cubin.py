"""Cubins: the ELF images that hold the machine code of one architecture.

The layout is not documented. What is relied on here was compared with what ptxas prints, for
thousands of kernels of every toolkit from 11.7 to 13.5, and with cuobjdump for libraries of 8.0 on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from zlib import crc32

from ..values.dataclass import copier
from .attributes import (
    COMPAT_ARCH_VARIANT,
    FRAME_SIZE,
    MIN_STACK_SIZE,
    RECORD_BYTES,
    REGCOUNT,
    Values,
    number,
    of_symbol,
    records,
    stated,
    values_of_kernel,
    values_of_symbols,
)
from .budget import MAX_ATTRIBUTE_BYTES, Budget, Malformed
from .content import Bytes
from .elf import ET_REL, SHT_NOBITS, SHT_PROGBITS, Function, Image, Section, is_cubin
from .record import Format, KernelRecord, Module
from .source_lines import NOWHERE, SHT_REL, SHT_RELA, Place, is_of_lines, places_of
from .stack_use import FIRST_ARCHITECTURE, NOT_TOLD, NOTHING, Spills, spilled

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
TOOL_NOTE = b".note.nv.tkinfo\0"
"""The command lines of the tools that made the image, from CUDA 12.9 on."""
MAX_TOOL_NOTE_BYTES = 1 << 16
"""A note takes a few hundred bytes for each tool and each linked part."""

FIRST_NEW_ABI_VERSION = 8
"""Of `e_ident[8]`; CUDA 13, and 12.8 for sm_100 and up."""

FIRST_WITH_RESERVED_SHARED_MEMORY = 90
RESERVED_SHARED_MEMORY = 1024
"""Bytes that the linker adds to the shared memory of each kernel from sm_90 on, for the system."""

_SHARED_MEMORY = frozenset({SHT_NOBITS, SHT_CUDA_SHARED, SHT_PROGBITS})
"""Types of sections of static shared memory; NVIDIA's own assembler writes one with bits, in cuBLASLt."""
_SHARED_NAME = b".nv.shared."
_OF_KERNELS = _SHARED_MEMORY | {SHT_CUDA_INFO, SHT_RELA, SHT_REL}
_OF_VARIANTS = frozenset({SHT_CUDA_COMPAT, SHT_NOTE})
_FAMILY = re.compile(rb"-arch[ =]sm_(\d{1,4})f\b")


def read_cubin(
    data: Bytes, source: str, format: Format, budget: Budget, modules: tuple[Module, ...] = ()
) -> Iterator[KernelRecord]:
    """The kernels of one cubin, in the order of its symbols.

    Args:
        data: The image.
        source: What the records name as their source.
        format: What the records name as their format.
        budget: What may be read of it.
        modules: The fatbin that holds it, if one does.

    Raises:
        Malformed: The image is damaged, or none; the kernels before the damage have been yielded.
    """
    if not is_cubin(data):
        raise Malformed("the image is not a cubin")
    image = Image(data, budget)
    arch, suffix = _architecture(image)
    linked = image.header.type != ET_REL
    cubin = _Cubin(image, arch, linked)
    for_all = {
        "source": source,
        "format": format,
        "arch": f"sm_{arch}{suffix}",
        "modules": modules,
        "linked": linked,
    }
    for function in image.functions(STO_CUDA_ENTRY):
        yield cubin.kernel(function, for_all)


def _is_old(image: Image) -> bool:
    # By the version of the ABI, not by the architecture: sm_90 comes in both layouts.
    return image.header.ident[8] < FIRST_NEW_ABI_VERSION


def _architecture(image: Image) -> tuple[int, str]:
    flags = image.header.flags
    if _is_old(image):
        return flags & 0xFF, "a" if flags & EF_CUDA_ACCELERATOR_OLD else ""
    arch = flags >> 8 & 0xFF
    return arch, _variant(image, arch)


def _variant(image: Image, arch: int) -> str:
    """``a`` for code that runs on this very architecture, ``f`` for code of its family, or nothing.

    Only the compiler's command line tells code of a family.
    """
    if image.header.flags & EF_CUDA_ACCELERATOR:
        return "a"
    is_family = False
    for section in image.of_types(_OF_VARIANTS):
        name, type, _, offset, size, _, _ = section
        if type == SHT_CUDA_COMPAT:
            said = records(_attribute_data(image, section))
            if any(id == COMPAT_ARCH_VARIANT and number(value) == 1 for id, value, _ in said):
                return "a"
        elif image.section_names.startswith(TOOL_NOTE, name):
            lines = image.part(offset, min(size, MAX_TOOL_NOTE_BYTES), "note about the compiler")
            is_family = any(int(each) == arch for each in _FAMILY.findall(lines))
    return "f" if is_family else ""


def _attribute_data(image: Image, section: Section) -> memoryview:
    _, _, _, offset, size, _, _ = section
    if size > MAX_ATTRIBUTE_BYTES:
        raise Malformed(f"{size} bytes about its kernels are declared, more than are read")
    image.budget.pay("pieces", size // RECORD_BYTES)
    return image.part(offset, size, "section of attributes")


_like = copier(
    KernelRecord, "name", "code", "is_static", "file", "line",
    "regs", "static_smem", "spill_smem", "barriers", "stack_bytes",
    "spill_store_bytes", "spill_load_bytes", "spills_from",
)  # fmt: skip
_REGCOUNT, _FRAME_SIZE, _MIN_STACK_SIZE = (of_symbol(id, 0) for id in (REGCOUNT, FRAME_SIZE, MIN_STACK_SIZE))


class _Cubin:
    """What the image says about all of its kernels, by symbol or by section of code.

    Raises:
        Malformed: What it says lies outside the image, or is more than is read.
    """

    def __init__(self, image: Image, arch: int, linked: bool) -> None:
        self._image = image
        self._is_old = _is_old(image)
        self._reserved = RESERVED_SHARED_MEMORY if linked and arch >= FIRST_WITH_RESERVED_SHARED_MEMORY else 0
        """Bytes that the linker has added to the shared memory of each kernel."""
        self._code_is_known = arch >= FIRST_ARCHITECTURE
        """Whether the instructions are of a kind that is known."""
        self._of_symbols: dict[int, int] = {}
        self._shared: dict[int, int] = {}
        self._info: dict[int, Section] = {}
        self._places: dict[int, Place] = {}
        """In the source."""
        self._attributes: dict[tuple[int, ...], Values] = {}
        """Those of a section, by its place and size: kernels that share one, which is a lie, cost no more."""
        self._alike: dict[Values, KernelRecord] = {}
        """A kernel with the attributes, and all else that it shares with the others of the image."""
        self._callees: dict[int, list[tuple[int, int]]] | None = None
        """Where in the code of kernels other functions lie; read for the first that has a stack frame."""
        self._spilled: dict[tuple[int, ...], Spills] = {}
        """By the section of the code, as the attributes are."""
        self._read_sections()

    def _read_sections(self) -> None:
        image = self._image
        of_all: Section | None = None
        for section in image.of_types(_OF_KERNELS):
            name, type, _, _, size, _, code = section
            if type == SHT_CUDA_INFO:
                if code:
                    self._info[code] = section
                else:
                    of_all = of_all or section
            elif type in _SHARED_MEMORY:
                if code and image.section_names.startswith(_SHARED_NAME, name):
                    self._shared[code] = size
            elif is_of_lines(image, section):
                self._places = places_of(image, section)
        if of_all is not None:
            self._of_symbols = values_of_symbols(_attribute_data(image, of_all))

    def kernel(self, function: Function, for_all: dict[str, Any]) -> KernelRecord:
        """The record of a kernel, with what those of all have.

        Raises:
            Malformed: What the image says of it lies outside the image, or is more than is read.
        """
        image = self._image
        number, name, code, is_local = function
        if code >= len(image.sections):
            raise Malformed(f"a kernel lies in section {code} of {len(image.sections)}")
        _, _, flags, offset, size, _, info = image.sections[code]
        values = self._values(code)
        alike = self._alike.get(values)
        if alike is None:
            alike = self._alike[values] = KernelRecord(name=name, **for_all, **stated(values))
        # Sections of cuFFT that are empty have no reservation either.
        static_smem = max(0, self._shared.get(code, 0) - self._reserved)
        of_symbols, symbol = self._of_symbols, number << 32
        frame = of_symbols.get(_FRAME_SIZE | symbol)
        machine_code = _machine_code(image, offset, size)
        spills = NOT_TOLD if frame is None else NOTHING
        if frame:
            spills = self._spills(code, machine_code)
        return _like(
            alike,
            name,
            None if machine_code is None else crc32(machine_code),
            is_local,
            *self._places.get(code, NOWHERE),
            # Before CUDA 10.1 there is no REGCOUNT; there the section header has the count. Where both are,
            # the section header lacks what callees need.
            of_symbols.get(_REGCOUNT | symbol, info >> 24 or None),
            static_smem,
            min(alike.spill_smem or 0, static_smem),
            flags >> 20 & 0x7F if self._is_old else alike.barriers,
            # The sum over all callees is there once the image is linked.
            of_symbols.get(_MIN_STACK_SIZE | symbol, frame),
            *spills,
            None if spills == NOT_TOLD else "code",
        )

    def _values(self, code: int) -> Values:
        """The attributes of the kernel in a section."""
        section = self._info.get(code)
        if section is None:
            return ()
        place = section[3:5]
        known = self._attributes.get(place)
        if known is None:
            known = self._attributes[place] = values_of_kernel(_attribute_data(self._image, section))
        return known

    def _spills(self, code: int, machine_code: memoryview | None) -> Spills:
        """What a kernel with a stack frame spills, by its code."""
        if machine_code is None or not self._code_is_known:
            return NOT_TOLD
        place = self._image.sections[code][3:5]
        known = self._spilled.get(place)
        if known is None:
            if self._callees is None:
                self._callees = self._image.places_of_functions(STO_CUDA_ENTRY)
            callees = self._callees.get(code, ())
            known = self._spilled[place] = spilled(machine_code, callees, self._image.budget)
        return known


def _machine_code(image: Image, offset: int, size: int) -> memoryview | None:
    try:
        return image.part(offset, size, "machine code of a kernel")
    except Malformed:  # as in an image without its code, of which the rest still can be read
        return None
