"""Occupancy calls of the CUDA runtime, without a GPU.

They use the model ``"cuda"``, for 3.0 and newer. GPU, kernel, inputs and errors are as in `occupancy.compute`, and
the number of SMs is by default that of the GPU.
"""

from __future__ import annotations

from collections.abc import Callable

from .advice import runtime
from .advice.runtime import LaunchConfiguration
from .api.occupancy import GpuLike, KernelLike, kernel_of_inputs, multiprocessors
from .errors import InputError
from .tables.gpus import find_gpu
from .values.fields import KernelInputs, Unpack
from .values.spellings import parse_count

__all__ = [
    "available_dynamic_shared_memory_per_block", "max_active_blocks_per_multiprocessor",
    "max_active_clusters", "max_potential_block_size",
]  # fmt: skip


def __dir__() -> list[str]:
    return __all__


def max_active_blocks_per_multiprocessor(
    gpu: GpuLike, kernel: KernelLike = None, **inputs: Unpack[KernelInputs]
) -> int:
    """Return the resident blocks of an SM: cudaOccupancyMaxActiveBlocksPerMultiprocessor."""
    needed = kernel_of_inputs(kernel, inputs, max_active_blocks_per_multiprocessor)
    return runtime.runtime_result(find_gpu(gpu).limits, needed).active_blocks


def max_potential_block_size(
    gpu: GpuLike, kernel: KernelLike = None, *, multiprocessor_count: int | str | None = None,
    block_size_limit: int | str = 0, smem_of_threads: Callable[[int], int] | None = None,
    **inputs: Unpack[KernelInputs],
) -> LaunchConfiguration:  # fmt: skip
    """Return the block size with the most resident threads: cudaOccupancyMaxPotentialBlockSize.

    Args:
        kernel: Kernel, whose block size is ignored.
        block_size_limit: Maximum threads per block; 0 is no limit.
        smem_of_threads: Function that returns the bytes of dynamic shared memory for a number of threads.
    """
    gpu = find_gpu(gpu)
    needed = kernel_of_inputs(kernel, {"threads": 1, **inputs}, max_potential_block_size)
    limit = parse_count(block_size_limit, "block_size_limit")
    count = multiprocessors(gpu, multiprocessor_count)
    return runtime.max_potential_block_size(gpu.limits, needed, count, smem_of_threads, limit)


def available_dynamic_shared_memory_per_block(
    gpu: GpuLike, kernel: KernelLike = None, *, blocks: int | str, **inputs: Unpack[KernelInputs]
) -> int:
    """Return the maximum dynamic shared memory in bytes that keeps a number of blocks resident per SM.

    The call is cudaOccupancyAvailableDynamicSMemPerBlock. NVIDIA's driver 580 and cuda_occupancy.h before 13.1
    omit the 1,024 bytes that CUDA reserves for each block. With their result, one block fewer fits.

    Raises:
        InputError: The blocks do not fit even without dynamic shared memory.
    """
    needed = kernel_of_inputs(kernel, inputs, available_dynamic_shared_memory_per_block)
    count = parse_count(blocks, "blocks")
    return runtime.available_dynamic_shared_memory_per_block(find_gpu(gpu).limits, needed, count)


def max_active_clusters(
    gpu: GpuLike, kernel: KernelLike = None, *, multiprocessor_count: int | str | None = None,
    **inputs: Unpack[KernelInputs],
) -> int:  # fmt: skip
    """Return an upper bound of the resident clusters: see cudaOccupancyMaxActiveClusters.

    A cluster must stay within one GPC, so a real GPU often holds fewer. The driver returns the exact number.

    Raises:
        InputError: The kernel has no clusters, or the number of SMs is unknown.
    """
    gpu = find_gpu(gpu)
    needed = kernel_of_inputs(kernel, inputs, max_active_clusters)
    if needed.cluster is None:
        raise InputError("is missing", where="cluster", hint="Pass blocks per cluster, such as cluster=2.")
    return runtime.max_active_clusters(gpu.limits, needed, multiprocessors(gpu, multiprocessor_count))
