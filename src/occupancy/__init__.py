"""CUDA occupancy without a GPU: how many blocks of a kernel fit on an SM, and what stops one more.

    >>> import occupancy
    >>> result = occupancy.compute("7.0", threads=128, regs=37)
    >>> result.occupancy, result.active_blocks, result.limiters
    (0.75, 12, ('registers',))

Nothing is loaded on import: each public name brings its module on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .advice import BlockSize as BlockSize
    from .advice import Budget as Budget
    from .advice import BudgetLevel as BudgetLevel
    from .advice import CarveoutAdvice as CarveoutAdvice
    from .advice import ClusterBound as ClusterBound
    from .advice import Configuration as Configuration
    from .advice import Fit as Fit
    from .advice import LaunchBounds as LaunchBounds
    from .advice import LaunchConfiguration as LaunchConfiguration
    from .advice import NextStep as NextStep
    from .advice import Slack as Slack
    from .advice import Unused as Unused
    from .api import Result as Result
    from .api import compute as compute
    from .api import compute_capabilities as compute_capabilities
    from .api import limits as limits
    from .api import sweep as sweep
    from .autotune import fits as fits
    from .autotune import prune as prune
    from .custom_table import read_limits as read_limits
    from .device import Device as Device
    from .device import read_device as read_device
    from .device import read_devices as read_devices
    from .engine import Allocation as Allocation
    from .engine import BlockLimits as BlockLimits
    from .engine import Occupancy as Occupancy
    from .errors import BaselineError as BaselineError
    from .errors import DeviceError as DeviceError
    from .errors import InputError as InputError
    from .errors import MissingDependencyError as MissingDependencyError
    from .errors import OccupancyError as OccupancyError
    from .errors import ReadError as ReadError
    from .errors import RulesError as RulesError
    from .errors import TableError as TableError
    from .errors import UnknownComputeCapabilityError as UnknownComputeCapabilityError
    from .guard import check as check
    from .guard import diff as diff
    from .guard import save_baseline as save_baseline
    from .kernel import Carveout as Carveout
    from .kernel import Kernel as Kernel
    from .kernel import Launch as Launch
    from .limiter_bits import Limiter as Limiter
    from .products import Product as Product
    from .products import find_gpu as find_gpu
    from .questions import (
        available_dynamic_shared_memory_per_block as available_dynamic_shared_memory_per_block,
    )
    from .questions import block_sizes as block_sizes
    from .questions import budget as budget
    from .questions import carveout as carveout
    from .questions import fits_everywhere as fits_everywhere
    from .questions import launch_bounds as launch_bounds
    from .questions import max_active_blocks_per_multiprocessor as max_active_blocks_per_multiprocessor
    from .questions import max_active_clusters as max_active_clusters
    from .questions import max_potential_block_size as max_potential_block_size
    from .questions import next_steps as next_steps
    from .questions import slack as slack
    from .readers import KernelRecord as KernelRecord
    from .readers import ReadProblem as ReadProblem
    from .readers import kernel_of as kernel_of
    from .readers import kernels as kernels
    from .sm_limits import ComputeCapability as ComputeCapability
    from .sm_limits import Limits as Limits
    from .verify import Verification as Verification
    from .verify import verify_device as verify_device
    from .waves import FullWave as FullWave
    from .waves import Waves as Waves

__version__ = "0.1.0"

# Public name -> the module that has it.
_HOMES = {
    "Allocation": "engine",
    "BaselineError": "errors",
    "BlockLimits": "engine",
    "BlockSize": "advice",
    "Budget": "advice",
    "BudgetLevel": "advice",
    "Carveout": "kernel",
    "CarveoutAdvice": "advice",
    "ClusterBound": "advice",
    "ComputeCapability": "sm_limits",
    "Configuration": "advice",
    "Device": "device",
    "DeviceError": "errors",
    "Fit": "advice",
    "FullWave": "waves",
    "InputError": "errors",
    "Kernel": "kernel",
    "KernelRecord": "readers",
    "Launch": "kernel",
    "LaunchBounds": "advice",
    "LaunchConfiguration": "advice",
    "Limiter": "limiter_bits",
    "Limits": "sm_limits",
    "MissingDependencyError": "errors",
    "NextStep": "advice",
    "Occupancy": "engine",
    "OccupancyError": "errors",
    "Product": "products",
    "ReadError": "errors",
    "ReadProblem": "readers",
    "Result": "api",
    "RulesError": "errors",
    "Slack": "advice",
    "TableError": "errors",
    "UnknownComputeCapabilityError": "errors",
    "Unused": "advice",
    "Verification": "verify",
    "Waves": "waves",
    "available_dynamic_shared_memory_per_block": "questions",
    "block_sizes": "questions",
    "budget": "questions",
    "carveout": "questions",
    "check": "guard",
    "compute": "api",
    "compute_capabilities": "api",
    "diff": "guard",
    "find_gpu": "products",
    "fits": "autotune",
    "fits_everywhere": "questions",
    "kernel_of": "readers",
    "kernels": "readers",
    "launch_bounds": "questions",
    "limits": "api",
    "max_active_blocks_per_multiprocessor": "questions",
    "max_active_clusters": "questions",
    "max_potential_block_size": "questions",
    "next_steps": "questions",
    "prune": "autotune",
    "read_device": "device",
    "read_devices": "device",
    "read_limits": "custom_table",
    "save_baseline": "guard",
    "slack": "questions",
    "sweep": "api",
    "verify_device": "verify",
}

__all__ = ["__version__", *_HOMES]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(f".{home}", __name__), name)
    globals()[name] = value  # so that this runs once for each name
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
