"""The screen of ``occupancy block-sizes``."""

from __future__ import annotations

from rich.text import Text

from ...report.block_sizes import BlockSizesReport
from .. import grids
from . import PLAIN_WIDTH, to_string
from .grid import tables_of


def render(report: BlockSizesReport, width: int = PLAIN_WIDTH, color: bool = False) -> str:
    """A row for each block size, and why equals stand in this order."""
    tables = tables_of(grids.block_sizes(report), width)
    return to_string(
        *tables, Text(), Text(grids.block_sizes_note(report), style="dim"), width=width, color=color
    )
