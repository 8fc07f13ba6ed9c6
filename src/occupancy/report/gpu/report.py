"""The GPU that an answer is about, and what runs on the whole of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, NamedTuple, Protocol

from ...advice.partitions import GreenContext
from ...advice.waves import FullWave, Waves
from ...tables.clusters import MeasuredClusters
from ...tables.gpus import Gpu
from ...values.asking import Asking
from ...values.dataclass import dataclass
from ...values.listed import listed
from ..base import empty


@dataclass(frozen=True, slots=True)
class NamedGpu:
    """A GPU that was named, or that was found in this machine."""

    name: str
    multiprocessor_count: int | None
    """SMs; None where they are not known."""
    known_from: str
    """Where the number is from: ``"device"``, this machine's own GPU; for a product as in data/gpus.csv.

    ``"variants differ"`` where the name stands for products with different numbers of SMs.
    """
    device: int | None
    """The number of this machine's GPU; None for a product."""


def gpu_of(chip: Gpu) -> NamedGpu | None:
    """The GPU that was named; None where only a compute capability was."""
    if chip.name is None:
        return None
    known_from = chip.known_from or "variants differ"
    return NamedGpu(chip.name, chip.multiprocessor_count, known_from, chip.device)


@dataclass(frozen=True, slots=True)
class WavesReport:
    """How a grid runs on a whole GPU, if all of its blocks take equally long."""

    grid_dim: tuple[int, int, int]
    blocks: int
    waves: float
    """As Nsight Compute's launch__waves_per_multiprocessor; with a bound of the clusters a lower bound."""
    full_waves: int
    partial_wave_blocks: int
    """Blocks of the last wave where it does not fill the GPU, else 0."""
    last_wave_fill: float
    """How full the last wave is, above 0 and up to 1."""
    rounds: int
    """Waves, full or not."""
    idle_share: float
    """The share of the GPU's time, in places for blocks, in which they are empty, 0 to 1: in the last wave,
    and where clusters leave some in every wave."""
    partial_wave_share: float
    """The share of the run's time that a partial wave after full ones takes, 0 to 1."""
    filling_grid_below: int | None
    """Blocks of the largest grid up to this one whose last wave is full."""
    filling_grid_above: int
    """Blocks of the smallest grid from this one on whose last wave is full."""
    is_cooperative: bool | None
    """Whether cudaLaunchCooperativeKernel can run the grid; None where the clusters' bound leaves it open."""


def _waves_report(waves: Waves) -> WavesReport:
    """Everything that is shown of some waves."""
    launch = waves.launch
    own = {each.name for each in fields(WavesReport)} - {"grid_dim", "blocks"}
    return WavesReport(
        grid_dim=launch.grid_dim, blocks=launch.blocks, **{name: getattr(waves, name) for name in own}
    )


def why_fewer_clusters(wave: FullWave | None, gpu: str | None) -> tuple[str, ...]:
    """Why there may be fewer clusters than the bound, how to ask one's own GPU, and who was measured.

    Args:
        wave: What is resident at once.
        gpu: The name of the GPU that was asked about; None for a compute capability.
    """
    if wave is None or not wave.is_upper_bound or not wave.blocks:
        return ()
    why = Asking.of(
        "At most so many clusters fit, and often fewer: each stays within one GPC, of which some SMs are "
        "left over. Your own GPU tells: ",
        Asking("--device 0, or ", "", "occupancy calc --device 0, or "),
        "cudaOccupancyMaxActiveClusters.",
    )
    unit = wave.measured
    if unit is None or unit.gpu == gpu:
        return (why,)
    return why, f"The {unit.gpu} that was measured has {wave.multiprocessor_count} SMs, too."


@listed
class WholeGpu(NamedTuple):
    """What is known and asked of a whole GPU; None for what is not."""

    gpu: NamedGpu | None = None
    full_wave: FullWave | None = None
    waves: Waves | None = None
    green_context: GreenContext | None = None
    """What a green context gets, where SMs were given that are a part of the GPU's."""
    cluster_size: int | None = None
    """Blocks per cluster; None without clusters."""
    notes: tuple[str, ...] = ()
    """What is not known of it, a sentence each."""

    @property
    def runs(self) -> dict[str, Any]:
        """How the grid runs: the fields of a `HasRuns` about it."""
        waves = self.waves
        each = {name: None if waves is None else found(waves) for name, found in RUNS.items()}
        return {name: None if one is None else _waves_report(one) for name, one in each.items()}


class HasRuns(Protocol):
    """An answer that says what is resident on the whole GPU at once, and how a grid runs; None for what it
    has not."""

    @property
    def full_wave(self) -> FullWave | None: ...
    @property
    def waves(self) -> WavesReport | None:
        """With as many clusters as may fit, or with none."""

    @property
    def measured_waves(self) -> WavesReport | None:
        """With those that one GPU was measured to hold."""

    @property
    def waves_without_clusters(self) -> WavesReport | None:
        """Without clusters, where it has some."""


RUNS: dict[str, Callable[[Waves], Waves | None]] = {
    "waves": lambda waves: waves,
    "measured_waves": lambda waves: waves.as_measured,
    "waves_without_clusters": lambda waves: waves.without_clusters,
}
"""Of each such field, which waves it is about."""

WAVES = {"full_wave": FullWave, **dict.fromkeys(RUNS, WavesReport)}
"""Fields of an answer about the whole GPU."""


def fill(row: dict[str, Any], optional: Mapping[str, type[Any]]) -> None:
    """Give a row of CSV the columns of what this answer does not have."""
    row.update({name: empty(kind) for name, kind in optional.items() if row[name] is None})
    row["full_wave"]["measured"] = row["full_wave"]["measured"] or empty(MeasuredClusters)
