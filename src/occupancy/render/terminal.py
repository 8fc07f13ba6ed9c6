"""Any report as text: tables laid out by rich, in the width of the terminal."""

from __future__ import annotations

import io
from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table as Grid

from ..report.model import MOST_NOTES, Column, Paragraph, Report, Table
from ..values.untrusted import printable, without_commands

PADDING = 2
LEAST_WIDTH = 12
"""Least width of a cell that wraps or is cut."""


def text(report: Report, width: int = 80, color: bool = False) -> str:
    stream = io.StringIO()
    console = Console(
        file=stream, width=max(width, 2 * LEAST_WIDTH), height=25, color_system="standard" if color else None,
        force_terminal=color, highlight=False, markup=False, emoji=False, legacy_windows=False,
    )  # fmt: skip
    for number, line in enumerate(report.headline):
        console.print(printable(line), style="" if number else "bold", soft_wrap=False)
    for block in report.blocks():
        console.print()
        if isinstance(block, Paragraph):
            _lines(console, block.lines)
        else:
            _table(console, block)
    if report.notes:
        console.print()
        _lines(console, [note.text for note in report.notes[:MOST_NOTES]])
    lines = [line.rstrip() for line in stream.getvalue().rstrip("\n").split("\n")]
    return without_commands("\n".join(lines))


def _lines(console: Console, lines: Sequence[str]) -> None:
    for line in lines:
        indent = len(line) - len(line.lstrip())
        console.print(Padding(printable(line.strip()), (0, 0, 0, indent)) if indent else printable(line))


def _table(console: Console, table: Table) -> None:
    indent = PADDING if table.title else 0
    if table.title:
        console.print(printable(table.title), style="bold")
    cells = [[printable(column.cell(row)) for row in table.rows] for column in table.columns]
    kept = _fitting(table.columns, cells, console.width - indent)
    has_heading = any(table.columns[number].title for number in kept)
    grid = Grid(box=None, pad_edge=False, padding=(0, PADDING, 0, 0), show_header=has_heading)
    for number in kept:
        column = table.columns[number]
        grid.add_column(
            printable(column.title),
            justify=column.align,
            no_wrap=not column.wraps,
            overflow="fold" if column.wraps else "ellipsis",
            min_width=_least(column, cells[number]),
            header_style="",
        )
    for row in range(len(table.rows)):
        grid.add_row(*(cells[number][row] for number in kept))
    console.print(Padding(grid, (0, 0, 0, indent)) if indent else grid)
    hidden = [each for number, each in enumerate(table.columns) if each.title and number not in kept]
    if hidden:
        hidden.sort(key=lambda column: -column.optional)
        names = ", ".join(f'"{column.title}"' for column in hidden)
        console.print(f"Hidden at this width: {names}. Widen the terminal, or use --format csv.")
    _lines(console, [" " * indent + line for line in table.lines])


def _least(column: Column, cells: Sequence[str]) -> int:
    """Return the width below which a column loses text: that of its longest word, if it wraps."""
    if not column.wraps:
        return max(map(len, (column.title, *cells)))
    longest_word = max((len(word) for cell in cells for word in cell.split()), default=0)
    return max(min(longest_word, LEAST_WIDTH), min(max(map(len, cells), default=0), column.unbroken))


def _fitting(columns: Sequence[Column], cells: Sequence[Sequence[str]], width: int) -> list[int]:
    """Return the places of the columns that fit; the most optional one goes first, of equals the last."""
    needed = {number: _least(column, cells[number]) for number, column in enumerate(columns)}
    while len(needed) > 1 and sum(needed.values()) + PADDING * (len(needed) - 1) > width:
        del needed[max(needed, key=lambda number: (columns[number].optional, number))]
    return list(needed)
