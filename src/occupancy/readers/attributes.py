"""Attributes of a cubin: the sections .nv.info and .nv.compat.

They are records one after the other: a form, an attribute's number, and a value of no, one or two bytes, or
the size of the value that follows. The numbers are NVIDIA's, the names theirs without EIATTR_.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator
from functools import lru_cache
from math import prod
from typing import Any

from .record import Shape

# Of the module as a whole:
REGCOUNT = 0x2F
FRAME_SIZE = 0x11
MIN_STACK_SIZE = 0x12
# Of one kernel:
MAX_THREADS = 0x05
REQNTID = 0x10
MAXREG_COUNT = 0x1B
CTA_PER_CLUSTER = 0x3D
MAX_CLUSTER_RANK = 0x3F
NUM_BARRIERS = 0x4C
SHARED_SCRATCH = 0x32
"""The place in shared memory that registers are spilled to, and its bytes (from CUDA 13.0)."""
VRC_CTA_INIT_COUNT = 0x4A
"""Virtual resources of a block: 128 for a kernel that allocates tensor memory. sm_100 and newer."""
REG_RECONFIG = 0x54  # setmaxnreg takes effect: the warpgroups of a block pass registers to one another
# Of .nv.compat:
COMPAT_ARCH_VARIANT = 0x09

_BYTE, _SIZED = 2, 4  # forms
RECORD_BYTES = 4  # size of a record without a value that follows
_SYMBOL_RECORD = struct.Struct("<QI")
"""The record of an attribute of a symbol: the result of `symbol_key`, and the value."""
_SYMBOL_VALUE = struct.Struct("<II")  # the symbol and the value alone
_SHAPE = struct.Struct("<III")
_MAX_VALUE_BYTES = _SHAPE.size  # bytes of the longest value that is used

_OF_KERNELS = frozenset({
    MAX_THREADS, REQNTID, MAXREG_COUNT, CTA_PER_CLUSTER, MAX_CLUSTER_RANK, NUM_BARRIERS, SHARED_SCRATCH,
    VRC_CTA_INIT_COUNT, REG_RECONFIG,
})  # fmt: skip

Values = tuple[tuple[int, bytes], ...]  # the attributes of a kernel, each with its value


def records(data: memoryview, wanted: Collection[int]) -> Iterator[tuple[int, bytes]]:
    """Yield the wanted attributes, each with its value."""
    plain = bytes(data)
    position, last = 0, len(plain) - RECORD_BYTES
    while position <= last:
        form, id, start = plain[position], plain[position + 1], position + RECORD_BYTES
        position = start + plain[start - 2] + (plain[start - 1] << 8) if form == _SIZED else start
        if id not in wanted:
            continue
        if form == _SIZED:
            yield id, plain[start : min(position, start + _MAX_VALUE_BYTES)]
        else:
            yield id, plain[start - 2 : start - (form == _BYTE)]


def symbol_key(id: int, symbol: int) -> int:
    """Return the first eight bytes of the record of a symbol's attribute."""
    return _SIZED | id << 8 | _SYMBOL_VALUE.size << 16 | symbol << 32


def symbol_values(data: memoryview) -> dict[int, int]:
    """Return the attributes of a module's functions, by `symbol_key`."""
    size = _SYMBOL_RECORD.size
    count = len(data) // size
    heads = [data[place::size].tobytes() for place in (0, 2, 3)]
    if heads == [each * count for each in (b"\x04", b"\x08", b"\x00")] and len(data) == count * size:
        return dict(_SYMBOL_RECORD.iter_unpack(data))  # as compilers write it, and twenty times as fast
    found = {}
    for id, value in records(data, range(256)):
        if len(value) == _SYMBOL_VALUE.size:
            symbol, number_of_it = _SYMBOL_VALUE.unpack(value)
            found[symbol_key(id, symbol)] = number_of_it
    return found


def kernel_values(data: memoryview) -> Values:
    """Return the attributes of a kernel; the last of several equal ones."""
    return tuple(dict(records(data, _OF_KERNELS)).items())


@lru_cache(maxsize=1 << 12)
def stated(values: Values) -> dict[str, Any]:
    """Return the fields that the attributes of a kernel state."""
    value = dict(values).get
    required, bound = _shape(value(REQNTID)), _shape(value(MAX_THREADS))
    threads = prod(required) if required else None
    return {
        # Before CUDA 12.8 or 13, the section of the code has the barriers.
        "barriers": attribute_number(value(NUM_BARRIERS)) or 0,
        "spill_smem": int.from_bytes(value(SHARED_SCRATCH, b"")[4:8], "little"),
        "register_cap": attribute_number(value(MAXREG_COUNT)), "max_threads": prod(bound) if bound else None,
        "cluster_dim": _shape(value(CTA_PER_CLUSTER)),
        "max_cluster_rank": attribute_number(value(MAX_CLUSTER_RANK)),
        "virtual_resources": attribute_number(value(VRC_CTA_INIT_COUNT)),
        "reallocates_registers": None if value(REG_RECONFIG) is None else True,
        "required_threads": threads, "threads": threads, "block_dim": required,
        "threads_from": "required" if required else None,
    }  # fmt: skip


def attribute_number(value: bytes | None) -> int | None:
    """Return the number in a value; a longer value begins with it."""
    return None if value is None else int.from_bytes(value[:4], "little")


def _shape(value: bytes | None) -> Shape | None:
    if value is None or len(value) < _SHAPE.size:
        return None
    x, y, z = _SHAPE.unpack_from(value)
    return x, y, z
