"""The engine: what an SM offers and what a block needs in, how many blocks fit out.

Integers only, the standard library only, no input and no output; it uses `values` and `errors`.
"""

from __future__ import annotations

from ..values.kernel import Kernel
from ..values.limits import Limits
from .launch_failure import LaunchFailure
from .models import MODELS, Rules, default_model, rules
from .parts import Allocation, BlockLimits, Model, Use
from .result import Result

__all__ = [
    "MODELS",
    "Allocation",
    "BlockLimits",
    "LaunchFailure",
    "Model",
    "Result",
    "Rules",
    "Use",
    "default_model",
    "evaluate",
    "rules",
]


def evaluate(limits: Limits, kernel: Kernel, model: Model | None = None) -> Result:
    """How many blocks of the kernel can be resident on one SM at once, and what stops one more: `Result`."""
    return Result(limits, kernel, model)
