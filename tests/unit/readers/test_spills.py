"""Spills counted in machine code, compared with the output of ptxas."""

import struct

import pytest

from occupancy.readers.limits import Exhausted, ReadLimits
from occupancy.readers.spills import MAX_CODE_BYTES, MAX_STACK_ACCESSES, count_spills
from tests.samples import by_name, found_in, unpacked

R1, R5 = 1, 5
STL, LDL, BRA, MOV = 0x387, 0x983, 0x947, 0x202
WIDTHS = {4: 4, 8: 5, 16: 6}


def access(opcode: int, offset: int, *, width: int = 4, base: int = R1, last: bool = False) -> bytes:
    low = opcode | 7 << 12 | 9 << 16 | base << 24 | (offset & 0xFFFFFF) << 40
    return struct.pack("<QQ", low, WIDTHS[width] << 9 | (3 if last else 1) << 20)


def other(opcode: int, second: int = 0) -> bytes:
    return struct.pack("<QQ", opcode | 7 << 12 | R5 << 16 | second << 32, 0)


def count(*code: bytes, callees: tuple[tuple[int, int], ...] = ()) -> tuple[int, int] | None:
    return count_spills(memoryview(b"".join(code)), callees, ReadLimits(1 << 20))


STORE, LOAD, LAST = access(STL, 8), access(LDL, 8), access(LDL, 8, last=True)


@pytest.mark.parametrize(("code", "expected"), [
    ((STORE, LOAD, LAST), (4, 8)),
    ((STORE, LOAD), (4, 4)),  # as in a loop, where the value is used again
    ((STORE,), (0, 0)),
    ((LAST,), (0, 0)),
    ((STORE, access(LDL, 12, last=True)), (0, 0)),
    ((access(STL, -8, width=8), access(LDL, -8, width=8, last=True)), (8, 8)),
    ((access(STL, -4, width=8), access(LDL, 0)), (8, 4)),
    # An address is taken, or other registers access the stack: offsets below the first marked load are
    # variables.
    ((other(MOV, R1), STORE, LOAD), (0, 0)),
    ((access(STL, 0, base=R5), STORE, LOAD), (0, 0)),
    ((other(MOV, R1), STORE, LAST, access(STL, 0), access(LDL, 0)), (4, 4)),
    ((other(MOV, R1), STORE, LAST, access(STL, 16), access(LDL, 16)), (8, 8)),
    # An unmarked load before a store to the same offset: a spill would be marked.
    ((STORE, LOAD, STORE, LOAD), (0, 0)),
    ((STORE, LOAD, other(BRA), STORE, LOAD), (8, 8)),
    # Unlike spills: an unmarked load of 16 bytes. Spills can load part of a stored value.
    ((access(STL, 0, width=16), access(LDL, 0, width=16)), (0, 0)),
    ((access(STL, 0, width=16), access(LDL, 0, width=16, last=True)), (16, 16)),
    ((access(STL, 8, width=8), access(LDL, 12)), (8, 4)),
    ((b"",), (0, 0)),
    ((STORE, LAST, b"\x87"), (4, 4)),  # ends within an instruction
])  # fmt: skip
def test_rules(code: tuple[bytes, ...], expected: tuple[int, int]) -> None:
    assert count(*code) == expected


def test_what_callees_spill_is_not_the_kernels() -> None:
    code = STORE, LAST, STORE, LAST, LAST
    assert count(*code, callees=((16, 32), (48, 80))) == (8, 0), "but they may load what it has stored"
    assert count(*code, callees=((0, 80),)) == (0, 0)
    assert count(*code, callees=((80, 96),)) == (8, 12)
    assert count(*code, callees=((48, 80), (16, 32), (8, 72))) == (4, 0), "callees can overlap"


def test_more_of_it_than_any_kernel_has() -> None:
    assert count(STORE, LAST, STORE * (MAX_STACK_ACCESSES - 2)) == (4 * (MAX_STACK_ACCESSES - 1), 4)
    assert count(STORE, LAST, STORE * (MAX_STACK_ACCESSES - 1)) is None
    assert count(STORE, LAST, bytes(MAX_CODE_BYTES)) is None


def test_more_of_it_than_is_read() -> None:
    limits = ReadLimits(0)
    limits.consume("pieces", 1_000_000)  # consumed by other files of the command
    with pytest.raises(Exhausted, match="too many lines, values or table entries"):
        count_spills(memoryview(STORE * 100_000), (), limits)


SAMPLE = unpacked("stack/13.0_75_whole.cubin")


def test_code_that_is_not_there_is_damage() -> None:
    data = bytearray(SAMPLE)
    (offset,), (count,) = struct.unpack_from("<Q", data, 40), struct.unpack_from("<H", data, 60)
    for place in range(offset, offset + 64 * count, 64):
        if struct.unpack_from("<Q", data, place + 8)[0] & 4:  # executable
            struct.pack_into("<Q", data, place + 32, 1 << 40)
    (problem,) = found_in(bytes(data))
    assert "machine code of a kernel exceeds the image" in str(problem)


def test_code_of_before_sm_70_is_not_counted() -> None:
    data = bytearray(SAMPLE)
    data[49] = 61
    kernels = by_name(bytes(data)).values()
    assert {record.arch for record in kernels} == {"sm_61"}
    assert {record.spills for record in kernels if record.stack_bytes} == {None}
