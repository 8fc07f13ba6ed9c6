"""A table on the screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from rich.console import RenderableType
from rich.table import Table

from ..grids import Grid
from . import grouped, plain_table, stacked

READABLE = 18
"""Columns in which sentences of the last column can be read."""


def tables_of(grid: Grid, width: int) -> list[RenderableType]:
    """The rows in as many tables as the width asks for, each of which begins with the first column.

    Only the last column may be broken into lines.
    """
    longest = [max(map(len, column)) for column in zip(grid.header, *grid.rows, strict=True)]
    first, *needs = longest
    needs[-1] = min(needs[-1], max(READABLE, len(grid.header[-1])))
    groups = grouped(first, needs, width)
    return stacked(_table(grid, [0, *(index + 1 for index in group)]) for group in groups)


def _table(grid: Grid, columns: Sequence[int]) -> Table:
    table = plain_table()
    last = len(grid.header) - 1
    for index in columns:
        justify: Literal["left", "right"] = "left" if index in grid.of_words else "right"
        table.add_column(grid.header[index], justify=justify, no_wrap=index < last, overflow="fold")
    for number, row in enumerate(grid.rows):
        table.add_row(*(row[index] for index in columns), style="bold" if number in grid.marked else "")
    return table
