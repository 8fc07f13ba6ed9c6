"""A document as Markdown, for a comment on a change or a wiki."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from ..errors import cut
from ..values.untrusted import html_text, markdown_cell, markdown_code, markdown_text
from .document import (
    Block,
    Bullets,
    Cell,
    Code,
    Comment,
    Document,
    Folded,
    GroupedTable,
    Heading,
    KeyValues,
    Line,
    Only,
    Paragraph,
    Table,
    Together,
    pieces,
    plain,
    said,
    without_needless,
)

MOST_OF_CODE = 200
"""Characters of a kernel's name in a comment; templates have names of thousands."""

MOST_OF_A_COMMENT = 60_000
"""Characters; GitHub takes comments of up to 65,536."""

_SIGNS = {"strong": "**", "good": "**", "fair": "**", "bad": "**"}


def markdown(document: Document) -> str:
    """The blocks, with an empty line between two."""
    return _blocks(without_needless(document, lambda table: (column.title for column in table.columns)))


def _blocks(blocks: Sequence[Block]) -> str:
    """Those of a document, or within a block; the tables that their lines are about may be elsewhere."""
    return "\n\n".join(part for block in blocks for part in _parts(block))


def _parts(block: Block) -> Iterator[str]:
    if isinstance(block, Only):
        if block.output == "markdown":
            yield from (part for each in block.blocks for part in _parts(each))
    elif isinstance(block, Together):
        yield from (part for each in block.blocks for part in _parts(each))
    elif isinstance(block, Comment):
        yield from _comment(block)
    elif isinstance(block, Folded):
        if text := _blocks(block.blocks):
            yield _folded(block.summary, text)
    elif text := _text(block):
        yield text


def _text(block: Block) -> str:
    if isinstance(block, Heading):
        return f"**{markdown_text(block.text.strip())}**"
    if isinstance(block, Paragraph):
        return _inline(block.line).strip()  # four blanks would make code of it
    if isinstance(block, Bullets):
        return "\n".join(f"- {markdown_text(said(item).strip())}" for item in block.items)
    if isinstance(block, KeyValues):
        lines = [(markdown_text(label.strip()), markdown_text(text.strip())) for label, text in block.lines]
        return "\n".join(f"- {label}: {text}" if label else f"  - {text}" for label, text in lines)
    if isinstance(block, Code):
        return markdown_code(block.text)
    if isinstance(block, (Table, GroupedTable)):
        return to_markdown(*_grid(block)) if block.rows else ""
    return ""  # a chart


def _grid(
    block: Table | GroupedTable, most_of_a_name: int | None = None
) -> tuple[Sequence[str], Sequence[Sequence[str]], Sequence[bool]]:
    """The header, the rows, and which columns are numbers."""
    if isinstance(block, Table):
        header = [column.title for column in block.columns]
        rows = [list(map(_cell, row)) for row in block.rows]
        for number in block.marked:
            rows[number][0] = f"**{markdown_text(plain(block.rows[number][0]).strip())}**"
        return header, rows, [column.is_number for column in block.columns]
    names = [
        [code(row.name, most_of_a_name), *map(_cell, line)]
        for row, line in zip(block.rows, block.cells(block.columns), strict=True)
    ]
    header = [block.title, *(column.title for column in block.columns)]
    return header, names, [False, *(column.is_number for column in block.columns)]


def _cell(cell: Cell) -> str:
    """Without a mark: they are for the eye that runs down a column of a screen."""
    return markdown_text(plain(cell))


def _folded(summary: str, text: str) -> str:
    return f"<details><summary>{html_text(summary)}</summary>\n\n{text}\n\n</details>"


def _comment(comment: Comment) -> Iterator[str]:
    """The blocks, short enough for a comment on a change: rows that do not fit are counted."""
    room = MOST_OF_A_COMMENT
    for block in comment.blocks:
        text = _within(block, room)
        room -= len(text)
        if text:
            yield text


def _within(block: Block, room: int) -> str:
    if isinstance(block, (Table, GroupedTable)):
        return _rows_within(*_grid(block, MOST_OF_CODE), room) if block.rows else ""
    if isinstance(block, Folded):
        text = "\n\n".join(filter(None, (_within(each, room) for each in block.blocks)))
        return _folded(block.summary, text) if text else ""
    return _blocks([block])


def _rows_within(
    header: Sequence[str], rows: Sequence[Sequence[str]], are_numbers: Sequence[bool], room: int
) -> str:
    lengths = accumulate(len(to_markdown(row, ())) for row in rows)
    fitting = [row for row, length in zip(rows, lengths, strict=True) if length <= room]
    texts = [to_markdown(header, fitting, are_numbers)] if fitting else []
    if len(fitting) < len(rows):
        more = f"{len(rows) - len(fitting):,} more"
        texts.append(f"{more if fitting else more.removesuffix(' more')} are too many for a comment.")
    return "\n\n".join(texts)


def _inline(line: Line) -> str:
    texts = []
    for text, mark in pieces(line):
        sign = _SIGNS.get(mark, "")
        texts.append(code(text) if mark == "code" else _between(sign, text))
    return "".join(texts)


def _between(sign: str, text: str) -> str:
    """Text between two signs, which mark nothing if they stand beside a blank."""
    marked = text.strip()
    if not (sign and marked):
        return markdown_text(text)
    before, _, after = text.partition(marked)
    return f"{before}{sign}{markdown_text(marked)}{sign}{after}"


def code(name: str, most: int | None = MOST_OF_CODE) -> str:
    """A kernel's name as code, in which Markdown and HTML leave ``<`` and ``*`` alone.

    Args:
        name: The name.
        most: How many characters of it there is room for; None: all.
    """
    return markdown_code(name if most is None else cut(name, most))


def to_markdown(
    header: Sequence[str], rows: Iterable[Sequence[str]], are_numbers: Sequence[bool] = ()
) -> str:
    """A Markdown table; numbers stand at the right, text at the left."""
    sides = [*are_numbers, *[False] * (len(header) - len(are_numbers))]
    lines = [_row(header), _row(["---:" if is_number else "---" for is_number in sides])]
    lines += [_row(row) for row in rows]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(markdown_cell, cells)) + " |"
