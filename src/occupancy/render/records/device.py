"""The answer to ``occupancy device`` for a program, or for a document."""

from __future__ import annotations

from ...report.device import DeviceReport
from .. import words
from . import to_csv, to_json, to_markdown


def json(report: DeviceReport) -> str:
    """The answer as JSON."""
    return to_json(report.to_dict())


def csv(report: DeviceReport) -> str:
    """A row for each GPU."""
    return to_csv(report.to_dict()["devices"])


def markdown(report: DeviceReport) -> str:
    """For each GPU a sentence and a table of its limits."""
    parts = []
    for device in report.devices:
        parts.append(
            f"**GPU {device.index}: {device.name}**, compute capability {device.cc}; {words.driver(device)}"
        )
        rows = [
            (name, words.limit(name, limit.value), limit.source, words.limit(name, limit.in_table))
            for name, limit in device.limits.items()
        ]
        parts.append(to_markdown(("Limit", "Value", "From", "Table"), rows))
        parts += [f"- {note}" for note in device.notes]
    return "\n\n".join(parts)
