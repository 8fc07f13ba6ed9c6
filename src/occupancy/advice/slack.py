"""Headroom of a kernel: growth without losing a block, and unused resources of the SM."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..engine import Result, Use
from ..values.records import FrozenDict
from ..values.resources import Adjustable, Resource
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
    blocks = now.active_blocks
    return SlackFields(
        result=now,
        regs=max_with(now, "regs", blocks),
        smem=max_with(now, "smem", blocks),
        barriers=max_with(now, "barriers", blocks),
        tensor_memory=None if now.kernel.tensor_memory is None else max_with(now, "tensor_memory", blocks),
        unused=FrozenDict((name, _unused(use, blocks)) for name, use in now.resources.items()),
    )


def max_with(now: Result, resource: Adjustable, blocks: int) -> int | None:
    """Return the maximum of a resource that keeps a number of blocks, up to the current one; None for 0."""
    if not blocks:
        return None
    varied = VariedResource(now, resource)
    return max_keeping(blocks, varied.levels(varied.amount, blocks))


def _unused(use: Use, blocks: int) -> int | None:
    if use.per_multiprocessor is None or (use.per_block and use.blocks is None):
        return None  # no limit on this GPU, or in this model
    return use.per_multiprocessor - blocks * use.per_block
