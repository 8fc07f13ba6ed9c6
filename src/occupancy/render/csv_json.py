"""Text for a program: JSON, JSON lines, CSV."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping
from typing import Any


def to_json(value: Any) -> str:
    """JSON with an indent of two, in the order of the fields."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)


def to_json_lines(rows: Iterable[Mapping[str, Any]]) -> str:
    """An object on each line."""
    return "\n".join(json.dumps(row, ensure_ascii=False, allow_nan=False) for row in rows)


def to_csv(rows: Iterable[Mapping[str, Any]], columns: Iterable[str] = ()) -> str:
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


def flatten(prefix: str, value: Any) -> Iterable[tuple[str, Any]]:
    """Every value that is none of others, with the names on the way to it joined by dots."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from flatten(f"{prefix}.{name}" if prefix else name, each)
    elif isinstance(value, (list, tuple)):
        yield prefix, ";".join(str(each) for each in value)
    else:
        yield prefix, value
