"""The answer to ``occupancy limits`` for a program, or for a document."""

from __future__ import annotations

from ...report.limits import LimitsReport, row_of
from .. import words
from . import to_csv, to_json, to_markdown


def json(report: LimitsReport) -> str:
    """Compute capability -> its limits."""
    return to_json(report.to_dict())


def csv(report: LimitsReport) -> str:
    """A row for each compute capability."""
    rows = [(str(row.compute_capability), row_of(row)) for row in report.rows]
    # A chip without a spreadsheet column has empty cells there, not a column of its own.
    return to_csv({"cc": cc, **row, "spreadsheet": row["spreadsheet"] or {}} for cc, row in rows)


def markdown(report: LimitsReport) -> str:
    """A row for each limit, a column for each compute capability."""
    columns = [row_of(row) for row in report.rows]
    header = ["Limit", *(str(row.compute_capability) for row in report.rows)]
    return to_markdown(
        header, [[name, *(words.limit(name, column[name]) for column in columns)] for name in columns[0]]
    )
