"""The answer to ``occupancy budget``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ..advice.budget import Budget, BudgetLevel
from ..engine import Answer, Model
from ..render import words
from ..render.document import Column, Document, Marked, Only, Paragraph, Table
from .base import Report
from .inputs import Inputs, inputs_of

COLUMNS = (
    Column("Occupancy"),
    Column("Blocks"),
    Column("Registers up to"),
    Column("Shared memory up to"),
    Column("Opt-in", is_number=False),
)


@dataclass(frozen=True, slots=True)
class BudgetReport(Report):
    """The whole answer to ``occupancy budget``."""

    model: Model
    cc: str
    inputs: Inputs
    wanted: BudgetLevel
    """The level that reaches what was asked for."""
    levels: tuple[BudgetLevel, ...]
    """Every level of the block size, from the most blocks down."""

    def rows(self) -> Iterable[Mapping[str, Any]]:
        """A row for each level."""
        return ({"cc": self.cc, **asdict(each), "wanted": each == self.wanted} for each in self.levels)

    def document(self) -> Document:
        """What was asked for first, then every level."""
        wanted = self.wanted
        most = (
            f"{wanted.registers} registers per thread and {words.size(wanted.shared_memory)} of shared memory"
        )
        headline = (
            Marked(f"{words.percent(wanted.occupancy)} occupancy", "strong"),
            f" on compute capability {self.cc}, {words.count(wanted.active_blocks, 'block')} of "
            f"{words.count(self.inputs.threads, 'thread')}:\nup to ",
            Marked(most, "strong"),
            " per block",
        )
        rows = [
            (
                words.percent(level.occupancy),
                str(level.active_blocks),
                str(level.registers),
                words.size(level.shared_memory),
                "needed" if level.needs_opt_in else "",
            )
            for level in self.levels
        ]
        table = Table(COLUMNS, rows, {self.levels.index(wanted)})
        return Only("text", [Paragraph(headline)]), table


def budget_report(given: Answer, answer: Budget) -> BudgetReport:
    """Everything that is shown of a budget.

    Args:
        given: The answer for the kernel as it was given.
        answer: What it may use.
    """
    return BudgetReport(
        model=given.model,
        cc=str(given.limits.compute_capability),
        inputs=inputs_of(given.kernel),
        wanted=answer.wanted,
        levels=answer.levels,
    )
