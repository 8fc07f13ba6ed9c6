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
from itertools import islice
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
_WITHOUT_FIRST = frozenset({0x547, 0x355})  # BRA and BMOV have no first register operand
_JUMPS = b"\x41\x42\x43\x44\x47\x48\x49\x4a\x4d\x50"  # first bytes of BRA, BRX, CALL, RET, EXIT and others
_ALWAYS = 7  # predicate of an unconditional instruction
_STACK_POINTER = 1
_RESULT, _FIRST, _SECOND, _THIRD = 2, 3, 4, 8  # bytes with the registers of the result and the operands

# Tables from a byte to the instructions that can contain it: one bit for loads, one for stores.
_AS_LOAD, _AS_STORE = 1, 2
_ANY_KIND = _AS_LOAD | _AS_STORE
_BY_FIRST_BYTE = bytes({_LDL & 0xFF: _AS_LOAD, _STL & 0xFF: _AS_STORE}.get(each, 0) for each in range(256))
_BY_SECOND_BYTE = bytes({_LDL >> 8: _AS_LOAD, _STL >> 8: _AS_STORE}.get(each & 0xF, 0) for each in range(256))
_BY_REGISTER = bytes(_ANY_KIND * (each == _STACK_POINTER) for each in range(256))
_BY_OTHER_REGISTERS = bytes(_ANY_KIND * (each != _STACK_POINTER) for each in range(256))
_BY_JUMPS = bytes(each in _JUMPS for each in range(256))
_BY_FORMS = {
    place: bytes(_ANY_KIND * ((each & 0xF) >> 1 in forms) for each in range(256))
    for place, forms in ((_FIRST, range(8)), (_SECOND, (1,)), (_THIRD, (1, 4, 5, 6)))
}
"""Instruction forms (upper three bits of the opcode) with a register operand, by position of the operand."""
_ANY = re.compile(b"[^\\x00]")

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
    and ends, ascending. Their spills are not counted.
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
        if loads_most or _has_unmarked_last_use(accesses, code, limits):
            return NO_SPILLS
    starts = [start for start, _ in callees]
    stores = loads = 0
    for each in accesses:
        before = bisect_right(starts, each.place)
        is_own = not before or each.place >= callees[before - 1][1]
        if is_own and not both.isdisjoint(each.words):
            stores += each.width if each.is_store else 0
            loads += 0 if each.is_store else each.width
    return Spills(stores, loads)


def _has_unmarked_last_use(accesses: Sequence[_Access], code: bytes, limits: ReadLimits) -> bool:
    """Return True if the next access to the words of an unmarked load overwrites them."""
    numbers = _numbers(_allowed(code, 0, _BY_JUMPS), code, limits)
    jumps = [number * INSTRUCTION_BYTES for number in numbers]
    following: dict[int, _Access] = {}
    for each in reversed(accesses):
        then = {following.get(word) for word in each.words}
        next_use = then.pop()
        if (
            not (each.is_store or then or next_use is None)
            and next_use.is_store
            and next_use.is_unconditional
            and bisect_right(jumps, each.place) == bisect_right(jumps, next_use.place)
        ):
            return True
        following.update(dict.fromkeys(each.words, each))
    return False


def _accesses(code: bytes, limits: ReadLimits) -> tuple[list[_Access], bool]:
    """Return the accesses at fixed offsets, and True if there are others."""
    either = _allowed(code, 0, _BY_FIRST_BYTE) & _allowed(code, 1, _BY_SECOND_BYTE)
    at_fixed_place = either & _allowed(code, _FIRST, _BY_REGISTER)
    accesses = []
    for number in islice(_numbers(at_fixed_place, code, limits), MAX_STACK_ACCESSES + 1):
        place = number * INSTRUCTION_BYTES
        low, high = _INSTRUCTION.unpack_from(code, place)
        is_store = low & 0xFFF == _STL
        is_last_use = not is_store and high >> 20 & 7 == _LAST_USE
        offset = (low >> 40 ^ 1 << 23) - (1 << 23)  # signed, 24 bits
        width = _WIDTHS[high >> 9 & 7]
        words = range(offset // _WORD, (offset + width - 1) // _WORD + 1)
        is_unconditional = low >> 12 & 0xF == _ALWAYS
        accesses.append(_Access(place, is_store, is_last_use, is_unconditional, width, words))
    return accesses, either != at_fixed_place


def _allowed(code: bytes, place: int, allows: bytes) -> int:
    """Return an integer with one byte per instruction: its possible kinds, from one byte of its encoding."""
    return int.from_bytes(code[place::INSTRUCTION_BYTES].translate(allows), "little")


def _numbers(allowed: int, code: bytes, limits: ReadLimits) -> Iterator[int]:
    """Return the indices of the instructions with any possible kind."""
    marks = allowed.to_bytes(len(code) // INSTRUCTION_BYTES, "little")
    limits.consume("pieces", len(marks) - marks.count(0))
    return map(re.Match.start, _ANY.finditer(marks))


def _takes_stack_address(code: bytes, limits: ReadLimits) -> bool:
    """Return True if the code computes another register from the stack pointer."""
    others = _allowed(code, _RESULT, _BY_OTHER_REGISTERS)
    for place, by_forms in _BY_FORMS.items():
        taking = _allowed(code, place, _BY_REGISTER) & _allowed(code, 1, by_forms) & others
        for number in _numbers(taking, code, limits):
            start = number * INSTRUCTION_BYTES
            opcode = code[start] | (code[start + 1] & 0xF) << 8
            if opcode not in _LOCAL and (place != _FIRST or opcode not in _WITHOUT_FIRST):
                return True
    return False
