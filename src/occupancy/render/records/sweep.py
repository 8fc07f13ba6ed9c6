"""A sweep for a program, or for a document: a row for each combination."""

from __future__ import annotations

from ...report.sweep import SweepReport
from .. import answers, scale
from . import to_csv, to_json, to_json_lines, to_markdown


def json(report: SweepReport) -> str:
    """What was asked, and the rows."""
    return to_json(report.to_dict())


def jsonl(report: SweepReport) -> str:
    """An object for each combination."""
    return to_json_lines(report.rows())


def csv(report: SweepReport) -> str:
    """A row for each combination."""
    return to_csv(report.rows())


def markdown(report: SweepReport) -> str:
    """A row for each combination."""
    header = [scale.header(axis.variable) for axis in report.axes]
    rows = [
        (
            *(
                scale.label(axis.variable, value)
                for axis, value in zip(report.axes, cell.values, strict=True)
            ),
            *answers.cells(cell),
        )
        for cell in report.cells
    ]
    return to_markdown((*header, *answers.HEADER), rows)
