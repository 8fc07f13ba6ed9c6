"""The answer to ``occupancy registers``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from ..advice.opt_in import MORE_SHARED_MEMORY, opt_in_call
from ..advice.register_split import RegisterSplit, Share
from ..advice.registers import STEP
from ..render import words
from ..render.document import (
    Block,
    Bullets,
    Code,
    Column,
    Document,
    Heading,
    Marked,
    Paragraph,
    Table,
    Together,
)
from ..values.dataclass import dataclass
from .base import Report
from .opt_in import call_for

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

    def _each_row(self) -> Iterable[Mapping[str, Any]]:
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
        refused = []
        if split.reason is not None:
            refused = [Paragraph((Marked("Does not launch:", "bad"), f" {split.reason}"))]
            verdict = Marked(
                f"The split by itself {'is legal' if split.suffices else 'waits for ever'}:", "strong"
            )
        rows = [
            (str(each.warpgroups), str(each.regs), each.instruction or "the launch", _most(each))
            for each in split.groups
        ]
        declared = Together(
            [Paragraph("Declare the kernel with"), Code(split.launch_bounds or split.maxnreg)]
        )
        return (
            *refused,
            Paragraph((verdict, f" {taken_and_given(split)}")),
            Table(COLUMNS, rows),
            *([declared] if split.suffices else _ways_out(split)),
            *([Together(_opt_in(split))] if split.needs_opt_in else []),
            Bullets(list(self._notes())),
        )

    def _notes(self) -> Iterator[str]:
        split = self.split
        if not split.suffices:
            yield f"It compiles without a word. {what_it_needs(split)}"
        elif split.needed_regs < split.launch_regs:
            yield f"{split.needed_regs} registers for each thread at the launch would be enough."
        if len(split.groups) > 1 and any(each.most != each.regs for each in split.groups):
            yield "At most: what one group can take while all others stay as they are."
        yield from _given_by_bounds(split)
        if split.reason is None:
            blocks = words.count(split.active_blocks, "block")
            limiters = words.listing([words.name(limiter) for limiter in split.limiters])
            yield (
                f"{blocks} per SM, {words.percent(split.occupancy)} occupancy, limited by {limiters}: the "
                f"{split.launch_regs} registers of the launch count, whatever a warpgroup takes later."
            )
            yield from _too_many_promised(split, limiters)
        yield f"{declared_with(split)}; else it drops setmaxnreg (C7508)."
        yield f"For sm_90a, and for sm_100 and newer with the suffix a or f; registers in steps of {STEP}."


def _opt_in(split: RegisterSplit) -> list[Block]:
    return call_for("Opt-in", MORE_SHARED_MEMORY, opt_in_call(split.smem))


def _ways_out(split: RegisterSplit) -> Iterator[Block]:
    """What makes a split legal that waits for ever."""
    if ways := list(ways_out(split)):
        yield Together([Heading("Next steps, one of these"), Bullets(ways)])


def ways_out(split: RegisterSplit) -> Iterator[str]:
    """What makes a split legal that waits for ever, each alone."""
    if split.enough_at_launch is not None:
        yield f"launch with {split.needed_regs} registers: {split.enough_at_launch}"
    for each in split.groups:
        if each.most is not None:
            groups = words.count(each.warpgroups, "warpgroup")
            yield f"{groups} of {each.regs}: {each.most} registers, the others as they are"


def _given_by_bounds(split: RegisterSplit) -> Iterator[str]:
    """How the launch comes by its registers, where launch bounds set them."""
    if split.launch_bounds is None or split.min_blocks is None:
        return
    whole, threads = split.registers_per_multiprocessor, split.threads * split.min_blocks
    if whole // threads // STEP * STEP == split.launch_regs:
        by = f"{split.threads}" if split.min_blocks == 1 else f"({split.min_blocks} x {split.threads})"
        yield (
            f"{split.launch_bounds} gives the launch {split.launch_regs} registers per thread: "
            f"{whole:,} / {by}, rounded down to a multiple of {STEP}."
        )


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


def how_it_is_had(split: RegisterSplit) -> Iterator[tuple[str, str]]:
    """How each warpgroup comes by its registers, and what tells ptxas those of the launch: label and text."""
    for number, each in enumerate(split.groups):
        groups = words.count(each.warpgroups, "warpgroup")
        most = "" if each.most is None else f", at most {each.most}"
        how = each.instruction or "the launch"
        yield "" if number else "Split", f"{groups}: {each.regs} registers by {how}{most}"
    if split.suffices:
        declared = split.launch_bounds or split.maxnreg
        yield "", f"declare it with {declared}, else ptxas drops setmaxnreg (C7508)"
        arch = f"sm_{split.cc.replace('.', '')}"
        yield "", f"compile for {arch}a: plain {arch} has no setmaxnreg"
