"""The answer to ``occupancy scan`` for a program, or for a document.

JSON and CSV are written kernel by kernel, so that the first are there while the rest is still read.
"""

from __future__ import annotations

import csv as _csv
import io
import json as _json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict

from ...builds.scanner import ROW_FIELDS, ScanRow
from ...report import SCHEMA_VERSION
from ...report.calc import in_a_cell
from ...report.scan import ScanReport
from .. import scan_cells
from . import flatten, to_markdown

Rest = Callable[[], ScanReport]
"""Gives the report without its kernels: what is known once all of them are through."""


def json(rows: Iterable[ScanRow], rest: Rest) -> Iterator[str]:
    """One JSON document, in lines: each kernel has one of its own."""
    yield f'{{\n  "schema_version": {SCHEMA_VERSION},\n  "kernels": ['
    previous = None
    for row in rows:
        if previous is not None:
            yield f"    {previous},"
        previous = _one_line(row.to_dict())
    if previous is not None:
        yield f"    {previous}"
    report = rest()
    problems = _one_line([asdict(problem) for problem in report.problems])
    yield f'  ],\n  "found": {report.found},\n  "problems": {problems}\n}}'


def jsonl(rows: Iterable[ScanRow]) -> Iterator[str]:
    """JSON lines: one object for each kernel."""
    return (_one_line(row.to_dict()) for row in rows)


def csv(rows: Iterable[ScanRow]) -> Iterator[str]:
    """CSV with a header, line by line."""
    yield _csv_line(ROW_FIELDS)
    for row in rows:
        values = dict(flatten("", row.to_dict()))
        values["next_step"] = None if row.next_step is None else in_a_cell(row.next_step)
        yield _csv_line([values[name] for name in ROW_FIELDS])


def markdown(report: ScanReport) -> str:
    """A table with a row for each kernel and architecture or launch, and what the numbers rest on."""
    columns = scan_cells.columns(report.kernels)
    header = ["Kernel", *(column.title for column in columns)]
    rows = [
        [f"`{scan_cells.short_name(row)}`", *(column.cell(row) for column in columns)]
        for row in report.kernels
    ]
    parts = [to_markdown(header, rows)] if rows else []
    parts.append(scan_cells.summary(report))
    notes = [f"- {line}" for line in scan_cells.footnotes(report)]
    return "\n\n".join([*parts, *(["\n".join(notes)] if notes else [])])


def _one_line(value: object) -> str:
    return _json.dumps(value, ensure_ascii=False, allow_nan=False)


def _csv_line(cells: Iterable[object]) -> str:
    text = io.StringIO()
    _csv.writer(text, lineterminator="").writerow(cells)
    return text.getvalue()
