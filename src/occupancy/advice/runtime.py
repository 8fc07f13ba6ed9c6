"""The CUDA runtime's occupancy calls, computed by the model ``cuda`` for 3.0 and newer."""

from __future__ import annotations

from typing import NamedTuple

from ..engine import Result
from ..engine.common import blocks_by_tensor_memory, round_up
from ..errors import InputError
from ..values.kernel import Kernel
from ..values.limits import Limits
from ..values.records import readable
from ..values.spellings import in_range
from .block_sizes import SharedMemoryFunction, results_by_size
from .search import VariedResource, max_keeping
from .waves import full_wave


@readable
class LaunchConfiguration(NamedTuple):
    """Block size, and the smallest grid that fills the device."""

    min_grid_size: int
    """Resident blocks of the whole device."""
    block_size: int
    """Threads per block; 0 if no block of any size can be resident."""
    occupancy: float
    """Resident warps divided by the maximum per SM, 0 to 1."""


def runtime_result(limits: Limits, kernel: Kernel) -> Result:
    return Result(limits, _without_columns(limits, kernel), "cuda")


def max_potential_block_size(
    limits: Limits, kernel: Kernel, multiprocessor_count: int,
    smem_of_threads: SharedMemoryFunction | None = None, block_size_limit: int = 0,
) -> LaunchConfiguration:  # fmt: skip
    """Return the largest block size with the most resident threads: cudaOccupancyMaxPotentialBlockSize."""
    in_range(multiprocessor_count, "multiprocessor_count")
    in_range(block_size_limit, "block_size_limit", low=0)
    largest = min(block_size_limit or limits.max_threads_per_block, limits.max_threads_per_block)
    warp = limits.warp_size
    sizes = [largest, *range(round_up(largest, warp) - warp, 0, -warp)]
    results = results_by_size(limits, _without_columns(limits, kernel), sizes, smem_of_threads, "cuda")
    best = max(results, key=lambda result: result.active_threads)
    size = best.kernel.threads if best.active_blocks else 0
    return LaunchConfiguration(best.active_blocks * multiprocessor_count, size, best.occupancy)


def available_dynamic_shared_memory_per_block(limits: Limits, kernel: Kernel, blocks: int) -> int:
    """Return the maximum dynamic shared memory per block."""
    in_range(blocks, "blocks")
    kernel = _without_columns(limits, kernel)
    static = kernel.shared_memory - (kernel.dynamic_smem or 0)
    now = Result(limits, kernel.replace(smem=static), "cuda")
    if now.active_blocks < blocks:
        problem = f"{blocks} blocks of {kernel.threads} threads do not fit even without dynamic shared memory"
        raise InputError(problem, where="blocks", allowed=f"up to {now.active_blocks}", hint=now.reason or "")
    return max_keeping(blocks, VariedResource(now, "smem").levels(static, blocks)) - static


def max_active_clusters(limits: Limits, kernel: Kernel, multiprocessor_count: int) -> int:
    """Return an upper bound of the result of cudaOccupancyMaxActiveClusters."""
    return full_wave(runtime_result(limits, kernel), multiprocessor_count).clusters or 0


def _without_columns(limits: Limits, kernel: Kernel) -> Kernel:
    """Return the kernel without tensor memory, which these calls ignore, but with its virtual resources."""
    if kernel.tensor_memory is None:
        return kernel
    blocks_by_tensor_memory(limits, kernel.tensor_memory)
    return kernel.replace(tensor_memory=None, virtual_resources=kernel.virtual_resources_at_start)
