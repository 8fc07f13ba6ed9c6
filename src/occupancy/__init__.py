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
    from . import typing as typing
    from .api.arrays import Sweep as Sweep
    from .api.builds import CheckResult as CheckResult
    from .api.builds import Diff as Diff
    from .api.builds import check as check
    from .api.builds import diff as diff
    from .api.builds import save_baseline as save_baseline
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
    from .compare.rules import Exemption as Exemption
    from .compare.rules import Rule as Rule
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
    from .readers import read_kernel as read_kernel
    from .readers import stream_kernels as stream_kernels
    from .report.scan import Finding as Finding
    from .tables.custom import read_limits as read_limits
    from .tables.gpus import Gpu as Gpu
    from .tables.gpus import gpu as gpu
    from .values.carveout import Carveout as Carveout
    from .values.kernel import Kernel as Kernel
    from .values.kernel import Launch as Launch
    from .values.limits import ComputeCapability as ComputeCapability
    from .values.limits import Limits as Limits
    from .values.resources import Limiter as Limiter

__version__ = "1.0.0"

# Public name -> the module that has it.
_HOMES = {
    "BaselineError": "errors",
    "Carveout": "values.carveout",
    "CheckResult": "api.builds",
    "ComputeCapability": "values.limits",
    "DeviceError": "errors",
    "Diff": "api.builds",
    "Exemption": "compare.rules",
    "Finding": "report.scan",
    "Gpu": "tables.gpus",
    "InputError": "errors",
    "Kernel": "values.kernel",
    "KernelRecord": "readers",
    "Launch": "values.kernel",
    "Limiter": "values.resources",
    "Limits": "values.limits",
    "MissingDependencyError": "errors",
    "Occupancies": "api.occupancy",
    "Occupancy": "api.occupancy",
    "OccupancyError": "errors",
    "ReadError": "errors",
    "Rule": "compare.rules",
    "RulesError": "errors",
    "Scan": "api.scan",
    "ScannedKernel": "builds.rows",
    "Sweep": "api.arrays",
    "TableError": "errors",
    "UnknownComputeCapabilityError": "errors",
    "check": "api.builds",
    "compute": "api.occupancy",
    "compute_capabilities": "api.gpus",
    "diff": "api.builds",
    "fits": "api.fits",
    "gpu": "tables.gpus",
    "gpus": "api.gpus",
    "is_launchable": "api.tuning",
    "limits": "api.gpus",
    "prune": "api.tuning",
    "read_kernel": "readers",
    "read_limits": "tables.custom",
    "register_split": "api.registers",
    "save_baseline": "api.builds",
    "scan": "api.scan",
    "sources": "api.gpus",
    "stream_kernels": "readers",
    "sweep": "api.sweep",
}
_SUBMODULES = ("cuda", "device", "triton", "typing")

# Without Sweep, which needs NumPy: `from occupancy import *` works without it.
__all__ = [  # noqa: RUF022, in the order of `_HOMES`
    "__version__",
    "BaselineError",
    "Carveout",
    "CheckResult",
    "ComputeCapability",
    "DeviceError",
    "Diff",
    "Exemption",
    "Finding",
    "Gpu",
    "InputError",
    "Kernel",
    "KernelRecord",
    "Launch",
    "Limiter",
    "Limits",
    "MissingDependencyError",
    "Occupancies",
    "Occupancy",
    "OccupancyError",
    "ReadError",
    "Rule",
    "RulesError",
    "Scan",
    "ScannedKernel",
    "TableError",
    "UnknownComputeCapabilityError",
    "check",
    "compute",
    "compute_capabilities",
    "diff",
    "fits",
    "gpu",
    "gpus",
    "is_launchable",
    "limits",
    "prune",
    "read_kernel",
    "read_limits",
    "register_split",
    "save_baseline",
    "scan",
    "sources",
    "stream_kernels",
    "sweep",
    "cuda",
    "device",
    "triton",
    "typing",
]


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
    return sorted(__all__)
