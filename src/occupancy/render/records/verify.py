"""The answer to ``occupancy verify`` for a program, or for a document."""

from __future__ import annotations

from dataclasses import asdict

from ...report.verify import VerifyReport
from .. import words
from . import to_csv, to_json, to_markdown


def json(report: VerifyReport) -> str:
    """The answer as JSON."""
    return to_json(report.to_dict())


def csv(report: VerifyReport) -> str:
    """A row for each kind of question."""
    counts = [{**asdict(check), "differences": None} for check in report.checks]
    return to_csv(
        {"gpu": report.device.name, "driver": report.device.driver_version, "date": report.date, **row}
        for row in counts
    )


def markdown(report: VerifyReport) -> str:
    """Who was asked, a table of the counts, and the verdict."""
    device = report.device
    head = (
        f"**{device.name}**, compute capability {device.cc}; {words.driver(device)}. {words.versions(report)}"
    )
    rows = [
        (
            f"{check.name} (`{check.call}`)",
            *(f"{each:,}" for each in (check.compared, check.different, check.documented)),
        )
        for check in report.checks
    ]
    rows.append(("all", f"{report.compared:,}", f"{report.different:,}", f"{report.documented:,}"))
    table = to_markdown(("Question", "Compared", "Different", "Known bug"), rows)
    return "\n\n".join((head, table, words.verdict(report)))
