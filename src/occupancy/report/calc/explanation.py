"""The steps of an answer by themselves, without the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from ...engine import Answer, Model
from ...values.dataclass import dataclass
from ..base import Document, Report
from ..inputs import Inputs, inputs_of
from .report import Explanation


@dataclass(frozen=True, slots=True)
class ExplanationReport(Report):
    """The arithmetic of an answer, by itself; `occupancy calc --explain` shows it below the answer."""

    model: Model
    cc: str
    inputs: Inputs
    explanation: tuple[Explanation, ...]

    def _each_row(self) -> Iterable[Mapping[str, Any]]:
        """A row for each resource."""
        return map(asdict, self.explanation)

    def document(self) -> Document:
        """The steps of each resource below its name."""
        from .document import steps_of

        return steps_of(self.explanation)


def explanation_report(given: Answer, steps: tuple[Explanation, ...]) -> ExplanationReport:
    """Everything that is shown of some steps."""
    cc = str(given.limits.compute_capability)
    return ExplanationReport(given.model, cc, inputs_of(given.kernel), steps)
