"""The screen of ``occupancy scan``."""

from __future__ import annotations

from rich.text import Text

from ...report.scan import ScanReport
from .. import scan_cells
from . import PLAIN_WIDTH, grade, kernel_table, to_string
from .kernel_table import Cells, Row

IF_THERE_IS_ROOM = (
    "File", "Waves", "Next step", "Reported", "Static", "Dynamic", "Shared", "Spills", "Stack", "Time",
    "Launches", "Bar", "Bound",
)  # fmt: skip
"""The columns that a narrow terminal need not show, the most useful first."""

LAST = "Next step"


def render(report: ScanReport, width: int = PLAIN_WIDTH, color: bool = False) -> str:
    """Under each kernel's name a row for each architecture or launch; then what the numbers rest on."""
    lines, footnotes = [], list(scan_cells.footnotes(report))
    if report.kernels:
        columns, left_out = kernel_table.fitting(_columns(report), IF_THERE_IS_ROOM, width, LAST)
        lines = [*kernel_table.lines(_rows(report), columns, width), Text()]
        if left_out:
            footnotes.append(kernel_table.no_room_for(left_out))
    lines.append(Text(scan_cells.summary(report)))
    lines += [Text(line, style="dim") for line in footnotes]
    return to_string(*lines, width=width, color=color)


def _columns(report: ScanReport) -> list[Cells]:
    return [
        Cells(column.title, [column.cell(row) for row in report.kernels], column.is_number)
        for column in scan_cells.columns(report.kernels)
    ]


def _rows(report: ScanReport) -> list[Row]:
    return [
        Row(row.name, scan_cells.short_name(row), "" if row.occupancy is None else grade(row.occupancy))
        for row in report.kernels
    ]
