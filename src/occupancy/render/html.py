"""A document as HTML, for a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..values.untrusted import html_text
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
    Marked,
    Only,
    Paragraph,
    Table,
    Together,
    pieces,
    plain,
)

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
    return "".join(map(_block, document))


def _block(block: Block) -> str:
    if isinstance(block, Heading):
        return f"<p><strong>{html_text(block.text)}</strong></p>"
    if isinstance(block, Paragraph):
        return f"<p>{_inline(block.line)}</p>"
    if isinstance(block, Bullets):
        items = "".join(f"<li>{_inline(Marked(item, block.mark))}</li>" for item in block.items)
        return f"<ul>{items}</ul>" if items else ""
    if isinstance(block, KeyValues):
        return _table((), block.lines) if block.lines else ""
    if isinstance(block, Code):
        return f"<pre>{html_text(block.text)}</pre>"
    if isinstance(block, Table):
        return _table([column.title for column in block.columns], block.rows, block.marked)
    if isinstance(block, GroupedTable):
        cells = zip(*(column.cells for column in block.columns), strict=True)
        rows = [[row.name, *line] for row, line in zip(block.rows, cells, strict=True)]
        return _table([block.title, *(column.title for column in block.columns)], rows)
    if isinstance(block, (Together, Comment)):
        return html(block.blocks)
    if isinstance(block, Only):
        return html(block.blocks) if block.output == "text" else ""
    if isinstance(block, Folded):
        return f"<details><summary>{html_text(block.summary)}</summary>{html(block.blocks)}</details>"
    from .text import to_text

    return f"<pre>{html_text(to_text((block,)))}</pre>"


def _inline(line: Line) -> str:
    texts = []
    for text, mark in pieces(line):
        inner = html_text(text).replace("\n", "<br>")
        texts.append(f"<{_TAGS[mark]}>{inner}</{_TAGS[mark]}>" if mark in _TAGS else inner)
    return "".join(texts)


def _table(header: Sequence[str], rows: Sequence[Sequence[Cell]], marked: Iterable[int] = ()) -> str:
    bold = frozenset(marked)
    head = "".join(f"<th>{html_text(title)}</th>" for title in header)
    body = "".join(
        f"<tr{_BOLD if number in bold else ''}>{''.join(map(_cell, row))}</tr>"
        for number, row in enumerate(rows)
    )
    return f"<table>{f'<thead><tr>{head}</tr></thead>' if header else ''}<tbody>{body}</tbody></table>"


def _cell(cell: Cell) -> str:
    return f"<td>{html_text(plain(cell))}</td>"


_BOLD = ' style="font-weight:bold"'
