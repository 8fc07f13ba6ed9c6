"""What the engine answers: plain numbers, nothing computed for show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from ..kernel import Kernel
from ..sm_limits import Limits

Model = Literal["cuda", "spreadsheet"]
Resource = Literal["warps", "blocks", "registers", "shared_memory", "barriers"]


class BlockLimits(NamedTuple):
    """Blocks that each resource alone would allow on one SM; None where it sets no limit."""

    warps: int
    blocks: int
    registers: int | None
    shared_memory: int | None
    barriers: int | None


RESOURCES: tuple[Resource, ...] = ("warps", "blocks", "registers", "shared_memory", "barriers")


class Allocation(NamedTuple):
    """What one resident block takes of an SM, after every rounding."""

    warps: int
    registers: int
    shared_memory: int
    """Bytes, with the system's reservation."""


@dataclass(frozen=True, slots=True)
class LaunchFailure:
    """A limit that keeps a kernel from running at all."""

    limit: str
    """The field of `Limits` that is exceeded."""
    needed: int
    allowed: int
    what: str
    """What is too large, as a phrase with its unit."""
    error: str
    """What the CUDA runtime says to such a launch."""
    cure: str = ""


@dataclass(frozen=True, slots=True)
class Occupancy:
    """How many blocks of a kernel can be resident on one SM at once, and what stops one more."""

    limits: Limits
    kernel: Kernel
    model: Model
    block_limits: BlockLimits
    allocated: Allocation

    @property
    def active_blocks(self) -> int:
        """Blocks that can be resident on one SM at once."""
        return min(limit for limit in self.block_limits if limit is not None)

    @property
    def active_warps(self) -> int:
        """Warps of those blocks."""
        return self.active_blocks * self.allocated.warps

    @property
    def active_threads(self) -> int:
        """Threads of those blocks; in the spreadsheet's model it counts whole warps, as that does."""
        if self.model == "spreadsheet":
            return self.active_warps * self.limits.warp_size
        return self.active_blocks * self.kernel.threads

    @property
    def occupancy(self) -> float:
        """Active warps by the most warps that an SM holds, 0 to 1: what NVIDIA's tools call occupancy."""
        return self.active_warps / self.limits.max_warps_per_multiprocessor

    @property
    def occupancy_by_threads(self) -> float:
        """Resident threads by the most that an SM holds, 0 to 1: what PyTorch's profiler prints.

        Lower than `occupancy` where a block does not fill its last warp.
        """
        return self.active_blocks * self.kernel.threads / self.limits.max_threads_per_multiprocessor

    @property
    def limiters(self) -> tuple[Resource, ...]:
        """Every resource that allows no more blocks than the answer; never empty."""
        answer = self.active_blocks
        return tuple(
            name for name, limit in zip(RESOURCES, self.block_limits, strict=True) if limit == answer
        )
