"""The answer to ``occupancy budget`` for a program, or for a document."""

from __future__ import annotations

from dataclasses import asdict

from ...report.budget import BudgetReport
from .. import grids
from . import grid_to_markdown, to_csv, to_json


def json(report: BudgetReport) -> str:
    """The answer as JSON."""
    return to_json(report.to_dict())


def csv(report: BudgetReport) -> str:
    """A row for each level."""
    levels = report.levels
    return to_csv({"cc": report.cc, **asdict(each), "wanted": each == report.wanted} for each in levels)


def markdown(report: BudgetReport) -> str:
    """A row for each level; the one that was asked for is bold."""
    return grid_to_markdown(grids.budget(report))
