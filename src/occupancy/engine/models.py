"""The models, and the default model of a GPU."""

from __future__ import annotations

from typing import Protocol

from ..errors import InputError, shown
from ..values.kernel import Kernel
from ..values.limits import Limits
from . import cuda, spreadsheet
from .common import Allocation, BlockLimits, Model


class ModelRules(Protocol):
    """A model: a module with these functions."""

    def supports(self, limits: Limits, /) -> bool:
        """Return True if the model supports the compute capability."""

    def evaluate(self, limits: Limits, kernel: Kernel, /) -> tuple[BlockLimits, Allocation]:
        """Return the blocks that each resource allows, and the resources of one block."""

    def shared_memory_pool(self, limits: Limits, kernel: Kernel, per_block: int, /) -> int:
        """Return the bytes of shared memory that the SM selects, by the bytes of a block."""


MODELS: dict[Model, ModelRules] = {"cuda": cuda, "spreadsheet": spreadsheet}


def default_model(limits: Limits) -> Model:
    """Return ``cuda`` if it supports the GPU, else ``spreadsheet``."""
    return "cuda" if cuda.supports(limits) else "spreadsheet"


def rules(limits: Limits, model: Model) -> ModelRules:
    """Return the rules of a model.

    Raises:
        InputError: There is no such model, or it does not support the GPU.
    """
    chosen = MODELS.get(model) if isinstance(model, str) else None
    if chosen is None:
        raise InputError(f"{shown(model)} is not a model", where="model", allowed=", ".join(MODELS))
    if not chosen.supports(limits):
        raise InputError(
            f"{model} does not support compute capability {limits.compute_capability}",
            where="model",
            allowed=", ".join(name for name, each in MODELS.items() if each.supports(limits)),
            hint="Omit the model to use the default.",
        )
    return chosen
