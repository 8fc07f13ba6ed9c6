"""The three curves of a kernel for a program, or for a document: a row for each step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from ...report.curves import Curve, CurvesReport, Step
from .. import answers, scale
from . import to_csv, to_json, to_json_lines, to_markdown


def json(report: CurvesReport) -> str:
    """The kernel and its curves."""
    return to_json(report.to_dict())


def jsonl(report: CurvesReport) -> str:
    """An object for each step."""
    return to_json_lines(_rows(report))


def csv(report: CurvesReport) -> str:
    """A row for each step."""
    return to_csv(_rows(report))


def markdown(report: CurvesReport) -> str:
    """A table for each curve; the kernel's own step is bold."""
    return "\n\n".join(
        to_markdown(
            (scale.header(curve.variable), *answers.HEADER),
            [(_range(curve, step), *answers.cells(step)) for step in curve.steps],
        )
        for curve in report.curves
    )


def _range(curve: Curve, step: Step) -> str:
    first, last = (scale.label(curve.variable, value) for value in (step.first, step.last))
    text = first if first == last else f"{first} to {last}"
    return f"**{text}**" if curve.now is not None and step.first <= curve.now <= step.last else text


def _rows(report: CurvesReport) -> Iterator[dict[str, Any]]:
    for curve in report.curves:
        for step in curve.steps:
            yield {"cc": report.cc, "model": report.model, "variable": curve.variable, **asdict(step)}
