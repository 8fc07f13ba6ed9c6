"""What machine code uses the stack of a thread for: how much of it is spilled registers.

An image states the size of a stack, and not what it is for. Its code tells: from sm_70 on an instruction has
16 bytes, and those that store to and load from the stack (STL, LDL) name a register and an offset. A spilled
register goes to a fixed place and comes back from there: both name R1, the stack pointer, and the same
offset. What variables index is reached through other registers, which are made of R1 before.

The rules come from what ptxas 11.8 to 13.5 makes of kernels of our own and of NVIDIA's libraries, for sm_70
to sm_120. Of 2,279 kernels with a stack frame, 783 of which spill, all but two have the bytes that
``ptxas -v`` prints; those have an array, and one spilled register beside it, for which there is no mark.
"""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from .budget import MAX_CODE_BYTES, MAX_STACK_ACCESSES, Budget

FIRST_ARCHITECTURE = 70
"""Before, an instruction has 8 bytes, and others mean something else."""
INSTRUCTION_BYTES = 16

_INSTRUCTION = struct.Struct("<QQ")
_LDL, _STL = 0x983, 0x387
"""Opcodes: the lowest twelve bits."""
_LOCAL = frozenset({_LDL, _STL})
_WITHOUT_FIRST = frozenset({0x547, 0x355})
"""BRA and BMOV, which have no register where others have their first."""
_JUMPS = b"\x41\x42\x43\x44\x47\x48\x49\x4a\x4d\x50"
"""The first byte of BRA, BRX, CALL, RET, EXIT and the like, after which another instruction may be next."""
_ALWAYS = 7
"""The predicate of an instruction that is executed in any case."""
_STACK_POINTER = 1
_RESULT, _FIRST, _SECOND, _THIRD = 2, 3, 4, 8
"""The bytes of an instruction that name registers: its result, and up to three of what it takes."""

# For each value of a byte, what the instruction may be by it: a bit for one thing, or for either of two.
_AS_LOAD, _AS_STORE = 1, 2
_ANY_KIND = _AS_LOAD | _AS_STORE
_OF_FIRST_BYTE = bytes({_LDL & 0xFF: _AS_LOAD, _STL & 0xFF: _AS_STORE}.get(each, 0) for each in range(256))
_OF_SECOND_BYTE = bytes({_LDL >> 8: _AS_LOAD, _STL >> 8: _AS_STORE}.get(each & 0xF, 0) for each in range(256))
_OF_REGISTER = bytes(_ANY_KIND * (each == _STACK_POINTER) for each in range(256))
_OF_OTHER_REGISTERS = bytes(_ANY_KIND * (each != _STACK_POINTER) for each in range(256))
_OF_JUMPS = bytes(each in _JUMPS for each in range(256))
_OF_FORMS = {
    place: bytes(_ANY_KIND * ((each & 0xF) >> 1 in forms) for each in range(256))
    for place, forms in ((_FIRST, range(8)), (_SECOND, (1,)), (_THIRD, (1, 4, 5, 6)))
}
"""By the upper three bits of an opcode, in which of these places the instruction has a register."""
_ANY = re.compile(b"[^\\x00]")

_WIDTHS = (1, 1, 2, 2, 4, 8, 16, 16)
_LAST_USE = 3
"""The cache operation of a load after which the place is not needed: LDL.LU. PTX: "ld.lu ... when restoring
spilled registers and popping function stack frames". No load from an array was seen to have it."""
_WORD = 4
"""Bytes of a register: what a spill takes at least."""


Spills = tuple[int, int] | tuple[None, None]
"""Bytes that the instructions of one thread store and load because registers do not suffice."""
NOT_TOLD: Spills = None, None
NOTHING: Spills = 0, 0


class _Access(NamedTuple):
    place: int
    """Of the instruction, in bytes from the start of the code."""
    is_store: bool
    is_last_use: bool
    is_in_any_case: bool
    """Not only where a predicate says so."""
    offset: int
    """From the stack pointer."""
    width: int
    words: range
    """Those of the stack that it touches."""


def spilled(machine_code: memoryview, callees: Sequence[tuple[int, int]], budget: Budget) -> Spills:
    """What a kernel spills, as ptxas counts it; not told of one with more code than any has.

    What is stored at a fixed place and loaded from there is a spilled register, or a variable: an array with
    a constant index, or one that is volatile or whose address is taken. ptxas marks loads of spilled
    registers after which the place is free, and no others (LDL.LU), which tells them apart:

    - Where anything is reached through other registers, there are variables. They lie below what is spilled,
      so that a place counts from the lowest on that has a marked load.
    - Where nothing is, and no load is marked, they are variables if a load would have to be marked, or takes
      16 bytes at once, which no unmarked load of spilled registers was seen to do.

    Args:
        machine_code: Of the kernel, with the functions that only it calls, which use its frame.
        callees: Where in it those start and end, in order. What they spill is not the kernel's own.
        budget: What may be read.

    Raises:
        Exhausted: There is more than is read.
    """
    if len(machine_code) > MAX_CODE_BYTES:
        return NOT_TOLD
    code = bytes(machine_code[: len(machine_code) // INSTRUCTION_BYTES * INSTRUCTION_BYTES])
    accesses, has_others = _accesses(code, budget)
    if len(accesses) > MAX_STACK_ACCESSES:
        return NOT_TOLD
    stored, loaded = (
        {word for each in accesses if each.is_store is kind for word in each.words} for kind in (True, False)
    )
    both = stored & loaded
    if not both:
        return NOTHING
    marked = {word for each in accesses if each.is_last_use for word in each.words} & stored
    if has_others or _takes_its_address(code, budget):
        lowest = min(marked, default=max(both) + 1)
        both = {word for word in both if word >= lowest}
    elif not marked and (_takes_most_at_once(accesses) or _lacks_a_mark(accesses, code, budget)):
        return NOTHING
    starts = [start for start, _ in callees]
    stores = loads = 0
    for each in accesses:
        before = bisect_right(starts, each.place)
        is_own = not before or each.place >= callees[before - 1][1]
        if is_own and not both.isdisjoint(each.words):
            stores += each.width if each.is_store else 0
            loads += 0 if each.is_store else each.width
    return stores, loads


def _takes_most_at_once(accesses: Sequence[_Access]) -> bool:
    return any(not each.is_store and each.width == max(_WIDTHS) for each in accesses)


def _lacks_a_mark(accesses: Sequence[_Access], code: bytes, budget: Budget) -> bool:
    """Whether after an unmarked load its place is written in any case, before anything reads it."""
    numbers = _numbers(_allowed(code, 0, _OF_JUMPS), code, budget)
    jumps = [number * INSTRUCTION_BYTES for number in numbers]
    following: dict[int, _Access] = {}
    for each in reversed(accesses):
        then = {following.get(word) for word in each.words}
        next_use = then.pop()
        if (
            not (each.is_store or then or next_use is None)
            and next_use.is_store
            and next_use.is_in_any_case
            and bisect_right(jumps, each.place) == bisect_right(jumps, next_use.place)
        ):
            return True
        following.update(dict.fromkeys(each.words, each))
    return False


def _accesses(code: bytes, budget: Budget) -> tuple[list[_Access], bool]:
    """Those at a fixed place of the stack, one more than `MAX_STACK_ACCESSES` at most; and whether there are
    others."""
    either = _allowed(code, 0, _OF_FIRST_BYTE) & _allowed(code, 1, _OF_SECOND_BYTE)
    at_fixed_place = either & _allowed(code, _FIRST, _OF_REGISTER)
    found = []
    for number in islice(_numbers(at_fixed_place, code, budget), MAX_STACK_ACCESSES + 1):
        place = number * INSTRUCTION_BYTES
        low, high = _INSTRUCTION.unpack_from(code, place)
        is_store = low & 0xFFF == _STL
        is_last_use = not is_store and high >> 20 & 7 == _LAST_USE
        offset = (low >> 40 ^ 1 << 23) - (1 << 23)  # a number of 24 bits with a sign
        width = _WIDTHS[high >> 9 & 7]
        words = range(offset // _WORD, (offset + width - 1) // _WORD + 1)
        is_in_any_case = low >> 12 & 0xF == _ALWAYS
        found.append(_Access(place, is_store, is_last_use, is_in_any_case, offset, width, words))
    return found, either != at_fixed_place


def _allowed(code: bytes, place: int, allows: bytes) -> int:
    """What a byte of each instruction allows it to be, as one number of a byte for each: a hundred times as
    fast as one by one."""
    return int.from_bytes(code[place::INSTRUCTION_BYTES].translate(allows), "little")


def _numbers(allowed: int, code: bytes, budget: Budget) -> Iterator[int]:
    """The numbers of the instructions that are allowed to be something."""
    marks = allowed.to_bytes(len(code) // INSTRUCTION_BYTES, "little")
    budget.pay("pieces", len(marks) - marks.count(0))
    return map(re.Match.start, _ANY.finditer(marks))


def _takes_its_address(code: bytes, budget: Budget) -> bool:
    """Whether another register is made of the stack pointer: something takes it that does not move it."""
    others = _allowed(code, _RESULT, _OF_OTHER_REGISTERS)
    for place, of_forms in _OF_FORMS.items():
        taking = _allowed(code, place, _OF_REGISTER) & _allowed(code, 1, of_forms) & others
        for number in _numbers(taking, code, budget):
            start = number * INSTRUCTION_BYTES
            opcode = code[start] | (code[start + 1] & 0xF) << 8
            if opcode not in _LOCAL and (place != _FIRST or opcode not in _WITHOUT_FIRST):
                return True
    return False
