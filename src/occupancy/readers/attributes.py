"""Attributes of a cubin: the sections .nv.info and .nv.compat.

They are records one after the other: a form, an attribute's number, and a value of no, one or two bytes, or
the size of the value that follows. The numbers are NVIDIA's, the names theirs without EIATTR_.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from functools import cache, lru_cache
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

_NOTHING, _BYTE, _HALF, _SIZED = 1, 2, 3, 4  # forms
_RECORD = struct.Struct("<BBH")
RECORD_BYTES = _RECORD.size  # size of a record without a value that follows
_SYMBOL_VALUE = struct.Struct("<II")  # a symbol, and its value
_SYMBOL_RECORD = struct.Struct("<QI")
"""The same with its header: the result of `symbol_key`, and the value."""
_SHAPE = struct.Struct("<III")
_MAX_VALUE_BYTES = _SHAPE.size  # bytes of the longest value that is used

_ATTRIBUTES = {
    MAXREG_COUNT: (_HALF, 2),
    MAX_THREADS: (_SIZED, 12),
    NUM_BARRIERS: (_BYTE, 1),
    VRC_CTA_INIT_COUNT: (_BYTE, 1),
    REQNTID: (_SIZED, 12),
    CTA_PER_CLUSTER: (_SIZED, 12),
    MAX_CLUSTER_RANK: (_SIZED, 4),
    SHARED_SCRATCH: (_SIZED, 8),
    REG_RECONFIG: (_NOTHING, 2),
}
"""The attributes that are read of a kernel, with the usual form, and the bytes of the value."""
_PLACE = {id: place for place, id in enumerate(_ATTRIBUTES)}
_USUAL_SIZES = (12, 4, 8, 0, *range(16, 256, 4))
"""Bytes of the values of most other records, the commonest first."""
_MOST_AT_ONCE = 4096  # records that are matched at once: matching takes memory for each of them

Values = tuple[bytes | None, ...]
"""The attributes of a kernel, in the order of `_ATTRIBUTES`; None: it lacks the attribute. Empty: all."""


def records(data: memoryview, position: int = 0) -> Iterator[tuple[int, bytes, int]]:
    """Yield the attribute, the value and the end of each record."""
    last = len(data) - RECORD_BYTES
    while position <= last:
        form, id, size = _RECORD.unpack_from(data, position)
        end = position + RECORD_BYTES
        if form == _SIZED:
            start, end = end, end + size
            value = data[start : min(end, start + _MAX_VALUE_BYTES)]
        else:
            value = data[position + 2 : end - 1 if form == _BYTE else end]
        yield id, bytes(value), end
        position = end


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
    for id, value, _ in records(data):
        if len(value) == _SYMBOL_VALUE.size:
            symbol, number_of_it = _SYMBOL_VALUE.unpack(value)
            found[symbol_key(id, symbol)] = number_of_it
    return found


def kernel_values(data: memoryview) -> Values:
    """Return the attributes of a kernel; the last of several equal ones.

    A kernel has some thirty records, of which three are wanted. One by one, they took half of the time of
    reading a library; so one match goes over all that are as compilers write them.
    """
    found = _usual().match(data)
    if found is not None and found.end() == len(data):
        return found.groups()
    values: list[bytes | None] = [None] * len(_ATTRIBUTES)
    position, last = 0, len(data) - RECORD_BYTES
    while position <= last:
        if found := _usual().match(data, position):
            position = found.end()
            values = [new or old for new, old in zip(found.groups(), values, strict=True)]
        else:
            id, value, position = next(records(data, position))
            if id in _PLACE:
                values[_PLACE[id]] = value
    return tuple(values)


@cache
def _usual() -> re.Pattern[bytes]:
    """Compile a pattern of usual records, with a group for each attribute.

    A group is begun only where the whole record is there: one that fails in the middle would stay.
    """
    other = b"[^%s]" % b"".join(b"\\x%02x" % id for id in sorted(_ATTRIBUTES))
    sizes = b"|".join(b"\\x%02x\\x00.{%d}" % (size, size) for size in _USUAL_SIZES)
    each = [b"\\x%02x%s(?:%s)" % (_SIZED, other, sizes), b"[^\\x%02x]%s.." % (_SIZED, other)]
    for id, (form, size) in _ATTRIBUTES.items():
        head = b"\\x%02x\\x%02x" % (form, id)
        if form == _SIZED:
            each.append(b"%s\\x%02x\\x00(?=.{%d})(.{%d})" % (head, size, size, size))
        else:
            each.append(b"%s(?=..)(.{%d}).{%d}" % (head, size, 2 - size))
    return re.compile(b"(?:%s){1,%d}" % (b"|".join(each), _MOST_AT_ONCE), re.DOTALL)


@lru_cache(maxsize=1 << 12)
def stated(values: Values) -> dict[str, Any]:
    """Return the fields that the attributes of a kernel state."""
    of = dict.fromkeys(_ATTRIBUTES) | dict(zip(_ATTRIBUTES, values, strict=False))
    required, bound = _shape(of[REQNTID]), _shape(of[MAX_THREADS])
    threads = prod(required) if required else None
    return {
        "barriers": attribute_number(of[NUM_BARRIERS]) or 0,  # before CUDA 12.8 or 13, the section of the code has them
        "spill_smem": int.from_bytes((of[SHARED_SCRATCH] or b"")[4:8], "little"),
        "register_cap": attribute_number(of[MAXREG_COUNT]), "max_threads": prod(bound) if bound else None,
        "cluster_dim": _shape(of[CTA_PER_CLUSTER]), "max_cluster_rank": attribute_number(of[MAX_CLUSTER_RANK]),
        "virtual_resources": attribute_number(of[VRC_CTA_INIT_COUNT]),
        "reallocates_registers": None if of[REG_RECONFIG] is None else True,
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
