"""The answer to ``occupancy fits`` for a program, or for a document."""

from __future__ import annotations

from dataclasses import asdict

from ...report.fits import FitsReport
from .. import grids
from . import grid_to_markdown, to_csv, to_json


def json(report: FitsReport) -> str:
    """The answer as JSON."""
    return to_json(report.to_dict())


def csv(report: FitsReport) -> str:
    """A row for each chip."""
    return to_csv(asdict(chip) for chip in report.chips)


def markdown(report: FitsReport) -> str:
    """A row for each chip; those on which the kernel does not launch are bold."""
    return grid_to_markdown(grids.fits(report))
