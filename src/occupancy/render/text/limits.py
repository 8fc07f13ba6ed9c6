"""The screen of ``occupancy limits``."""

from __future__ import annotations

from rich.table import Table

from ...report.limits import LimitsReport, row_of
from .. import words
from . import PLAIN_WIDTH, Column, side_by_side, stacked, to_string

OVERVIEW = {
    "max_threads_per_multiprocessor": "Threads\nper SM",
    "max_warps_per_multiprocessor": "Warps\nper SM",
    "max_blocks_per_multiprocessor": "Blocks\nper SM",
    "max_registers_per_multiprocessor": "Registers\nper SM",
    "max_registers_per_block": "Registers\nper block",
    "max_shared_memory_per_multiprocessor": "Shared\nper SM",
    "max_shared_memory_per_block_optin": "Shared\nper block",
}


READABLE = 11
"""Columns for a value of one row: of its longest ones, such as 1024 x 1024 x 64, each line has room."""


def render(report: LimitsReport, width: int = PLAIN_WIDTH, color: bool = False) -> str:
    """An overview of a whole table, or every limit of some rows side by side."""
    tables = _overview(report, width) if report.is_whole_table else _side_by_side(report, width)
    return to_string(*stacked(tables), width=width, color=color)


def _overview(report: LimitsReport, width: int) -> list[Table]:
    rows = [row_of(row) for row in report.rows]
    names = [str(row.compute_capability) for row in report.rows]
    columns = [
        Column.of_width(title, [words.limit(name, row[name]) for row in rows])
        for name, title in OVERVIEW.items()
    ]
    return side_by_side(Column.of_width("\nCC", names), columns, width)


def _side_by_side(report: LimitsReport, width: int) -> list[Table]:
    rows = [row_of(row) for row in report.rows]
    values = {name: [words.limit(name, row[name]) for row in rows] for name in rows[0]}
    columns = [
        Column(str(row.compute_capability), [cells[index] for cells in values.values()], READABLE)
        for index, row in enumerate(report.rows)
    ]
    styles = ["" if len(set(cells)) == 1 else "bold" for cells in values.values()]
    return side_by_side(Column.of_width("Limit", list(values)), columns, width, styles)
