"""What spilling registers to shared memory costs, in words."""

from __future__ import annotations

from ...builds.overview import Overview
from ...builds.scan_row import ScanRow
from ...builds.spill_cost import SpillCost
from ...render import words

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


CURE = 'Tighter launch bounds shrink it; code without .pragma "enable_smem_spilling" has none.'


def cost_in_all(overview: Overview, worst: str) -> str:
    """``At these block sizes it costs no occupancy``, or how many kernels have less by it; and at the worst.

    Args:
        overview: What was found.
        worst: What it costs at the block sizes that lose the most; empty where none does.
    """
    spilling, losing = overview.spilling_to_shared, overview.losing_to_spills
    here, there = "it costs no occupancy", "with fewer threads, at worst"
    if losing:
        who = "all of them" if losing == spilling else f"{losing:,} of the {spilling:,}"
        here = f"it lowers the occupancy{f' of {who}' if spilling > 1 else ''}"
        there = "at worst"
    then = f"; {there}: {worst}. {CURE}" if worst else "."
    return f"At these block sizes {here}{then}"


def instead_of_spills(row: ScanRow) -> str:
    """``100%: no spills to shared, or``, for before the next step, where that alone gives as much or more."""
    cost, step = row.spill_cost, row.next_step
    if cost is None or step is None or cost.without < step.occupancy:
        return ""
    return f"{words.percent(cost.without)}: no spills to shared, or "
