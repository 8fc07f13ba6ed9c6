"""JSON, JSON lines and CSV of any report, in pieces, so that long reports need no memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from ..report.model import Column, Report
from ..values.untrusted import csv_cell, json_text

HASHABLE = frozenset({"string", "integer", "number", "boolean", "array"})
"""Types of columns whose values are alike if they are equal; arrays are tuples, or lists of objects."""

_encode = json.JSONEncoder(allow_nan=False).encode


def json_pieces(report: Report) -> Iterator[str]:
    """Return the JSON document, each row on a line of its own."""
    start = "{\n"
    for key, value in report.to_dict(with_rows=False).items():
        if key == report.rows_key:
            yield f"{start}  {_json(key)}: ["
            separator = "\n    "
            for lines in _json_lines(report):
                yield separator + ",\n    ".join(lines)
                separator = ",\n    "
            yield "]" if separator[0] == "\n" else "\n  ]"
        else:
            yield f"{start}  {_json(key)}: {_json(value)}"
        start = ",\n"
    yield "\n}\n"


def json_line_pieces(report: Report) -> Iterator[str]:
    """Return a JSON object on a line for each row."""
    return ("".join(f"{line}\n" for line in lines) for lines in _json_lines(report))


def _json_lines(report: Report) -> Iterator[list[str]]:
    columns = {column.key: column for column in report.columns}
    layout = ", ".join(f"{_json(key)}: %s" for key in columns)
    for rows in _rows(report.rows, columns.values(), lambda value, column, row: _json(value)):
        yield [f"{{{layout % row}}}" for row in rows]


def _json(value: Any) -> str:
    # In ASCII, so that no control character of a file's name reaches a terminal.
    return "null" if value is None else json_text(_encode(value))


def csv_pieces(report: Report) -> Iterator[str]:
    """Yield CSV; semicolons join lists, nested values are as on a screen."""
    yield ",".join(column.key for column in report.columns) + "\n"
    for rows in _rows(report.rows, report.columns, _csv):  # csv.writer takes three times as long
        yield "".join((",".join(row) or '""') + "\n" for row in rows)


def _csv(value: Any, column: Column, row: Any) -> str:
    if value is None or value in ((), []):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)) and not isinstance(value[0], Mapping):
        value = ";".join(map(str, value))
    elif not isinstance(value, (int, float, str)):
        value = json.dumps(value) if column.show is None else column.show(row)
    text = str(csv_cell(value))
    return '"' + text.replace('"', '""') + '"' if "," in text or '"' in text else text


def _rows(
    rows: Iterable[Any], columns: Iterable[Column], text: Callable[[Any, Column, Any], str]
) -> Iterator[Iterator[tuple[str, ...]]]:
    """Yield the texts of some rows at a time; they are made column by column, equal ones once."""
    left = iter(rows)
    while part := list(islice(left, 500)):
        yield zip(*(_cells(column, part, text) for column in columns), strict=True)


def _cells(column: Column, rows: list[Any], text: Callable[[Any, Column, Any], str]) -> Iterable[str]:
    values = list(map(column.getter, rows))
    if column.type in HASHABLE and not any(type(value) is list for value in values):
        texts = {value: text(value, column, None) for value in set(values)}
        return map(texts.__getitem__, values)
    return [text(value, column, row) for value, row in zip(values, rows, strict=True)]
