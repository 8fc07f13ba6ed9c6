"""What the engine answers: plain numbers, nothing formatted."""

from __future__ import annotations

from typing import Any

from ..values.fields import TENSOR_MEMORY_UNIT
from ..values.kernel import Kernel
from ..values.limits import Limits
from ..values.resources import QUANTITIES, RESOURCES, Resource
from .common import round_up
from .launch_failure import LaunchFailure, first_failure
from .models import MODELS, default_model, rules
from .parts import Allocation, BlockLimits, Model, Use


class Result:
    """How many blocks of a kernel can be at work on one SM at once, and what stops one more.

    It is never changed after it was made. It is a plain class, because a frozen dataclass takes longer to
    fill than the arithmetic takes to do.

    Args:
        limits: What the SM offers.
        kernel: What one block needs.
        model: Whose answer to give; by default `default_model`.

    Raises:
        InputError: The model does not know the chip, or the chip lacks the carveout or caching mode.
    """

    # The GPU is that of the public class, which has to have the same slots: see `Occupancy.__new__`.
    __slots__ = (
        "active_blocks", "active_warps", "allocated", "block_limits", "gpu", "kernel", "limits", "model",
    )  # fmt: skip

    limits: Limits
    kernel: Kernel
    model: Model
    block_limits: BlockLimits
    """Blocks that each resource alone would allow."""
    allocated: Allocation
    """What one resident block takes of the SM, after every rounding."""
    active_blocks: int
    """Blocks that can be resident on one SM at once, and have their tensor memory, if they allocate any."""
    active_warps: int
    """Warps of those blocks."""

    def __init__(self, limits: Limits, kernel: Kernel, model: Model | None = None) -> None:
        if model is None:
            model = default_model(limits)
            chosen = MODELS[model]
        else:
            chosen = rules(limits, model)
        block_limits, allocated = chosen.evaluate(limits, kernel)
        blocks = block_limits.smallest()
        self.limits = limits
        self.kernel = kernel
        self.model = model
        self.block_limits = block_limits
        self.allocated = allocated
        self.active_blocks = blocks
        self.active_warps = blocks * allocated.warps

    def __reduce__(self) -> tuple[type[Result], tuple[Any, ...]]:
        return type(self), (self.limits, self.kernel, self.model)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} {100 * self.occupancy:.4g}% on {self.limits.compute_capability}: "
            f"{self.active_blocks} blocks of {self.kernel.threads} threads, "
            f"limited by {', '.join(self.limiters)}>"
        )

    def _key(self) -> tuple[object, ...]:
        return self.limits, self.kernel, self.model  # all else follows from them

    @property
    def active_threads(self) -> int:
        """Threads of those blocks; in the spreadsheet's model it counts whole warps, as that does."""
        if self.model == "spreadsheet":
            return self.active_warps * self.limits.warp_size
        return self.active_blocks * self.kernel.threads

    @property
    def occupancy(self) -> float:
        """Active warps by the most warps that an SM holds, 0 to 1: what NVIDIA's tools call occupancy."""
        limits = self.limits
        return self.active_warps * limits.warp_size / limits.max_threads_per_multiprocessor

    def occupancy_of(self, blocks: int) -> float:
        """The occupancy with another number of resident blocks of this kernel."""
        return blocks * self.allocated.warps / self.limits.max_warps_per_multiprocessor

    @property
    def occupancy_by_threads(self) -> float:
        """Resident threads by the most that an SM holds, 0 to 1.

        Lower than `occupancy` where a block does not fill its last warp. PyTorch's profiler
        prints it for large grids: it counts no more blocks than the grid has for each SM.
        """
        return self.active_blocks * self.kernel.threads / self.limits.max_threads_per_multiprocessor

    @property
    def limiters(self) -> tuple[Resource, ...]:
        """Every resource that allows no more blocks than the answer; never empty."""
        answer, found = self.active_blocks, []
        # A comprehension takes longer, before Python 3.12.
        for name, limit in zip(RESOURCES, self.block_limits):  # noqa: B905, both are seven
            if limit == answer:
                found.append(name)
        return tuple(found)

    @property
    def shared_memory_pool(self) -> int:
        """Bytes of shared memory that the SM is set to for this kernel."""
        return MODELS[self.model].shared_memory_pool(self.limits, self.kernel, self.allocated.shared_memory)

    @property
    def blocks_by_header(self) -> int:
        """Blocks that cuda_occupancy.h counts, which knows no tensor memory.

        More than the active ones where a kernel has relinquished its permit to allocate (no virtual
        resources) and its columns are what limits: those besides wait for columns, or do not come in.
        """
        return min(
            limit
            for name, limit in zip(RESOURCES, self.block_limits, strict=True)
            if limit is not None and name != "tensor_memory"
        )

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
                QUANTITIES["barriers"].not_given if barriers is None else barriers,
                limits.max_barriers_per_multiprocessor,
            ),
            (self.kernel.virtual_resources_at_start, limits.virtual_resources_per_multiprocessor),
            (
                round_up(self.kernel.tensor_memory or 0, TENSOR_MEMORY_UNIT),
                limits.tensor_memory_per_multiprocessor,
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
