"""Text for a terminal; the only home of rich."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rich.color import ColorSystem
from rich.console import Console, RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

PLAIN_WIDTH = 80

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


def to_string(*parts: RenderableType, width: int = PLAIN_WIDTH, color: bool = False) -> str:
    """Lay out the parts one below the other, with ANSI colour or without."""
    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        highlight=False,
        emoji=False,
        legacy_windows=False,
    )
    for part in parts:
        if isinstance(part, Text) and part.no_wrap and not part.spans:
            console.file.write(_line(part, color))
        else:
            console.print(part, markup=False)
    text = console.file
    assert isinstance(text, io.StringIO)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines())


def _line(text: Text, color: bool) -> str:
    """A line that is laid out already; rich takes a millisecond for each, and there may be thousands."""
    plain = text.plain
    if color and text.style:
        style = Style.parse(text.style) if isinstance(text.style, str) else text.style
        plain = style.render(plain, color_system=ColorSystem.STANDARD)
    return f"{plain}\n"


def grade(occupancy: float) -> str:
    """The style of an occupancy."""
    if occupancy == 0:
        return "bold red"
    return "bold green" if occupancy >= 0.5 else "bold yellow"
