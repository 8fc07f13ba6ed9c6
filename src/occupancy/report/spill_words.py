"""What spilling registers to shared memory costs, in words."""

from __future__ import annotations

from ..builds.overview import Overview
from ..builds.scan_row import ScanRow
from ..builds.spill_cost import SpillCost
from ..render import words

TO_SHARED = "To shared"
"""The title of the column of the shared memory that registers are spilled to."""


WITHOUT = "Without"
"""The title of the column of the occupancy without that memory."""


def without_spills(row: ScanRow) -> str:
    """The occupancy without that memory, where it is more."""
    cost = row.spill_cost
    is_more = cost is not None and row.occupancy is not None and cost.without > row.occupancy
    return words.percent(cost.without) if cost is not None and is_more else ""


def cost_in_words(cost: SpillCost) -> str:
    """``50% -> 7.8% at 32 threads``: the block size that it costs the most; empty where it costs nothing."""
    if cost.worst is None or cost.worst_without is None:
        return ""
    share = f"{words.percent(cost.worst_without)} -> {words.percent(cost.worst)}"
    return f"{share} at {words.count(cost.worst_threads or 0, 'thread')}"


def cost_in_a_cell(cost: SpillCost) -> str:
    """``without: 0.5; worst at 32 threads: 0.078 for 0.5``, in one cell of CSV."""
    worst = f"; worst at {cost.worst_threads} threads: {cost.worst} for {cost.worst_without}"
    return f"without: {cost.without}{worst if cost.worst_threads else ''}"


def spilling_to_shared(overview: Overview) -> str:
    """``8 of them to shared memory``; empty where none do."""
    spilling = overview.spilling_to_shared
    if not spilling:
        return ""
    some = "all" if spilling == overview.spilling else f"{spilling:,}"
    return f"{some} of them to shared memory"


def cost_in_all(overview: Overview, worst: str) -> str:
    """``It costs no occupancy at these block sizes``, or how many kernels have less by it; and at the worst.

    Args:
        overview: What was found.
        worst: What it costs at the block sizes that lose the most; empty where none does.
    """
    spilling, losing = overview.spilling_to_shared, overview.losing_to_spills
    here, there = "It costs no occupancy", "with fewer threads up to"
    if losing:
        who = "all of them" if losing == spilling else f"{losing:,} of the {spilling:,}"
        here = f"It lowers the occupancy{f' of {who}' if spilling > 1 else ''}"
        there = "at the worst"
    then = f", {there}: {worst}. Tighter launch bounds shrink it" if worst else ""
    return f"{here} at these block sizes{then}."
