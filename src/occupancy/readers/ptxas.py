"""Compiler text: ``ptxas -v`` in any log, ``cuobjdump -res-usage``, PTX.

The items of a line are searched one by one, not by position: their number and order depend on the toolkit and
the GPU.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from math import prod
from typing import Any

from .content import ESCAPES, NumberedLines
from .cubin import FIRST_WITH_RESERVED_SHARED_MEMORY, RESERVED_SHARED_MEMORY
from .record import Found, KernelRecord, ReadProblem, Shape

# 'name' for 'sm_90a', also with the curly quotes of forums and word processors.
_ENTRY = re.compile(r"\s+['‘’`\"](.+)['‘’´\"]\s+for\s+['‘’`\"](sm_\w+)['‘’´\"]")
# The compiler prints negative numbers if it moves spills into shared memory.
_FRAME = re.compile(
    r"(\d{1,12}) bytes stack frame, (-?\d{1,12}) bytes spill stores, (-?\d{1,12}) bytes spill loads"
)
_USED = re.compile(r"\b[Uu]sed (\d{1,12}) registers(.*)")
_BARRIERS = re.compile(r"used (\d{1,12}) barriers")
# The second number, for old GPUs, is shared memory that the system reserves in addition.
_SMEM = re.compile(r"(\d{1,12})(?:\+(\d{1,12}))? bytes smem")
# Includes all callees. The compiler prints it from 12.4 on, the linker always.
_STACK = re.compile(r"(\d{1,12}) (?:bytes cumulative )?stack\b")
_QUOTES = "'‘’`´\""
COMPILING, PROPERTIES = "Compiling entry function", "Function properties for"
# Message C7508: setmaxnreg has no effect. It precedes the kernels of a compilation and does not name the
# kernel. NVIDIA/cutlass#3406, NVIDIA/Fuser#3972.
IGNORED = "'setmaxnreg' ignored"
PTXAS_MARKS = (COMPILING, PROPERTIES, IGNORED)
GLOBAL_MEMORY = "bytes gmem"  # in the line before the kernels of a compilation
_STACK_FRAME, _REGISTERS = " bytes stack frame", " registers"
# Characters searched before and after these words: a long line of digits would take an hour.
_BEFORE, _AFTER = 20, 200

_LINKED_SMEM_NOTE = "the linker includes 1,024 reserved bytes of shared memory for sm_90, none for others"
_IGNORED_NOTE = (
    "ptxas ignored setmaxnreg (C7508) in {kernels} of this compilation, without naming them. "
    "Add __launch_bounds__(threads, 1) or __maxnreg__ to kernels that use setmaxnreg"
)


def read_ptxas(lines: NumberedLines, source: str) -> Iterator[Found]:
    """Yield the kernels in the output of a compiler or linker.

    The "Used" line is the last line of a kernel. Lines about its callees can precede it. ``lines`` are numbered
    and begin with a line that contains a mark.
    """
    record = partial(KernelRecord, source=source, format="ptxas")
    kernel: dict[str, Any] | None = None  # fields of the current kernel
    subject = ""  # function of the next line about stack frames
    ignored = 0  # kernels of this compilation in which setmaxnreg is ignored
    has_kernels = False  # true after the first complete kernel of this compilation
    number = 0
    for number, line in lines:
        line = ESCAPES.sub("", line) if "\x1b" in line else line
        if has_kernels and (IGNORED in line or GLOBAL_MEMORY in line):
            ignored, has_kernels = 0, False  # another compilation begins
        _, is_entry, entry = line.partition(COMPILING)
        _, is_about_frame, function = line.partition(PROPERTIES)
        if IGNORED in line:
            ignored += 1
        elif is_entry and (found := _ENTRY.match(entry)):
            if kernel is not None:
                yield _incomplete_kernel(source, number, kernel)
            kernel = {"name": found[1], "arch": found[2]}
        elif is_about_frame:
            subject = function.strip().removesuffix(":").strip(_QUOTES)
        elif (place := line.find(_STACK_FRAME)) >= 0:
            found = _FRAME.search(line, max(0, place - _BEFORE), place + _AFTER)
            # Device functions have this line too, before or after the kernel that calls them.
            if found and kernel is not None and subject == kernel["name"]:
                names = ("stack_bytes", "spill_store_bytes", "spill_load_bytes")
                kernel |= dict(zip(names, map(int, found.groups()), strict=True), spills_from="compiler")
        elif _REGISTERS in line and (found := _USED.search(line)):
            rest = found[2][:_AFTER]
            shared = _SMEM.search(rest)  # absent without shared memory
            usage: dict[str, Any] = {
                "regs": int(found[1]),
                "static_smem": int(shared[1]) + int(shared[2] or 0) if shared else 0,
                "barriers": _number(_BARRIERS, rest),
                "stack_bytes": _number(_STACK, rest),
            }
            if "nvlink" in line[: found.start()]:  # the line does not name the architecture
                notes = (_LINKED_SMEM_NOTE,) if usage["static_smem"] >= 1024 else ()
                yield record(name=subject, linked=True, notes=notes, **usage)
            elif kernel is None:
                what = "registers without a kernel: its 'Compiling entry function' line is missing, or was wrapped"
                yield ReadProblem(
                    source, None, f"{what}. Write the log to a file: nvcc -Xptxas -v ... 2> log", number
                )
            else:
                usage["stack_bytes"] = usage["stack_bytes"] or kernel.get("stack_bytes")
                kernels = "a kernel" if ignored == 1 else f"{ignored} kernels"
                notes = (_IGNORED_NOTE.format(kernels=kernels),) if ignored else ()
                yield record(notes=notes, **kernel | usage)
                kernel, has_kernels = None, True
    if kernel is not None:
        yield _incomplete_kernel(source, number, kernel)


def _incomplete_kernel(source: str, number: int, kernel: dict[str, Any]) -> ReadProblem:
    return ReadProblem(source, None, f"no registers for {kernel['name']}: its output is incomplete", number)


def _number(pattern: re.Pattern[str], text: str) -> int | None:
    # Patterns match at most 12 digits, because Python refuses to convert thousands of digits.
    found = pattern.search(text)
    return int(found[1]) if found else None


_ARCH = re.compile(r"^\s*arch\s*=\s*(sm_(\d{1,12})\w*)")
_FUNCTION = re.compile(r"^\s*Function (.+):\s*$")
_LISTED_REGISTERS = re.compile(r"^\s*REG:(\d{1,12})\s")
_LISTED_STACK = re.compile(r"\bSTACK:(\d{1,12})")
_LISTED_SHARED = re.compile(r"\bSHARED:(\d{1,12})")
_KERNEL = "CONSTANT[0]:"  # parameters, which only kernels have: device functions are listed too

RES_USAGE_MARKS = ("Resource usage:", "Fatbin elf code:")

_UNKNOWN_ARCH_NOTE = "for sm_90 and newer, the shared memory includes 1,024 reserved bytes"


def read_res_usage(lines: NumberedLines, source: str) -> Iterator[Found]:
    """Yield the kernels of ``cuobjdump -res-usage``. Arguments are those of `read_ptxas`."""
    arch: str | None = None
    has_reservation = False  # true if the linker added the reserved shared memory
    name = ""
    for _, line in lines:
        if found := _ARCH.match(line):
            arch, has_reservation = found[1], int(found[2]) >= FIRST_WITH_RESERVED_SHARED_MEMORY
        elif found := _FUNCTION.match(line):
            name = found[1]
        elif (found := _LISTED_REGISTERS.match(line)) and name and _KERNEL in line:
            shared = _number(_LISTED_SHARED, line)
            is_large = shared is not None and shared >= RESERVED_SHARED_MEMORY
            if shared is not None and is_large and has_reservation:
                shared -= RESERVED_SHARED_MEMORY
            yield KernelRecord(
                source=source, format="res-usage", name=name, arch=arch, regs=int(found[1]),
                static_smem=shared, stack_bytes=_number(_LISTED_STACK, line),
                notes=(_UNKNOWN_ARCH_NOTE,) if is_large and arch is None else (),
            )  # fmt: skip
            name = ""


PTX_MARK = ".target"
PTX_TARGET = re.compile(r"^\s*\.target\s+(sm_\w+)")  # compiler errors contain targets too
_PTX_ENTRY = re.compile(r"\.entry\s+([\w$%]+)")
_DIRECTIVE = re.compile(r"\.(\w+)\s+(\d{1,12})(?:\s*,\s*(\d{1,12}))?(?:\s*,\s*(\d{1,12}))?")

MAX_DIRECTIVE_LINES = 1000  # between the name of a kernel and its body; each parameter takes a line


def read_ptx(lines: NumberedLines, source: str) -> Iterator[Found]:
    """Yield the kernels of PTX code with their launch bounds. Arguments are those of `read_ptxas`."""
    arch: str | None = None
    name = ""
    directives: dict[str, Shape] = {}
    left = 0
    for _, line in lines:
        code = line.partition("//")[0]
        if not name:
            if found := PTX_TARGET.match(code):
                arch = found[1]
            if found := _PTX_ENTRY.search(code):
                name, directives, left = found[1], {}, MAX_DIRECTIVE_LINES
                code = code[found.end() :]
        if name:
            header, brace, _ = code.partition("{")
            for found in _DIRECTIVE.finditer(header):
                x, y, z = (int(number or 1) for number in found.groups()[1:])
                directives[found[1]] = (x, y, z)
            left -= 1
            if brace or not left:
                yield _ptx_record(source, name, arch, directives)
                name = ""


def _ptx_record(source: str, name: str, arch: str | None, directives: dict[str, Shape]) -> KernelRecord:
    bound, required = directives.get("maxntid"), directives.get("reqntid")
    threads = prod(required) if required else None
    unknown = (None, None, None)
    return KernelRecord(
        source=source, format="ptx", name=name, arch=arch, max_threads=prod(bound) if bound else None,
        required_threads=threads, min_blocks=directives.get("minnctapersm", unknown)[0],
        register_cap=directives.get("maxnreg", unknown)[0], cluster_dim=directives.get("reqnctapercluster"),
        threads=threads, threads_from="required" if required else None, block_dim=required,
    )  # fmt: skip
