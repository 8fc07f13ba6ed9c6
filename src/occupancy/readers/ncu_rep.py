"""Nsight Compute's report files, ``.ncu-rep``, without NVIDIA's module.

    "NVR\\0", size, file header; then until the end: size, block header, payload

The payload holds items, each with its size before it: first the sources, which are the cubins that were
profiled, then one result for each launch. All of them are protocol buffers. Field numbers are those of
version 7 of the format (Nsight Compute 2025.3).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from . import nsight
from .budget import Exhausted, Malformed, cost_of
from .content import Content
from .cubin import read_cubin
from .elf import is_cubin
from .protobuf import fields, floating, integer, message, text
from .record import Found, KernelRecord, ReadProblem, Shape

MAGIC = b"NVR\0"
KNOWN_VERSION = 7

_SIZE = struct.Struct("<I")

# Fields of the file header, of a block header and of its table of strings.
_VERSION = 1
_SOURCES, _RESULTS, _STRING_TABLE, _PAYLOAD_SIZE = 1, 2, 4, 5
_STRING = 1
# Of a source.
_CUBIN = 4
# Of a result, of its metrics, and of their values.
_MANGLED_NAME, _FUNCTION_NAME, _GRID, _BLOCK, _METRIC = 5, 6, 10, 11, 13
_METRIC_NAME, _METRIC_VALUE = 1, 2
_TEXT, _FLOAT, _DOUBLE, _UINT32, _UINT64 = 1, 2, 3, 4, 5


def read_ncu_rep(content: Content) -> Iterator[Found]:
    """The launches of a report, with the registers that the profiled cubins state."""
    reader = _Reader(content)
    try:
        yield from reader.run()
    except Malformed as error:
        version = reader.version
        hint = (
            ""
            if version == KNOWN_VERSION
            else f" (the report has version {version}; {KNOWN_VERSION} is known)"
        )
        yield ReadProblem(content.name, reader.position, error.what + hint)


class _Reader:
    def __init__(self, content: Content) -> None:
        self._content = content
        self._data = content.part()
        self._metric_names: dict[int, str] = {}
        self._strings = 0
        self._gpu = ""
        """The name of the GPU, which every launch tells anew."""
        self._compiled: dict[str, KernelRecord] = {}
        self.position = len(MAGIC)
        self._end = len(self._data)
        """Where the block ends that is being read; between blocks, where the file does."""
        self.version: int | None = None

    def run(self) -> Iterator[Found]:
        self.version = _number(self._item(), _VERSION)
        while self.position < len(self._data):
            header = self._item()
            size = _number(header, _PAYLOAD_SIZE)
            end = self.position + size
            if end > len(self._data):
                raise Malformed(f"a block of {size} bytes goes beyond the end of the file")
            self._end = end
            self._learn_strings(header)
            for _ in range(_number(header, _SOURCES)):
                yield from self._read_source(self._item())
            for _ in range(_number(header, _RESULTS)):
                yield from self._read_result(self._item())
            # Beyond results of ranges and graphs, which have no block size.
            self.position, self._end = end, len(self._data)

    def _item(self) -> memoryview:
        """The message that comes next, which has its size before it."""
        start = self.position + _SIZE.size
        if start > self._end:
            raise Malformed("the report, or a block of it, ends early")
        (size,) = _SIZE.unpack(self._data[self.position : start])
        if start + size > self._end:
            raise Malformed(f"a message of {size} bytes goes beyond the end of its block or of the file")
        self.position = start + size
        return self._data[start : self.position]

    def _learn_strings(self, header: memoryview) -> None:
        # The tables of all blocks make one list, which a metric's name counts in.
        for number, table in fields(header):
            if number != _STRING_TABLE:
                continue
            for each, value in fields(message(table)):
                if each == _STRING:
                    name = text(value)
                    if name in nsight.METRICS or name == nsight.DISPLAY_NAME:
                        self._metric_names[self._strings] = name
                    self._strings += 1

    def _read_source(self, source: memoryview) -> Iterator[ReadProblem]:
        for number, value in fields(source):
            if number != _CUBIN:
                continue
            image = message(value)
            if not is_cubin(image):
                continue
            try:
                for kernel in read_cubin(image, self._content.name, "ncu-rep", self._content.budget):
                    self._content.budget.pay("kernels")
                    self._content.budget.pay("names", cost_of(kernel.name))
                    self._compiled[kernel.name] = kernel
            except Exhausted:
                raise
            except Malformed as error:
                yield ReadProblem(self._content.name, self.position, f"a profiled cubin: {error.what}")

    def _read_result(self, result: memoryview) -> Iterator[Found]:
        position = self.position
        try:
            yield self._launch(result)
        except Exhausted:
            raise
        except Malformed as error:
            yield ReadProblem(self._content.name, position, f"a launch: {error.what}")

    def _launch(self, result: memoryview) -> KernelRecord:
        name = function_name = ""
        shapes: dict[int, Shape] = {}
        metrics: dict[str, float] = {}
        for number, value in fields(result):
            if number == _METRIC:
                self._read_metric(message(value), metrics)
            elif number == _MANGLED_NAME:
                name = text(value)
            elif number == _FUNCTION_NAME:
                function_name = text(value)
            elif number in (_GRID, _BLOCK):
                shapes[number] = _shape(message(value))
        compiled = self._compiled.get(name)
        record = nsight.launch_record(
            metrics,
            source=self._content.name,
            format="ncu-rep",
            name=name or function_name,
            block=shapes.get(_BLOCK),
            grid=shapes.get(_GRID),
            gpu=self._gpu,
            compiled_regs=None if compiled is None else compiled.regs,
        )
        return record if compiled is None else record.with_compiled(compiled)

    def _read_metric(self, metric: memoryview, metrics: dict[str, float]) -> None:
        name: str | None = None
        for number, value in fields(metric):
            if number == _METRIC_NAME:
                name = self._metric_names.get(integer(value))
                if name is None:
                    return  # one of two thousand that are not needed
            elif number == _METRIC_VALUE and name is not None:
                for kind, number_value in fields(message(value)):
                    if kind == _TEXT and name == nsight.DISPLAY_NAME:
                        self._gpu = text(number_value)
                    elif kind in (_UINT32, _UINT64):
                        metrics[name] = integer(number_value)
                    elif kind in (_FLOAT, _DOUBLE):
                        metrics[name] = floating(number_value)


def _number(data: memoryview, wanted: int) -> int:
    # A field that is absent is 0.
    return next((integer(value) for number, value in fields(data) if number == wanted), 0)


def _shape(data: memoryview) -> Shape:
    return _number(data, 1), _number(data, 2), _number(data, 3)
