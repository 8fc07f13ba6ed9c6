"""The answer to ``occupancy registers``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from ..advice.registers import STEP, RegisterSplit, Share
from ..render import words
from ..render.document import Bullets, Code, Column, Document, Marked, Paragraph, Table, Together
from ..values.dataclass import dataclass
from .base import Report

COLUMNS = (
    Column("Warpgroups"),
    Column("Registers"),
    Column("By", is_number=False),
    Column("At most"),
)


@dataclass(frozen=True, slots=True)
class RegistersReport(Report):
    """How the warpgroups of a block divide its registers."""

    split: RegisterSplit

    def rows(self) -> Iterable[Mapping[str, Any]]:
        """A row for each group of warpgroups."""
        of_all = {
            name: getattr(self.split, name)
            for name in ("cc", "threads", "launch_regs", "needed_regs", "suffices")
        }
        return ({**of_all, **asdict(share)} for share in self.split.groups)

    def document(self) -> Document:
        """Whether it runs, a row for each group, the line to paste, and what to beware of."""
        split = self.split
        verdict = Marked("Legal:", "good") if split.suffices else Marked("Waits for ever:", "bad")
        amounts = (
            f" {words.count(split.warpgroups, 'warpgroup')} take {split.taken:,} registers, and the launch "
            f"gives {split.pool:,} ({split.threads} threads of {split.launch_regs})"
        )
        rows = [
            (str(each.warpgroups), str(each.regs), each.instruction or "the launch", _most(each))
            for each in split.groups
        ]
        declared = Together(
            [Paragraph("Declare the kernel with"), Code(split.launch_bounds or split.maxnreg)]
        )
        return (
            Paragraph((verdict, amounts)),
            Table(COLUMNS, rows),
            *([declared] if split.suffices else []),
            Bullets(list(self._notes())),
        )

    def _notes(self) -> Iterator[str]:
        split = self.split
        if not split.suffices:
            yield (
                f"It compiles without a word. The launch would have to give {split.needed_regs} "
                f"registers to each thread; the pool is the block's own, so no other block's help."
            )
        elif split.needed_regs < split.launch_regs:
            yield f"{split.needed_regs} registers for each thread at the launch would be enough."
        blocks = words.count(split.active_blocks, "block")
        yield (
            f"{blocks} per SM, {words.percent(split.occupancy)} occupancy, by the {split.launch_regs} "
            "registers of the launch alone, whatever a warpgroup takes later."
        )
        bounds = f"either both launch bounds or {split.maxnreg}" if split.launch_bounds else split.maxnreg
        yield f"ptxas must know the launch's registers, from {bounds}; else it drops setmaxnreg (C7508)."
        yield f"For sm_90a, and for sm_100 and newer with the suffix a or f; registers in steps of {STEP}."


def _most(share: Share) -> str:
    return "none left" if share.most is None else str(share.most)


def registers_report(split: RegisterSplit) -> RegistersReport:
    """Everything that is shown of a split."""
    return RegistersReport(split)
