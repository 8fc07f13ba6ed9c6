"""A document as text for a terminal; the only home of rich."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.table import Table as RichTable
from rich.text import Text

from .. import document as blocks
from ..document import (
    Block,
    Bullets,
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
    Together,
    pieces,
)
from . import tables
from .screen import PLAIN_WIDTH as PLAIN_WIDTH
from .screen import STYLES
from .screen import to_string as to_string

LABEL_GAP = 3
"""Columns between a label and its text."""


def to_text(document: Document, width: int = PLAIN_WIDTH, color: bool = False) -> str:
    """The blocks one below the other, with an empty line between two.

    Args:
        document: What to show.
        width: Columns of the terminal.
        color: Whether to mark with ANSI colours what stands out.
    """
    layout = _Layout(width)
    parts = list(layout.apart(document))
    if layout.left_out:
        parts.append(Text(tables.no_room_for(layout.left_out), style=STYLES["faint"]))
    return to_string(*parts, width=width, color=color)


class _Layout:
    """Blocks as what rich prints, and what there was no room for."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.left_out: list[str] = []

    def apart(self, document: Document) -> Iterator[RenderableType]:
        """The blocks with an empty line between two."""
        is_first = True
        for block in document:
            parts = list(self.block(block))
            if parts and not is_first:
                yield Text()
            yield from parts
            is_first = is_first and not parts

    def block(self, block: Block) -> Iterator[RenderableType]:
        """What one block comes to; nothing where it has nothing to show."""
        if isinstance(block, Heading):
            yield Text(block.text, style=STYLES["strong"])
        elif isinstance(block, Paragraph):
            yield _indented(_inline(block.line), block.indent)
        elif isinstance(block, Bullets):
            for item in block.items:
                yield _indented(_inline(Marked(item, block.mark)), block.indent)
        elif isinstance(block, KeyValues):
            yield from _key_values(block)
        elif isinstance(block, Code):
            yield Text(block.text, style=STYLES["strong"])
        elif isinstance(block, blocks.Table):
            yield from tables.table(block, self.width)
        elif isinstance(block, GroupedTable):
            lines, left_out = tables.grouped_table(block, self.width)
            self.left_out += left_out
            yield from lines
        elif isinstance(block, (Together, Comment)):
            for each in block.blocks:
                yield from self.block(each)
        elif isinstance(block, Only):
            if block.output == "text":
                yield from self.apart(block.blocks)
        elif isinstance(block, Folded):
            yield Text(block.summary, style=STYLES["strong"])
            yield from self.apart(block.blocks)
        else:
            from .charts import chart

            yield from chart(block, self.width)


def _inline(line: Line) -> Text:
    if isinstance(line, Marked):
        return Text(line.text, style=STYLES[line.mark])
    return Text.assemble(*((text, STYLES[mark]) for text, mark in pieces(line)))


def _indented(text: Text, indent: int) -> RenderableType:
    return Padding(text, (0, 0, 0, indent)) if indent else text


def _key_values(block: KeyValues) -> Iterator[RichTable]:
    table = RichTable(box=None, pad_edge=False, padding=(0, LABEL_GAP, 0, 0), show_header=False)
    table.add_column(style=STYLES["strong"], no_wrap=True)
    table.add_column(overflow="fold")
    for label, text in block.lines:
        table.add_row(label, text)
    if block.lines:
        yield table


# The helpers of the screens that still lay themselves out.

GAP = 2
"""Columns between two columns of a table."""


def plain_table(gap: int = GAP) -> Table:
    """A table without lines, as in all our screens."""
    return Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="bold")


class Column(NamedTuple):
    """A column of a table that may be too wide for the terminal."""

    title: str
    cells: Sequence[str]
    need: int
    """Width in which it can be read."""

    @classmethod
    def of_width(cls, title: str, cells: Sequence[str]) -> Column:
        """A column whose cells must not be broken."""
        lines = [*title.split("\n"), *cells]
        return cls(title, cells, max(map(len, lines)))


def side_by_side(
    first: Column, columns: Sequence[Column], width: int, styles: Sequence[str] = ()
) -> list[Table]:
    """The columns in as many tables as the width asks for, each of which begins with the first column."""
    groups = grouped(first.need, [column.need for column in columns], width)
    return [_table(first, [columns[index] for index in group], width, styles) for group in groups]


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


def _table(first: Column, columns: Sequence[Column], width: int, styles: Sequence[str]) -> Table:
    table = plain_table()
    has_room = first.need + GAP + columns[0].need <= width
    table.add_column(first.title, overflow="fold", no_wrap=has_room)
    for column in columns:
        most = max(1, (width - GAP) // 2)
        table.add_column(column.title, justify="right", overflow="fold", min_width=min(column.need, most))
    for index, name in enumerate(first.cells):
        cells = [column.cells[index] for column in columns]
        table.add_row(name, *cells, style=styles[index] if styles else "")
    return table


def stacked(parts: Iterable[RenderableType]) -> list[RenderableType]:
    """The parts one below the other, with an empty line between."""
    lines: list[RenderableType] = []
    for part in parts:
        lines += [Text(), part] if lines else [part]
    return lines


def grade(occupancy: float) -> str:
    """The style of an occupancy."""
    if occupancy == 0:
        return "bold red"
    return "bold green" if occupancy >= 0.5 else "bold yellow"
