"""JSON, JSON lines and CSV of any report, in pieces, so that long reports need no memory."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Protocol, TextIO

from ..report.model import Report
from ..values.untrusted import csv_cell, json_text


class _Writer(Protocol):
    def writerow(self, row: Any, /) -> Any: ...


def json_pieces(report: Report) -> Iterator[str]:
    """Return the JSON document in lines, each row on a line of its own."""
    whole = Report.to_dict(_without_rows(report))
    for number, (key, value) in enumerate(whole.items()):
        start = "{\n" if not number else ""
        comma = "," if number < len(whole) - 1 else ""
        if key != report.rows_key:
            yield f"{start}  {_dump(key)}: {_dump(value)}{comma}\n"
            continue
        yield f"{start}  {_dump(key)}: ["
        separator = "\n"
        for record in report.records():
            yield f"{separator}    {_dump(record)}"
            separator = ",\n"
        yield f"{'' if separator == chr(10) else chr(10) + '  '}]{comma}\n"
    yield "}\n"


def json_line_pieces(report: Report) -> Iterator[str]:
    """Return a JSON object on a line for each row."""
    for record in report.records():
        yield _dump(record) + "\n"


def write_csv(report: Report, stream: TextIO) -> None:
    """Write CSV with a header; lists are joined with semicolons, nested values are written as on a screen."""
    import csv

    writer: _Writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([column.key for column in report.columns])
    getters = [(column.value, column.show) for column in report.columns]
    numbers = (int, float, type(None))
    for row in report.rows:  # most cells are numbers or empty, and libraries have millions
        writer.writerow([
            cell if type(cell := value(row)) in numbers else _cell(cell, show, row) for value, show in getters
        ])  # fmt: skip


def _cell(value: Any, show: Any, row: Any) -> Any:
    if value is None or type(value) in (int, float):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return csv_cell(value)
    if isinstance(value, (list, tuple)) and not (value and isinstance(value[0], Mapping)):
        return csv_cell(";".join(map(str, value)))
    return csv_cell(show(row) if show is not None else json.dumps(value))


def _without_rows(report: Report) -> Report:
    from dataclasses import replace

    return replace(report, rows=())


def _dump(value: Any) -> str:
    # In ASCII, so that no control character of a file's name reaches a terminal.
    return json_text(json.dumps(value, allow_nan=False))
