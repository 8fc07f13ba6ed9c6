"""What spilling registers to shared memory costs, in words."""

from __future__ import annotations

from ..builds.overview import Overview
from ..builds.scanner import ScanRow
from ..builds.spill_cost import SpillCost
from ..render import words

TO_SHARED = "To shared"
"""The title of the column of the shared memory that registers are spilled to."""


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


def cost_here(overview: Overview) -> str:
    """``It costs no occupancy at these block sizes``, or of how many kernels it does."""
    spilling, losing = overview.spilling_to_shared, overview.losing_to_spills
    who = (
        "it" if spilling == 1 else "all of them" if losing == spilling else f"{losing:,} of the {spilling:,}"
    )
    return f"It costs {f'{who} occupancy' if losing else 'no occupancy'} at these block sizes"
