"""JSON, JSON lines and CSV of any report, in pieces, so that long reports need no memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import islice
from operator import attrgetter
from typing import Any

from ..report.model import Column, Report, json_value
from ..values.untrusted import csv_cell, json_text

ROWS = 4000  # of a piece
PLAIN_TYPES = ("string", "integer", "number", "boolean")
Text = Callable[[Column, Any, Any], str]  # of a column, a value and its row
_encode = json.JSONEncoder(allow_nan=False).encode


def json_pieces(report: Report) -> Iterator[str]:
    """Return the JSON document, each row on a line of its own."""
    members = report.to_dict(with_rows=False).items()
    *head, rows, notes = (f"  {_json(key)}: {_json(value)}" for key, value in members)
    yield "{\n" + ",\n".join([*head, rows.removesuffix("]")])
    separator = "\n    "
    for lines in _lines(report, _member, ", ".join):
        yield separator + "{" + "},\n    {".join(lines) + "}"
        separator = ",\n    "
    yield ("]" if separator[0] == "\n" else "\n  ]") + f",\n{notes}\n}}\n"


def json_line_pieces(report: Report) -> Iterator[str]:
    """Return a JSON object on a line for each row."""
    return ("".join(f"{{{line}}}\n" for line in lines) for lines in _lines(report, _member, ", ".join))


def _member(column: Column, value: Any, row: Any) -> str:
    return f'"{column.key}": {_json(value)}'


def _json(value: Any) -> str:
    # In ASCII, so that no control character of a file's name reaches a terminal.
    return "null" if value is None else json_text(_encode(json_value(value)))


def csv_pieces(report: Report) -> Iterator[str]:
    """Yield CSV."""
    yield ",".join(column.key for column in report.columns) + "\n"
    for lines in _lines(report, _csv, ",".join):  # csv.writer is slower
        if len(report.columns) == 1:
            lines = [line or '""' for line in lines]  # readers skip empty lines
        yield "\n".join([*lines, ""])


def flat_rows(report: Report) -> list[dict[str, Any]]:
    """Return each row as a dictionary with the columns of the CSV that are not nested."""
    columns = [(each.key, each.getter, each) for each in report.columns if "object" not in each.type]
    return [{key: _flat(value(row), column, row) for key, value, column in columns} for row in report.rows]


def _flat(value: Any, column: Column, row: Any) -> Any:
    """Return a plain value: semicolons join lists, and dictionaries are text, or JSON."""
    plain = json_value(value)
    if isinstance(plain[0] if plain and isinstance(plain, list) else plain, dict):
        if column.text is not None:
            return column.text(value)
        return json.dumps(plain) if column.show is None else column.show(row)
    if isinstance(plain, list):
        return ";".join(map(str, plain)) if len(plain) > 1 else next(iter(plain), None)
    return plain


def _csv(column: Column, value: Any, row: Any) -> str:
    value = _flat(value, column, row)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(csv_cell(value))
    return '"' + text.replace('"', '""') + '"' if "," in text or '"' in text else text


def _lines(report: Report, text: Text, line: Callable[[Iterable[str]], str]) -> Iterator[list[str]]:
    """Yield the lines of some rows at a time."""
    rows = iter(report.rows)
    while part := list(islice(rows, ROWS)):
        parts = cache(lambda path, part=part: list(map(attrgetter(path), part)) if path else part)
        columns = [_cells(column, text, part, parts) for column in report.columns]
        yield list(map(line, zip(*columns, strict=True)))


def _cells(column: Column, text: Text, rows: list[Any], parts: Callable[[str], list[Any]]) -> list[str]:
    """Return the texts of a column; a value that rows share is converted once."""
    path, _, name = ("", "", "") if callable(column.value) else column.value.rpartition(".")
    values = list(map(attrgetter(name) if path else column.getter, parts(path)))
    if column.type in PLAIN_TYPES:
        keys, texts = values, {value: text(column, value, None) for value in set(values)}
    else:  # dictionaries are no keys, and 1 and True are equal; rows that share a list share its text
        keys = list(map(id, values))
        distinct = dict(zip(keys, zip(values, rows, strict=True), strict=True))
        texts = {key: text(column, *each) for key, each in distinct.items()}
    return [*texts.values()] * len(rows) if len(texts) == 1 else list(map(texts.__getitem__, keys))
