"""Nsight Compute's CSV: the raw page, with a column for each metric, and the details page, with a row.

The raw page gives each column a unit in a second row of heads; the details page gives each value one.
Units are decimal: a Kbyte is 1000 bytes.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

from . import nsight
from .budget import MAX_COLUMNS
from .record import Found, KernelRecord, ReadProblem, Shape
from .text import NumberedLines

_MARKER = '"ID","'

# Names of columns.
_ID, _KERNEL, _BLOCK, _GRID, _CC = "ID", "Kernel Name", "Block Size", "Grid Size", "CC"
_METRIC, _UNIT, _VALUE = "Metric Name", "Metric Unit", "Metric Value"

_LABELS = {
    "Block Size": nsight.BLOCK_SIZE,
    "Registers Per Thread": nsight.REGISTERS,
    "Static Shared Memory Per Block": nsight.STATIC_SMEM,
    "Dynamic Shared Memory Per Block": nsight.DYNAMIC_SMEM,
    "Shared Memory Configuration Size": nsight.SMEM_CONFIG,
    "Theoretical Occupancy": nsight.THEORETICAL_OCCUPANCY,
    "Achieved Occupancy": nsight.ACHIEVED_OCCUPANCY,
    "Duration": nsight.DURATION,
}
"""What the details page calls the metrics."""

_FACTORS = {
    "Kbyte": 10**3,
    "Mbyte": 10**6,
    "Gbyte": 10**9,
    # Times come to nanoseconds; older versions write the words out.
    "us": 10**3,
    "usecond": 10**3,
    "ms": 10**6,
    "msecond": 10**6,
    "s": 10**9,
    "second": 10**9,
}

ROUNDED_NOTE = (
    "Nsight Compute's details page rounds shared memory to 10 bytes or more; "
    "taken as the roundest number that it can be"
)

_VALUE_FORM = re.compile(r"\d{1,12}(?:\.(\d{1,12}))?")
_SHAPE_FORM = re.compile(r"\(\s*(\d{1,12}),\s*(\d{1,12}),\s*(\d{1,12})\s*\)")

Row = dict[str, str]
"""The cells of a row that matter, by the names of their columns."""

_HEADS = frozenset({_ID, _KERNEL, _BLOCK, _GRID, _CC, _METRIC, _UNIT, _VALUE, nsight.DISPLAY_NAME})


def marks(line: str) -> bool:
    """Whether a line is the first of interest."""
    return _MARKER in line


def read_nsight_csv(lines: NumberedLines, source: str) -> Iterator[Found]:
    """The launches of a page. Arguments are those of `read_ptxas`."""
    reader = _Reader(source)
    rows = csv.reader(_counted(lines, reader))
    try:
        for row in rows:
            yield from reader.read(row)
    except csv.Error as error:
        yield reader.problem(f"not CSV as Nsight writes it: {error}")
    yield from reader.complete()


def _counted(lines: NumberedLines, reader: _Reader) -> Iterator[str]:
    for reader.line, text in lines:
        yield text


class _Reader:
    """What the rows so far have said."""

    def __init__(self, source: str) -> None:
        self.line = 0
        self._source = source
        self._width = 0
        """Columns of the page."""
        self._columns: dict[str, int] = {}
        """Where those stand that matter, of two thousand; found once for each head."""
        self._units: Row = {}
        self._launch: Row = {}
        """The head of the launch that rows of the details page describe."""
        self._values: dict[str, tuple[str, str]] = {}

    def problem(self, what: str) -> ReadProblem:
        return ReadProblem(self._source, None, what, self.line)

    def read(self, row: list[str]) -> Iterator[Found]:
        """Take one row; yield what it completes."""
        if row[:1] == [_ID]:
            yield from self.complete()
            if len(row) > MAX_COLUMNS:
                yield self.problem(f"{len(row):,} columns are more than are read")
                row = []
            # Of columns of one name the first counts, so that every row has that of the launch's number.
            named = reversed([*enumerate(row)])
            wanted = {name: place for place, name in named if name in nsight.METRICS | _HEADS}
            self._width, self._columns, self._units = len(row), wanted, {}
            return
        if not row or not row[0].isdigit():
            # The units; or a line of the program's own, or of Nsight's progress.
            if not self._units and len(row) == self._width:
                self._units = self._cells(row)
        elif _METRIC in self._columns:
            yield from self._take_metric(self._cells(row))
        elif len(row) == self._width:
            values = self._cells(row)
            metrics = {
                name: (values[name], self._units.get(name, "")) for name in nsight.METRICS & values.keys()
            }
            yield self._record(values, metrics)
        elif self._width:
            yield self.problem(f"the row has {len(row)} columns, and the head {self._width}")

    def _cells(self, row: list[str]) -> Row:
        return {name: row[place] for name, place in self._columns.items() if place < len(row)}

    def _take_metric(self, values: Row) -> Iterator[Found]:
        if values[_ID] != self._launch.get(_ID):
            yield from self.complete()
            self._launch = values
        name = values.get(_METRIC, "")
        metric = _LABELS.get(name, name)
        if metric in nsight.METRICS:
            self._values[metric] = (values.get(_VALUE, ""), values.get(_UNIT, ""))

    def complete(self) -> Iterator[Found]:
        """The launch of the details page that no more rows follow for."""
        launch, metrics = self._launch, self._values
        self._launch, self._values = {}, {}
        if launch:
            yield self._record(launch, metrics)

    def _record(self, launch: Row, metrics: dict[str, tuple[str, str]]) -> KernelRecord:
        numbers: dict[str, float] = {}
        is_rounded = False
        for name, (text, unit) in metrics.items():
            number, error = _parse(text, unit)
            if number is None:
                continue
            if name in nsight.SIZES and error > 0.5:
                number, is_rounded = _roundest(number - error, number + error), True
            numbers[name] = number
        cc = launch.get(_CC, "")
        return nsight.launch_record(
            numbers,
            source=self._source,
            format="nsight-csv",
            name=launch.get(_KERNEL, ""),
            block=_shape(launch.get(_BLOCK, "")),
            grid=_shape(launch.get(_GRID, "")),
            gpu=launch.get(nsight.DISPLAY_NAME, ""),
            arch="sm_" + cc.replace(".", "") if cc else None,
            notes=(ROUNDED_NOTE,) if is_rounded else (),
        )


def _parse(text: str, unit: str) -> tuple[float | None, float]:
    """A value in base units, and how far rounding may have moved it."""
    found = _VALUE_FORM.fullmatch(text.replace(",", ""))
    if not found:
        return None, 0
    factor = _FACTORS.get(unit.split("/")[0], 1)
    decimals = len(found[1] or "")
    error = factor / 10**decimals / 2 if factor > 1 else 0
    return float(found[0]) * factor, error


def _roundest(low: float, high: float) -> int:
    """The multiple of the largest power of two in between; sizes in programs are round numbers."""
    step = 1 << 40
    while True:
        multiple = -int(-low // step) * step
        if multiple <= high:
            return multiple
        step //= 2


def _shape(text: str) -> Shape | None:
    found = _SHAPE_FORM.fullmatch(text.strip())
    if not found:
        return None
    x, y, z = map(int, found.groups())
    return x, y, z
