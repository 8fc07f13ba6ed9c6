"""Resident clusters of a live GPU.

All blocks of a cluster must be in one GPU processing cluster (GPC). The SMs per GPC differ between units of
one GPU, so that no table can list them.
"""

from __future__ import annotations

from ..errors import DeviceError
from ..values.limits import Limits
from .driver import Context

STAND_IN = b"""
.version 7.8
.target sm_90
.address_size 64
.visible .entry stand_in()
{
    ret;
}
\0"""
"""An empty kernel. PTX 7.8 is the first version with sm_90, the first architecture with clusters (PTX ISA,
release notes)."""

THREADS = 32
"""Threads per block of the stand-in: one warp, so that shared memory alone limits its resident blocks."""


class ClusterCounter:
    """The driver's count of resident clusters, by an empty kernel that stands in for every other.

    The count depends on the kernel only through its resident blocks per SM; that was so in all 4,272 cases
    on an H200.
    """

    def __init__(self, context: Context, limits: Limits) -> None:
        self._most = limits.max_shared_memory_per_block_optin
        self._kernel = context.load(STAND_IN).function("stand_in")
        self._kernel.set_attribute("MAX_DYNAMIC_SHARED_SIZE_BYTES", self._most)
        self._kernel.set_attribute("NON_PORTABLE_CLUSTER_SIZE_ALLOWED", 1)

    def active_clusters(self, blocks_per_multiprocessor: int, cluster_size: int) -> int:
        """Return the resident clusters of a kernel with a number of resident blocks per SM.

        Raises:
            DeviceError: The driver fails, or no size of shared memory leads to the number of blocks.
        """
        size = self._shared_memory_for(blocks_per_multiprocessor)
        return self._kernel.active_clusters(cluster_size, THREADS, size)

    def _shared_memory_for(self, blocks: int) -> int:
        low, high = 0, self._most  # the largest size with that many blocks is in between
        while low < high:
            middle = (low + high + 1) // 2
            if self._kernel.active_blocks(THREADS, middle) >= blocks:
                low = middle
            else:
                high = middle - 1
        if self._kernel.active_blocks(THREADS, low) != blocks:
            raise DeviceError(f"no kernel can stand in for {blocks} resident blocks per SM", where="clusters")
        return low


def count_active_clusters(
    index: int, limits: Limits, blocks_per_multiprocessor: int, cluster_size: int
) -> int:
    """Return the resident clusters of a GPU of this machine, by its driver."""
    with Context(index) as context:
        return ClusterCounter(context, limits).active_clusters(blocks_per_multiprocessor, cluster_size)
