"""The inverse questions: what to change, how much is left, what fits where.

Every answer is found by asking the engine; no rule of the hardware is written here a second time. As
with the library as a whole, each name brings its module on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .bounds import LaunchBounds as LaunchBounds
    from .bounds import launch_bounds as launch_bounds
    from .budgets import Budget as Budget
    from .budgets import BudgetLevel as BudgetLevel
    from .budgets import budget as budget
    from .everywhere import Fit as Fit
    from .everywhere import fits_everywhere as fits_everywhere
    from .growth import Slack as Slack
    from .growth import Unused as Unused
    from .growth import slack as slack
    from .pools import CarveoutAdvice as CarveoutAdvice
    from .pools import Configuration as Configuration
    from .pools import carveout as carveout
    from .runtime import ClusterBound as ClusterBound
    from .runtime import LaunchConfiguration as LaunchConfiguration
    from .runtime import (
        available_dynamic_shared_memory_per_block as available_dynamic_shared_memory_per_block,
    )
    from .runtime import max_active_blocks_per_multiprocessor as max_active_blocks_per_multiprocessor
    from .runtime import max_active_clusters as max_active_clusters
    from .runtime import max_potential_block_size as max_potential_block_size
    from .sizes import BlockSize as BlockSize
    from .sizes import best_block_size as best_block_size
    from .sizes import block_sizes as block_sizes
    from .steps import NextStep as NextStep
    from .steps import next_steps as next_steps

# Public name -> the module that has it.
_HOMES = {
    "BlockSize": "sizes",
    "Budget": "budgets",
    "BudgetLevel": "budgets",
    "CarveoutAdvice": "pools",
    "ClusterBound": "runtime",
    "Configuration": "pools",
    "Fit": "everywhere",
    "LaunchBounds": "bounds",
    "LaunchConfiguration": "runtime",
    "NextStep": "steps",
    "Slack": "growth",
    "Unused": "growth",
    "available_dynamic_shared_memory_per_block": "runtime",
    "best_block_size": "sizes",
    "block_sizes": "sizes",
    "budget": "budgets",
    "carveout": "pools",
    "fits_everywhere": "everywhere",
    "launch_bounds": "bounds",
    "max_active_blocks_per_multiprocessor": "runtime",
    "max_active_clusters": "runtime",
    "max_potential_block_size": "runtime",
    "next_steps": "steps",
    "slack": "growth",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(f".{home}", __name__), name)
    globals()[name] = value  # so that this runs once for each name
    return value
