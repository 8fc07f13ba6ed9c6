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
    from .api import sweep as sweep
    from .custom_table import read_limits as read_limits
    from .engine import Allocation as Allocation
    from .engine import BlockLimits as BlockLimits
    from .engine import Occupancy as Occupancy
    from .errors import InputError as InputError
    from .errors import MissingDependencyError as MissingDependencyError
    from .errors import OccupancyError as OccupancyError
    from .errors import TableError as TableError
    from .errors import UnknownComputeCapabilityError as UnknownComputeCapabilityError
    from .kernel import Carveout as Carveout
    from .kernel import Kernel as Kernel
    from .kernel import Launch as Launch
    from .limiter_bits import Limiter as Limiter
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
    "Launch": "kernel",
    "Limiter": "limiter_bits",
    "Limits": "sm_limits",
    "MissingDependencyError": "errors",
    "Occupancy": "engine",
    "OccupancyError": "errors",
    "Result": "api",
    "TableError": "errors",
    "UnknownComputeCapabilityError": "errors",
    "compute": "api",
    "compute_capabilities": "api",
    "limits": "api",
    "read_limits": "custom_table",
    "sweep": "api",
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
