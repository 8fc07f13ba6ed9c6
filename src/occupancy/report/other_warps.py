"""What a kernel of Triton reaches with other warps for the same tile, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..advice.next_steps import NextStep
from ..render import words
from ..values.resources import Changeable

TITLE = "Other warps"
"""Of their column, and of the line about it."""
MEANING = (
    f"{TITLE}: the occupancy of the same tile compiled with so many num_warps, if a thread then takes no "
    "more registers than that."
)


def with_other_warps(requires: Mapping[Changeable, int], warps: int, threads: int) -> str:
    """``num_warps 4 -> 8 for the same tile, with up to 64 registers``.

    Args:
        requires: What a step of `advice.next_steps.other_warps` asks for.
        warps: The kernel's own number.
        threads: Likewise, per block.
    """
    change = f"num_warps {warps} -> {warps * requires['threads'] // threads}"
    return f"{change} for the same tile, with up to {words.count(requires['regs'], 'register')}"


def steps_in_a_cell(steps: Sequence[NextStep], warps: int, threads: int) -> str:
    """``8: 50% with up to 64 regs, 75% with up to 40``: the warps, and the nearest and the highest step.

    Args:
        steps: Those of `advice.next_steps.other_warps`.
        warps: See `with_other_warps`.
        threads: Likewise.
    """
    if not steps:
        return ""
    nearest, best = steps[0], steps[-1]
    text = f"{words.percent(nearest.occupancy)} with up to {nearest.requires['regs']} regs"
    if best != nearest:
        text += f", {words.percent(best.occupancy)} with up to {best.requires['regs']}"
    return f"{warps * nearest.requires['threads'] // threads}: {text}"
