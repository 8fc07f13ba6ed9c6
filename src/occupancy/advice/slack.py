"""Headroom of a kernel: growth, unused resources, and smaller shared memory, without losing a block."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..engine import Result, Use
from ..engine.common import shared_memory_configuration
from ..engine.cuda import FIRST_WITH_FLEXIBLE_CARVEOUT
from ..values.fields import Carveout
from ..values.records import FrozenDict, readable
from ..values.resources import QUANTITIES, Adjustable, Resource
from .launch_requirements import needs_opt_in
from .search import VariedResource, max_keeping


class SlackFields(NamedTuple):
    result: Result
    regs: int | None
    """Registers per thread."""
    smem: int | None
    """Static and dynamic shared memory per block in bytes."""
    barriers: int | None
    """Named barriers per block."""
    tensor_memory: int | None
    """Columns of tensor memory per block; None for a kernel without tensor memory."""
    unused: Mapping[Resource, int | None]
    """Unused warps, block slots, 32-bit registers, bytes, ... of the SM; None if nothing limits them."""


def slack(now: Result) -> SlackFields:
    """Return the maximum of each resource that keeps the resident blocks, and unused resources of the SM."""
    unused = FrozenDict((name, _unused(use, now.active_blocks)) for name, use in now.resources.items())
    regs, smem, barriers, columns = (_most(now, resource) for resource in QUANTITIES)
    return SlackFields(now, regs, smem, barriers, columns, unused)


def _most(now: Result, resource: Adjustable) -> int | None:
    """Return the maximum of a resource that keeps all blocks; None without blocks."""
    is_unused = resource == "tensor_memory" and now.kernel.tensor_memory is None
    if is_unused or not now.active_blocks or not now.compiles:
        return None
    varied = VariedResource(now, resource)
    return max_keeping(now.active_blocks, varied.levels(varied.amount, now.active_blocks))


def _unused(use: Use, blocks: int) -> int | None:
    if use.per_multiprocessor is None or (use.per_block and use.blocks is None):
        return None  # no limit on this GPU, or in this model
    return use.per_multiprocessor - blocks * use.per_block


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
    percents = range(100, -1, -1) if limits.compute_capability >= FIRST_WITH_FLEXIBLE_CARVEOUT else ()
    lowest = {shared_memory_configuration(limits, Carveout(each, "percent")): each for each in percents}
    for amount in limits.shared_memory_configurations:
        result = Result(limits, kernel.replace(carveout=Carveout(amount, "bytes")), now.model)
        # If a configuration is too small for one block, the SM selects a larger one.
        if (blocks := result.active_blocks) and result.shared_memory_pool == amount:
            l1 = None if unified is None else unified - amount
            sizes.append(SharedMemorySize(amount, l1, lowest.get(amount), blocks, result.occupancy))
    enough = (size for size in sizes if now.active_blocks and size.active_blocks >= now.active_blocks)
    return CarveoutFields(now, next(enough, None), tuple(sizes), needs_opt_in(limits, kernel))
