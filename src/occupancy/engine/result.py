"""What the engine answers: plain numbers, nothing formatted."""

from __future__ import annotations

from dataclasses import dataclass

from ..values.kernel import Kernel
from ..values.limits import Limits
from ..values.resources import RESOURCES, Resource
from . import cuda
from .common import shared_memory_configuration
from .launch_failure import LaunchFailure, first_failure
from .parts import Allocation, BlockLimits, Model, Use


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
        return self.block_limits.smallest

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

    def occupancy_of(self, blocks: int) -> float:
        """The occupancy with another number of resident blocks of this kernel."""
        return blocks * self.allocated.warps / self.limits.max_warps_per_multiprocessor

    @property
    def occupancy_by_threads(self) -> float:
        """Resident threads by the most that an SM holds, 0 to 1: what PyTorch's profiler prints.

        Lower than `occupancy` where a block does not fill its last warp.
        """
        return self.active_blocks * self.kernel.threads / self.limits.max_threads_per_multiprocessor

    @property
    def limiters(self) -> tuple[Resource, ...]:
        """Every resource that allows no more blocks than the answer; never empty."""
        answer = self.block_limits.smallest
        return tuple([name for name, limit in zip(RESOURCES, self.block_limits) if limit == answer])  # noqa: B905, both are five

    @property
    def shared_memory_pool(self) -> int:
        """Bytes of shared memory that the SM is set to for this kernel."""
        if self.model == "cuda":
            return cuda.shared_memory_pool(self.limits, self.kernel, self.allocated.shared_memory)
        return shared_memory_configuration(self.limits, self.kernel.carveout)

    @property
    def uses(self) -> dict[Resource, Use]:
        """What one block takes of each resource, and how much of it the SM has."""
        limits, barriers = self.limits, self.kernel.barriers
        amounts = (
            (self.allocated.warps, limits.max_warps_per_multiprocessor),
            (1, limits.max_blocks_per_multiprocessor),
            (self.allocated.registers, limits.max_registers_per_multiprocessor),
            (self.allocated.shared_memory, self.shared_memory_pool),
            (
                cuda.UNKNOWN_BARRIERS if barriers is None else barriers,
                limits.max_barriers_per_multiprocessor,
            ),
        )
        return {name: Use(*amount) for name, amount in zip(RESOURCES, amounts, strict=True)}

    @property
    def failure(self) -> LaunchFailure | None:
        """The first limit that keeps the kernel from launching at all; None where it launches."""
        return first_failure(self.limits, self.kernel, self.model, self.block_limits, self.allocated)

    @property
    def launchable(self) -> bool:
        """Whether the kernel launches on this chip."""
        return self.failure is None

    @property
    def reason(self) -> str | None:
        """Why the kernel does not launch: the first limit that it breaks; None where it does."""
        failure = self.failure
        return None if failure is None else str(failure)
