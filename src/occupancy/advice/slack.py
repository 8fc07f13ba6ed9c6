"""How far a kernel may grow without losing a block, and what is left over of the SM."""

from __future__ import annotations

from typing import Literal

from ..engine import Result, Use
from ..render.words import amount
from ..values.dataclass import dataclass
from ..values.listed import ToDict
from ..values.resources import ADJUSTABLE, QUANTITIES, Adjustable, Resource
from .search import Dial, most_keeping


@dataclass(frozen=True, slots=True)
class LeftOver:
    """What the resident blocks leave of one resource of an SM."""

    amount: int | None
    """Warps, block slots, 32-bit registers, bytes, barriers or columns; None where nothing limits it."""
    reason: Literal["another_limiter", "too_little"] | None
    """``another_limiter``: it holds more blocks; ``too_little``: it does not; None: nothing is left."""


@dataclass(frozen=True, slots=True)
class Slack(ToDict):
    """How far each resource may grow, the others staying as they are, before a block is lost.

    The values are totals, not differences. None where no block is resident to begin with.
    """

    regs: int | None
    """Registers per thread."""
    smem: int | None
    """Bytes of the kernel's own shared memory per block, static and dynamic."""
    barriers: int | None
    """Named barriers per block."""
    tensor_memory: int | None
    """Columns of tensor memory per block; None of a kernel that is not known to allocate any, too."""
    left_over: dict[Resource, LeftOver]

    def __str__(self) -> str:
        """``registers up to 40, shared memory up to 45 KiB, barriers up to 4``."""
        grows: list[tuple[Adjustable, int | None]] = [(each, getattr(self, each)) for each in ADJUSTABLE]
        texts = [
            f"{QUANTITIES[each].label} up to {amount(each, most)}" for each, most in grows if most is not None
        ]
        return ", ".join(texts) or "no block is resident"


def slack(now: Result) -> Slack:
    """How far each resource may grow before a block is lost, and what is left over of the SM."""
    return Slack(
        regs=most_with(now, "regs", now.active_blocks),
        smem=most_with(now, "smem", now.active_blocks),
        barriers=most_with(now, "barriers", now.active_blocks),
        tensor_memory=None
        if now.kernel.tensor_memory is None
        else most_with(now, "tensor_memory", now.active_blocks),
        left_over=_left_over(now),
    )


def most_with(now: Result, resource: Adjustable, blocks: int) -> int | None:
    """How far a resource may grow for that many blocks, of those that it allows now; None of no block."""
    if not blocks:
        return None
    dial = Dial(now.limits, now.kernel, now.model, resource)
    return most_keeping(blocks, dial.levels(dial.amount, blocks))


def _left_over(now: Result) -> dict[Resource, LeftOver]:
    return {
        resource: _left(use, now.active_blocks, allowed)
        for (resource, use), allowed in zip(now.uses.items(), now.block_limits, strict=True)
    }


def _left(use: Use, blocks: int, allowed: int | None) -> LeftOver:
    if use.per_multiprocessor is None or (use.per_block and allowed is None):
        return LeftOver(None, None)  # the chip, or the model, does not limit what the blocks take
    amount = use.per_multiprocessor - blocks * use.per_block
    if not amount:
        return LeftOver(0, None)
    return LeftOver(amount, "too_little" if allowed == blocks else "another_limiter")
