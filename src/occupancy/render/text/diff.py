"""The screen of ``occupancy diff``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from ...builds.diff import DiffRow
from ...builds.scanner import ScanRow
from ...report.diff import DiffReport
from .. import diff_cells, scan_cells
from . import PLAIN_WIDTH, kernel_table, to_string
from .kernel_table import Cells, Row

IF_THERE_IS_ROOM = ("Spills", "Stack", "Regs", "Shared", "Limited by", "Threads", "Bar")
"""The columns that a narrow terminal need not show, the most useful first."""

STYLES = {"worse": "bold red", "mixed": "bold yellow", "other": "", "better": "bold green", "same": "dim"}


def render(report: DiffReport, width: int = PLAIN_WIDTH, color: bool = False) -> str:
    """The changes, the worst first; then what is in one build only; then how many there are of each."""
    changes, left_out = _changes(report.kernels, width)
    parts = [*changes, *_apart("Added", report.added, width), *_apart("Removed", report.removed, width)]
    parts.append(Text(diff_cells.summary(report)))
    footnotes = [*diff_cells.footnotes(report), *([kernel_table.no_room_for(left_out)] if left_out else [])]
    parts += [Text(line, style="dim") for line in footnotes]
    return to_string(*parts, width=width, color=color)


def _changes(rows: Sequence[DiffRow], width: int) -> tuple[list[Text], list[str]]:
    """The table, and the titles of the columns that there is no room for."""
    if not rows:
        return [], []
    columns = [Cells(c.title, [c.cell(row) for row in rows], False) for c in diff_cells.columns_of(rows)]
    shown, left_out = kernel_table.fitting(columns, IF_THERE_IS_ROOM, width)
    named = [Row(f"{row.old.name} {row.new.name}", diff_cells.name(row), STYLES[row.verdict]) for row in rows]
    return [*kernel_table.lines(named, shown, width), Text()], left_out


def _apart(title: str, rows: Sequence[ScanRow], width: int) -> Iterator[Text]:
    if not rows:
        return
    columns = [Cells(c.title, [c.value(row) for row in rows], False) for c in diff_cells.columns_apart(rows)]
    shown, _ = kernel_table.fitting(columns, IF_THERE_IS_ROOM, width)
    yield kernel_table.line(title, width, "bold")
    yield from kernel_table.lines([Row(row.name, scan_cells.short_name(row)) for row in rows], shown, width)
    yield Text()
