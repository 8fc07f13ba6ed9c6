"""Sizes of an SM's shared memory, and the blocks of a kernel with each of them."""

from __future__ import annotations

from typing import NamedTuple

from ..engine import Result, evaluate
from ..engine.common import shared_memory_configuration
from ..engine.cuda import FIRST_WITH_FLEXIBLE_CARVEOUT
from ..values.fields import Carveout
from ..values.limits import Limits
from .opt_in import needs_opt_in


class SharedMemorySize(NamedTuple):
    """One size of the SM's shared memory."""

    shared_memory: int
    """Bytes of shared memory on the SM."""
    l1: int | None
    """Bytes left for the L1 cache; None if it is separate, or its size is not known."""
    percent: int | None
    """Lowest cudaFuncAttributePreferredSharedMemoryCarveout that selects the size; None if there is none."""
    active_blocks: int
    occupancy: float
    """Active warps divided by the maximum per SM, 0 to 1."""


class CarveoutAdvice(NamedTuple):
    """Splits of the memory that L1 cache and shared memory share."""

    smallest: SharedMemorySize | None
    """The smallest size with the blocks that the kernel has now; None if it has none."""
    configurations: tuple[SharedMemorySize, ...]
    """Every size that holds a block of the kernel, ascending."""
    needs_opt_in: bool
    """True if the kernel must raise its limit of dynamic shared memory with cudaFuncSetAttribute."""


def carveout(now: Result) -> CarveoutAdvice:
    """Return the blocks with each size of the shared memory, and the smallest that keeps them."""
    limits, kernel, found = now.limits, now.kernel, []
    unified = limits.unified_l1_and_shared_memory
    for amount in limits.shared_memory_configurations:
        result = evaluate(limits, kernel.replace(carveout=Carveout(amount, "bytes")), now.model)
        # If a size is too small for one block, the SM selects a larger one.
        if result.active_blocks and result.shared_memory_pool == amount:
            l1 = None if unified is None else unified - amount
            percent = _percent(limits, amount)
            found.append(SharedMemorySize(amount, l1, percent, result.active_blocks, result.occupancy))
    enough = (each for each in found if now.active_blocks and each.active_blocks >= now.active_blocks)
    return CarveoutAdvice(next(enough, None), tuple(found), needs_opt_in(limits, kernel))


def _percent(limits: Limits, size: int) -> int | None:
    if limits.compute_capability < FIRST_WITH_FLEXIBLE_CARVEOUT:
        return None
    sizes = (shared_memory_configuration(limits, Carveout(percent, "percent")) for percent in range(101))
    return next((percent for percent, each in enumerate(sizes) if each == size), None)
