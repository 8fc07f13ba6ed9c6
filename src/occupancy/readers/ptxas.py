"""The output of ``ptxas -v`` and ``nvcc --resource-usage`` in any log.

The items of a line are found one by one and never by position: every toolkit has added some, and the
compilers of old chips had others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .content import NumberedLines, first_number
from .record import Found, KernelRecord, ReadProblem

# 'name' for 'sm_90a', where forums and word processors have turned the quotes.
_ENTRY = re.compile(r"\s+['‘’`\"](.+)['‘’´\"]\s+for\s+['‘’`\"](sm_\w+)['‘’´\"]")
# The compiler counts below 0 where it moves spills into shared memory.
_FRAME = re.compile(
    r"(\d{1,12}) bytes stack frame, (-?\d{1,12}) bytes spill stores, (-?\d{1,12}) bytes spill loads"
)
_USED = re.compile(r"\b[Uu]sed (\d{1,12}) registers(.*)")
_BARRIERS = re.compile(r"used (\d{1,12}) barriers")
# The second number of old chips is the system's share, which takes its place as well.
_SMEM = re.compile(r"(\d{1,12})(?:\+(\d{1,12}))? bytes smem")
_CUMULATIVE_STACK = re.compile(r"(\d{1,12}) bytes cumulative stack size")
_LINKED_STACK = re.compile(r"(\d{1,12}) stack\b")
_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")

_QUOTES = "'‘’`´\""

COMPILING, PROPERTIES = "Compiling entry function", "Function properties for"
IGNORED = "'setmaxnreg' ignored"
"""The message (C7508) that the kernel's warpgroups will not pass registers to one another. It comes before
the kernels of a compilation, and names none of them. NVIDIA/cutlass#3406, NVIDIA/Fuser#3972."""
PTXAS_MARKS = (COMPILING, PROPERTIES, IGNORED)
GLOBAL_MEMORY = "bytes gmem"  # words of the line before the kernels of a compilation
_STACK_FRAME, _REGISTERS = " bytes stack frame", " registers"
_BEFORE, _AFTER = 20, 200
"""Characters around the words of a line in which its numbers are. Searched as a whole, a line that is made of
digits would take an hour."""

NVLINK = "nvlink"  # the beginning of the linker's lines

_LINKED_SMEM_NOTE = (
    "the linker's shared memory counts 1024 bytes of the system's for sm_90, and none for others"
)


_IGNORED_NOTE = (
    "In {kernels} of this compilation ptxas ignored setmaxnreg (C7508), and it does not say in which; "
    "__launch_bounds__(threads, 1) or __maxnreg__ tells it the registers of the launch"
)


@dataclass(slots=True)
class _Open:
    """The kernel whose lines are being read."""

    name: str
    arch: str | None
    stack_bytes: int | None = None
    spill_store_bytes: int | None = None
    spill_load_bytes: int | None = None


def _near(words: str, pattern: re.Pattern[str], line: str) -> re.Match[str] | None:
    place = line.find(words)
    return pattern.search(line, max(0, place - _BEFORE), place + _AFTER) if place >= 0 else None


def read_ptxas(lines: NumberedLines, source: str) -> Iterator[Found]:
    """Yield the kernels of a compiler's or linker's output."""
    reader = _Reader(source)
    number = 0
    for number, line in lines:
        if found := reader.read(_ESCAPES.sub("", line) if "\x1b" in line else line, number):
            yield found
    if found := reader.left_open(number):
        yield found


class _Reader:
    """The state between lines.

    A kernel is complete with its "Used" line: what belongs to it comes before, and in between may be
    lines of the device functions that it calls.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        self._kernel: _Open | None = None
        self._subject = ""  # the function that the next line about stack frames belongs to
        self._ignored = 0  # kernels of this compilation in which setmaxnreg is ignored
        self._has_kernels = False  # whether a kernel of this compilation was complete already

    def read(self, line: str, number: int) -> Found | None:
        """Read one line; return the kernel that it completes."""
        if IGNORED in line:
            self._begin_compilation()
            self._ignored += 1
            return None
        if GLOBAL_MEMORY in line:
            self._begin_compilation()
        _, is_entry, rest = line.partition(COMPILING)
        if is_entry and (found := _ENTRY.match(rest)):
            left = self.left_open(number)
            self._kernel = _Open(found[1], found[2])
            return left
        _, is_about_frame, rest = line.partition(PROPERTIES)
        if is_about_frame:
            self._subject = rest.strip().removesuffix(":").strip(_QUOTES)
        elif found := _near(_STACK_FRAME, _FRAME, line):
            self._read_frame(*map(int, found.groups()))
        elif _REGISTERS in line and (found := _USED.search(line)):
            rest = found[2][:_AFTER]
            if NVLINK in line[: found.start()]:
                return self._linked(int(found[1]), rest)
            return self._complete(int(found[1]), rest, number)
        return None

    def _begin_compilation(self) -> None:
        """Forget the last compilation, if this line can begin another one."""
        if self._has_kernels:
            self._has_kernels, self._ignored = False, 0

    def _notes(self) -> tuple[str, ...]:
        self._has_kernels = True
        if not self._ignored:
            return ()
        kernels = "a kernel" if self._ignored == 1 else f"{self._ignored} kernels"
        return (_IGNORED_NOTE.format(kernels=kernels),)

    def _problem(self, line: int, what: str) -> ReadProblem:
        return ReadProblem(self._source, None, what, line)

    def left_open(self, number: int) -> ReadProblem | None:
        """Return the problem of a kernel without a "Used" line."""
        kernel, self._kernel = self._kernel, None
        if kernel is None:
            return None
        return self._problem(number, f"the lines about {kernel.name} end without its registers")

    def _read_frame(self, frame: int, stores: int, loads: int) -> None:
        # Device functions have such a line too, before or after the kernel that calls them.
        kernel = self._kernel
        if kernel is not None and self._subject == kernel.name:
            kernel.stack_bytes, kernel.spill_store_bytes, kernel.spill_load_bytes = frame, stores, loads

    def _complete(self, registers: int, rest: str, number: int) -> Found:
        kernel, self._kernel = self._kernel, None
        if kernel is None:
            return self._problem(
                number, "registers of no known kernel; the lines of several builds are mixed"
            )
        # The sum of the stack over all callees is printed from 12.4 on, and not before linking.
        return KernelRecord(
            source=self._source, format="ptxas", name=kernel.name, arch=kernel.arch, regs=registers,
            static_smem=_shared_memory(rest), barriers=first_number(_BARRIERS, rest),
            stack_bytes=first_number(_CUMULATIVE_STACK, rest) or kernel.stack_bytes,
            spill_store_bytes=kernel.spill_store_bytes, spill_load_bytes=kernel.spill_load_bytes,
            spills_from=None if kernel.spill_store_bytes is None else "compiler", notes=self._notes(),
        )  # fmt: skip

    def _linked(self, registers: int, rest: str) -> KernelRecord:
        # The linker's line names no architecture.
        size = _shared_memory(rest)
        return KernelRecord(
            source=self._source, format="ptxas", name=self._subject, linked=True, regs=registers,
            static_smem=size, barriers=first_number(_BARRIERS, rest),
            stack_bytes=first_number(_LINKED_STACK, rest),
            notes=(_LINKED_SMEM_NOTE,) if size >= 1024 else (),
        )  # fmt: skip


def _shared_memory(text: str) -> int:
    # The item is left out where the kernel has none.
    found = _SMEM.search(text)
    return int(found[1]) + int(found[2] or 0) if found else 0
