"""How many clusters a GPU holds, which no table can hold.

All blocks of a cluster must be in one GPU processing cluster, and how many SMs each of those has differs
between chips of the same product.
"""

from __future__ import annotations

from ..errors import DeviceError
from ..values.limits import Limits
from .functions import Context, Function

STAND_IN = b"""
.version 7.8
.target sm_90
.address_size 64
.visible .entry stand_in()
{
    ret;
}
\0"""
"""A kernel that does nothing. PTX 7.8 is the first version that knows sm_90, the first chip with clusters
(PTX ISA, release notes)."""

THREADS = 32
"""Threads per block of the stand-in: one warp, so that nothing but shared memory sets its limit."""


class ClusterCounter:
    """Asks the driver how many clusters are resident on the whole GPU.

    Of the kernel, only the number of its blocks on one SM matters; that was so in all 4,272 answers of an
    H200. A small kernel can therefore stand in for every other, if its shared memory is made to fill the SM
    to the same number of blocks.
    """

    def __init__(self, context: Context, limits: Limits) -> None:
        self._kernel: Function = context.load(STAND_IN).function("stand_in")
        self._kernel.allow_dynamic_smem(limits.max_shared_memory_per_block_optin)
        self._kernel.allow_non_portable_clusters()
        self._most = limits.max_shared_memory_per_block_optin
        self._sizes: dict[int, int] = {}

    def active_clusters(self, blocks_per_multiprocessor: int, cluster_size: int) -> int:
        """Clusters of so many blocks that are resident at once.

        Raises:
            DeviceError: The driver refuses, or no size of shared memory gives so many blocks.
        """
        size = self._sizes.get(blocks_per_multiprocessor)
        if size is None:
            size = self._shared_memory_for(blocks_per_multiprocessor)
            self._sizes[blocks_per_multiprocessor] = size
        return self._kernel.active_clusters(cluster_size, THREADS, size)

    def _shared_memory_for(self, blocks: int) -> int:
        low, high = 0, self._most  # the most with which so many blocks fit is in between
        while low < high:
            middle = (low + high + 1) // 2
            if self._kernel.active_blocks(THREADS, middle) >= blocks:
                low = middle
            else:
                high = middle - 1
        if self._kernel.active_blocks(THREADS, low) != blocks:
            raise DeviceError(f"no kernel stands in for one of {blocks} blocks per SM", where="clusters")
        return low


def count_active_clusters(
    index: int, limits: Limits, blocks_per_multiprocessor: int, cluster_size: int
) -> int:
    """Clusters that are resident on a GPU at once, by its driver.

    Args:
        index: The number of the GPU.
        limits: What its SMs offer.
        blocks_per_multiprocessor: Blocks of the kernel that fit on one SM.
        cluster_size: Blocks per cluster.

    Raises:
        MissingDependencyError: The package cuda-bindings is not installed.
        DeviceError: There is no GPU of that number, or the driver refuses.
    """
    with Context(index) as context:
        return ClusterCounter(context, limits).active_clusters(blocks_per_multiprocessor, cluster_size)
