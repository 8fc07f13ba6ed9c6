"""Nsight Compute's metrics, and its CSV pages.

The raw page has a column for each metric, with units in a second header row. The details page has a row with
a unit for each value. Units are decimal: a Kbyte is 1,000 bytes.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from itertools import chain
from math import isfinite, prod
from typing import Any

from .content import NumberedLines
from .record import Item, KernelRecord, ReadProblem

# Field of the record -> metric, label on the details page, divisor of the metric (0: integer)
_METRICS = {
    "regs": ("launch__registers_per_thread", "Registers Per Thread", 0),
    "static_smem": ("launch__shared_mem_per_block_static", "Static Shared Memory Per Block", 0),
    "dynamic_smem": ("launch__shared_mem_per_block_dynamic", "Dynamic Shared Memory Per Block", 0),
    "shared_memory_configuration": ("launch__shared_mem_config_size", "Shared Memory Configuration Size", 0),
    "barriers": ("launch__barrier_count", "", 0),
    "threads": ("launch__block_size", "Block Size", 0),
    "multiprocessor_count": ("device__attribute_multiprocessor_count", "# SMs", 0),
    "duration_us": ("gpu__time_duration.sum", "Duration", 1000),
    "achieved_occupancy": ("sm__warps_active.avg.pct_of_peak_sustained_active", "Achieved Occupancy", 100),
}
_DIMS = "block_dim", "grid_dim", "cluster_dim"
_SHAPES = {field: tuple(f"launch__{field}_{axis}" for axis in "xyz") for field in _DIMS}
_COMPUTE_CAPABILITY = tuple(f"device__attribute_compute_capability_{part}" for part in ("major", "minor"))
_SIZES = "launch__shared_mem"  # prefix of the metrics in bytes
DISPLAY_NAME = "device__attribute_display_name"  # the only text metric

METRICS = {name for name, _, _ in _METRICS.values()}.union(_COMPUTE_CAPABILITY, *_SHAPES.values())
_LABELS = {label: name for name, label, _ in _METRICS.values() if label}

MAX_GPU_NAME = 96  # characters of a GPU's name, the same limit as in the driver


def launch_record(metrics: dict[str, float], **given: Any) -> KernelRecord:
    """Return the record of a launch from metrics in base units; given fields take precedence unless None."""
    values: dict[str, Any] = {key: _value(metrics, name, unit) for key, (name, _, unit) in _METRICS.items()}
    for field, names in _SHAPES.items():
        shape = tuple(_value(metrics, name) for name in names)
        values[field] = shape if all(shape) else None  # all are 0 for a launch without clusters
    major, minor = (_value(metrics, name) for name in _COMPUTE_CAPABILITY)
    values["arch"] = None if major is None or minor is None else f"sm_{major}{minor}"
    values |= {field: value for field, value in given.items() if value is not None}
    values["profiled_on"] = (values.get("profiled_on") or "")[:MAX_GPU_NAME] or None
    if block := values["block_dim"]:
        values["threads"] = prod(block)
    return KernelRecord(**values, threads_from="launch" if values["threads"] else None, launches=1)


def _value(metrics: dict[str, float], name: str, unit: int = 0) -> float | None:
    if (value := metrics.get(name)) is None or not isfinite(value):
        return None
    return value / unit if unit else round(value)


NSIGHT_MARKS = '"ID","', "ID,Process ID,", "ID,Kernel Name,"  # programs write a page again without quotes

# Names of columns.
_ID, _KERNEL, _BLOCK, _GRID, _CC = "ID", "Kernel Name", "Block Size", "Grid Size", "CC"
_METRIC, _UNIT, _VALUE = "Metric Name", "Metric Unit", "Metric Value"
_HEADS = frozenset({_ID, _KERNEL, _BLOCK, _GRID, _CC, _METRIC, _UNIT, _VALUE, DISPLAY_NAME})

_FACTORS = {  # the base unit of time is the nanosecond; older versions write units out
    "Kbyte": 10**3, "us": 10**3, "usecond": 10**3,
    "Mbyte": 10**6, "ms": 10**6, "msecond": 10**6,
    "Gbyte": 10**9, "s": 10**9, "second": 10**9,
}  # fmt: skip

ROUNDED_NOTE = "Nsight's details page rounds shared memory. The most likely unrounded number is assumed."

_VALUE_FORM = re.compile(r"(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,12})(?:\.(\d{1,12}))?")
_LOCAL_FORM = re.compile(r"\d[\d.,'’\s\ufffd]*")  # separators of another locale, also undecodable ones
_SHAPE_FORM = re.compile(r"\(\s*(\d{1,12}),\s*(\d{1,12}),\s*(\d{1,12})\s*\)")

_Row = dict[str, str]  # relevant cells of a row, by column name


def read_nsight_csv(lines: NumberedLines, source: str) -> Iterator[Item]:
    """Yield the launches of a page. Arguments are those of `read_ptxas`."""
    launch: _Row = {}  # first row of the current launch of the details page
    metrics: dict[str, tuple[str, str]] = {}
    for row in _rows(lines, source):
        if isinstance(row, ReadProblem):
            yield row
            continue
        cells, units = row
        if launch and cells.get(_ID) != launch[_ID]:
            yield _record(source, launch, metrics)
            launch = {}
        if _METRIC in cells:
            if not launch:
                launch, metrics = cells, {}
            if (name := _LABELS.get(cells[_METRIC], cells[_METRIC])) in METRICS:
                metrics[name] = cells.get(_VALUE, ""), cells.get(_UNIT, "")
        elif cells:
            named = METRICS & cells.keys()
            yield _record(source, cells, {name: (cells[name], units.get(name, "")) for name in named})
    if launch:
        yield _record(source, launch, metrics)


def _rows(lines: NumberedLines, source: str) -> Iterator[tuple[_Row, _Row] | ReadProblem]:
    """Yield the cells of each row with their units; empty cells for header rows."""
    numbered = iter(lines)
    first, text = next(numbered)
    rows = csv.reader(chain([text], (text for _, text in numbered)))

    def problem(what: str) -> ReadProblem:
        return ReadProblem(source, what, first + rows.line_num - 1)

    width = 0  # columns of the page
    columns: dict[str, int] = {}  # positions of the relevant columns in the current page
    units: _Row = {}
    while True:
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield problem(f"invalid CSV: {error}")
            continue
        cells = {name: row[place] if place < len(row) else "" for name, place in columns.items()}
        if row[:1] == [_ID]:
            yield {}, {}
            # The first of several columns of one name counts, so that every row has its launch's ID.
            columns = {name: place for place, name in reversed([*enumerate(row)]) if name in METRICS | _HEADS}
            width, units = len(row), {}
        elif not row or not row[0].isdigit():
            # Units, output of the profiled program, or Nsight's progress.
            if not units and len(row) == width:
                units = cells
        elif _METRIC in columns or len(row) == width:
            yield cells, units
        elif width:
            yield problem(f"the row has {len(row)} columns, but the header {width}")


def _record(source: str, launch: _Row, metrics: dict[str, tuple[str, str]]) -> KernelRecord | ReadProblem:
    numbers: dict[str, float] = {}
    is_rounded = False
    for name, (text, unit) in metrics.items():
        number, error = _parse(text, unit)
        if number is None:
            if _LOCAL_FORM.fullmatch(text):
                what = f"a launch has {name} {text!r}, not in the form 1,024.5. Run ncu with LC_ALL=C"
                return ReadProblem(source, what)
            continue
        if name.startswith(_SIZES) and error > 0.5:
            number, is_rounded = _roundest(number - error, number + error), True
        numbers[name] = number
    cc = launch.get(_CC, "")
    return launch_record(
        numbers, source=source, format="nsight-csv", name=launch.get(_KERNEL, ""),
        block_dim=_shape(launch.get(_BLOCK, "")), grid_dim=_shape(launch.get(_GRID, "")),
        profiled_on=launch.get(DISPLAY_NAME), arch="sm_" + cc.replace(".", "") if cc else None,
        notes=(ROUNDED_NOTE,) if is_rounded else (),
    )  # fmt: skip


def _parse(text: str, unit: str) -> tuple[float | None, float]:
    """Return a value in base units, and its maximum rounding error."""
    if not (number := _VALUE_FORM.fullmatch(text)):
        return None, 0
    factor = _FACTORS.get(unit.split("/")[0], 1)
    error = factor / 10 ** len(number[1] or "") / 2 if factor > 1 else 0
    return float(text.replace(",", "")) * factor, error


def _roundest(low: float, high: float) -> int:
    """Return the multiple of the largest possible power of two in an interval."""
    step = 1 << 40
    while (multiple := -int(-low // step) * step) > high:
        step //= 2
    return multiple


def _shape(text: str) -> tuple[int, ...] | None:
    shape = _SHAPE_FORM.fullmatch(text.strip())
    return tuple(map(int, shape.groups())) if shape else None
