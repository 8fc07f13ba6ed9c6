"""Compiler text: ``ptxas -v`` in any log, ``cuobjdump -res-usage``, PTX.

The items of a line are searched one by one: their number and order depend on the toolkit and the GPU.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from ..values.numbers import count
from .content import ESCAPES, NumberedLines
from .cubin import FIRST_WITH_RESERVED_SHARED_MEMORY, RESERVED_SHARED_MEMORY
from .record import Item, KernelRecord, ReadProblem, Shape, architecture_of, block_shapes

_QUOTES = "'‘’`´\""  # also the curly ones of forums and word processors
# 'name' for 'sm_90a'; without groups if damaged.
_ENTRY = re.compile(rf"\s+[{_QUOTES}](?:(.+?)[{_QUOTES}]\s+for\s+[{_QUOTES}](sm_\w+)[{_QUOTES}])?")
# The compiler prints negative numbers if it moves spills into shared memory.
_FRAME = re.compile(
    r"(\d{1,12}) bytes stack frame, (-?\d{1,12}) bytes spill stores, (-?\d{1,12}) bytes spill loads"
)
_USED = re.compile(r"\b[Uu]sed (\d{1,12}) registers(.*)")
# Items after the registers. The second number, for old GPUs, is shared memory that the system reserves in
# addition. The stack includes all callees. The compiler prints it from 12.4 on, the linker always.
_ITEM = re.compile(r"(\d{1,12})(?:\+(\d{1,12}))? (?:bytes )?(?:cumulative )?(barriers|smem|stack)\b")
_WHOLE_ITEMS = (
    "used N barriers", "N bytes cumulative stack size", "N stack", "N bytes smem", "N bytes lmem", "N bytes cmem[N]",
)  # fmt: skip
COMPILING, PROPERTIES = "Compiling entry function", "Function properties for"
# Message C7508: setmaxnreg has no effect. It precedes the kernels of a compilation and does not name the
# kernel. NVIDIA/cutlass#3406, NVIDIA/Fuser#3972.
IGNORED = "'setmaxnreg' ignored"
_COMPILE_TIME = "Compile time ="  # after the "Used" line
PTXAS_MARKS = (COMPILING, PROPERTIES, IGNORED, "info    : Used ")
GLOBAL_MEMORY = "bytes gmem"  # in the line before the kernels of a compilation
_STACK_FRAME, _REGISTERS = " bytes stack frame", " registers"
# Characters searched before and after these words: a long line of digits would take an hour.
_BEFORE, _AFTER = 20, 200

# Places between lines that were pasted as one line, or as a JSON string.
_JOINED = re.compile(rf"\\n|(?=(?:ptxas|nvlink)\S{{0,9}} info\b)| (?=\d{{1,12}}{_STACK_FRAME})")

_LOST = (
    "skipped {} from here on: {!r} lines are missing, wrapped, out of order, or mixed. "
    "Pass the whole log unwrapped, or write one for each object: nvcc -Xptxas -v ... 2> kernels.log"
)
_TARGET = re.compile(r"\(target: (sm_\w+)\)")
_LINKED_SMEM_NOTE = "The linker includes 1,024 reserved bytes of shared memory for sm_90, none for others."
_IGNORED_NOTE = (
    "ptxas ignored setmaxnreg (C7508) in {} of a compilation, without naming them. "
    "Add __launch_bounds__(threads, 1) or __maxnreg__ to kernels that use setmaxnreg."
)


def read_ptxas(lines: NumberedLines, source: str) -> Iterator[Item]:
    """Yield the kernels in the output of a compiler or linker.

    The "Used" line is the last line of a kernel. Lines about its callees can precede it. ``lines`` are numbered
    and begin with a line that contains a mark.
    """
    record = partial(KernelRecord, source=source, format="ptxas")
    kernel: dict[str, Any] | None = None  # fields of the current kernel; None if several are incomplete
    incomplete = start = 0  # kernels without their "Used" line, and the line number of the first
    entries = results = complete = 0  # first lines of kernels, their "Used" lines, and complete kernels
    skipped_from = 0  # line number of the first skipped kernel
    subject = ""  # function of the next line about stack frames
    described = set[str]()  # functions since the last "Used" line: a kernel's name precedes its properties
    ignored = 0  # kernels of this compilation in which setmaxnreg is ignored
    has_kernels = False  # true after the first complete kernel of this compilation
    for number, line in _separated(lines):
        if has_kernels and (IGNORED in line or GLOBAL_MEMORY in line):
            ignored, has_kernels = 0, False  # another compilation begins
        _, is_entry, entry = line.partition(COMPILING)
        _, is_about_frame, function = line.partition(PROPERTIES)
        if IGNORED in line:
            ignored += 1
        elif is_entry and (named := _ENTRY.match(entry)):
            # With a second incomplete kernel, the next "Used" line can be of either.
            is_certain = named[2] and not incomplete and named[1] not in described
            kernel = {"name": named[1], "arch": named[2]} if is_certain else None
            start = start if incomplete else number
            incomplete, entries = incomplete + 1, entries + 1
        elif is_about_frame:
            subject = _TARGET.sub("", function).strip(f"{_QUOTES}:| \r\n\t")
            described.add(subject)
        elif _COMPILE_TIME in line:
            kernel = None  # without its "Used" line
        elif (place := line.find(_STACK_FRAME)) >= 0:
            frame = _FRAME.search(line, max(0, place - _BEFORE), place + _AFTER)
            # Device functions have this line too, before or after the kernel that calls them.
            if frame and kernel is not None and subject == kernel["name"]:
                names = ("frame_bytes", "spill_store_bytes", "spill_load_bytes")
                kernel |= dict(zip(names, map(int, frame.groups()), strict=True), spills_from="compiler")
        elif _REGISTERS in line and (used := _USED.search(line)):
            found = _ITEM.findall(used[2][:_AFTER])
            items = {item: int(first) + int(more or 0) for first, more, item in found}
            smem, stack = items.get("smem", 0), items.get("stack")
            usage: Any = {"regs": int(used[1]), "static_smem": smem, "barriers": items.get("barriers")}
            is_linked, is_cut = "nvlink" in line[: used.start()], _ends_within_item(used[2])
            results += is_cut or not is_linked
            if is_cut or not (is_linked or kernel):
                skipped_from = skipped_from or (start if incomplete else number)
            elif is_linked:
                notes = (_LINKED_SMEM_NOTE,) if smem >= RESERVED_SHARED_MEMORY else ()
                linked = record(name=subject, linked=True, stack_bytes=stack, notes=notes, **usage)
                yield linker_line(linked, target[1] if (target := _TARGET.search(used[2])) else None)
            elif kernel is not None:
                usage["stack_bytes"] = stack or kernel.get("frame_bytes")
                notes = (_IGNORED_NOTE.format(count(ignored, "kernel")),) if ignored else ()
                yield record(notes=notes, **kernel | usage)
                has_kernels, complete = True, complete + 1
            described.clear()
            if not is_linked:
                kernel, incomplete = None, max(0, incomplete - 1)
    if skipped := max(entries, results) - complete:
        lost = "Used N registers" if results < entries or is_cut else COMPILING
        problem = _LOST.format(count(skipped, "kernel"), lost)
        if not entries:
            problem += f". For one kernel: occupancy calc --cc CC --threads N --regs {usage['regs']}"
            problem += f" --static-smem {smem}" if smem else ""
        yield ReadProblem(source, problem, skipped_from or start)


def linker_line(record: KernelRecord, arch: str | None) -> KernelRecord:
    """Assign an architecture to a linker record, and subtract the reserved bytes.

    nvlink includes them for sm_90, but not for other targets. Tested with nvlink 13.0 and 13.5, sm_75 to sm_121.
    """
    if (cc := architecture_of(arch)) is None:
        return record
    reserved = RESERVED_SHARED_MEMORY if cc == (9, 0) else 0
    return replace(record, arch=arch, static_smem=max(0, (record.static_smem or 0) - reserved), notes=())


def _separated(lines: NumberedLines) -> Iterator[tuple[int, str]]:
    """Yield the lines without colors, and the lines that a paste joined one by one."""
    for number, line in lines:
        line = ESCAPES.sub("", line) if "\x1b" in line else line
        for piece in _JOINED.split(line) if line.count(" info") > 1 else (line,):
            yield number, piece


def _ends_within_item(rest: str) -> bool:
    """Return True if a "Used" line was cut: an item is missing after its last comma, or incomplete."""
    _, comma, last = rest[-_AFTER:].rpartition(",")
    start = re.sub(r"\d+(?:\+\d*)?", "N", last.strip())
    return bool(comma) and any(item.startswith(start) and item != start for item in _WHOLE_ITEMS)


_ARCH = re.compile(r"^\s*arch\s*=\s*(sm_(\d{1,12})\w*)")
_FUNCTION = re.compile(r"^\s*Function (.+):\s*$")
_LISTED = re.compile(r"\b(REG|STACK|SHARED):(\d{1,12})\b")
_KERNEL = "CONSTANT[0]:"  # parameters, which only kernels have: device functions are listed too

RES_USAGE_MARKS = ("Resource usage:", "Fatbin elf code:")

_INCLUDED = "For sm_90 and newer, the shared memory includes 1,024 reserved bytes."
_REMOVED = "1,024 reserved bytes of shared memory are subtracted. Relocatable objects (-rdc=true) have none."
# Notes by whether the linker added the reserved shared memory; None: unknown.
_RESERVATION_NOTES: dict[bool | None, tuple[str, ...]] = {None: (_INCLUDED,), True: (_REMOVED,), False: ()}


def read_res_usage(lines: NumberedLines, source: str) -> Iterator[Item]:
    """Yield the kernels of ``cuobjdump -res-usage``. Arguments are those of `read_ptxas`."""
    arch: str | None = None
    has_reservation: bool | None = None
    name = ""
    for _, line in lines:
        if target := _ARCH.match(line):
            arch, has_reservation = target[1], int(target[2]) >= FIRST_WITH_RESERVED_SHARED_MEMORY
        elif function := _FUNCTION.match(line):
            name = function[1]
        elif name and _KERNEL in line:
            usage = {item: int(number) for item, number in _LISTED.findall(line)}
            shared = usage.get("SHARED")
            is_reserved = has_reservation if (shared or 0) >= RESERVED_SHARED_MEMORY else False
            reserved = RESERVED_SHARED_MEMORY if is_reserved else 0
            yield KernelRecord(
                source=source, format="res-usage", name=name, arch=arch, regs=usage.get("REG"),
                static_smem=shared and shared - reserved, stack_bytes=usage.get("STACK"),
                notes=_RESERVATION_NOTES[is_reserved],
            )  # fmt: skip
            name = ""


PTX_MARK = ".target"
PTX_TARGET = re.compile(r"^\s*\.target\s+(sm_\w+)")  # compiler errors contain targets too
_PTX_ENTRY = re.compile(r"\.entry\s+([\w$%]+)")
_DIRECTIVE = re.compile(r"\.(\w+)\s+(\d{1,12})(?:\s*,\s*(\d{1,12}))?(?:\s*,\s*(\d{1,12}))?")

MAX_DIRECTIVE_LINES = 1000  # between the name of a kernel and its body; each parameter takes a line


def read_ptx(lines: NumberedLines, source: str) -> Iterator[Item]:
    """Yield the kernels of PTX code with their launch bounds. Arguments are those of `read_ptxas`."""
    arch: str | None = None
    name = ""
    directives: dict[str, Shape] = {}
    unknown = (None, None, None)
    left = 0
    for _, line in lines:
        code = line.partition("//")[0]
        if not name:
            if target := PTX_TARGET.match(code):
                arch = target[1]
            if entry := _PTX_ENTRY.search(code):
                name, directives, left = entry[1], {}, MAX_DIRECTIVE_LINES
                code = code[entry.end() :]
        if name:
            header, brace, _ = code.partition("{")
            for directive, *numbers in _DIRECTIVE.findall(header):
                x, y, z = (int(number or 1) for number in numbers)
                directives[directive] = (x, y, z)
            left -= 1
            if brace or not left:
                yield KernelRecord(
                    source=source, format="ptx", name=name, arch=arch,
                    **block_shapes(directives.get("maxntid"), directives.get("reqntid")),
                    min_blocks=directives.get("minnctapersm", unknown)[0],
                    register_cap=directives.get("maxnreg", unknown)[0],
                    cluster_dim=directives.get("reqnctapercluster"),
                )  # fmt: skip
                name = ""
