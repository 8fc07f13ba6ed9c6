"""Headroom of a kernel: growth without losing a block, and unused resources of the SM."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from ..engine import Result, Use
from ..values.records import FrozenDict, readable
from ..values.resources import Adjustable, Resource
from .search import VariedResource, max_keeping


@readable
class LeftOver(NamedTuple):
    """Unused amount of a resource of an SM."""

    amount: int | None
    """Warps, block slots, 32-bit registers, bytes, barriers or columns; None if nothing limits it."""
    reason: Literal["another_limiter", "too_little"] | None
    """``another_limiter``: enough for another block; ``too_little``: not enough; None: nothing is unused."""


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
    left_over: Mapping[Resource, LeftOver]


def slack(now: Result) -> SlackFields:
    """Return the maximum of each resource that keeps the resident blocks, and unused resources of the SM."""
    blocks = now.active_blocks
    return SlackFields(
        result=now,
        regs=max_with(now, "regs", blocks),
        smem=max_with(now, "smem", blocks),
        barriers=max_with(now, "barriers", blocks),
        tensor_memory=None if now.kernel.tensor_memory is None else max_with(now, "tensor_memory", blocks),
        left_over=FrozenDict((name, _left(use, blocks)) for name, use in now.resources.items()),
    )


def max_with(now: Result, resource: Adjustable, blocks: int) -> int | None:
    """Return the maximum of a resource that keeps a number of blocks, up to the current one; None for 0."""
    if not blocks:
        return None
    varied = VariedResource(now, resource)
    return max_keeping(blocks, varied.levels(varied.amount, blocks))


def _left(use: Use, blocks: int) -> LeftOver:
    if use.per_multiprocessor is None or (use.per_block and use.blocks is None):
        return LeftOver(None, None)  # no limit on this GPU, or in this model
    amount = use.per_multiprocessor - blocks * use.per_block
    if not amount:
        return LeftOver(0, None)
    return LeftOver(amount, "too_little" if use.blocks == blocks else "another_limiter")
