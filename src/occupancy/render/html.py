"""A document as HTML, for a notebook."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..values.asking import worded
from ..values.listed import LEFT
from ..values.untrusted import html_text
from . import words
from .document import (
    Block,
    Bullets,
    Cell,
    Code,
    Column,
    Comment,
    Document,
    Folded,
    GroupColumn,
    GroupedTable,
    Heading,
    KeyValues,
    Line,
    Marked,
    Only,
    Paragraph,
    Table,
    Together,
    pieces,
    plain,
    said,
    without_needless,
)

LONG = 24
"""Characters of a cell above which its column is kept wide enough to be read, and breaks any word of it;
what is shorter, and a number with its unit, stays on a line."""

_LEAST_OF_NAMES, _LEAST_OF_MUCH = 14, 10
"""Widths of the letter m that such a column keeps: that of the kernels' names, and any other."""
_ROOM = 69
"""Widths of that letter that a table has beside a notebook's margins on a page of 1,100 pixels. What is wider
has a bar to scroll, and its last column lies behind it, which is the next step."""
_OF_A_CHARACTER, _BESIDE_A_CELL = 0.55, 1
"""Widths of that letter that a usual character takes, and the space on both sides of a cell."""

MOST_PLACES = 60
"""Rows, and columns, of a heat map."""

_LOWEST, _HIGHEST, _NONE = (237, 248, 233), (0, 90, 50), (248, 215, 218)
"""Red, green and blue of the cells of a heat map: next to no occupancy, all of it, and what does not fit."""
_LEAST_UNDER_WHITE = 0.75
"""Occupancy from which white can be read on that better than black."""

_TAGS = {
    "strong": "strong",
    "good": "strong",
    "fair": "strong",
    "bad": "strong",
    "wrong": "em",
    "code": "code",
}


def html(document: Document) -> str:
    """The blocks one below the other; what a terminal alone shows is among them."""
    return _blocks(without_needless(document, _titles_shown))


def _blocks(blocks: Sequence[Block]) -> str:
    """Those of a document, or within a block; the tables that their lines are about may be elsewhere."""
    return "".join(map(_block, blocks))


def _block(block: Block) -> str:
    if isinstance(block, Heading):
        return f"<p><strong>{html_text(block.text)}</strong></p>"
    if isinstance(block, Paragraph):
        line = _inline(block.line)
        return f"<p>{line}</p>" if line else ""
    if isinstance(block, Bullets):
        items = "".join(f"<li>{_inline(Marked(said(item), block.mark))}</li>" for item in block.items)
        return f"<ul>{items}</ul>" if items else ""
    if isinstance(block, KeyValues):
        return _table(("", ""), (False, False), [(key, worded(text, "python")) for key, text in block.lines])
    if isinstance(block, Code):
        return _drawn(worded(block.text, "python"))
    if isinstance(block, Table):
        return _table(*_heads(block.columns), block.rows, block.marked)
    if isinstance(block, GroupedTable):
        return _grouped_table(block)
    if isinstance(block, (Together, Comment)):
        return _blocks(block.blocks)
    if isinstance(block, Only):
        return _blocks(block.blocks) if block.output == "text" else ""
    if isinstance(block, Folded):
        return f"<details><summary>{html_text(block.summary)}</summary>{_blocks(block.blocks)}</details>"
    from .text import to_text

    return _drawn(to_text((block,)))


def _grouped_table(block: GroupedTable) -> str:
    """The names in a column of their own, beside the columns that the page has room for."""
    columns, left_out = _fitting(block)
    rows = [[row.name, *line] for row, line in zip(block.rows, block.cells(columns), strict=True)]
    titles, numbers = _heads(columns)
    named = [title for title in left_out if title not in block.unnamed]
    missing = words.no_room_for(named, worded(block.hint, "python"))
    table = _table([block.title, *titles], [False, *numbers], rows, least_of_first=_LEAST_OF_NAMES)
    return f"{table}<p>{html_text(missing)}</p>" if missing else table


def _fitting(block: GroupedTable) -> tuple[list[GroupColumn], list[str]]:
    """The columns that are shown, and the titles of those that are left out, the most useful first."""
    widths = {column.title: _width(column.title, column.cells, _LEAST_OF_MUCH) for column in block.columns}
    room = _ROOM - _width(block.title, [row.name for row in block.rows], _LEAST_OF_NAMES)
    room -= sum(widths.values())
    stays = {*block.stays, *(column.title for column in block.columns if column.shorter)}
    left_out: list[str] = []
    for title in reversed(block.if_there_is_room):
        if room < 0 and title in widths and title not in stays:
            left_out.append(title)
            room += widths[title]
    return [column for column in block.columns if column.title not in left_out], left_out[::-1]


def _titles_shown(block: GroupedTable) -> list[str]:
    return [column.title for column in _fitting(block)[0]]


def _width(title: str, cells: Sequence[Cell], least: int) -> float:
    """Widths of the letter m that a column takes at the least; its title may stand in several lines."""
    longest = max(map(len, map(plain, cells)), default=0)
    needed = max(longest, *map(len, title.split()))
    return _BESIDE_A_CELL + (least if longest > LONG else _OF_A_CHARACTER * needed)


def _inline(line: Line) -> str:
    texts = []
    for text, mark in pieces(line):
        inner = html_text(worded(text, "python")).replace("\n", "<br>")
        texts.append(f"<{_TAGS[mark]}>{inner}</{_TAGS[mark]}>" if mark in _TAGS else inner)
    return "".join(texts)


def _heads(columns: Sequence[Column | GroupColumn]) -> tuple[list[str], list[bool]]:
    return [column.title for column in columns], [column.is_number for column in columns]


def _drawn(text: str) -> str:
    """Text whose characters stand below each other, whatever the notebook's own style makes of it."""
    return f'<pre style="font-family: monospace; white-space: pre; line-height: 1.2">{html_text(text)}</pre>'


def _table(
    header: Sequence[str],
    numbers: Sequence[bool],
    rows: Sequence[Sequence[Cell]],
    marked: Collection[int] = (),
    least_of_first: int = _LEAST_OF_MUCH,
) -> str:
    if not rows:
        return ""
    longest = [max(len(plain(row[at])) for row in rows) for at in range(len(numbers))]
    sides = [_RIGHT if is_number else LEFT for is_number in numbers]
    leasts = [least_of_first, *[_LEAST_OF_MUCH] * (len(numbers) - 1)]
    styles = [
        _NUMBER if is_number else _LEFT_OF_MUCH.format(least) if most > LONG else _SHORT
        for is_number, most, least in zip(numbers, longest, leasts, strict=True)
    ]
    head = "".join(f"<th{side}>{html_text(title)}</th>" for title, side in zip(header, sides, strict=True))
    lines = []
    for number, row in enumerate(rows):
        cells = zip(row, styles, strict=True)
        line = "".join(f"<td{style}>{html_text(plain(cell))}</td>" for cell, style in cells)
        lines.append(f"<tr{_BOLD if number in marked else ''}>{line}</tr>")
    shown = f"<thead><tr>{head}</tr></thead>" if any(header) else ""
    return f"<table>{shown}<tbody>{''.join(lines)}</tbody></table>"


# On each cell, because a notebook's own style says otherwise of each.
_RIGHT = ' style="text-align:right"'
_NUMBER = ' style="text-align:right;white-space:nowrap"'
_SHORT = ' style="text-align:left;white-space:nowrap"'
_LEFT_OF_MUCH = ' style="text-align:left;min-width:{}em;overflow-wrap:anywhere"'
_BOLD = ' style="font-weight:bold"'
