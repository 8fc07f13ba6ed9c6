"""The answer to ``occupancy registers``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from ..advice.register_split import RegisterSplit, Share
from ..advice.registers import STEP
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
        rows = [
            (str(each.warpgroups), str(each.regs), each.instruction or "the launch", _most(each))
            for each in split.groups
        ]
        declared = Together(
            [Paragraph("Declare the kernel with"), Code(split.launch_bounds or split.maxnreg)]
        )
        return (
            Paragraph((verdict, f" {taken_and_given(split)}")),
            Table(COLUMNS, rows),
            *([declared] if split.suffices else []),
            Bullets(list(self._notes())),
        )

    def _notes(self) -> Iterator[str]:
        split = self.split
        if not split.suffices:
            yield f"It compiles without a word. {what_it_needs(split)}"
        elif split.needed_regs < split.launch_regs:
            yield f"{split.needed_regs} registers for each thread at the launch would be enough."
        if split.reason is not None:
            yield f"The block does not launch: {split.reason}"
        else:
            blocks = words.count(split.active_blocks, "block")
            limiters = words.listing([words.name(limiter) for limiter in split.limiters])
            yield (
                f"{blocks} per SM, {words.percent(split.occupancy)} occupancy, limited by {limiters}: the "
                f"{split.launch_regs} registers of the launch count, whatever a warpgroup takes later."
            )
            yield from _too_many_promised(split, limiters)
        yield f"{declared_with(split)}; else it drops setmaxnreg (C7508)."
        yield f"For sm_90a, and for sm_100 and newer with the suffix a or f; registers in steps of {STEP}."


def _too_many_promised(split: RegisterSplit, limiters: str) -> Iterator[str]:
    """That fewer blocks fit than the launch bounds promise, and what bounds for those would give."""
    if split.min_blocks is None or split.active_blocks >= split.min_blocks:
        return
    promised = words.count(split.min_blocks, "block")
    sentence = f"The {promised} of the launch bounds do not fit, because of {limiters}"
    if split.launch_regs_if_fitting is None:
        yield f"{sentence}."
    else:
        yield (
            f"{sentence}: --blocks {split.active_blocks} gives the launch {split.launch_regs_if_fitting} "
            f"registers per thread in place of {split.launch_regs}, so that warpgroups can take more."
        )


def taken_and_given(split: RegisterSplit) -> str:
    """``3 warpgroups take 64,512 registers, and the launch gives 64,512 (384 threads of 168)``."""
    take = "takes" if split.warpgroups == 1 else "take"
    return (
        f"{words.count(split.warpgroups, 'warpgroup')} {take} {split.taken:,} registers, and the launch "
        f"gives {split.pool:,} ({split.threads} threads of {split.launch_regs})"
    )


def what_it_needs(split: RegisterSplit) -> str:
    """What a split would need that does not suffice, a sentence."""
    return (
        f"The launch would have to give {split.needed_regs} registers to each thread; the pool is the "
        "block's own, so no other block's help."
    )


def declared_with(split: RegisterSplit) -> str:
    """What tells ptxas how many registers the launch gives."""
    bounds = f"either both launch bounds or {split.maxnreg}" if split.launch_bounds else split.maxnreg
    return f"ptxas must know the launch's registers, from {bounds}"


def _most(share: Share) -> str:
    return "none left" if share.most is None else str(share.most)


def registers_report(split: RegisterSplit) -> RegistersReport:
    """Everything that is shown of a split."""
    return RegistersReport(split)
