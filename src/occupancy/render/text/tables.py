"""Tables on a terminal: split or squeezed where it is narrow; very long ones laid out without rich."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from rich.console import RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from ..document import Cell, Column, GroupColumn, GroupedTable, Marked, Table, plain
from .screen import STYLES, glued
from .shortening import shortened

GAP = 2
"""Columns between two columns of a table that splits."""

INDENT = COLUMN_GAP = "  "
"""Of a grouped table."""

BELOW = 2 * INDENT
"""Before what stands below a row of it."""


def table(table: Table, width: int) -> Iterator[RenderableType]:
    """The rows in one table; or in several, with an empty line between, where it splits."""
    if not table.splits:
        yield _squeezed(table, width)
        return
    first, *needs = (_need(column, table.rows, index) for index, column in enumerate(table.columns))
    for number, group in enumerate(grouped(first, needs, width)):
        if number:
            yield Text()
        has_room = first + GAP + needs[group[0]] <= width
        yield _split(table, [0, *(index + 1 for index in group)], [first, *needs], width, has_room)


def grouped(first: int, needs: Sequence[int], width: int) -> list[list[int]]:
    """Which columns stand in one table: as many as have room beside the first one, which is in each."""
    groups: list[list[int]] = []
    left = 0
    for index, need in enumerate(needs):
        if not groups or left < GAP + need:
            groups.append([])
            left = width - first
        groups[-1].append(index)
        left -= GAP + need
    return groups


def _need(column: Column, rows: Sequence[Sequence[Cell]], index: int) -> int:
    title = max(map(len, column.title.split("\n")))
    longest = max((title, *(len(plain(row[index])) for row in rows)))
    return longest if column.least is None else min(longest, max(column.least, title))


def _split(
    table: Table, indices: Sequence[int], needs: Sequence[int], width: int, has_room: bool
) -> RichTable:
    laid_out = _plain_table(GAP)
    most = max(1, (width - GAP) // 2)
    for index in indices:
        column = table.columns[index]
        laid_out.add_column(
            column.title,
            justify=_side(column),
            overflow="fold",
            no_wrap=has_room and column.least is None,
            min_width=min(needs[index], most) if index else None,
        )
    for number, row in enumerate(table.rows):
        cells = _cells(table, row)
        laid_out.add_row(*(cells[index] for index in indices), style=_style(table, number))
    return laid_out


def _squeezed(table: Table, width: int) -> RichTable:
    is_comfortable = width >= table.comfortable
    laid_out = _plain_table(table.gaps[0 if is_comfortable else 1])
    for index, column in enumerate(table.columns):
        no_wrap = column.least is None and (is_comfortable or index > 0)
        overflow: Literal["fold", "ellipsis"] = "ellipsis" if column.cuts else "fold"
        laid_out.add_column(column.title, justify=_side(column), overflow=overflow, no_wrap=no_wrap)
    pointer = None if table.pointers is None else table.pointers[0 if is_comfortable else 1]
    if pointer is not None:
        laid_out.add_column("", overflow="fold")
    for number, row in enumerate(table.rows):
        style = _style(table, number)
        pointing = () if pointer is None else (pointer if style else "",)
        laid_out.add_row(*_cells(table, row), *pointing, style=style)
    return laid_out


def _cells(table: Table, row: Sequence[Cell]) -> list[Text]:
    marked = (
        cell if isinstance(cell, Marked) else Marked(cell, column.mark)
        for cell, column in zip(row, table.columns, strict=True)
    )
    return [Text(glued(text), style=STYLES[mark]) for text, mark in marked]


def _plain_table(gap: int) -> RichTable:
    """A table without lines, as in all our screens."""
    return RichTable(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="bold")


def _side(column: Column) -> Literal["left", "right"]:
    return "right" if column.is_number else "left"


def _style(table: Table, row: int) -> str:
    return STYLES["strong"] if row in table.marked else ""


def grouped_table(table: GroupedTable, width: int) -> tuple[list[Text], str]:
    """The lines, and what to say of columns that there was no room for.

    Lines that are too long are cut: a table that wraps can no longer be read. Only the last column goes on.
    """
    if not table.rows:
        return [], ""
    columns, below, left_out = _fitting(table, width)
    start = len(INDENT) + sum(_width(each) + len(COLUMN_GAP) for each in columns)
    last = columns.pop() if columns and columns[-1].title == table.last else None
    if last is not None:
        start -= _width(last) + len(COLUMN_GAP)
    head, *cells = zip(*(_padded(each) for each in columns), strict=True)
    lines = [Text(_cut((*head, *([last.title] if last else [])), width), style="bold", no_wrap=True)]
    names = shortened((row.name for row in table.rows), width)
    group = None
    for number, (row, texts) in enumerate(zip(table.rows, cells, strict=True)):
        if row.group != group:
            group = row.group
            lines.append(Text(names[row.name], no_wrap=True))
        first, *more = [""] if last is None else _broken([plain(last.cells[number])], width - start)
        lines.append(_marked(_cut((*texts, first), width), texts, [each.cells[number] for each in columns]))
        said = [f"{each.title} {plain(each.cells[number])}" for each in below if _says(each, number)]
        more = [" " * start + each for each in more]
        more += [BELOW + each for each in _broken(said, width - len(BELOW)) if each]
        lines += [Text(each, no_wrap=True) for each in more]
    return lines, no_room_for(left_out, table.cure) if left_out and table.cure else ""


def _says(column: GroupColumn, number: int) -> bool:
    return plain(column.cells[number]) not in ("", "0")


def _broken(texts: Sequence[str], width: int) -> list[str]:
    """Texts beside each other, in lines of so many columns, broken between them or at commas."""
    lines = [""]
    for text in texts:
        for number, piece in enumerate(text.split(", ")):
            joined = f"{lines[-1]}{', ' if number else COLUMN_GAP}{piece}" if lines[-1] else piece
            if len(joined) < width or not lines[-1]:
                lines[-1] = joined
                continue
            lines[-1] += "," if number else ""
            lines.append(piece)
    return [each if len(each) <= width else f"{each[: width - 3]}..." for each in lines]


def _fitting(table: GroupedTable, width: int) -> tuple[list[GroupColumn], list[GroupColumn], list[str]]:
    """The columns that are shown, those that stand below, and the titles of those that are left out."""
    columns = {each.title: each for each in table.columns}
    beside = [title for title in columns if title not in table.if_there_is_room]
    below: list[str] = []
    left_out: list[str] = []
    room = width - len(INDENT) + len(COLUMN_GAP)
    room -= sum(_width(columns[each]) + len(COLUMN_GAP) for each in beside)
    for title in filter(columns.__contains__, table.if_there_is_room):
        needed = _width(columns[title])
        if title == table.last:
            pieces = (f"{each}," for cell in columns[title].cells for each in plain(cell).split(", "))
            needed = min(needed, max(map(len, pieces)))
        if needed + len(COLUMN_GAP) <= room:
            beside.append(title)
            room -= needed + len(COLUMN_GAP)
        else:
            (below if title in table.stays else left_out).append(title)
    return [columns[each] for each in columns if each in beside], [columns[each] for each in below], left_out


def _width(column: GroupColumn) -> int:
    return max(map(len, (column.title, *map(plain, column.cells))))


def _padded(column: GroupColumn) -> list[str]:
    width = _width(column)
    pad = str.rjust if column.is_number else str.ljust
    return [pad(each, width) for each in (column.title, *map(plain, column.cells))]


def _cut(cells: Sequence[str], width: int) -> str:
    text = (INDENT + COLUMN_GAP.join(cells)).rstrip()
    return text if len(text) <= width else text[: width - 3] + "..."


def _marked(line: str, texts: Sequence[str], cells: Sequence[Cell]) -> Text:
    """A line with the styles of its cells, each of which has its place in the line."""
    text = Text(line, no_wrap=True)
    start = len(INDENT)
    for padded, cell in zip(texts, cells, strict=True):
        if isinstance(cell, Marked) and STYLES[cell.mark]:
            text.stylize(STYLES[cell.mark], start, start + len(padded))
        start += len(padded) + len(COLUMN_GAP)
    return text


def no_room_for(titles: Sequence[str], cure: str) -> str:
    """What to say of columns that are not shown."""
    return f"No room for: {', '.join(titles)}. {cure}"
