"""The output of ``cuobjdump -res-usage``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .content import NumberedLines, first_number
from .cubin import FIRST_WITH_RESERVED_SHARED_MEMORY, RESERVED_SHARED_MEMORY
from .record import Found, KernelRecord

_ARCH = re.compile(r"^\s*arch\s*=\s*(sm_(\d{1,12})\w*)")
_FUNCTION = re.compile(r"^\s*Function (.+):\s*$")
_USAGE = re.compile(r"^\s*REG:(\d{1,12})\s")
_STACK = re.compile(r"\bSTACK:(\d{1,12})")
_SHARED = re.compile(r"\bSHARED:(\d{1,12})")
_KERNEL = "CONSTANT[0]:"  # only kernels have parameters; device functions have rows as well

RES_USAGE_MARKS = ("Resource usage:", "Fatbin elf code:")

_UNKNOWN_ARCH_NOTE = "if this is for sm_90 or newer, 1024 bytes of the shared memory are the system's"


def read_res_usage(lines: NumberedLines, source: str) -> Iterator[Found]:
    """Yield the kernels of the listing. Arguments are those of `read_ptxas`.

    The listing of a lone cubin does not name the architecture.
    """
    arch: str | None = None
    has_reservation = False  # whether the linker has added the system's shared memory
    name = ""
    for _, line in lines:
        if found := _ARCH.match(line):
            arch, has_reservation = found[1], int(found[2]) >= FIRST_WITH_RESERVED_SHARED_MEMORY
        elif found := _FUNCTION.match(line):
            name = found[1]
        elif (found := _USAGE.match(line)) and name and _KERNEL in line:
            shared = first_number(_SHARED, line)
            is_large = shared is not None and shared >= RESERVED_SHARED_MEMORY
            if shared is not None and is_large and has_reservation:
                shared -= RESERVED_SHARED_MEMORY
            yield KernelRecord(
                source=source, format="res-usage", name=name, arch=arch, regs=int(found[1]),
                static_smem=shared, stack_bytes=first_number(_STACK, line),
                notes=(_UNKNOWN_ARCH_NOTE,) if is_large and arch is None else (),
            )  # fmt: skip
            name = ""
