"""What to change for a higher occupancy, by itself; `occupancy calc` shows it beside the answer."""

from __future__ import annotations

from ..advice.next_steps import NextStep
from ..engine import Answer, Model
from ..render import words
from ..render.document import Column, Document, Paragraph, Table
from ..values.dataclass import dataclass
from ..values.resources import amount_of
from .base import Report
from .inputs import Inputs, inputs_of

COLUMNS = (Column("Occupancy"), Column("Blocks"), Column("What must change, all of it", is_number=False))


@dataclass(frozen=True, slots=True)
class NextStepsReport(Report):
    """The next steps of a kernel."""

    model: Model
    cc: str
    inputs: Inputs
    next_steps: tuple[NextStep, ...]

    def document(self) -> Document:
        """A row for each step."""
        if not self.next_steps:
            return (Paragraph("Nothing is known that would give a higher occupancy."),)
        return (Table(COLUMNS, [self._cells(step) for step in self.next_steps]),)

    def _cells(self, step: NextStep) -> tuple[str, str, str]:
        changes = [
            words.change(resource, amount_of(resource, self.inputs), amount)
            for resource, amount in step.requires.items()
        ]
        return words.percent(step.occupancy), str(step.active_blocks), words.listing(changes)


def next_steps_report(given: Answer, steps: tuple[NextStep, ...]) -> NextStepsReport:
    """Everything that is shown of some next steps."""
    cc = str(given.limits.compute_capability)
    return NextStepsReport(given.model, cc, inputs_of(given.kernel), steps)
