"""The wire format of protocol buffers, as far as a reader of known fields needs it."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from .budget import Malformed

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
_MAX_VARINT_BYTES = 10


def fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Every field of a message, by number; a number for integers, the bytes for everything else.

    Raises:
        Malformed: The bytes are no message.
    """
    position, end = 0, len(message)
    while position < end:
        key, position = _varint(message, position)
        wire_type = key & 7
        if wire_type == VARINT:
            value, position = _varint(message, position)
            yield key >> 3, value
            continue
        if wire_type == LENGTH:
            size, position = _varint(message, position)
        elif wire_type == FIXED64:
            size = 8
        elif wire_type == FIXED32:
            size = 4
        else:
            raise Malformed(f"a message has a field of the unknown wire type {wire_type}")
        if position + size > end:
            raise Malformed("a message has a field that goes beyond its end")
        yield key >> 3, message[position : position + size]
        position += size


def message(value: int | memoryview) -> memoryview:
    """The bytes of a field that holds text or another message.

    Raises:
        Malformed: It holds a number.
    """
    if isinstance(value, int):
        raise Malformed("a message has a number where bytes belong")
    return value


def text(value: int | memoryview) -> str:
    """The value of a field of type string."""
    return bytes(message(value)).decode("utf-8", "replace")


def integer(value: int | memoryview) -> int:
    """The value of a field of an integer type.

    Raises:
        Malformed: It holds bytes.
    """
    if not isinstance(value, int):
        raise Malformed("a message has bytes where a number belongs")
    return value


def floating(value: int | memoryview) -> float:
    """The value of a field of type float or double, by its size."""
    data = message(value)
    form = {4: "<f", 8: "<d"}.get(len(data))
    if form is None:
        raise Malformed(f"a message has {len(data)} bytes where a number belongs")
    number: float = struct.unpack(form, data)[0]
    return number


def _varint(data: memoryview, position: int) -> tuple[int, int]:
    value = 0
    for index, byte in enumerate(data[position : position + _MAX_VARINT_BYTES]):
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return value, position + index + 1
    raise Malformed("a message has a number without an end")
