"""The screen of ``occupancy block-sizes``."""

from __future__ import annotations

from rich.text import Text

from ...report.block_sizes import BlockSizesReport
from .. import grids
from . import PLAIN_WIDTH, to_string
from .grid import table_of


def render(report: BlockSizesReport, width: int = PLAIN_WIDTH, color: bool = False) -> str:
    """A row for each block size, and why equals stand in this order."""
    table = table_of(grids.block_sizes(report))
    return to_string(table, Text(), Text(grids.TIES, style="dim"), width=width, color=color)
