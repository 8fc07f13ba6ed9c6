"""The models: whose answers there are, and which of them a chip is answered by."""

from __future__ import annotations

from typing import Protocol

from ..errors import InputError, shown
from ..values.kernel import Kernel
from ..values.limits import Limits
from . import cuda, spreadsheet
from .parts import Allocation, BlockLimits, Model


class Rules(Protocol):
    """What a model consists of; each is a module with these functions."""

    def supports(self, limits: Limits, /) -> bool:
        """Whether the model knows the compute capability."""

    def evaluate(self, limits: Limits, kernel: Kernel, /) -> tuple[BlockLimits, Allocation]:
        """The blocks that each resource allows, and what one block takes.

        Raises:
            InputError: A carveout or a caching mode that the chip does not have.
        """

    def shared_memory_pool(self, limits: Limits, kernel: Kernel, per_block: int, /) -> int:
        """Bytes of shared memory that the SM is set to for a block that takes so many of them."""


MODELS: dict[Model, Rules] = {"cuda": cuda, "spreadsheet": spreadsheet}


def default_model(limits: Limits) -> Model:
    """``cuda`` wherever it exists, else ``spreadsheet``."""
    # As cuda.supports has it; to call that would take a hundredth of the time of an answer.
    return "cuda" if limits.compute_capability >= cuda.FIRST_COMPUTE_CAPABILITY else "spreadsheet"


def rules(limits: Limits, model: Model) -> Rules:
    """The rules of a model.

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
            hint="Leave the model out to have the one that knows the chip.",
        )
    return chosen
