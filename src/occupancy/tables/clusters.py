"""Clusters that single GPUs were seen to hold, where only a bound can be computed.

How many SMs each processing cluster of a chip has differs between units of one product, so that another unit
may hold other numbers. ``data/measured_clusters.csv`` says who measured them.
"""

from __future__ import annotations

from functools import cache

from ..values.dataclass import dataclass
from ..values.limits import ComputeCapability
from .shipped import data_path

FILE_NAME = "measured_clusters.csv"

FULL_FROM = 8
"""Blocks per SM from which the H200 held no more clusters: it holds up to 1,056 blocks in clusters of any
size, and fewer where they are large (``h200_max_active_clusters.csv``)."""


@dataclass(frozen=True, slots=True)
class MeasuredClusters:
    """What one unit of a product holds."""

    gpu: str
    clusters: int
    blocks: int
    """Blocks of those clusters."""


def measured_clusters(
    cc: ComputeCapability, multiprocessors: int, blocks_per_multiprocessor: int, cluster_size: int
) -> MeasuredClusters | None:
    """The clusters that one unit with so many SMs was measured to hold; None where none was measured.

    Args:
        cc: Its compute capability.
        multiprocessors: SMs of the whole GPU.
        blocks_per_multiprocessor: Blocks of the kernel that fit on one SM.
        cluster_size: Blocks per cluster.
    """
    blocks = min(blocks_per_multiprocessor, FULL_FROM)
    return measurements().get((str(cc), multiprocessors, blocks, cluster_size))


@cache
def measurements() -> dict[tuple[str, int, int, int], MeasuredClusters]:
    """Compute capability, SMs, blocks on each of them and blocks per cluster -> what was measured."""
    import csv  # few answers need it

    with open(data_path(FILE_NAME), encoding="utf-8", newline="") as file:
        return dict(map(_measurement, csv.DictReader(file)))


def _measurement(row: dict[str, str]) -> tuple[tuple[str, int, int, int], MeasuredClusters]:
    sms, blocks = int(row["multiprocessors"]), int(row["blocks_per_multiprocessor"])
    size, clusters = int(row["cluster_size"]), int(row["clusters"])
    return (row["compute_capability"], sms, blocks, size), MeasuredClusters(
        row["gpu"], clusters, clusters * size
    )
