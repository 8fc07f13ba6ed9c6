"""A kernel on the whole GPU: the wave that its blocks come in, in people's spellings."""

from __future__ import annotations

from collections.abc import Callable

from ..advice.waves import FullWave, full_wave
from ..engine import Answer
from ..values.kernel import Launch
from ..values.spellings import parse_shape
from .arguments import ShapeLike


def launch_and_wave(
    answer: Answer,
    multiprocessor_count: int,
    *,
    grid: ShapeLike | None,
    cluster: ShapeLike | None,
    resident_clusters: Callable[[int | None], int | None],
) -> tuple[Launch, FullWave]:
    """A launch of a kernel, and what is resident at once of it on a whole GPU.

    Args:
        answer: What fits on one SM.
        multiprocessor_count: SMs of the GPU, 1 and up.
        grid: Blocks, or the grid's shape; None: one cluster, or one block.
        cluster: Blocks per cluster, or the cluster's shape; only from 9.0.
        resident_clusters: From the blocks of a cluster, None without clusters, to the clusters that are
            resident at once, where a device tells that; None where none does.

    Raises:
        InputError: A number out of range, a grid that its clusters do not divide, or clusters on a chip
            that has none.
    """
    cluster_dim = None if cluster is None else parse_shape(cluster, "cluster")
    shape = cluster_dim if grid is None else parse_shape(grid, "grid")
    launch = Launch(answer.kernel, shape or (1, 1, 1), cluster_dim)
    size = launch.cluster_size
    held = resident_clusters(size)
    return launch, full_wave(answer, multiprocessor_count, cluster_size=size, max_active_clusters=held)
