"""Waves: a grid larger than the GPU runs in several, and the last of them may be nearly empty.

A wave is as many blocks as are resident on the whole GPU at once. Times are those of blocks that all take
equally long, each of which starts when one of the wave before ends.
"""

from __future__ import annotations

from ..engine import Result
from ..engine.common import divide_up
from ..errors import InputError, shown
from ..render.words import count
from ..values.dataclass import dataclass
from ..values.kernel import Launch
from ..values.limits import Limits
from ..values.listed import ToDict
from ..values.spellings import INT_MAX


@dataclass(frozen=True, slots=True)
class FullWave(ToDict):
    """The blocks that are resident on a whole GPU at once."""

    multiprocessor_count: int
    """SMs of the GPU."""
    blocks: int
    """Blocks of all SMs, in whole clusters: the grid of a persistent kernel."""
    places: int
    """Blocks that all SMs hold without clusters; some of these places clusters may leave empty."""
    cluster_size: int | None
    """Blocks per cluster; None for a kernel without clusters."""
    clusters: int | None
    """Clusters on the whole GPU; None likewise."""
    is_upper_bound: bool
    """Whether there may be fewer.

    All blocks of a cluster must be in one GPU processing cluster, and how many SMs each of those has
    differs between chips of the same product, so that only a live device knows.
    """

    def __str__(self) -> str:
        """``660 blocks on 132 SMs``."""
        at_most = "at most " if self.is_upper_bound else ""
        clusters = f" in {self.clusters:,} clusters of {self.cluster_size}" if self.cluster_size else ""
        sms = count(self.multiprocessor_count, "SM")
        return f"{at_most}{count(self.blocks, 'block')}{clusters} on {sms}"


@dataclass(frozen=True, slots=True)
class Waves(ToDict):
    """How a grid runs on a whole GPU: in how many waves, and how full the last one is."""

    launch: Launch
    full_wave: FullWave

    @property
    def without_clusters(self) -> Waves | None:
        """The same grid without clusters; None where it has none."""
        wave = self.full_wave
        if wave.cluster_size is None:
            return None
        return Waves(self.launch, _of_blocks(wave.multiprocessor_count, wave.places))

    def __str__(self) -> str:
        """Return ``4,096 blocks in 6.21 waves of 660: 6 full, the last 20.6% full``."""
        return waves_in_words(self)

    @property
    def waves(self) -> float:
        """Waves with their fraction, as Nsight Compute's launch__waves_per_multiprocessor.

        A lower bound where the full wave is an upper one.
        """
        return self.launch.blocks / self.full_wave.blocks

    @property
    def is_cooperative(self) -> bool | None:
        """Whether cudaLaunchCooperativeKernel can run the grid: all of its blocks resident at once.

        The largest such grid is the full wave. None where that is an upper bound, and the grid is within.
        """
        if self.launch.blocks > self.full_wave.blocks:
            return False
        return None if self.full_wave.is_upper_bound else True

    @property
    def full_waves(self) -> int:
        """Waves that fill the GPU."""
        return self.launch.blocks // self.full_wave.blocks

    @property
    def partial_wave_blocks(self) -> int:
        """Blocks of the last wave where it does not fill the GPU, else 0."""
        return self.launch.blocks % self.full_wave.blocks

    @property
    def last_wave_fill(self) -> float:
        """How full the last wave is, above 0 and up to 1."""
        return (self.partial_wave_blocks or self.full_wave.blocks) / self.full_wave.blocks

    @property
    def rounds(self) -> int:
        """Waves, full or not."""
        return divide_up(self.launch.blocks, self.full_wave.blocks)

    @property
    def idle_share(self) -> float:
        """The share of the GPU's time, in places for blocks, in which they are empty; 0 to 1.

        Most of it is the last wave's; what clusters leave empty counts in every wave.
        """
        places = self.rounds * self.full_wave.places
        return (places - self.launch.blocks) / places

    @property
    def partial_wave_share(self) -> float:
        """The share of the run's time that a partial wave after full ones takes, 0 to 1.

        An upper bound of what the tail costs, and what Nsight Compute says of a launch: "this partial
        wave may account for up to 25.0% of the total runtime". 0 where there is no such wave.
        """
        if not self.full_waves or not self.partial_wave_blocks:
            return 0.0
        return 1 / (self.full_waves + 1)

    @property
    def filling_grid_below(self) -> int | None:
        """Blocks of the largest grid up to this one whose last wave is full; None where there is none."""
        return self.full_waves * self.full_wave.blocks or None

    @property
    def filling_grid_above(self) -> int:
        """Blocks of the smallest grid from this one on whose last wave is full."""
        return self.rounds * self.full_wave.blocks


def waves_in_words(waves: Waves) -> str:
    """``4,096 blocks in 6.21 waves of 660: 6 full, the last 20.6% full``."""
    at_least = "at least " if waves.full_wave.is_upper_bound else ""
    return f"{waves.launch.blocks:,} blocks in {at_least}{_number_and_last(waves)}"


def _number_and_last(waves: Waves) -> str:
    last = f", the last {100 * waves.last_wave_fill:.3g}% full" if waves.partial_wave_blocks else ""
    return f"{waves.waves:.4g} waves of {waves.full_wave.blocks:,}: {waves.full_waves:,} full{last}"


def full_wave(
    occupancy: Result,
    multiprocessor_count: int,
    *,
    cluster_size: int | None = None,
    max_active_clusters: int | None = None,
) -> FullWave:
    """The blocks that are resident on a whole GPU at once.

    Args:
        occupancy: What fits on one SM.
        multiprocessor_count: SMs of the GPU, 1 and up.
        cluster_size: Blocks per cluster; None for a launch without clusters.
        max_active_clusters: The clusters that are resident at once, where a live device reports them: 0 and
            up to as many as its SMs have places for. Else the answer for clusters is an upper bound.

    Raises:
        InputError: A number out of range, or clusters that the chip does not have.
    """
    places = _resident_blocks(occupancy, multiprocessor_count)
    if cluster_size is None:
        if max_active_clusters is not None:
            raise InputError(
                "says nothing of a launch without clusters",
                where="max_active_clusters",
                hint="Give the cluster, too.",
            )
        return _of_blocks(multiprocessor_count, places)
    check_cluster(occupancy.limits, cluster_size, is_told=max_active_clusters is not None)
    bound = places // cluster_size
    clusters = bound if max_active_clusters is None else max_active_clusters
    if not 0 <= clusters <= bound and places:
        raise InputError(
            f"{shown(clusters)} is out of range", where="max_active_clusters", allowed=f"0 to {bound:,}"
        )
    clusters = min(clusters, bound)
    blocks = clusters * cluster_size
    return FullWave(multiprocessor_count, blocks, places, cluster_size, clusters, max_active_clusters is None)


def _of_blocks(multiprocessor_count: int, places: int) -> FullWave:
    return FullWave(multiprocessor_count, places, places, None, None, is_upper_bound=False)


def count_waves(launch: Launch, wave: FullWave) -> Waves:
    """The waves that a grid runs in.

    Args:
        launch: The grid, of the kernel and the clusters of the wave.
        wave: What is resident at once; see `full_wave`.

    Raises:
        InputError: No block is resident, because the kernel does not launch.
    """
    if not wave.blocks:
        raise InputError(
            "no block of the kernel is resident, so its grid has no waves",
            where="grid",
        )
    return Waves(launch, wave)


def cluster_bound(occupancy: Result, multiprocessor_count: int, cluster_size: int) -> int:
    """The most clusters that can be resident on a whole GPU at once; a chip may hold fewer.

    Args:
        occupancy: What fits on one SM.
        multiprocessor_count: SMs of the GPU, 1 and up.
        cluster_size: Blocks per cluster.

    Raises:
        InputError: A number out of range, or clusters that the chip does not have.
    """
    check_cluster(occupancy.limits, cluster_size)
    return _resident_blocks(occupancy, multiprocessor_count) // cluster_size


def check_cluster(limits: Limits, cluster_size: int, *, is_told: bool = False) -> None:
    """Refuse blocks per cluster that a chip does not have, or of which nobody knows whether it has them.

    Args:
        limits: What the SM offers.
        cluster_size: Blocks per cluster.
        is_told: Whether a device tells what it does with so many; then no source has to.

    Raises:
        InputError: It has no clusters, or none of so many blocks, or no source says.
    """
    portable, most = limits.max_portable_cluster_size, limits.max_non_portable_cluster_size
    if portable is None:
        raise InputError(
            f"compute capability {limits.compute_capability} has no clusters",
            where="cluster",
            hint="Leave it out; 9.0 and newer have them.",
        )
    if is_unknown_cluster(limits, cluster_size) and not is_told:
        raise InputError(
            f"whether clusters of more than {portable} blocks run on {limits.compute_capability} is unknown",
            where="cluster",
            allowed=f"1 to {portable}",
            hint="Your own GPU tells: occupancy calc --device 0, or cudaOccupancyMaxPotentialClusterSize.",
        )
    if not 1 <= cluster_size <= (most or INT_MAX):
        raise InputError(
            f"{cluster_size} blocks per cluster are out of range",
            where="cluster",
            allowed=f"1 to {portable}" + (f", non-portable up to {most}" if (most or 0) > portable else ""),
        )


def is_non_portable(limits: Limits, cluster_size: int) -> bool:
    """Whether such clusters need cudaFuncAttributeNonPortableClusterSizeAllowed."""
    portable = limits.max_portable_cluster_size
    return portable is not None and cluster_size > portable


def is_unknown_cluster(limits: Limits, cluster_size: int) -> bool:
    """Whether no source says if a chip that has clusters holds some of this size."""
    return limits.max_non_portable_cluster_size is None and is_non_portable(limits, cluster_size)


def check_multiprocessors(count: int) -> None:
    """Refuse a number of SMs that no GPU has.

    Raises:
        InputError: It is less than 1.
    """
    if not 1 <= count <= INT_MAX:
        raise InputError(f"{count} is out of range", where="multiprocessor_count", allowed="1 and up")


def _resident_blocks(occupancy: Result, multiprocessor_count: int) -> int:
    check_multiprocessors(multiprocessor_count)
    return occupancy.active_blocks * multiprocessor_count if occupancy.launchable else 0
