"""CUDA occupancy without a GPU: how many blocks of a kernel fit on an SM, and what limits them.

    >>> import occupancy
    >>> result = occupancy.compute("7.0", threads=128, regs=37)
    >>> result.occupancy, result.active_blocks, result.limiters
    (0.75, 12, ('registers',))

The main functions are compute, sweep, fits, limits, gpus, prune, read_kernel, scan, diff and check.
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
    from .api.gpus import compute_capabilities as compute_capabilities
    from .api.gpus import fits as fits
    from .api.gpus import gpus as gpus
    from .api.gpus import limits as limits
    from .api.gpus import register_split as register_split
    from .api.gpus import sources as sources
    from .api.occupancy import Occupancies as Occupancies
    from .api.occupancy import Occupancy as Occupancy
    from .api.occupancy import compute as compute
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
    from .errors import TooLargeError as TooLargeError
    from .errors import UnknownComputeCapabilityError as UnknownComputeCapabilityError
    from .readers import KernelRecord as KernelRecord
    from .readers import read_kernel as read_kernel
    from .readers import stream_kernels as stream_kernels
    from .report.scan import Finding as Finding
    from .tables.custom import read_limits as read_limits
    from .tables.gpus import Gpu as Gpu
    from .tables.gpus import gpu as gpu
    from .values.fields import Carveout as Carveout
    from .values.kernel import Kernel as Kernel
    from .values.kernel import Launch as Launch
    from .values.limits import ComputeCapability as ComputeCapability
    from .values.limits import Limits as Limits
    from .values.resources import Limiter as Limiter

__version__ = "1.0.0"
__all__: list[str]


if not TYPE_CHECKING:  # so that type checkers refuse a misspelled name
    _NAMES = {
        "errors": (
            "BaselineError", "DeviceError", "InputError", "MissingDependencyError", "OccupancyError",
            "ReadError", "RulesError", "TableError", "TooLargeError", "UnknownComputeCapabilityError",
        ),
        "values.fields": ("Carveout",),
        "values.kernel": ("Kernel", "Launch"),
        "values.limits": ("ComputeCapability", "Limits"),
        "values.resources": ("Limiter",),
        "tables.custom": ("read_limits",),
        "tables.gpus": ("Gpu", "gpu"),
        "readers": ("KernelRecord", "read_kernel", "stream_kernels"),
        "builds.rows": ("ScannedKernel",),
        "compare.rules": ("Exemption", "Rule"),
        "report.scan": ("Finding",),
        "api.arrays": ("Sweep",),
        "api.builds": ("CheckResult", "Diff", "check", "diff", "save_baseline"),
        "api.gpus": ("compute_capabilities", "fits", "gpus", "limits", "register_split", "sources"),
        "api.occupancy": ("Occupancies", "Occupancy", "compute"),
        "api.scan": ("Scan", "scan"),
        "api.sweep": ("sweep",),
        "api.tuning": ("is_launchable", "prune"),
    }  # fmt: skip
    _HOMES = {name: module for module, names in _NAMES.items() for name in names}
    _SUBMODULES = ("cuda", "device", "triton", "typing")

    # Without Sweep, which needs NumPy: `from occupancy import *` works without it.
    __all__ = ["__version__", *sorted(_HOMES.keys() - {"Sweep"}), *_SUBMODULES]

    def __getattr__(name: str) -> object:
        if name in _SUBMODULES:
            return importlib.import_module(f".{name}", __name__)
        if (home := _HOMES.get(name)) is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value: object = getattr(importlib.import_module(f".{home}", __name__), name)
        globals()[name] = value  # so that this runs once for each name
        return value

    def __dir__() -> list[str]:
        return sorted(__all__)
