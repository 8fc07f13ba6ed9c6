"""Any report as text: tables laid out by rich, in the width of the terminal."""

from __future__ import annotations

import io
from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table as Grid

from ..report.model import ALWAYS, MOST_NOTES, Column, Paragraph, Report, Table, cut_in_middle
from ..values.untrusted import printable, without_commands

PADDING = 2
LEAST_WIDTH = 12
"""Least width of a cell that wraps or is cut."""


def text(report: Report, width: int | None = 80, color: bool = False, whole: str = "CSV") -> str:
    """Return a report as text, as wide as the terminal if ``width`` is None; ``whole`` has all columns."""
    stream = io.StringIO()
    console = Console(
        file=stream, width=width, height=25, color_system="standard" if color else None, force_terminal=color,
        highlight=False, markup=False, emoji=False, legacy_windows=False,
    )  # fmt: skip
    console.width = max(console.width, 2 * LEAST_WIDTH)
    for number, line in enumerate(report.headline):
        console.print(printable(line), style="" if number else "bold", soft_wrap=False)
    for section in report.sections():
        console.print()
        if isinstance(section, Paragraph):
            _lines(console, section.lines)
        else:
            _table(console, section, whole)
    if report.notes:
        console.print()
        _lines(console, [note.text for note in report.notes[:MOST_NOTES]])
    return without_commands("\n".join(line.rstrip() for line in stream.getvalue().rstrip("\n").split("\n")))


def _lines(console: Console, lines: Sequence[str]) -> None:
    for line in map(printable, lines):
        if len(line) > console.width:
            from textwrap import fill  # most screens need it not

            indent = " " * (len(line) - len(line.lstrip()))
            # Whole words, because the parts of an address or of a name cannot be searched for.
            line = fill(line.strip(), console.width, initial_indent=indent, subsequent_indent=indent,
                        break_long_words=False, break_on_hyphens=False)  # fmt: skip
        console.print(line, soft_wrap=True)


def _table(console: Console, table: Table, whole: str) -> None:
    indent = PADDING if table.title else 0
    if table.title:
        console.print(printable(table.title), style="bold")
    cells = [[printable(column.cell(row)) for row in table.rows] for column in table.columns]
    kept = _widths(table.columns, cells, console.width - indent, max(each.optional for each in table.columns))
    has_heading = any(table.columns[number].title for number in kept)
    grid = Grid(box=None, pad_edge=False, padding=(0, PADDING, 0, 0), show_header=has_heading)
    for number in kept:
        column = table.columns[number]
        if column.cut_to:
            cells[number] = cut_in_middle(cells[number], kept[number])
        grid.add_column(
            printable(column.title), justify=column.align, no_wrap=not column.wraps, width=kept[number],
            overflow="fold" if column.wraps else "ellipsis",
        )  # fmt: skip
    for row in range(len(table.rows)):
        grid.add_row(*(cells[number][row] for number in kept))
    grid.width = sum(kept.values()) + PADDING * (len(kept) - 1)
    console.print(Padding(grid, (0, 0, 0, indent)) if indent else grid, crop=False)
    titles = [each.title.rstrip(".") for each in table.columns]
    if hidden := [title for number, title in enumerate(titles) if title and number not in kept]:
        console.print(f"Hidden at this width: {', '.join(hidden)}. {whole} contains every column.")


def _least(column: Column, cells: Sequence[str], longest: int) -> int:
    """Return the width below which a column is dropped: that of its longest word, if it wraps."""
    if not column.wraps:
        return min(longest, column.cut_to or longest)
    longest_word = max((len(word) for cell in (column.title, *cells) for word in cell.split()), default=0)
    return max(min(longest_word, LEAST_WIDTH), min(longest, column.unbroken), len(column.title))


def _widths(columns: Sequence[Column], cells: list[list[str]], width: int, most: int) -> dict[int, int]:
    """Return the widths of columns; optional ones are dropped for room, and if cut cells are equal."""
    longest = [max(map(len, (column.title, *texts))) for column, texts in zip(columns, cells, strict=True)]
    least = [_least(*each) for each in zip(columns, cells, longest, strict=True)]
    widths: dict[int, int] = {}
    spare = width + PADDING
    for number in sorted(range(len(columns)), key=lambda number: columns[number].optional):
        is_wide = widths and least[number] + PADDING > spare and columns[number].optional != ALWAYS
        if is_wide or columns[number].optional > most:
            break
        widths[number] = least[number]
        spare -= least[number] + PADDING
    wanted = {
        number: max(min(longest[number], columns[number].widest or longest[number]) - least[number], 0)
        for number in widths
        if columns[number].wraps or columns[number].cut_to
    }
    for place, number in enumerate(sorted(wanted, key=wanted.__getitem__)):
        more = min(wanted[number], max(spare, 0) // (len(wanted) - place))
        widths[number] += more
        spare -= more
    cut = [(cells[number], widths[number]) for number in widths if columns[number].cut_to]
    last = max(columns[number].optional for number in widths)
    if last > 0 and any(len(set(cut_in_middle(*each))) < len(set(each[0])) for each in cut):
        return _widths(columns, cells, width, last - 1)
    return dict(sorted(widths.items()))
