"""The CUDA runtime's occupancy calls, under its names, without a GPU.

They answer as the model ``cuda`` does, so for 3.0 and newer.
"""

from __future__ import annotations

from ..engine import Model, evaluate
from ..engine.common import blocks_by_tensor_memory, round_up
from ..errors import InputError
from ..render.words import count, percent
from ..values.dataclass import dataclass
from ..values.kernel import Kernel
from ..values.limits import Limits
from ..values.listed import ToDict
from .block_sizes import SharedMemoryOfSize, answers_by_size
from .search import Dial, changed, most_keeping
from .waves import cluster_bound

MODEL: Model = "cuda"

CALL = "cudaOccupancyMaxPotentialBlockSize"
CALL_OF_SIZE = f"{CALL}VariableSMem"
"""The call where the dynamic shared memory depends on the block size."""


@dataclass(frozen=True, slots=True)
class LaunchConfiguration(ToDict):
    """A block size, and the grid that fills the device with such blocks."""

    min_grid_size: int
    """Blocks that are resident on the whole device at once."""
    block_size: int
    """Threads per block; 0 where no block of any size can be resident."""
    occupancy: float
    """Active warps by the most warps of an SM with blocks of that size, 0 to 1."""
    call: str
    """The runtime's call that answers so; its form VariableSMem where the dynamic shared memory depends on
    the block size."""

    def __str__(self) -> str:
        """The call, and ``264 blocks of 768 threads fill the device, 75% occupancy``."""
        if not self.block_size:
            return f"{self.call}: no block of any size can be resident"
        blocks = f"{count(self.min_grid_size, 'block')} of {count(self.block_size, 'thread')}"
        return f"{self.call}: {blocks} fill the device, {percent(self.occupancy)} occupancy"


@dataclass(frozen=True, slots=True)
class ClusterBound(ToDict):
    """An upper bound of the clusters that are resident on the whole device at once.

    The true number is known to a live device only: all blocks of a cluster must be in one GPU processing
    cluster, and how many SMs each of those has differs between chips of the same product.
    """

    at_most: int

    def __str__(self) -> str:
        """``at most 165 clusters``."""
        return f"at most {count(self.at_most, 'cluster')}"


def max_active_blocks_per_multiprocessor(limits: Limits, kernel: Kernel) -> int:
    """Blocks that can be resident on one SM: cudaOccupancyMaxActiveBlocksPerMultiprocessor."""
    return evaluate(limits, _without_columns(limits, kernel), MODEL).active_blocks


def max_potential_block_size(
    limits: Limits,
    kernel: Kernel,
    multiprocessor_count: int,
    dynamic_smem: SharedMemoryOfSize | None = None,
    block_size_limit: int = 0,
) -> LaunchConfiguration:
    """The block size with the most resident threads: cudaOccupancyMaxPotentialBlockSize.

    The candidates are the limit itself and the multiples of the warp size below it; the larger block
    wins a tie.

    Args:
        limits: What the SM offers.
        kernel: What a block uses; its own size does not matter.
        multiprocessor_count: SMs of the device.
        dynamic_smem: How many bytes of dynamic shared memory a block of so many threads uses, where that
            depends on the size.
        block_size_limit: The largest block that the kernel works with, such as that of its launch
            bounds; 0 is no limit.

    Raises:
        InputError: A number out of range, or the function gives no size in bytes.
    """
    _check("multiprocessor_count", multiprocessor_count, 1)
    _check("block_size_limit", block_size_limit, 0)
    largest = min(block_size_limit or limits.max_threads_per_block, limits.max_threads_per_block)
    warp = limits.warp_size
    sizes = [largest, *range(round_up(largest, warp) - warp, 0, -warp)]
    answers = answers_by_size(limits, _without_columns(limits, kernel), sizes, dynamic_smem, MODEL)
    best = max(answers, key=lambda answer: answer.active_threads)
    call = CALL if dynamic_smem is None else CALL_OF_SIZE
    if not best.active_blocks:
        return LaunchConfiguration(0, 0, 0.0, call)
    grid = best.active_blocks * multiprocessor_count
    return LaunchConfiguration(grid, best.kernel.threads, best.occupancy, call)


def available_dynamic_shared_memory_per_block(
    limits: Limits, kernel: Kernel, blocks: int, *, driver_580: bool = False
) -> int:
    """The most dynamic shared memory, in bytes, with which so many blocks are resident on one SM:
    cudaOccupancyAvailableDynamicSMemPerBlock.

    Args:
        limits: What the SM offers.
        kernel: Its threads, registers, static shared memory and settings; the dynamic shared memory that
            it uses now does not matter.
        blocks: Blocks on one SM, 1 and up.
        driver_580: Give the answer of NVIDIA's driver 580, and of cuda_occupancy.h before 13.1: they
            forget the system's reservation and promise 1024 bytes more, with which one block fewer fits.

    Raises:
        InputError: So many blocks are not resident even without dynamic shared memory.
    """
    _check("blocks", blocks, 1)
    kernel = _without_columns(limits, kernel)
    static = kernel.shared_memory - (kernel.dynamic_smem or 0)
    dial = Dial(limits, changed(kernel, {"smem": static}), MODEL, "smem")
    now = evaluate(limits, dial.kernel, MODEL)
    if now.active_blocks < blocks:
        raise InputError(
            f"{blocks} blocks of {kernel.threads} threads are not resident on {limits.compute_capability} "
            "even without dynamic shared memory",
            where="blocks",
            allowed=f"up to {now.active_blocks}" if now.active_blocks else "",
            hint=now.reason or "",
        )
    most = most_keeping(blocks, dial.levels(static, blocks))
    if driver_580:
        most = min(most + limits.reserved_shared_memory_per_block, most_keeping(1, dial.levels(static, 1)))
    return most - static


def max_active_clusters(
    limits: Limits, kernel: Kernel, multiprocessor_count: int, cluster_size: int
) -> ClusterBound:
    """Clusters that can be resident on the device, at most: see cudaOccupancyMaxActiveClusters.

    Args:
        limits: What the SM offers.
        kernel: What a block uses.
        multiprocessor_count: SMs of the device.
        cluster_size: Blocks per cluster.

    Raises:
        InputError: The chip has no clusters, or none of so many blocks.
    """
    answer = evaluate(limits, _without_columns(limits, kernel), MODEL)
    return ClusterBound(cluster_bound(answer, multiprocessor_count, cluster_size))


def _without_columns(limits: Limits, kernel: Kernel) -> Kernel:
    """The kernel as these calls know it: with its virtual resources, and no tensor memory.

    Raises:
        InputError: The chip does not have so much tensor memory.
    """
    if kernel.tensor_memory is None:
        return kernel
    blocks_by_tensor_memory(limits, kernel.tensor_memory)
    return kernel.replace(tensor_memory=None, virtual_resources=kernel.virtual_resources_at_start)


def _check(where: str, value: int, low: int) -> None:
    if value < low:
        raise InputError(f"{value} is out of range", where=where, allowed=f"{low} and up")
