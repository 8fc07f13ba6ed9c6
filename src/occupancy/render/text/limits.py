"""The screen of ``occupancy limits``."""

from __future__ import annotations

from rich.table import Table

from ...report.limits import LimitsReport, row_of
from .. import words
from . import PLAIN_WIDTH, to_string

OVERVIEW = {
    "max_threads_per_multiprocessor": "Threads\nper SM",
    "max_warps_per_multiprocessor": "Warps\nper SM",
    "max_blocks_per_multiprocessor": "Blocks\nper SM",
    "max_registers_per_multiprocessor": "Registers\nper SM",
    "max_registers_per_block": "Registers\nper block",
    "max_shared_memory_per_multiprocessor": "Shared\nper SM",
    "max_shared_memory_per_block_optin": "Shared\nper block",
}


def render(report: LimitsReport, width: int = PLAIN_WIDTH, color: bool = False) -> str:
    """An overview of a whole table, or every limit of some rows side by side."""
    table = _overview(report) if report.is_whole_table else _side_by_side(report)
    return to_string(table, width=width, color=color)


def _overview(report: LimitsReport) -> Table:
    table = plain_table()
    table.add_column("\nCC", no_wrap=True)
    for title in OVERVIEW.values():
        table.add_column(title, justify="right")
    for row in report.rows:
        values = row_of(row)
        table.add_row(str(row.compute_capability), *(words.limit(name, values[name]) for name in OVERVIEW))
    return table


def _side_by_side(report: LimitsReport) -> Table:
    table = plain_table()
    table.add_column("Limit", no_wrap=True)
    for row in report.rows:
        table.add_column(str(row.compute_capability), justify="right")
    columns = [row_of(row) for row in report.rows]
    for name in columns[0]:
        cells = [words.limit(name, column[name]) for column in columns]
        table.add_row(name, *cells, style="" if len(set(cells)) == 1 else "bold")
    return table


def plain_table() -> Table:
    """A table without lines, as in all our screens."""
    return Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
