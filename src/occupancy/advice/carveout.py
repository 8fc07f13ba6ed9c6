"""Shared memory configurations of an SM, with the resident blocks of a kernel for each."""

from __future__ import annotations

from typing import NamedTuple

from ..engine import Result
from ..engine.common import shared_memory_configuration
from ..engine.cuda import FIRST_WITH_FLEXIBLE_CARVEOUT
from ..values.fields import Carveout
from ..values.records import readable
from .launch_requirements import needs_opt_in


@readable
class SharedMemorySize(NamedTuple):
    """Shared memory configuration of an SM."""

    shared_memory: int
    """Bytes of shared memory per SM."""
    l1: int | None
    """Remaining bytes of L1 cache; None if it is separate, or its size is unknown."""
    percent: int | None
    """Lowest cudaFuncAttributePreferredSharedMemoryCarveout that selects it; None if there is none."""
    active_blocks: int
    occupancy: float
    """Resident warps divided by the maximum per SM, 0 to 1."""


class CarveoutFields(NamedTuple):
    result: Result
    smallest: SharedMemorySize | None
    """Smallest configuration that keeps the resident blocks; None without blocks."""
    configurations: tuple[SharedMemorySize, ...]
    """Every configuration that holds a block of the kernel, ascending."""
    needs_opt_in: bool
    """True if the kernel must opt in to more dynamic shared memory with cudaFuncSetAttribute."""


def carveout(now: Result) -> CarveoutFields:
    """Return the blocks for each configuration, and the smallest configuration that keeps the maximum."""
    limits, kernel, sizes = now.limits, now.kernel, []
    unified = limits.unified_l1_and_shared_memory
    lowest_percent = {
        shared_memory_configuration(limits, Carveout(percent, "percent")): percent
        for percent in range(100, -1, -1)
        if limits.compute_capability >= FIRST_WITH_FLEXIBLE_CARVEOUT
    }
    for amount in limits.shared_memory_configurations:
        result = Result(limits, kernel.replace(carveout=Carveout(amount, "bytes")), now.model)
        # If a configuration is too small for one block, the SM selects a larger one.
        if result.active_blocks and result.shared_memory_pool == amount:
            l1 = None if unified is None else unified - amount
            percent = lowest_percent.get(amount)
            sizes.append(SharedMemorySize(amount, l1, percent, result.active_blocks, result.occupancy))
    enough = (size for size in sizes if now.active_blocks and size.active_blocks >= now.active_blocks)
    return CarveoutFields(now, next(enough, None), tuple(sizes), needs_opt_in(limits, kernel))
