"""The occupancy of a kernel at every block size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..engine import Model, Result, evaluate
from ..errors import InputError
from ..values.kernel import Kernel
from ..values.limits import Limits
from ..values.resources import Resource
from .next_steps import using_less
from .opt_in import needs_opt_in

SharedMemoryFunction = Callable[[int], int]
"""From threads per block to bytes of dynamic shared memory per block."""


class BlockSize(NamedTuple):
    """The occupancy at one block size."""

    threads: int
    dynamic_smem: int | None
    """Bytes of dynamic shared memory with this size; None if none was given."""
    active_blocks: int
    active_warps: int
    occupancy: float
    """Active warps by the most warps of an SM, 0 to 1."""
    limiters: tuple[Resource, ...]
    needs_opt_in: bool
    """True if the shared memory requires `cudaFuncSetAttribute` before the launch."""


def block_sizes(
    limits: Limits,
    kernel: Kernel,
    dynamic_smem: SharedMemoryFunction | None = None,
    model: Model | None = None,
) -> tuple[BlockSize, ...]:
    """Return every block size, a multiple of the warp size, best first.

    The best has the highest occupancy; of equal sizes the larger comes first, as
    cudaOccupancyMaxPotentialBlockSize chooses it. The kernel's own block size does not matter.

    Raises:
        InputError: The function returns no size in bytes, or the kernel has a total that is not split.
    """
    warp = limits.warp_size
    sizes = range(limits.max_threads_per_block // warp * warp, 0, -warp)
    results = results_by_size(limits, kernel, sizes, dynamic_smem, model)
    return tuple(
        BlockSize(
            result.kernel.threads,
            result.kernel.dynamic_smem,
            result.active_blocks,
            result.active_warps,
            result.occupancy,
            result.limiters,
            bool(result.kernel.shared_memory) and needs_opt_in(limits, result.kernel),
        )
        for result in sorted(results, key=lambda result: -result.active_warps)
    )


class FullOccupancy(NamedTuple):
    """A change of one resource with which some block sizes reach full occupancy."""

    requires: Mapping[str, int]
    threads: tuple[int, ...]
    """Block sizes with full occupancy after the change, ascending."""


def with_full_occupancy(given: Result, sizes: Sequence[BlockSize]) -> FullOccupancy | None:
    """Return the nearest change of one resource that gives a best of the block sizes full occupancy.

    None if some size has full occupancy already, or if no single change suffices.
    """

    def sized(size: BlockSize) -> Kernel:
        kernel = given.kernel.replace(threads=size.threads)
        return kernel if size.dynamic_smem is None else kernel.replace(dynamic_smem=size.dynamic_smem)

    most = given.limits.max_warps_per_multiprocessor
    for size in sizes:
        if size.occupancy == 1 or size.occupancy < sizes[0].occupancy or not size.occupancy:
            return None
        if most % (size.threads // given.limits.warp_size) == 0:
            steps = using_less(evaluate(given.limits, sized(size), given.model))
            full = next((step for step in steps if step.occupancy == 1), None)
            if full is None or len(full.requires) > 1 or ("smem" in full.requires and size.dynamic_smem):
                return None
            kernels = ((each.threads, sized(each).replace(**full.requires)) for each in sizes)
            threads = (
                number
                for number, kernel in kernels
                if evaluate(given.limits, kernel, given.model).occupancy == 1
            )
            return FullOccupancy(full.requires, tuple(sorted(threads)))
    return None


def results_by_size(
    limits: Limits,
    kernel: Kernel,
    sizes: Iterable[int],
    dynamic_smem: SharedMemoryFunction | None,
    model: Model | None,
) -> Iterator[Result]:
    """Yield the engine's result for each block size.

    Raises:
        InputError: The function returns no size in bytes, or the kernel has a total that is not split.
    """
    for threads in sizes:
        sized = kernel.replace(threads=threads)
        if dynamic_smem is not None:
            amount = dynamic_smem(threads)
            if amount is None:  # a function that forgets to return it
                raise InputError(
                    f"the function returns None for {threads} threads",
                    where="dynamic_smem",
                    hint="Return a number of bytes.",
                )
            sized = sized.replace(dynamic_smem=amount)
        yield evaluate(limits, sized, model)
