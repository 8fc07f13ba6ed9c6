"""One kernel with blocks of every size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ..documented import DOCUMENTED
from ..engine import Model, Occupancy, Resource, evaluate
from ..errors import InputError
from ..kernel import Kernel
from ..sm_limits import Limits
from .dial import changed

SharedMemoryOfSize = Callable[[int], int]
"""From threads per block to bytes of dynamic shared memory per block."""


@dataclass(frozen=True, slots=True)
class BlockSize:
    """What one block size comes to."""

    __pydantic_config__: ClassVar[dict[str, Any]] = DOCUMENTED

    threads: int
    dynamic_smem: int | None
    """Bytes of dynamic shared memory with this size; None where none was given."""
    active_blocks: int
    active_warps: int
    occupancy: float
    """Active warps by the most warps of an SM, 0 to 1."""
    limiters: tuple[Resource, ...]


def block_sizes(
    limits: Limits,
    kernel: Kernel,
    dynamic_smem: SharedMemoryOfSize | None = None,
    model: Model | None = None,
) -> tuple[BlockSize, ...]:
    """Every block size, a multiple of the warp size up to the largest that the chip allows, best first.

    Best is the highest occupancy. Among equals the larger block stands first, as the runtime's
    cudaOccupancyMaxPotentialBlockSize chooses it.

    Args:
        limits: What the SM offers.
        kernel: What a block uses; its own size does not matter.
        dynamic_smem: How many bytes of dynamic shared memory a block of so many threads uses, where that
            depends on the size.
        model: Whose answer; by default that of `evaluate`.

    Raises:
        InputError: The function gives no size in bytes, or the total was given beside it.
    """
    warp = limits.warp_size
    sizes = range(limits.max_threads_per_block // warp * warp, 0, -warp)
    answers = sorted(
        answers_by_size(limits, kernel, sizes, dynamic_smem, model), key=lambda answer: -answer.active_warps
    )
    return tuple(
        BlockSize(
            answer.kernel.threads,
            answer.kernel.dynamic_smem,
            answer.active_blocks,
            answer.active_warps,
            answer.occupancy,
            answer.limiters,
        )
        for answer in answers
    )


def answers_by_size(
    limits: Limits,
    kernel: Kernel,
    sizes: Iterable[int],
    dynamic_smem: SharedMemoryOfSize | None,
    model: Model | None,
) -> Iterator[Occupancy]:
    """The engine's answer for each block size.

    Raises:
        InputError: The function gives no size in bytes, or the total was given beside it.
    """
    for threads in sizes:
        sized = changed(kernel, {"threads": threads})
        if dynamic_smem is not None:
            amount = dynamic_smem(threads)
            if amount is None:  # a function that forgets to return it
                raise InputError(
                    f"the function gives None for {threads} threads",
                    where="dynamic shared memory per block",
                    allowed="a number of bytes",
                )
            sized = replace(sized, dynamic_smem=amount)
        yield evaluate(limits, sized, model)
