"""The engine: what an SM offers and what a block needs in, how many blocks fit out.

Integers only, the standard library only, no input and no output.
"""

from __future__ import annotations

from types import ModuleType

from ..errors import InputError, shown
from ..values.kernel import Kernel
from ..values.limits import Limits
from . import cuda, spreadsheet
from .launch_failure import LaunchFailure
from .parts import Allocation, BlockLimits, Model, Use
from .result import Occupancy

__all__ = [
    "MODELS",
    "Allocation",
    "BlockLimits",
    "LaunchFailure",
    "Model",
    "Occupancy",
    "Use",
    "default_model",
    "evaluate",
]

MODELS: dict[Model, ModuleType] = {"cuda": cuda, "spreadsheet": spreadsheet}


def default_model(limits: Limits) -> Model:
    """``cuda`` wherever it exists, else ``spreadsheet``."""
    return "cuda" if cuda.supports(limits) else "spreadsheet"


def evaluate(limits: Limits, kernel: Kernel, model: Model | None = None) -> Occupancy:
    """How many blocks of the kernel can be resident on one SM at once, and what stops one more.

    Args:
        limits: What the SM offers.
        kernel: What one block needs.
        model: Whose answer to give; by default `default_model`.

    Raises:
        InputError: The model does not know the chip, or the chip lacks the carveout or caching mode.
    """
    if model is None:
        model = default_model(limits)
    return Occupancy(limits, kernel, model, *rules(limits, model).evaluate(limits, kernel))


def rules(limits: Limits, model: Model) -> ModuleType:
    """The module with the rules of a model.

    Raises:
        InputError: There is no such model, or it does not know the chip.
    """
    chosen = MODELS.get(model) if isinstance(model, str) else None
    if chosen is None:
        raise InputError(f"there is no model {shown(model)}", where="model", allowed=", ".join(MODELS))
    if not chosen.supports(limits):
        raise InputError(
            f"the model {model} does not know compute capability {limits.compute_capability}",
            where="model",
            allowed=", ".join(name for name, each in MODELS.items() if each.supports(limits)),
            cure="Leave the model out to have the one that knows the chip.",
        )
    return chosen
