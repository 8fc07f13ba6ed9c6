"""Spilled registers, counted in machine code.

The metadata of an image contains only the stack size. From sm_70 on, instructions have 16 bytes, and loads from
and stores to the stack (LDL, STL) have a register and an offset as operands. A spill uses a fixed offset from R1,
the stack pointer. Arrays with variable indices are accessed through other registers, computed from R1.

The rules were derived from the output of ptxas 11.8 to 13.5 for test kernels and NVIDIA's libraries, for sm_70 to
sm_120. The counts match ``ptxas -v`` for all but 2 of 2,279 kernels with a stack frame (783 of them spill). These
two have an array and one spilled register without a marked load.
"""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from .limits import MIB, ReadLimits
from .record import NO_SPILLS, Spills

FIRST_ARCHITECTURE = 70  # first architecture with 16-byte instructions
INSTRUCTION_BYTES = 16
# Limits far above the largest kernels in NVIDIA's libraries, with some hundred KiB of code.
MAX_CODE_BYTES, MAX_STACK_ACCESSES = 64 * MIB, 1 << 17

_INSTRUCTION = struct.Struct("<QQ")
_LDL, _STL = 0x983, 0x387  # opcodes: the lowest twelve bits
_LOCAL = frozenset({_LDL, _STL})
_LOCAL_STARTS = bytes(each & 0xFF for each in _LOCAL)
_WITHOUT_FIRST = frozenset({0x547, 0x355})  # BRA and BMOV have no first register operand
_JUMPS = b"\x41\x42\x43\x44\x47\x48\x49\x4a\x4d\x50"  # first bytes of BRA, BRX, CALL, RET, EXIT and others
_BY_JUMPS = bytes(each in _JUMPS for each in range(256))
_ALWAYS = 7  # predicate of an unconditional instruction
_STACK_POINTER = 1
_RESULT, _FIRST, _SECOND, _THIRD = 2, 3, 4, 8  # bytes with the registers of the result and the operands
_FORMS = {_FIRST: range(8), _SECOND: (1,), _THIRD: (1, 4, 5, 6)}
"""Instruction forms (upper three bits of the opcode) with a register operand, by position of the operand."""

_WIDTHS = (1, 1, 2, 2, 4, 8, 16, 16)
# Cache operator of a last use, LDL.LU. PTX ISA: "ld.lu ... when restoring spilled registers and popping
# function stack frames". No load from an array was seen to have it.
_LAST_USE = 3
_WORD = 4  # bytes of a register, the smallest spill


class _Access(NamedTuple):
    place: int  # offset of the instruction in the code, in bytes
    is_store: bool
    is_last_use: bool
    is_unconditional: bool  # executed without a predicate
    width: int
    words: range  # accessed words of the stack


def count_spills(data: memoryview, callees: Sequence[tuple[int, int]], limits: ReadLimits) -> Spills | None:
    """Return the spills of a kernel as ptxas counts them; None if unknown.

    A value stored to and loaded from a fixed offset is either a spilled register or a variable: an array with
    constant indices, or a variable that is volatile or whose address is taken. ptxas marks only the last load of
    a spilled register (LDL.LU):

    - If the code also accesses the stack through other registers, it has variables. They lie below the spills,
      so only offsets from the lowest marked load up count as spills.
    - Otherwise, without any marked load, there are no spills if a spill would have a marked load. The same holds
      if a load has 16 bytes: no unmarked load of a spill was seen to be that long.

    The code includes functions called only by the kernel, which use its frame. ``callees`` are their starts
    and ends. Their spills are not counted.
    """
    if len(data) > MAX_CODE_BYTES:
        return None
    code = bytes(data[: len(data) // INSTRUCTION_BYTES * INSTRUCTION_BYTES])
    accesses, has_others = _accesses(code, limits)
    if len(accesses) > MAX_STACK_ACCESSES:
        return None
    stored = {word for each in accesses if each.is_store for word in each.words}
    both = stored & {word for each in accesses if not each.is_store for word in each.words}
    if not both:
        return NO_SPILLS
    marked = {word for each in accesses if each.is_last_use for word in each.words} & stored
    if has_others or _takes_stack_address(code, limits):
        lowest = min(marked, default=max(both) + 1)
        both = {word for word in both if word >= lowest}
    elif not marked:
        loads_most = any(not each.is_store and each.width == max(_WIDTHS) for each in accesses)
        if loads_most or _has_unmarked_last_use(accesses, code):
            return NO_SPILLS
    starts = sorted(start for start, _ in callees)
    ends = list(accumulate((end for _, end in sorted(callees)), max))  # callees can overlap
    stores = loads = 0
    for each in accesses:
        before = bisect_right(starts, each.place)
        is_own = not before or each.place >= ends[before - 1]
        if is_own and not both.isdisjoint(each.words):
            stores += each.width if each.is_store else 0
            loads += 0 if each.is_store else each.width
    return Spills(stores, loads)


def _has_unmarked_last_use(accesses: Sequence[_Access], code: bytes) -> bool:
    """Return True if the next access to the words of an unmarked load overwrites them."""
    is_jump = code[::INSTRUCTION_BYTES].translate(_BY_JUMPS)
    jumps, end = 0, len(is_jump)  # number of jumps after an access
    following: dict[int, tuple[_Access, int]] = {}
    for each in reversed(accesses):
        start = each.place // INSTRUCTION_BYTES + 1
        jumps, end = jumps + is_jump.count(1, start, end), start
        then = {following.get(word) for word in each.words}
        next_use, jumps_later = then.pop() or (None, 0)
        if (
            not (each.is_store or then or next_use is None)
            and next_use.is_store
            and next_use.is_unconditional
            and jumps == jumps_later
        ):
            return True
        following.update(dict.fromkeys(each.words, (each, jumps)))
    return False


def _accesses(code: bytes, limits: ReadLimits) -> tuple[list[_Access], bool]:
    """Return the accesses at fixed offsets, and True if there are others."""
    accesses: list[_Access] = []
    has_others = False
    for found in _find(code, 0, _LOCAL_STARTS, limits):
        place = found.start() * INSTRUCTION_BYTES
        low, high = _INSTRUCTION.unpack_from(code, place)
        opcode = low & 0xFFF
        if opcode not in _LOCAL:
            continue
        if low >> 24 & 0xFF != _STACK_POINTER:
            has_others = True
            continue
        is_store = opcode == _STL
        is_last_use = not is_store and high >> 20 & 7 == _LAST_USE
        offset = (low >> 40 ^ 1 << 23) - (1 << 23)  # signed, 24 bits
        width = _WIDTHS[high >> 9 & 7]
        words = range(offset // _WORD, (offset + width - 1) // _WORD + 1)
        accesses.append(_Access(place, is_store, is_last_use, low >> 12 & 0xF == _ALWAYS, width, words))
        if len(accesses) > MAX_STACK_ACCESSES:
            break
    return accesses, has_others


def _find(code: bytes, offset: int, values: bytes, limits: ReadLimits) -> Iterator[re.Match[bytes]]:
    column = code[offset::INSTRUCTION_BYTES]
    limits.consume("pieces", len(column) - len(column.translate(None, values)))
    return re.finditer(b"[%b]" % re.escape(values), column)


def _takes_stack_address(code: bytes, limits: ReadLimits) -> bool:
    """Return True if the code computes another register from the stack pointer."""
    for operand, forms in _FORMS.items():
        for found in _find(code, operand, bytes([_STACK_POINTER]), limits):
            place = found.start() * INSTRUCTION_BYTES
            if code[place + 1] >> 1 & 7 in forms and code[place + _RESULT] != _STACK_POINTER:
                opcode = code[place] | (code[place + 1] & 0xF) << 8
                if opcode not in _LOCAL and (operand != _FIRST or opcode not in _WITHOUT_FIRST):
                    return True
    return False
