"""The screen of ``occupancy scan``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.text import Text

from ...report.scan import ScanReport, ScanRow
from .. import scan_cells
from ..scan_cells import Column
from . import PLAIN_WIDTH, grade, to_string

INDENT = GAP = "  "

IF_THERE_IS_ROOM = (
    "File", "Waves", "Next step", "Reported", "Static", "Dynamic", "Shared", "Spills", "Stack", "Time",
    "Launches", "Bar", "Bound",
)  # fmt: skip
"""The columns that a narrow terminal need not show, the most useful first."""

LAST, LEAST_LAST_WIDTH = "Next step", 20
"""The last column, and what it needs at least; it may be cut where the line ends."""


class _Column(NamedTuple):
    column: Column
    cells: list[str]

    @property
    def width(self) -> int:
        return max(map(len, (self.column.title, *self.cells)))

    def padded(self, cell: str) -> str:
        return cell.rjust(self.width) if self.column.is_number else cell.ljust(self.width)


def render(report: ScanReport, width: int = PLAIN_WIDTH, color: bool = False) -> str:
    """Under each kernel's name a row for each architecture or launch; then what the numbers rest on."""
    lines, footnotes = [], list(scan_cells.footnotes(report))
    if report.kernels:
        columns, left_out = _layout(report.kernels, width)
        lines = [*_table(report.kernels, columns, width), Text()]
        if left_out:
            footnotes.append(
                f"No room for: {', '.join(left_out)}. A wider terminal or --format csv has them."
            )
    lines.append(Text(scan_cells.summary(report)))
    lines += [Text(line, style="dim") for line in footnotes]
    return to_string(*lines, width=width, color=color)


def _layout(rows: Sequence[ScanRow], width: int) -> tuple[list[_Column], list[str]]:
    """The columns that there is room for, and the titles of those that there is none for."""
    columns = [_Column(column, [column.cell(row) for row in rows]) for column in scan_cells.columns(rows)]
    widths = {each.column.title: each.width for each in columns}
    chosen = [title for title in widths if title not in IF_THERE_IS_ROOM]
    left_out = []
    for title in filter(widths.__contains__, IF_THERE_IS_ROOM):
        room = width - len(INDENT) - sum(widths[each] + len(GAP) for each in chosen)
        if title == LAST:
            widths[title] = min(widths[title], max(room, LEAST_LAST_WIDTH))
        if widths[title] <= room:
            chosen.append(title)
        else:
            left_out.append(title)
    return [each for each in columns if each.column.title in chosen], left_out


def _table(rows: Sequence[ScanRow], columns: list[_Column], width: int) -> Iterator[Text]:
    # Lines that are too long are cut and not wrapped: a table that wraps can no longer be read.
    head = GAP.join(each.padded(each.column.title) for each in columns)
    yield _line(INDENT + head, width, "bold")
    last_name = None
    for index, row in enumerate(rows):
        if row.name != last_name:
            last_name = row.name
            yield _line(scan_cells.short_name(row), width)
        line = GAP.join(each.padded(each.cells[index]) for each in columns)
        yield _line(INDENT + line, width, "" if row.occupancy is None else grade(row.occupancy))


def _line(text: str, width: int, style: str = "") -> Text:
    text = text.rstrip()
    if len(text) > width:
        text = text[: width - 3] + "..."
    return Text(text, style=style, no_wrap=True)
