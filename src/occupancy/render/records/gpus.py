"""The answer to ``occupancy gpus`` for a program, or for a document."""

from __future__ import annotations

from ...report.gpus import GpusReport
from . import to_csv, to_json, to_markdown


def json(report: GpusReport) -> str:
    """The answer as JSON."""
    return to_json(report.to_dict())


def csv(report: GpusReport) -> str:
    """A row for each product."""
    return to_csv(report.to_dict()["gpus"])


def markdown(report: GpusReport) -> str:
    """A row for each product."""
    rows = [(gpu.name, gpu.cc, str(gpu.multiprocessors), gpu.known_from, gpu.chip) for gpu in report.gpus]
    return to_markdown(("GPU", "CC", "SMs", "SMs known from", "Chip"), rows)
