"""The report of a block's registers, divided among its warpgroups with ``setmaxnreg``."""

from __future__ import annotations

from collections.abc import Iterator

from ..advice.launch_bounds import bounds_in_source
from ..advice.launch_requirements import ALLOW_SIZE
from ..advice.registers import RegisterSplitFields
from ..values.numbers import count, percent
from .model import Column, Report, facts, values_of

COLUMNS = (
    Column("warpgroups", "Warpgroups", about="Warpgroups in the group, of 128 threads each", type="integer"),
    Column("regs", "Registers per thread", about="Registers per thread after setmaxnreg", type="integer"),
    Column("instruction", "Instruction", type="string", align="left",
           about="setmaxnreg.inc or setmaxnreg.dec; null if the registers do not change"),
    Column("most", "At most", about="Maximum registers per thread if the other groups stay", type="integer"),
)  # fmt: skip

VALUES = (
    "cc", "can_run", "suffices", "reason", "launch_regs", "needed_regs", "pool", "taken", "launch_bounds",
    "maxnreg", "active_blocks", "occupancy", "limiters",
)  # fmt: skip


def registers_report(split: RegisterSplitFields) -> Report:
    if split.reason is not None:
        result = f"Does not launch: {split.reason}"
    elif split.suffices:
        result = f"Runs: the warpgroups use {split.taken:,} of the block's {split.pool:,} registers"
    else:
        result = f"Hangs: the warpgroups need {split.taken:,} registers, but the block has {split.pool:,}"
    groups = count(sum(group.warpgroups for group in split.groups), "warpgroup")
    headline = result, f"{split.threads:,} threads, {groups}, compute capability {split.cc}"
    inputs, details = values_of(split, "threads", "smem"), [facts(_facts(split))]
    values = values_of(split, *VALUES)
    return Report("registers", headline, COLUMNS, split.groups, "groups", inputs, details, values=values)


def _facts(split: RegisterSplitFields) -> Iterator[tuple[str, str]]:
    at_launch = split.launch_bounds or split.maxnreg
    yield "At launch", f"{split.launch_regs} registers per thread with {at_launch}"
    if not split.suffices:
        fix = f"{split.needed_regs} registers per thread at launch"
        if split.enough_at_launch is not None:
            fix += f": {split.enough_at_launch}"
        elif split.needed_regs > split.launch_regs:
            fix = 'reduce a group to its value in the "At most" column'
        yield "Fix", fix
    if split.reason is None:
        yield "Occupancy", f"{percent(split.occupancy)}, {count(split.active_blocks, 'block')} per SM"
    if split.suffices and split.launch_regs_if_fitting is not None:
        bounds = bounds_in_source(split.threads, split.active_blocks)
        blocks = f"still {count(split.active_blocks, 'block')} per SM"
        yield "Better bound", f"{bounds}: {split.launch_regs_if_fitting} registers per thread, and {blocks}"
    if split.needs_opt_in:
        yield "Opt in", ALLOW_SIZE.format(split.smem)
