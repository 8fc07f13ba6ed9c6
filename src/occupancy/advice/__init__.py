"""The inverse questions: what to change, how much is left, what fits where.

Every answer is found by asking the engine; no rule of the hardware is written here a second time.
"""

from __future__ import annotations

from .bounds import LaunchBounds, launch_bounds
from .budgets import Budget, BudgetLevel, budget
from .everywhere import Fit, fits_everywhere
from .growth import Slack, Unused, slack
from .pools import CarveoutAdvice, Configuration, carveout
from .runtime import (
    ClusterBound,
    LaunchConfiguration,
    available_dynamic_shared_memory_per_block,
    max_active_blocks_per_multiprocessor,
    max_active_clusters,
    max_potential_block_size,
)
from .sizes import BlockSize, block_sizes
from .steps import NextStep, next_steps

__all__ = [
    "BlockSize",
    "Budget",
    "BudgetLevel",
    "CarveoutAdvice",
    "ClusterBound",
    "Configuration",
    "Fit",
    "LaunchBounds",
    "LaunchConfiguration",
    "NextStep",
    "Slack",
    "Unused",
    "available_dynamic_shared_memory_per_block",
    "block_sizes",
    "budget",
    "carveout",
    "fits_everywhere",
    "launch_bounds",
    "max_active_blocks_per_multiprocessor",
    "max_active_clusters",
    "max_potential_block_size",
    "next_steps",
    "slack",
]
