"""Rows for a program, written one by one: the first are there while the rest is still read."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from .csv_json import flatten

Row = Mapping[str, Any]


def json_document(rest: Callable[[], Row], name: str, rows: Iterable[Row]) -> Iterator[str]:
    """One JSON document, in lines: each row has one of its own.

    Args:
        rest: Gives the document without its rows; asked before the first, for what stands before them,
            and after the last, when all of it is known.
        name: What the list of rows is called in it.
        rows: The rows.
    """
    members = list(rest().items())
    place = [key for key, _ in members].index(name)
    yield "{"
    yield from (f"  {_member(each)}," for each in members[:place])
    yield f"  {_one_line(name)}: ["
    previous = None
    for row in rows:
        if previous is not None:
            yield f"    {previous},"
        previous = _one_line(row)
    if previous is not None:
        yield f"    {previous}"
    yield "  ],"
    yield ",\n".join(f"  {_member(each)}" for each in list(rest().items())[place + 1 :])
    yield "}"


def _member(each: tuple[str, object]) -> str:
    return f"{_one_line(each[0])}: {_one_line(each[1])}"


def json_lines(rows: Iterable[Row]) -> Iterator[str]:
    """JSON lines: one object for each row."""
    return map(_one_line, rows)


def csv_lines(names: Sequence[str], rows: Iterable[Row]) -> Iterator[str]:
    """CSV with a header, line by line."""
    yield _csv_line(names)
    for row in rows:
        values = dict(flatten("", row))
        yield _csv_line([values[name] for name in names])


def _one_line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _csv_line(cells: Iterable[object]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(cells)
    return text.getvalue()
