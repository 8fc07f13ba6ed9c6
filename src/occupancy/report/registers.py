"""The report of a block's registers, divided among its warpgroups with ``setmaxnreg``."""

from __future__ import annotations

from collections.abc import Iterator

from ..advice.registers import RegisterSplit
from ..values.numbers import count, percent
from .model import Block, Column, Facts, Report

COLUMNS = (
    Column("warpgroups", "Warpgroups", lambda share: share.warpgroups, None, "Warpgroups of 128 threads",
           type="integer"),
    Column("regs", "Registers per thread", lambda share: share.regs, None, "After setmaxnreg", type="integer"),
    Column("instruction", "Instruction", lambda share: share.instruction, None,
           "Instruction that changes them; null: none", "left", type="string"),
    Column("most", "At most", lambda share: share.most, None, "Most registers beside the other groups", type="integer"),
)  # fmt: skip


def registers_report(split: RegisterSplit) -> Report:
    """Return the report of a split."""
    return Report(
        name="registers",
        headline=tuple(_headline(split)),
        columns=COLUMNS,
        rows=split.groups,
        rows_key="groups",
        inputs={"threads": split.threads, "smem": split.smem},
        values={
            "cc": split.cc,
            "can_run": split.can_run,
            "suffices": split.suffices,
            "reason": split.reason,
            "launch_regs": split.launch_regs,
            "needed_regs": split.needed_regs,
            "pool": split.pool,
            "taken": split.taken,
            "launch_bounds": split.launch_bounds,
            "maxnreg": split.maxnreg,
            "active_blocks": split.active_blocks,
            "occupancy": split.occupancy,
            "limiters": list(split.limiters),
        },
        details=tuple(_details(split)),
    )


def _headline(split: RegisterSplit) -> Iterator[str]:
    if split.reason is not None:
        yield f"Does not launch: {split.reason}"
    elif split.suffices:
        yield f"The registers suffice: {split.taken:,} of the block's {split.pool:,}"
    else:
        yield f"Deadlocks: the warpgroups need {split.taken:,} registers, and the block has {split.pool:,}"
    yield f"{split.threads:,} threads, {count(split.warpgroups, 'warpgroup')}, compute capability {split.cc}"


def _details(split: RegisterSplit) -> Iterator[Block]:
    at_launch = split.launch_bounds or split.maxnreg
    facts = [("At launch", f"{split.launch_regs} registers per thread with {at_launch}")]
    if not split.suffices:
        fix = f"{split.needed_regs} registers per thread at launch"
        if split.enough_at_launch is not None:
            fix += f": {split.enough_at_launch}"
        elif split.needed_regs > split.launch_regs:
            fix = "fewer registers per warpgroup, as in the last column"
        facts.append(("Fix", fix))
    if split.reason is None:
        facts.append(
            ("Occupancy", f"{percent(split.occupancy)}, {count(split.active_blocks, 'block')} per SM")
        )
    if split.launch_regs_if_fitting is not None:
        facts.append(
            (
                "Better bound",
                f"{split.active_blocks} blocks fit: that bound gives {split.launch_regs_if_fitting} registers",
            )
        )
    if split.needs_opt_in:
        facts.append(("Opt-in", "needed for this shared memory (cudaFuncSetAttribute)"))
    yield Facts(facts)
