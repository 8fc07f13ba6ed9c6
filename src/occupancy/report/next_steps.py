"""What to change for a higher occupancy, by itself; `occupancy calc` shows it beside the answer."""

from __future__ import annotations

from collections.abc import Mapping

from ..advice.next_steps import NextStep
from ..engine import Answer, Model
from ..render import words
from ..render.document import Column, Document, Paragraph, Table
from ..values.dataclass import dataclass
from ..values.resources import Changeable, amount_of
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
        changes = changes_in_words(step.requires, self.inputs)
        return words.percent(step.occupancy), str(step.active_blocks), changes


def next_steps_report(given: Answer, steps: tuple[NextStep, ...]) -> NextStepsReport:
    """Everything that is shown of some next steps."""
    cc = str(given.limits.compute_capability)
    return NextStepsReport(given.model, cc, inputs_of(given.kernel), steps)


def changes_in_words(requires: Mapping[Changeable, int], inputs: Inputs) -> str:
    """``registers 72 -> 64 and shared memory 40 KiB -> 32.25 KiB``: what must change of a kernel."""
    changes = [_change(resource, amount, inputs) for resource, amount in requires.items()]
    if list(requires) == ["threads"] and inputs.shared_memory:  # some kernels need more for more threads
        changes[0] += f", still {words.size(inputs.shared_memory)} per block"
    return words.listing(changes)


def _change(resource: Changeable, amount: int, inputs: Inputs) -> str:
    now = amount_of(resource, inputs)
    if resource == "threads" and now == amount:
        return f"{amount} threads in another shape"
    return words.change(resource, now, amount)
