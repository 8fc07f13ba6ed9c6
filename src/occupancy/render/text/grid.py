"""A table on the screen."""

from __future__ import annotations

from rich.table import Table

from ..grids import Grid


def table_of(grid: Grid) -> Table:
    """The rows without lines around them; those that stand out are bold."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    last = len(grid.header) - 1
    for index, title in enumerate(grid.header):
        is_of_words = index in grid.of_words
        # Only the last column may be broken into lines.
        table.add_column(title, justify="left" if is_of_words else "right", no_wrap=index < last)
    for index, row in enumerate(grid.rows):
        table.add_row(*row, style="bold" if index in grid.marked else "")
    return table
