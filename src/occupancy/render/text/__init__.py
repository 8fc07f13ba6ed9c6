"""A document as text for a terminal; the only home of rich."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...values.asking import Reader, worded
from ...values.untrusted import printable, printable_lines
from .. import document
from ..document import (
    Block,
    Bullets,
    Code,
    Comment,
    Document,
    Folded,
    GroupColumn,
    GroupedTable,
    GroupRow,
    Heading,
    KeyValues,
    Marked,
    Only,
    Paragraph,
    Table,
    Together,
    grouped_tables,
    pieces,
    said,
    without_needless,
)
from . import tables
from .lines import Cell, Part, in_columns, paragraph
from .screen import PLAIN_WIDTH as PLAIN_WIDTH
from .screen import STYLES, glued
from .screen import to_string as to_string

LABEL_GAP = 3
"""Columns between a label and its text."""


def to_text(
    document: Document,
    width: int = PLAIN_WIDTH,
    color: bool = False,
    full_names: bool = False,
    reader: Reader = "command",
) -> str:
    """The blocks one below the other, with an empty line between two.

    Args:
        document: What to show.
        width: Columns of the terminal.
        color: Whether to mark with ANSI colours what stands out.
        full_names: Whether names that are too long for a line go on in others, and are not shortened.
        reader: Who is told what to type for more.
    """
    layout = _Layout(width, full_names)
    needed = without_needless(document, lambda table: tables.titles_shown(table, width))
    shown = tuple(_made_printable(block, printable_lines, reader) for block in needed)
    if len(several := grouped_tables(shown)) > 1:
        layout.tells_each = len({tables.no_room_for(each, width) for each in several}) > 1
    parts = list(layout.apart(shown))
    for line in dict.fromkeys(layout.left_out):
        parts += layout.paragraph(Marked(line, "faint"))
    return to_string(parts, width, color)


def _made_printable(value: Any, printed: Callable[[str], str], reader: Reader) -> Any:
    """Text in a reader's words, with escapes for what a terminal would obey. Line breaks are ours, except in
    rows."""
    if isinstance(value, str):
        return printed(worded(value, reader))
    if not isinstance(value, (list, tuple)):
        return value
    if isinstance(value, (GroupRow, GroupColumn)):
        printed = printable
    items = [_made_printable(each, printed, reader) for each in value]
    return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)


class _Layout:
    """Blocks as lines, or as what rich breaks into lines; and what is said of what there was no room for."""

    def __init__(self, width: int, full_names: bool) -> None:
        self.width = width
        self.full_names = full_names
        self.left_out: list[str] = []
        self.tells_each = False
        """Whether each table says below it for which columns it had no room: others had room for them."""

    def apart(self, document: Document) -> Iterator[Part]:
        """The blocks with an empty line between two."""
        is_first = True
        for block in document:
            parts = list(self.block(block))
            if parts and not is_first:
                yield []
            yield from parts
            is_first = is_first and not parts

    def block(self, block: Block) -> Iterator[Part]:
        """What one block comes to; nothing where it has nothing to show."""
        if isinstance(block, Heading):
            yield from self.paragraph(Marked(block.text, "strong"))
        elif isinstance(block, Paragraph):
            if block.line:
                yield from self.paragraph(block.line, block.indent)
        elif isinstance(block, Bullets):
            for item in block.items:
                yield from self.paragraph(Marked(said(item), block.mark), block.indent)
        elif isinstance(block, KeyValues):
            yield from _key_values(block, self.width)
        elif isinstance(block, Code):
            yield from self.paragraph(Marked(block.text, "strong"))
        elif isinstance(block, Table):
            yield from tables.table(block, self.width)
        elif isinstance(block, GroupedTable):
            lines, about_names, about_columns = tables.grouped_table(block, self.width, self.full_names)
            yield from lines
            if self.tells_each and about_columns:
                yield from self.paragraph(Marked(about_columns, "faint"))
                about_columns = ""
            self.left_out += filter(None, (about_names, about_columns))
        elif isinstance(block, (Together, Comment)):
            for each in block.blocks:
                yield from self.block(each)
        elif isinstance(block, Only):
            if block.output == "text":
                yield from self.apart(block.blocks)
        elif isinstance(block, Folded):
            yield from self.paragraph(Marked(block.summary, "strong"))
            yield from self.apart(block.blocks)

    def paragraph(self, line: document.Line, indent: int = 0) -> Iterator[Part]:
        """A text, each of whose lines is broken where it has no room."""
        parts = [(text, STYLES[mark]) for text, mark in pieces(line)]
        lines = paragraph(parts, indent, self.width)
        if lines is not None:
            yield from lines
            return
        from rich.padding import Padding
        from rich.text import Text

        text = Text.assemble(*((glued(each), style) for each, style in parts))
        yield Padding(text, (0, 0, 0, indent)) if indent else text


def _key_values(block: KeyValues, width: int) -> Iterator[Part]:
    if not block.lines:
        return
    strong = STYLES["strong"]
    rows = [(Cell(label, ground=strong), Cell(text)) for label, text in block.lines]
    lines = in_columns(rows, LABEL_GAP, width, has_header=False)
    if lines is not None:
        yield from lines
        return
    from rich.table import Table as RichTable

    table = RichTable(box=None, pad_edge=False, padding=(0, LABEL_GAP, 0, 0), show_header=False)
    table.add_column(style=strong, no_wrap=True)
    table.add_column(overflow="fold")
    for label, text in block.lines:
        table.add_row(label, glued(text))
    yield table
