"""JSON, JSON lines and CSV of any report, in pieces, so that long reports need no memory."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import count, groupby, islice
from operator import attrgetter
from typing import Any

from ..report.model import Column, Report, json_value
from ..values.fields import FIELDS
from ..values.untrusted import csv_cell, json_text

ROWS = 1 << 14  # of a piece; equal values are written once for each
Text = Callable[[Column, Any, Any], str]  # of a column, a value and its row
Line = Callable[[Iterable[str]], str]  # of the texts of a row
_encode = json.JSONEncoder(allow_nan=False).encode


def json_pieces(report: Report) -> Iterator[str]:
    """Return the JSON document, each row on a line of its own."""
    members = report.to_dict(with_rows=False).items()
    *head, rows, notes = (f"  {_json(key)}: {_json(value)}" for key, value in members)
    yield "{\n" + ",\n".join([*head, rows.removesuffix("]")])
    separator = "\n    "
    for lines in _lines(report, _member, ", ".join):
        yield from (separator + "{", "},\n    {".join(lines), "}")
        separator = ",\n    "
    yield ("]" if separator[0] == "\n" else "\n  ]") + f",\n{notes}\n}}\n"


def json_line_pieces(report: Report) -> Iterator[str]:
    return ("".join(f"{{{line}}}\n" for line in lines) for lines in _lines(report, _member, ", ".join))


def _member(column: Column, value: Any, row: Any) -> str:
    return f'"{column.key}": {_json(value)}'


def _json(value: Any) -> str:
    # In ASCII, so that no control character of a file's name reaches a terminal.
    return "null" if value is None else json_text(_encode(json_value(value)))


def csv_pieces(report: Report) -> Iterator[str]:
    report = replace(report, columns=[*_flat_columns(report)])
    yield ",".join(column.key for column in report.columns) + "\n"
    for lines in _lines(report, _csv, ",".join):  # csv.writer is slower
        if len(report.columns) == 1:
            lines = [line or '""' for line in lines]  # readers skip empty lines
        yield "\n".join([*lines, ""])


def flat_rows(report: Report) -> list[dict[str, Any]]:
    """Return each row as a dictionary with the columns of the CSV that are not nested."""
    columns = [(each.key, each.getter, each) for each in _with_inputs(report) if "object" not in each.type]
    return [{key: _flat(value(row), column, row) for key, value, column in columns} for row in report.rows]


def _with_inputs(report: Report) -> list[Column]:
    """Return the inputs of a kernel that are no column of their own, then the columns."""
    own = {column.key for column in report.columns if "object" not in column.type}
    inputs = report.inputs if report.inputs.keys() >= FIELDS.keys() else {}
    given = [Column(key, value=partial(inputs.get, key)) for key in inputs if key not in own]
    return [*given, *report.columns]


def _flat_columns(report: Report) -> Iterator[Column]:
    """Yield the columns of CSV, with a column for each nested member."""
    for column in _with_inputs(report):
        if "object" not in column.type or column.text or column.show:
            yield column
        else:
            for key in dict.fromkeys(key for row in report.rows for key in _members(column, row)):
                yield Column(key, value=lambda row, column=column, key=key: _members(column, row).get(key))  # type: ignore[misc]


def _members(column: Column, row: Any) -> dict[str, Any]:
    """Return the members of a nested value by their path, such as ``resources_registers_blocks``."""
    found, left = dict[str, Any](), [(column.key, json_value(column.getter(row)))]
    for key, value in left:  # grows
        if isinstance(value, dict):
            left += [(f"{key}_{name}", each) for name, each in value.items()]
        elif key != column.key:
            found[key] = value
    return found


def _flat(value: Any, column: Column, row: Any) -> Any:
    """Return a plain value: semicolons join lists, and dictionaries are text, or JSON."""
    if not isinstance(value, (tuple, list, dict)):
        return value
    if "object" in column.type:
        return column.text(value) if column.text is not None else column.show and column.show(row)
    plain = json_value(value)
    return ";".join(map(str, plain)) if len(plain) > 1 else next(iter(plain), None)


def _csv(column: Column, value: Any, row: Any) -> str:
    if (value := _flat(value, column, row)) is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(csv_cell(value))
    return '"' + text.replace('"', '""') + '"' if "," in text or '"' in text else text


def _lines(report: Report, text: Text, line: Line) -> Iterator[list[str]]:
    rows = iter(report.rows)
    runs = [list(run) for _, run in groupby(report.columns, attrgetter("is_name"))]
    while part := list(islice(rows, ROWS)):
        yield list(map(line, zip(*(_joined(run, text, line, part) for run in runs), strict=True)))


def _joined(columns: Sequence[Column], text: Text, line: Line, rows: Sequence[Any]) -> list[str]:
    """Return the joined texts of adjacent columns; rows with equal values share them."""
    places = _first_places(columns, rows)
    distinct = dict.fromkeys(places)
    some = [rows[place] for place in distinct]
    if len(columns) == 1:
        value = columns[0].getter
        texts: Iterable[str] = (text(columns[0], value(row), row) for row in some)
    else:
        texts = map(line, zip(*(_joined([column], text, line, some) for column in columns), strict=True))
    return list(map(dict(zip(distinct, texts, strict=True)).__getitem__, places))


def _first_places(columns: Sequence[Column], rows: Sequence[Any]) -> list[int]:
    """Return the place of the first row with equal values for each; lists and dictionaries equal none."""
    names = defaultdict[str, list[str]](list)  # by the path to the attributes' owner
    for column in columns:
        if callable(column.value) or not column.type:  # of any type: 1 and True are equal
            return list(range(len(rows)))
        path, _, name = (column.value or column.key).rpartition(".")
        names[path].append(name)
    owners = {path: map(attrgetter(path), rows) if path else rows for path in names}
    keys = zip(*(map(attrgetter(*names[path]), owners[path]) for path in names), strict=True)
    try:
        return list(map(dict[Any, int]().setdefault, keys, count()))
    except TypeError:
        return list(range(len(rows)))
