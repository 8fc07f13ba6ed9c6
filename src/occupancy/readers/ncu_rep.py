"""Nsight Compute's report files, ``.ncu-rep``, without NVIDIA's module.

    "NVR\\0", size, file header; then until the end: size, block header, payload

A payload is a sequence of items, each preceded by its size: first the sources (the profiled cubins), then one
result for each launch. Headers and items are protocol buffers. Field numbers are from version 7 of the format
(Nsight Compute 2025.3).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TypeVar

from . import nsight
from .content import Content, leb128
from .cubin import read_cubin
from .elf import Image, is_cubin
from .limits import Malformed, Truncated, Unreadable
from .record import Item, KernelRecord, ReadProblem, Shape

REPORT_MAGIC = b"NVR\0"
KNOWN_VERSION = 7

_SIZE = struct.Struct("<I")
_PIECES_OF_ITEM = 8  # reading an item takes as long as reading 8 lines

# Wire types of protocol buffers.
_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5

# Fields of the file header, of a block header and of its string table.
_VERSION = 1
_SOURCES, _RESULTS, _STRING_TABLE, _PAYLOAD_SIZE = 1, 2, 4, 5
_STRING = 1
# Field of a source.
_CUBIN = 4
# Fields of a result, of its metrics, and of their values.
_MANGLED_NAME, _FUNCTION_NAME, _GRID, _BLOCK, _METRIC = 5, 6, 10, 11, 13
_METRIC_NAME, _METRIC_VALUE = 1, 2
_TEXT, _FLOAT, _DOUBLE, _UINT32, _UINT64 = 1, 2, 3, 4, 5

T = TypeVar("T", int, memoryview)
_Value = int | memoryview  # value of a field: an integer for varints, otherwise bytes


def read_ncu_rep(content: Content) -> Iterator[Item]:
    """Yield the launches of a report, with the registers of its cubins."""
    reader = _Reader(content)
    try:
        yield from reader.run()
    except Malformed as error:
        if reader.version in (None, KNOWN_VERSION):
            raise
        raise Unreadable(f"has version {reader.version}, but only {KNOWN_VERSION} is supported") from error


class _Reader:
    def __init__(self, content: Content) -> None:
        self._name = content.name
        self._limits = content.limits
        self._data = content.part()
        self._metric_names: dict[int, str] = {}
        self._strings = 0
        self._gpu = ""  # the name of the GPU, which every launch repeats
        self._compiled: dict[str, KernelRecord] = {}
        self.position = len(REPORT_MAGIC)
        self._end = len(self._data)  # end of the current block; between blocks, of the file
        self.version: int | None = None

    def run(self) -> Iterator[Item]:
        self.version = _number(dict(self._fields(self._item())), _VERSION)
        while self.position < len(self._data):
            header = dict(self._fields(self._item()))
            self._end = end = self.position + _number(header, _PAYLOAD_SIZE)
            if end > len(self._data):
                raise Truncated(len(self._data), end)
            self._read_strings(header.get(_STRING_TABLE, memoryview(b"")))
            for _ in range(_number(header, _SOURCES)):
                yield from self._read_source(self._item())
            for _ in range(_number(header, _RESULTS)):
                result = self._item()
                try:
                    yield self._launch(result)
                except Malformed as error:
                    yield ReadProblem(self._name, error.problem)
            # Skip results of ranges and graphs, which have no block size.
            self.position, self._end = end, len(self._data)

    def _item(self) -> memoryview:
        self._limits.consume("pieces", _PIECES_OF_ITEM)
        start = end = self.position + _SIZE.size
        if start <= self._end:
            end += _SIZE.unpack(self._data[self.position : start])[0]
        if end > self._end:
            is_cut = end > len(self._data)
            raise Truncated(len(self._data), end) if is_cut else Malformed("a message exceeds its block")
        self.position = end
        return self._data[start : self.position]

    def _fields(self, message: _Value) -> Iterator[tuple[int, _Value]]:
        message = _typed(message, memoryview)
        position, end = 0, len(message)
        consume = self._limits.consume
        while position < end:
            consume("pieces")
            key, position = leb128(message, position)
            wire_type = key & 7
            if wire_type == _VARINT:
                value, position = leb128(message, position)
                yield key >> 3, value
                continue
            if wire_type == _LENGTH:
                size, position = leb128(message, position)
            elif wire_type in (_FIXED64, _FIXED32):
                size = 8 if wire_type == _FIXED64 else 4
            else:
                raise Malformed(f"a message has the unknown wire type {wire_type}")
            if position + size > end:
                raise Malformed("a field exceeds its message")
            yield key >> 3, message[position : position + size]
            position += size

    def _read_strings(self, table: _Value) -> None:
        # The string tables of all blocks form one list. Metrics refer to their names by index.
        for number, value in self._fields(table):
            if number == _STRING:
                if (name := _string(value)) in nsight.METRICS or name == nsight.DISPLAY_NAME:
                    self._metric_names[self._strings] = name
                self._strings += 1

    def _read_source(self, source: memoryview) -> Iterator[ReadProblem]:
        for number, value in self._fields(source):
            if number != _CUBIN or not is_cubin(image := _typed(value, memoryview)):
                continue
            try:
                for kernel in read_cubin(Image(image, self._limits), self._name, format="ncu-rep"):
                    self._limits.consume("kernels")
                    self._limits.consume_name(kernel.name)
                    self._compiled[kernel.name] = kernel
            except Malformed as error:
                yield ReadProblem(self._name, error.problem)

    def _launch(self, result: memoryview) -> KernelRecord:
        name = function_name = ""
        shapes: dict[int, Shape] = {}
        metrics: dict[str, float] = {}
        for number, value in self._fields(result):
            if number == _METRIC:
                self._read_metric(value, metrics)
            elif number == _MANGLED_NAME:
                name = _string(value)
            elif number == _FUNCTION_NAME:
                function_name = _string(value)
            elif number in (_GRID, _BLOCK):
                shape = dict(self._fields(value))
                shapes[number] = _number(shape, 1), _number(shape, 2), _number(shape, 3)
        compiled = self._compiled.get(name)
        record = nsight.launch_record(
            metrics, source=self._name, format="ncu-rep", name=name or function_name,
            block_dim=shapes.get(_BLOCK), grid_dim=shapes.get(_GRID), profiled_on=self._gpu,
        )  # fmt: skip
        return record if compiled is None else record.with_compiled(compiled)

    def _read_metric(self, metric: _Value, metrics: dict[str, float]) -> None:
        name: str | None = None
        for number, value in self._fields(metric):
            if number == _METRIC_NAME:
                if (name := self._metric_names.get(_typed(value, int))) is None:
                    return  # one of 2,000 unused metrics
            elif number == _METRIC_VALUE and name is not None:
                for kind, number_value in self._fields(value):
                    if kind == _TEXT and name == nsight.DISPLAY_NAME:
                        self._gpu = _string(number_value)
                    elif kind in (_UINT32, _UINT64):
                        metrics[name] = _typed(number_value, int)
                    elif kind in (_FLOAT, _DOUBLE):
                        metrics[name] = _floating(number_value)


def _number(message: dict[int, _Value], number: int) -> int:
    return _typed(message.get(number, 0), int)


def _typed(value: _Value, kind: type[T]) -> T:
    if not isinstance(value, kind):
        raise Malformed("a message has a number in place of bytes, or bytes in place of a number")
    return value


def _string(value: _Value) -> str:
    return bytes(_typed(value, memoryview)).decode("utf-8", "replace")


def _floating(value: _Value) -> float:
    data = _typed(value, memoryview)
    if len(data) not in (4, 8):
        raise Malformed(f"a message has {len(data)} bytes in place of a number")
    return float(struct.unpack("<f" if len(data) == 4 else "<d", data)[0])
