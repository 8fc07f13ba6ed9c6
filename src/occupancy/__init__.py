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
    from .api import Result as Result
    from .api import compute as compute
    from .api import compute_capabilities as compute_capabilities
    from .api import limits as limits
    from .custom_table import read_limits as read_limits
    from .engine import Allocation as Allocation
    from .engine import BlockLimits as BlockLimits
    from .engine import Occupancy as Occupancy
    from .errors import InputError as InputError
    from .errors import MissingDependencyError as MissingDependencyError
    from .errors import OccupancyError as OccupancyError
    from .errors import ReadError as ReadError
    from .errors import TableError as TableError
    from .errors import UnknownComputeCapabilityError as UnknownComputeCapabilityError
    from .kernel import Carveout as Carveout
    from .kernel import Kernel as Kernel
    from .kernel import Launch as Launch
    from .readers import KernelRecord as KernelRecord
    from .readers import ReadProblem as ReadProblem
    from .readers import kernel_of as kernel_of
    from .readers import kernels as kernels
    from .sm_limits import ComputeCapability as ComputeCapability
    from .sm_limits import Limits as Limits

__version__ = "0.1.0"

# Public name -> the module that has it.
_HOMES = {
    "Allocation": "engine",
    "BlockLimits": "engine",
    "Carveout": "kernel",
    "ComputeCapability": "sm_limits",
    "InputError": "errors",
    "Kernel": "kernel",
    "KernelRecord": "readers",
    "Launch": "kernel",
    "Limits": "sm_limits",
    "MissingDependencyError": "errors",
    "Occupancy": "engine",
    "OccupancyError": "errors",
    "ReadError": "errors",
    "ReadProblem": "readers",
    "Result": "api",
    "TableError": "errors",
    "UnknownComputeCapabilityError": "errors",
    "compute": "api",
    "compute_capabilities": "api",
    "kernel_of": "readers",
    "kernels": "readers",
    "limits": "api",
    "read_limits": "custom_table",
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
