"""What it costs of the occupancy that registers are spilled to shared memory."""

from __future__ import annotations

from ..advice.block_sizes import answers_by_size
from ..advice.next_steps import NextStep
from ..advice.search import changed
from ..engine import evaluate
from ..values.dataclass import dataclass
from ..values.kernel import Kernel
from ..values.limits import Limits


@dataclass(frozen=True, slots=True)
class SpillCost:
    """What the shared memory costs that registers are spilled to."""

    without: float
    """The occupancy without that memory, 0 to 1."""
    worst_threads: int | None
    """The block size, of whole warps up to the launch bound, at which it costs the most; null where it costs
    nothing at any. A block takes as much whatever its size is."""
    worst: float | None
    """The occupancy with it at that size."""
    worst_without: float | None
    """The occupancy without it at that size."""


def spill_cost(limits: Limits, kernel: Kernel) -> SpillCost | None:
    """What it costs; None where a kernel spills nothing to shared memory.

    Args:
        limits: The SM, with no more threads in a block than the kernel was compiled for.
        kernel: One block.
    """
    less = without_spills(kernel)
    at_sizes = zip(occupancies(limits, kernel), occupancies(limits, less), strict=True)
    cost, size, now, without = max(
        ((without - now, -size, now, without) for size, (now, without) in enumerate(at_sizes, 1)),
        default=(0.0, 0, 0.0, 0.0),
    )
    here = evaluate(limits, less).occupancy
    if cost <= 0:
        return SpillCost(here, None, None, None)
    return SpillCost(here, -size * limits.warp_size, now, without)


def is_possible(step: NextStep, kernel: Kernel) -> bool:
    """Whether a next step can be taken: less of the shared memory that holds spilled registers takes other
    registers. What all of it costs is in `SpillCost`."""
    return True


def without_spills(kernel: Kernel) -> Kernel:
    """The kernel without the shared memory that registers are spilled to."""
    return changed(kernel, {"smem": max(0, kernel.shared_memory - 0)})


def occupancies(limits: Limits, kernel: Kernel) -> tuple[float, ...]:
    """The occupancy with blocks of one warp, of two, and so on; 0 where a block does not launch."""
    sizes = range(limits.warp_size, limits.max_threads_per_block + 1, limits.warp_size)
    return tuple(answer.occupancy for answer in answers_by_size(limits, kernel, sizes, None, None))
