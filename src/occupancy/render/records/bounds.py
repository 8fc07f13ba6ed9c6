"""The answer to ``occupancy bounds`` for a program, or for a document."""

from __future__ import annotations

from dataclasses import asdict

from ...report.bounds import BoundsReport
from .. import grids
from . import grid_to_markdown, to_csv, to_json


def json(report: BoundsReport) -> str:
    """The answer as JSON."""
    return to_json(report.to_dict())


def csv(report: BoundsReport) -> str:
    """A row for each chip."""
    return to_csv(asdict(chip) for chip in report.chips)


def markdown(report: BoundsReport) -> str:
    """The line to paste, a row for each chip, and what to beware of."""
    notes = "\n".join(f"- {note}" for note in grids.bounds_notes(report))
    return "\n\n".join((f"`{report.launch_bounds}`", grid_to_markdown(grids.bounds(report)), notes))
