"""Tables on a terminal: split or squeezed where it is narrow; rich breaks the cells that have no room."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .. import document, words
from ..document import Column, GroupColumn, GroupedTable, Mark, Marked, Table, plain
from .lines import Cell, Line, Part, columns_of, head, in_columns, padded
from .screen import STYLES, glued
from .shortening import shortened, wrapped

GAP = 2
"""Columns between two columns of a table that splits."""

INDENT = COLUMN_GAP = "  "
"""Of a grouped table."""

BELOW = 2 * INDENT
"""Before what stands below a row of it."""


def table(table: Table, width: int) -> Iterator[Part]:
    """The rows in one table; or in several, with an empty line between, where it splits."""
    if not table.splits:
        yield from _squeezed(table, width)
        return
    table = _without_what_may_go(table, width)
    first, *needs = (_need(column, table.rows, index) for index, column in enumerate(table.columns))
    for number, group in enumerate(grouped(first, needs, width)):
        if number:
            yield []
        has_room = first + GAP + needs[group[0]] <= width
        yield from _split(table, [0, *(index + 1 for index in group)], [first, *needs], width, has_room)


def _without_what_may_go(table: Table, width: int) -> Table:
    """The table with as many of its columns as there is room for: the first that may go goes first."""
    needs = [_need(column, table.rows, index) for index, column in enumerate(table.columns)]
    stays = list(range(len(needs)))
    for index in (index for index in range(len(needs)) if table.columns[index].may_go):
        if sum(needs[each] + GAP for each in stays) - GAP <= width:
            break
        stays.remove(index)
    if len(stays) == len(needs):
        return table
    rows = [[row[index] for index in stays] for row in table.rows]
    return table._replace(columns=[table.columns[index] for index in stays], rows=rows)


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


def _need(column: Column, rows: Sequence[Sequence[document.Cell]], index: int) -> int:
    title = max(map(len, column.title.split("\n")))
    longest = max((title, *(columns_of(plain(row[index])) for row in rows)))
    return longest if column.least is None else min(longest, max(column.least, title))


def _split(
    table: Table, indices: Sequence[int], needs: Sequence[int], width: int, has_room: bool
) -> Iterator[Part]:
    most = max(1, (width - GAP) // 2)
    options = [
        {
            "overflow": "fold",
            "no_wrap": has_room and table.columns[index].least is None,
            "min_width": min(needs[index], most) if index else None,
        }
        for index in indices
    ]
    yield from _laid_out([[row[index] for index in indices] for row in _cells(table)], GAP, width, options)


def _squeezed(table: Table, width: int) -> Iterator[Part]:
    is_comfortable = width >= table.comfortable
    pointer = None if table.pointers is None else table.pointers[0 if is_comfortable else 1]
    options: list[dict[str, Any]] = [
        {
            "overflow": "ellipsis" if column.cuts else "fold",
            "no_wrap": column.least is None and (is_comfortable or index > 0),
        }
        for index, column in enumerate(table.columns)
    ]
    if pointer is not None:
        options.append({"overflow": "fold"})
    yield from _laid_out(_cells(table, pointer), table.gaps[0 if is_comfortable else 1], width, options)


def _cells(table: Table, pointer: str | None = None) -> list[list[Cell]]:
    """The header, and the rows; where there is a pointer, it stands to the right of marked ones."""
    strong = STYLES["strong"]
    rows = [[Cell(column.title, "", strong, column.is_number) for column in table.columns]]
    for number, row in enumerate(table.rows):
        ground = strong if number in table.marked else ""
        rows.append(
            [
                Cell(plain(cell), STYLES[_mark(cell, column)], ground, column.is_number)
                for cell, column in zip(row, table.columns, strict=True)
            ]
        )
    if pointer is not None:
        for each in rows:
            each.append(Cell(pointer if each is not rows[0] and each[0].ground else "", "", each[0].ground))
    return rows


def _mark(cell: document.Cell, column: Column) -> Mark:
    return cell.mark if isinstance(cell, Marked) else column.mark


def _laid_out(
    rows: Sequence[Sequence[Cell]], gap: int, width: int, options: Sequence[dict[str, Any]]
) -> Iterator[Part]:
    """A table as it is where it has room; else by rich, with what each column may have done to it."""
    lines = in_columns(rows, gap, width, has_header=True)
    if lines is not None:
        yield from lines
        return
    from rich.table import Table as RichTable
    from rich.text import Text

    header, *others = rows
    table = RichTable(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style=STYLES["strong"])
    for cell, each in zip(header, options, strict=True):
        table.add_column(cell.text, justify="right" if cell.is_number else "left", **each)
    for row in others:
        texts = (_glued(cell.text, each.get("min_width")) for cell, each in zip(row, options, strict=True))
        styled = (Text(text, style=cell.style) for text, cell in zip(texts, row, strict=True))
        table.add_row(*styled, style=row[0].ground)
    yield table


def _glued(text: str, width: int | None) -> str:
    """Numbers beside their units, where the narrowest that a column may become has room for them."""
    together = glued(text)
    has_room = width is None or max(map(len, together.split(" "))) <= width
    return together if has_room else text


def grouped_table(table: GroupedTable, width: int, full_names: bool) -> tuple[list[Line], str, str]:
    """The lines, and what to say of names, and of columns, that there was no room for.

    Lines that are too long are cut: a table that wraps can no longer be read. Only the last column goes on,
    and names where whole ones are wanted.
    """
    if not table.rows:
        return [], "", ""
    columns, below, left_out = _fitting(table, width)
    start = len(INDENT) + sum(_width(each) + len(COLUMN_GAP) for each in columns)
    last = columns.pop() if columns and columns[-1].title == table.last else None
    if last is not None:
        start -= _width(last) + len(COLUMN_GAP)
    # Of names alone, which are headings, there is no column at all.
    head, *cells = zip(*map(_padded, columns), strict=True) if columns else ((), *[()] * len(table.rows))
    titles = (*head, *([last.title] if last else []))
    lines: list[Line] = [[(_cut(titles, width), STYLES["strong"])]] if titles else []
    names = dict.fromkeys(row.name for row in table.rows)
    headings = _whole(names, width) if full_names else _on_a_line(names, width)
    group = None
    for number, (row, texts) in enumerate(zip(table.rows, cells, strict=True)):
        if row.group != group:
            group = row.group
            lines += [[(each, "")] for each in headings[row.name]]
        first, *more = [""] if last is None else _broken([plain(last.cells[number])], width - start)
        marks = [each.cells[number] for each in columns]
        lines += [_marked(_cut((*texts, first), width), texts, marks)] if titles else []
        said = [f"{each.title} {plain(each.cells[number])}" for each in below if _says(each, number)]
        more = [" " * start + each for each in more]
        more += [BELOW + each for each in _broken(said, width - len(BELOW)) if each]
        lines += [[(each, "")] for each in more]
    is_shortened = not full_names and any([name] != shown for name, shown in headings.items())
    about_names = table.if_whole if full_names else table.if_shortened * is_shortened
    return lines, about_names, words.no_room_for(left_out, table.hint)


def no_room_for(table: GroupedTable, width: int) -> str:
    """What to say of the columns that there is no room for; empty of none."""
    return words.no_room_for(_fitting(table, width)[2], table.hint) if table.rows else ""


def titles_shown(table: GroupedTable, width: int) -> list[str]:
    """The titles of the columns that there is room for, beside each other or below."""
    columns, below, _ = _fitting(table, width)
    return [each.title for each in (*columns, *below)]


def _whole(names: Iterable[str], width: int) -> dict[str, list[str]]:
    """The lines of each name, the first of which stands farther left than the rows of its table."""
    return {name: wrapped(name, width, BELOW) for name in names}


def _on_a_line(names: Iterable[str], width: int) -> dict[str, list[str]]:
    return {name: [shown] for name, shown in shortened(names, width).items()}


def _says(column: GroupColumn, number: int) -> bool:
    return plain(column.cells[number]) not in ("", "0")


def _broken(texts: Sequence[str], width: int) -> list[str]:
    """Texts beside each other, in lines of so many columns, broken between them or at commas, and within
    what is still too long at spaces."""
    lines = [""]
    for text in texts:
        for number, piece in enumerate(text.split(", ")):
            joined = f"{lines[-1]}{', ' if number else COLUMN_GAP}{piece}" if lines[-1] else piece
            if columns_of(joined) < width or not lines[-1]:
                lines[-1] = joined
                continue
            lines[-1] += "," if number else ""
            lines.append(piece)
    return [part for each in lines for part in _folded(each, width)]


def _folded(line: str, width: int) -> Iterator[str]:
    while columns_of(line) > width:
        place = line.rfind(" ", 1, len(head(line, width)) + 1)
        if place < 0:
            line = f"{head(line, width - 3)}..."
            break
        yield line[:place]
        line = line[place + 1 :]
    yield line


def _fitting(table: GroupedTable, width: int) -> tuple[list[GroupColumn], list[GroupColumn], list[str]]:
    """The columns that are shown, those that stand below, and the titles of those that are left out."""
    columns = {each.title: each for each in table.columns}
    whole = {title: each for title, each in columns.items() if each.shorter}
    columns |= {title: each._replace(cells=each.shorter) for title, each in whole.items()}
    beside = [title for title in columns if title in whole or title not in table.if_there_is_room]
    below: list[str] = []
    left_out: list[str] = []
    broken = 0  # columns that the last one lacks to be whole
    room = width - len(INDENT) + len(COLUMN_GAP)
    room -= sum(_width(columns[each]) + len(COLUMN_GAP) for each in beside)
    for title in filter(columns.__contains__, table.if_there_is_room):
        if title in whole:
            more = _width(whole[title]) - _width(columns[title])
            if more <= room:
                columns[title] = whole.pop(title)
                room -= more
            continue
        needed = _width(columns[title])
        if title == table.last == table.columns[-1].title:
            pieces = (f"{each}," for cell in columns[title].cells for each in plain(cell).split(", "))
            least = min(needed, max(map(columns_of, pieces)))
            broken, needed = needed - least, least
        if needed + len(COLUMN_GAP) <= room:
            beside.append(title)
            room -= needed + len(COLUMN_GAP)
        else:
            if title in table.stays:
                below.append(title)
            elif title not in table.unnamed:
                left_out.append(title)
    for title, each in whole.items():
        columns[title] = _as_long_as_fits(each, _width(columns[title]) + max(0, room - broken))
    return [columns[each] for each in columns if each in beside], [columns[each] for each in below], left_out


def _as_long_as_fits(column: GroupColumn, width: int) -> GroupColumn:
    """Each cell whole where it has room, else its shorter form."""
    cells = zip(column.cells, column.shorter, strict=True)
    return column._replace(cells=[one if columns_of(plain(one)) <= width else other for one, other in cells])


def _width(column: GroupColumn) -> int:
    return max(map(columns_of, (column.title, *map(plain, column.cells))))


def _padded(column: GroupColumn) -> list[str]:
    width = _width(column)
    texts = (column.title, *map(plain, column.cells))
    return [padded(each, width, is_number=column.is_number) for each in texts]


def _cut(cells: Sequence[str], width: int) -> str:
    text = (INDENT + COLUMN_GAP.join(cells)).rstrip()
    return text if columns_of(text) <= width else head(text, width - 3) + "..."


def _marked(line: str, texts: Sequence[str], cells: Sequence[document.Cell]) -> Line:
    """A line with the styles of its cells, each of which has its place in the line."""
    pieces, done, start = [], 0, len(INDENT)
    for text, cell in zip(texts, cells, strict=True):
        end = start + len(text)
        if isinstance(cell, Marked) and STYLES[cell.mark]:
            pieces += [(line[done:start], ""), (line[start:end], STYLES[cell.mark])]
            done = end
        start = end + len(COLUMN_GAP)
    return [*pieces, (line[done:], "")]
