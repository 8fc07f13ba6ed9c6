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
    from . import cuda as cuda
    from . import device as device
    from . import triton as triton
    from .advice.block_sizes import BlockSize as BlockSize
    from .advice.budget import Budget as Budget
    from .advice.budget import BudgetLevel as BudgetLevel
    from .advice.carveout import CarveoutAdvice as CarveoutAdvice
    from .advice.carveout import SharedMemorySize as SharedMemorySize
    from .advice.launch_bounds import LaunchBounds as LaunchBounds
    from .advice.next_steps import NextStep as NextStep
    from .advice.opt_in import OptIn as OptIn
    from .advice.registers import RegisterSplit as RegisterSplit
    from .advice.runtime import LaunchConfiguration as LaunchConfiguration
    from .advice.slack import LeftOver as LeftOver
    from .advice.slack import Slack as Slack
    from .advice.waves import FullWave as FullWave
    from .advice.waves import Waves as Waves
    from .api.arrays import Sweep as Sweep
    from .api.builds import CheckResult as CheckResult
    from .api.builds import Diff as Diff
    from .api.builds import check as check
    from .api.builds import diff as diff
    from .api.builds import save_baseline as save_baseline
    from .api.fits import Fit as Fit
    from .api.fits import fits as fits
    from .api.gpus import compute_capabilities as compute_capabilities
    from .api.gpus import gpus as gpus
    from .api.gpus import limits as limits
    from .api.gpus import sources as sources
    from .api.occupancy import Occupancies as Occupancies
    from .api.occupancy import Occupancy as Occupancy
    from .api.occupancy import compute as compute
    from .api.registers import register_split as register_split
    from .api.scan import Scan as Scan
    from .api.scan import scan as scan
    from .api.sweep import sweep as sweep
    from .api.tuning import is_launchable as is_launchable
    from .api.tuning import prune as prune
    from .builds.rows import ScannedKernel as ScannedKernel
    from .compare.baseline import Baseline as Baseline
    from .compare.check import BrokenKernel as BrokenKernel
    from .compare.diff import DiffRow as DiffRow
    from .compare.rules import Exemption as Exemption
    from .compare.rules import Rule as Rule
    from .engine import Allocation as Allocation
    from .engine import BlockLimits as BlockLimits
    from .engine import LaunchFailure as LaunchFailure
    from .engine import Use as Use
    from .errors import BaselineError as BaselineError
    from .errors import DeviceError as DeviceError
    from .errors import InputError as InputError
    from .errors import MissingDependencyError as MissingDependencyError
    from .errors import OccupancyError as OccupancyError
    from .errors import ReadError as ReadError
    from .errors import RulesError as RulesError
    from .errors import TableError as TableError
    from .errors import UnknownComputeCapabilityError as UnknownComputeCapabilityError
    from .readers import KernelRecord as KernelRecord
    from .readers import KernelStream as KernelStream
    from .readers import ReadProblem as ReadProblem
    from .readers import kernel_of as kernel_of
    from .readers import stream_kernels as stream_kernels
    from .report.explain import Explanation as Explanation
    from .report.scan import Finding as Finding
    from .tables.custom import read_limits as read_limits
    from .tables.gpus import Gpu as Gpu
    from .tables.gpus import gpu as gpu
    from .tables.sources import Provenance as Provenance
    from .values.carveout import Carveout as Carveout
    from .values.kernel import Kernel as Kernel
    from .values.kernel import Launch as Launch
    from .values.limits import ComputeCapability as ComputeCapability
    from .values.limits import Limits as Limits
    from .values.resources import Limiter as Limiter

__version__ = "1.0.0"

# Public name -> the module that has it.
_HOMES = {
    "Allocation": "engine",
    "Baseline": "compare.baseline",
    "BrokenKernel": "compare.check",
    "CheckResult": "api.builds",
    "Diff": "api.builds",
    "Exemption": "compare.rules",
    "Finding": "report.scan",
    "Rule": "compare.rules",
    "BaselineError": "errors",
    "BlockLimits": "engine",
    "BlockSize": "advice.block_sizes",
    "BudgetLevel": "advice.budget",
    "Carveout": "values.carveout",
    "CarveoutAdvice": "advice.carveout",
    "Gpu": "tables.gpus",
    "ComputeCapability": "values.limits",
    "SharedMemorySize": "advice.carveout",
    "DeviceError": "errors",
    "DiffRow": "compare.diff",
    "FullWave": "advice.waves",
    "InputError": "errors",
    "Kernel": "values.kernel",
    "KernelRecord": "readers",
    "KernelStream": "readers",
    "Launch": "values.kernel",
    "LaunchBounds": "advice.launch_bounds",
    "LaunchConfiguration": "advice.runtime",
    "LaunchFailure": "engine",
    "LeftOver": "advice.slack",
    "Limiter": "values.resources",
    "Limits": "values.limits",
    "MissingDependencyError": "errors",
    "NextStep": "advice.next_steps",
    "Budget": "advice.budget",
    "Explanation": "report.explain",
    "Fit": "api.fits",
    "Occupancies": "api.occupancy",
    "Occupancy": "api.occupancy",
    "fits": "api.fits",
    "register_split": "api.registers",
    "OccupancyError": "errors",
    "OptIn": "advice.opt_in",
    "ReadError": "errors",
    "ReadProblem": "readers",
    "RegisterSplit": "advice.registers",
    "RulesError": "errors",
    "Scan": "api.scan",
    "ScannedKernel": "builds.rows",
    "Slack": "advice.slack",
    "Provenance": "tables.sources",
    "Sweep": "api.arrays",
    "TableError": "errors",
    "UnknownComputeCapabilityError": "errors",
    "Use": "engine",
    "Waves": "advice.waves",
    "check": "api.builds",
    "compute": "api.occupancy",
    "compute_capabilities": "api.gpus",
    "diff": "api.builds",
    "gpu": "tables.gpus",
    "gpus": "api.gpus",
    "is_launchable": "api.tuning",
    "kernel_of": "readers",
    "limits": "api.gpus",
    "prune": "api.tuning",
    "read_limits": "tables.custom",
    "save_baseline": "api.builds",
    "scan": "api.scan",
    "sources": "api.gpus",
    "stream_kernels": "readers",
    "sweep": "api.sweep",
}

# Without NumPy there are no sweeps, and ``from occupancy import *`` is to work all the same.
_NEEDS_NUMPY = {"Sweep"}

_SUBMODULES = {"cuda", "device", "triton"}

__all__ = ["__version__", *(_HOMES.keys() - _NEEDS_NUMPY)]  # pyright: ignore[reportUnsupportedDunderAll]


if not TYPE_CHECKING:  # so that type checkers refuse a misspelt name

    def __getattr__(name: str) -> object:
        if name in _SUBMODULES:
            return importlib.import_module(f".{name}", __name__)
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value: object = getattr(importlib.import_module(f".{home}", __name__), name)
        globals()[name] = value  # so that this runs once for each name
        return value


def __dir__() -> list[str]:
    return sorted({*__all__, *_HOMES, *_SUBMODULES})
