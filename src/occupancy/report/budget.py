"""The answer to ``occupancy budget``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ..advice.budget import Budget, BudgetLevel
from ..advice.launch_bounds import RegisterCap, register_cap_on_all
from ..advice.opt_in import MORE_SHARED_MEMORY, opt_in_call
from ..engine import Answer, Model
from ..render import words
from ..render.document import (
    Block,
    Column,
    Document,
    Line,
    Marked,
    Only,
    Paragraph,
    Table,
    Together,
    graded,
)
from ..tables.gpus import Gpu
from ..values.asking import Asking
from ..values.dataclass import dataclass
from .base import Report
from .inputs import Inputs, inputs_of
from .next_steps import how_to_cap
from .opt_in import call_for

COLUMNS = (
    Column("Occupancy"),
    Column("Blocks"),
    Column("Registers up to"),
    Column("Shared memory up to"),
    Column("Opt-in", is_number=False),
)


PICKS_A_ROW = Asking.of(Asking("--occupancy or --blocks", "occupancy= or blocks="), " picks a row")


@dataclass(frozen=True, slots=True)
class BudgetReport(Report):
    """The whole answer to ``occupancy budget``."""

    model: Model
    cc: str
    gpu: str | None
    """The name of the product; null for a compute capability."""
    inputs: Inputs
    wanted: BudgetLevel | None
    """The level that reaches what was asked for; null where nothing was."""
    levels: tuple[BudgetLevel, ...]
    """Every level of the block size, from the most blocks down."""
    register_cap: RegisterCap | None
    """How the registers of ``wanted`` are told to the compiler; null where it may use any number."""

    def _each_row(self) -> Iterable[Mapping[str, Any]]:
        """A row for each level."""
        return (
            {"gpu": self.gpu, "cc": self.cc, **asdict(each), "wanted": each == self.wanted}
            for each in self.levels
        )

    def document(self) -> Document:
        """What was asked for first, then every level."""
        rows = [
            (
                graded(words.percent(level.occupancy), level.occupancy),
                *amounts(level),
                "needed" if level.needs_opt_in else "",
            )
            for level in self.levels
        ]
        table = Table(COLUMNS, rows, () if self.wanted is None else {self.levels.index(self.wanted)})
        return (
            Only("text", [Paragraph(self._headline())]),
            table,
            *how_to_reach(self.wanted, self.levels, self.register_cap),
        )

    def _headline(self) -> Line:
        threads = words.count(self.inputs.threads, "thread")
        wanted = self.wanted
        if wanted is None:
            return (
                Marked("What a block may use", "strong"),
                f" on {self._chip()}, blocks of {threads}:\n",
                PICKS_A_ROW,
            )
        return (
            Marked(f"{words.percent(wanted.occupancy)} occupancy", "strong"),
            f" on {self._chip()}, {words.count(wanted.active_blocks, 'block')} of {threads}:\nup to ",
            Marked(most(wanted), "strong"),
            " per block",
        )

    def _chip(self) -> str:
        return words.chip(self.gpu, self.cc) + words.by(self.model)


def budget_report(chip: Gpu, given: Answer, answer: Budget) -> BudgetReport:
    """Everything that is shown of a budget.

    Args:
        chip: The chip, by the name that it was given.
        given: The answer for the kernel as it was given.
        answer: What it may use.
    """
    return BudgetReport(
        model=given.model,
        cc=chip.cc,
        gpu=chip.name,
        inputs=inputs_of(given.kernel),
        wanted=answer.wanted,
        levels=answer.levels,
        register_cap=cap_of([given], answer.wanted),
    )


def how_to_reach(
    wanted: BudgetLevel | None, levels: Iterable[BudgetLevel], cap: RegisterCap | None
) -> Iterator[Block]:
    """How the compiler is told the registers of the level that was asked for, and what it takes where that,
    or without one any, needs to opt in."""
    if cap is not None:
        yield Paragraph(how_to_cap(cap, may_spill=False))
    if any(level.needs_opt_in for level in (levels if wanted is None else [wanted])):
        call = opt_in_call(wanted.smem if wanted else None)
        yield Together(call_for("Opt-in", MORE_SHARED_MEMORY, call))


def amounts(level: BudgetLevel) -> tuple[str, str, str]:
    """The blocks, and the registers and the shared memory of each, in a row."""
    return str(level.active_blocks), str(level.regs), words.size(level.smem)


def most(level: BudgetLevel) -> str:
    """What a block may use, in words."""
    return f"{level.regs} registers per thread and {words.size(level.smem)} of shared memory"


def cap_of(given: Sequence[Answer], wanted: BudgetLevel | None) -> RegisterCap | None:
    """How the registers of a level are told to the compiler, the same on all chips of the answers."""
    return None if wanted is None else register_cap_on_all(given, wanted.regs)
