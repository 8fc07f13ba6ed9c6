"""Text for a program: JSON, JSON lines, CSV; whole, or row by row while the rest is still read."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..values.untrusted import csv_cell, json_text

Row = Mapping[str, Any]


def to_json(value: Any) -> str:
    """JSON with an indent of two, in the order of the fields."""
    return json_text(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def to_json_lines(rows: Iterable[Row]) -> str:
    """An object on each line."""
    return "\n".join(json_lines(rows))


def to_csv(rows: Iterable[Row], columns: Iterable[str] = ()) -> str:
    """CSV with a header; nested values are named with dots, lists are joined with semicolons.

    Args:
        rows: The rows.
        columns: The columns that come first, and are there even where no row has them.
    """
    import csv

    flat = [dict(flatten("", row)) for row in rows]
    names = list(dict.fromkeys((*columns, *(name for row in flat for name in row))))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    return text.getvalue().rstrip("\n")


def csv_cells(row: Row) -> str:
    """The cells of a row, or of a part of one."""
    values = [value for _, value in flatten("", row)]
    return "" if values == [None] else _csv_line(values)  # where a row of one empty cell has quotes


def json_members(row: Row, between: str = ", ") -> str:
    """The members of an object, without its braces."""
    return between.join(map(_member, row.items()))


def flatten(prefix: str, value: Any) -> Iterable[tuple[str, Any]]:
    """Every value that is none of others, with the names on the way to it joined by dots."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from flatten(f"{prefix}.{name}" if prefix else name, each)
    elif isinstance(value, (list, tuple)):
        yield prefix, csv_cell(";".join(str(_in_json(each)) for each in value))
    else:
        yield prefix, csv_cell(_in_json(value))


def _in_json(value: Any) -> Any:
    """A value as CSV has it: true and false are spelled as in JSON."""
    return ("false", "true")[value] if isinstance(value, bool) else value


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
    return json_text(json.dumps(value, ensure_ascii=False, allow_nan=False))


def _csv_line(cells: Iterable[object]) -> str:
    import csv

    text = io.StringIO()
    # It quotes what the terminator has, and a name can hold a line break.
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue().removesuffix("\n")
