"""The answer to ``occupancy block-sizes`` for a program, or for a document."""

from __future__ import annotations

from dataclasses import asdict

from ...report.block_sizes import BlockSizesReport
from .. import grids
from . import grid_to_markdown, to_csv, to_json


def json(report: BlockSizesReport) -> str:
    """The answer as JSON."""
    return to_json(report.to_dict())


def csv(report: BlockSizesReport) -> str:
    """A row for each block size."""
    return to_csv({"cc": report.cc, **asdict(each)} for each in report.block_sizes)


def markdown(report: BlockSizesReport) -> str:
    """A row for each block size; the best are bold."""
    return grid_to_markdown(grids.block_sizes(report))
