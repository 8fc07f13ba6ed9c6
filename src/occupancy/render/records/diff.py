"""The answer to ``occupancy diff`` for a program, or for a comment on a change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...builds.diff import DiffRow
from ...builds.measures import MEASURES, measures
from ...builds.scanner import ScanRow
from ...report.diff import DiffReport
from .. import diff_cells, scan_cells
from . import code, to_csv, to_json
from .page import MOST_IN_SIGHT, Page


def json(report: DiffReport) -> str:
    """The report as JSON."""
    return to_json(report.to_dict())


def csv(report: DiffReport) -> str:
    """A row for each kernel of either build."""
    return to_csv(
        [
            *(_csv_row(row.verdict, row.old, row.new) for row in report.kernels),
            *(_csv_row("added", None, row) for row in report.added),
            *(_csv_row("removed", row, None) for row in report.removed),
        ]
    )


def _csv_row(verdict: str, old: ScanRow | None, new: ScanRow | None) -> dict[str, Any]:
    known = new or old
    assert known is not None
    row: dict[str, Any] = {
        "verdict": verdict,
        "arch": known.arch,
        "demangled": known.demangled,
        "old_name": old and old.name,
        "new_name": new and new.name,
    }
    sides = {"old": old, "new": new}
    for measure in MEASURES:
        row |= {
            f"{side}_{measure}": each and getattr(measures(each), measure) for side, each in sides.items()
        }
    for name in ("threads", "active_blocks", "limiters", "source"):
        row |= {f"{side}_{name}": each and getattr(each, name) for side, each in sides.items()}
    return row


def markdown(report: DiffReport) -> str:
    """A summary, the worst changes, and the rest folded away; short enough for a comment."""
    changes = [row for row in report.kernels if row.verdict != "same"]
    same = [row for row in report.kernels if row.verdict == "same"]
    page = Page(f"**{diff_cells.summary(report)}**")
    page.add(*_changes(changes[:MOST_IN_SIGHT]))
    page.add(*_changes(changes[MOST_IN_SIGHT:]), "More changes")
    page.add(*_apart(report.added), "Added")
    page.add(*_apart(report.removed), "Removed")
    page.add(*_changes(same), "The same")
    return page.text(diff_cells.footnotes(report))


def _changes(rows: Sequence[DiffRow]) -> tuple[Sequence[str], list[list[str]]]:
    """A header and rows."""
    columns = diff_cells.columns_of(rows)
    cells = [[code(diff_cells.name(row)), *(each.cell(row) for each in columns)] for row in rows]
    return ["Kernel", *(each.title for each in columns)], cells


def _apart(rows: Sequence[ScanRow]) -> tuple[Sequence[str], list[list[str]]]:
    columns = diff_cells.columns_apart(rows)
    cells = [[code(scan_cells.short_name(row)), *(each.value(row) for each in columns)] for row in rows]
    return ["Kernel", *(each.title for each in columns)], cells
