"""The answer to ``occupancy budget`` for several chips: what a kernel may use so that it holds on all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ...advice.budget import BudgetLevel
from ...advice.launch_bounds import RegisterCap
from ...advice.on_all import BudgetOnAll
from ...engine import evaluate
from ...render import words
from ...render.document import Block, Column, Document, Line, Marked, Only, Paragraph, Table, graded
from ...tables.gpus import Gpu
from ...values.dataclass import dataclass
from ...values.kernel import Kernel
from ..base import Report
from ..budget import PICKS_A_ROW, amounts, cap_of, how_to_reach, most
from ..inputs import Inputs, inputs_of
from ..of_chips import OfChip

ON_EACH = (
    Column("Chip", is_number=False),
    Column("CC", is_number=False),
    Column("Occupancy"),
    Column("Blocks"),
    Column("Registers up to"),
    Column("Shared memory up to"),
)
LEVELS = (
    Column("Occupancy\non each"),
    Column("Blocks\non each"),
    Column("Registers\nup to"),
    Column("Shared memory\nup to"),
    Column("Opt-in", is_number=False),
)


@dataclass(frozen=True, slots=True)
class ChipBudget(OfChip):
    """What one chip allows by itself; null where nothing was asked for."""

    gpu: str | None
    """The name of the product; null for a compute capability."""
    cc: str
    architecture: str
    wanted: BudgetLevel | None


@dataclass(frozen=True, slots=True)
class BudgetOnAllReport(Report):
    """The answer to ``occupancy budget`` for several chips."""

    inputs: Inputs
    wanted: BudgetLevel | None
    """What holds on all chips: the least that one of them allows where it reaches what was asked for."""
    chips: tuple[ChipBudget, ...]
    levels: tuple[BudgetLevel, ...]
    """For each number of blocks that all chips hold, the most first: what holds on all."""
    register_cap: RegisterCap | None
    """How the registers of ``wanted`` are told to the compiler; null where it may use any number."""

    def _each_row(self) -> Iterable[Mapping[str, Any]]:
        """A row for each chip, or for each level where nothing was asked for."""
        if self.wanted is None:
            return map(asdict, self.levels)
        return [
            {"gpu": chip.gpu, "cc": chip.cc, "architecture": chip.architecture, **asdict(chip.wanted)}
            for chip in self.chips
            if chip.wanted is not None
        ]

    def document(self) -> Document:
        """The one number that holds on all, then what each chip allows, or every level."""
        return (
            Only("text", [Paragraph(self._headline())]),
            self._on_each() if self.wanted else self._levels(),
            *how_to_reach(self.wanted, self.levels, self.register_cap),
        )

    def headline(self) -> str:
        """What holds on all."""
        return "" if self.wanted is None else most(self.wanted)

    def _headline(self) -> Line:
        threads = words.count(self.inputs.threads, "thread")
        chips = words.listing([chip.label for chip in self.chips])
        if self.wanted is None:
            return (
                Marked(f"What a block of {threads} may use on all of", "strong"),
                f" {chips}:\n",
                PICKS_A_ROW,
            )
        blocks = words.count(self.wanted.active_blocks, "block")
        return (
            Marked(f"Up to {most(self.wanted)} per block", "strong"),
            f" on all of {chips}:\nat least {blocks} of {threads} and {words.percent(self.wanted.occupancy)} "
            "occupancy on each",
        )

    def _on_each(self) -> Block:
        has_names = any(chip.gpu for chip in self.chips)
        rows = [
            (
                *([chip.label] if has_names else []),
                chip.cc,
                graded(words.percent(level.occupancy), level.occupancy),
                *amounts(level),
            )
            for chip in self.chips
            if (level := chip.wanted) is not None
        ]
        return Table(ON_EACH if has_names else ON_EACH[1:], rows)

    def _levels(self) -> Block:
        rows = [
            (
                f"{words.percent(level.occupancy)} or more",
                *amounts(level),
                "needed" if level.needs_opt_in else "",
            )
            for level in self.levels
        ]
        return Table(LEVELS, rows)


def budget_on_all_report(chips: Sequence[Gpu], kernel: Kernel, answer: BudgetOnAll) -> BudgetOnAllReport:
    """Everything that is shown of what a kernel may use on several chips."""
    wanted = answer.on_each or (None,) * len(chips)
    return BudgetOnAllReport(
        inputs_of(kernel),
        answer.wanted,
        tuple(
            ChipBudget(chip.name, chip.cc, chip.limits.architecture, level)
            for chip, level in zip(chips, wanted, strict=True)
        ),
        answer.levels,
        cap_of([evaluate(chip.limits, kernel) for chip in chips], answer.wanted),
    )
