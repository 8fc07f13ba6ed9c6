"""The engine: resident blocks from the limits of an SM and the resources of a block."""

from __future__ import annotations

from ..values.kernel import Kernel
from ..values.limits import Limits
from .common import Allocation, BlockLimits, Model, Use
from .launch_failure import LaunchFailure
from .result import MODELS, Result, default_model, rules

__all__ = [
    "MODELS",
    "Allocation",
    "BlockLimits",
    "LaunchFailure",
    "Model",
    "Result",
    "Use",
    "default_model",
    "evaluate",
    "rules",
]


def evaluate(limits: Limits, kernel: Kernel, model: Model | None = None) -> Result:
    """Compute the maximum resident blocks of an SM, and the limiting resources."""
    return Result(limits, kernel, model)
