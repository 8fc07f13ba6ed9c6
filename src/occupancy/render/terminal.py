"""Any report as text: tables laid out by rich, in the width of the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..report.model import MOST_NOTES, Block, Column, Facts, Paragraph, Report, Table
from ..values.untrusted import printable, without_commands

if TYPE_CHECKING:
    from rich.console import Console

PADDING = 2
"""Blanks between columns."""
LEAST_WIDTH = 12
"""Least width of a cell that wraps or is cut."""


def text(report: Report, width: int = 80, color: bool = False) -> str:
    """Return the report as lines of text.

    Args:
        report: The report.
        width: Columns of the terminal.
        color: Whether to use the escape sequences of a terminal.
    """
    import io

    from rich.console import Console

    stream = io.StringIO()
    console = Console(
        file=stream, width=max(width, 2 * LEAST_WIDTH), color_system="standard" if color else None,
        force_terminal=color, highlight=False, markup=False, emoji=False, legacy_windows=False,
    )  # fmt: skip
    _headline(console, report.headline)
    blocks: list[Block] = []
    if report.shows_rows and (rows := report.screen_rows()):
        blocks.append(Table("", report.screen_columns(), rows))
    for block in (*blocks, *report.details):
        console.print()
        _block(console, block)
    if report.notes:
        console.print()
        _paragraph(console, [note.text for note in report.notes[:MOST_NOTES]])
    lines = [line.rstrip() for line in stream.getvalue().rstrip("\n").split("\n")]
    return without_commands("\n".join(lines))


def _headline(console: Console, lines: Sequence[str]) -> None:
    for number, line in enumerate(lines):
        console.print(printable(line), style="bold" if not number else "", soft_wrap=False)


def _block(console: Console, block: Block) -> None:
    if isinstance(block, Facts):
        _facts(console, block)
    elif isinstance(block, Paragraph):
        if block.preformatted:
            for line in block.lines:
                console.print(printable(line), no_wrap=True, overflow="crop", crop=False)
        else:
            _paragraph(console, block.lines)
    else:
        _table(console, block)


def _paragraph(console: Console, lines: Sequence[str]) -> None:
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if indent:
            from rich.padding import Padding

            console.print(Padding(printable(line.strip()), (0, 0, 0, indent)))
        else:
            console.print(printable(line))


def _facts(console: Console, facts: Facts) -> None:
    from rich.table import Table as Grid

    grid = Grid.grid(padding=(0, PADDING, 0, 0), pad_edge=False)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for label, value in facts.pairs:
        grid.add_row(printable(label), printable(value))
    console.print(grid)


def _table(console: Console, table: Table) -> None:
    from rich.table import Table as Grid

    indent = PADDING if table.title else 0
    if table.title:
        console.print(printable(table.title), style="bold")
    cells = [[printable(column.cell(row)) for column in table.columns] for row in table.rows]
    kept, hidden = _fitting(table.columns, cells, console.width - indent)
    has_heading = any(table.columns[number].title for number in kept)
    grid = Grid(
        box=None, pad_edge=False, padding=(0, PADDING, 0, 0), show_header=has_heading, show_edge=False
    )
    for number in kept:
        column = table.columns[number]
        grid.add_column(
            printable(column.title),
            justify=column.align,
            no_wrap=not column.wraps,
            overflow="fold" if column.wraps else "ellipsis",
            min_width=_least(column, [row[number] for row in cells]),
            header_style="",
        )
    for row in cells:
        grid.add_row(*(row[number] for number in kept))
    if indent:
        from rich.padding import Padding

        console.print(Padding(grid, (0, 0, 0, indent)))
    else:
        console.print(grid)
    if hidden:
        names = ", ".join(f'"{title}"' for title in hidden)
        console.print(f"Hidden at this width: {names} (--format csv has all).")
    _paragraph(console, [" " * indent + line for line in table.lines])


def _least(column: Column, cells: Sequence[str]) -> int:
    """Return the width below which a column loses text: that of its longest word, if it wraps."""
    if not column.wraps:
        return max(map(len, (column.title, *cells)))
    longest_word = max((len(word) for cell in cells for word in cell.split()), default=0)
    return max(min(longest_word, LEAST_WIDTH), min(max(map(len, cells), default=0), column.unbroken))


def _fitting(
    columns: Sequence[Column], cells: Sequence[Sequence[str]], width: int
) -> tuple[list[int], list[str]]:
    """Return the columns that fit, and the titles of the others; the most optional one goes first."""
    kept = list(range(len(columns)))
    hidden: list[str] = []
    needed = [_least(column, [row[number] for row in cells]) for number, column in enumerate(columns)]
    while sum(needed[number] for number in kept) + PADDING * (len(kept) - 1) > width:
        optional = [number for number in kept if columns[number].optional]
        if not optional:
            break
        first = max(optional, key=lambda number: columns[number].optional)
        kept.remove(first)
        hidden.append(columns[first].title)
    return kept, hidden
