"""Text for a program, or for a document: JSON, CSV, Markdown."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...advice.next_steps import NextStep
    from ..grids import Grid


def to_json(value: Any) -> str:
    """JSON with an indent of two, in the order of the fields."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)


def to_json_lines(rows: Iterable[Mapping[str, Any]]) -> str:
    """An object on each line."""
    return "\n".join(json.dumps(row, ensure_ascii=False, allow_nan=False) for row in rows)


def to_csv(rows: Iterable[Mapping[str, Any]]) -> str:
    """CSV with a header; nested values are named with dots, lists are joined with semicolons."""
    import csv

    flat = [dict(flatten("", row)) for row in rows]
    names = list(dict.fromkeys(name for row in flat for name in row))
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


def step(step: NextStep) -> str:
    """A next step in one cell: ``8: registers=32, shared_memory=20480`` for 8 blocks."""
    changes = ", ".join(f"{name}={amount}" for name, amount in step.requires.items())
    return f"{step.active_blocks}: {changes}"


MOST_OF_A_NAME = 200
"""Characters of a kernel's name in a table; templates have names of thousands."""


def code(name: str) -> str:
    """A kernel's name as code, in which Markdown and HTML leave ``<`` and ``*`` alone."""
    cut = name if len(name) <= MOST_OF_A_NAME else f"{name[: MOST_OF_A_NAME - 3]}..."
    return "`" + cut.replace("`", "'") + "`"


def to_markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; the first column is text, the others are numbers."""
    lines = [_markdown_row(header), _markdown_row(["---"] + ["---:"] * (len(header) - 1))]
    lines += [_markdown_row(row) for row in rows]
    return "\n".join(lines)


def grid_to_markdown(grid: Grid) -> str:
    """The same for a `Grid`; rows that stand out are bold in their first column."""
    rows = ((f"**{row[0]}**", *row[1:]) if i in grid.marked else row for i, row in enumerate(grid.rows))
    return to_markdown(grid.header, rows)


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
