"""The GPU that an answer is about, and what runs on the whole of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..advice.partitions import GreenContext
from ..advice.waves import FullWave, Waves
from ..render import words
from ..tables.chips import Chip
from ..values.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Gpu:
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


def gpu_of(chip: Chip) -> Gpu | None:
    """The GPU that was named; None where only a compute capability was."""
    if chip.name is None:
        return None
    known_from = chip.known_from or "variants differ"
    return Gpu(chip.name, chip.multiprocessor_count, known_from, chip.device)


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
    idle_share: float
    """The share of the GPU's time that the last wave leaves idle, 0 to 1."""
    partial_wave_share: float
    """The share of the run's time that a partial wave after full ones takes, 0 to 1."""
    filling_grid_below: int | None
    """Blocks of the largest grid up to this one whose last wave is full."""
    filling_grid_above: int
    """Blocks of the smallest grid from this one on whose last wave is full."""
    is_cooperative: bool | None
    """Whether cudaLaunchCooperativeKernel can run the grid; None where the clusters' bound leaves it open."""


def waves_report(waves: Waves) -> WavesReport:
    """Everything that is shown of some waves."""
    return WavesReport(
        grid_dim=waves.launch.grid_dim,
        blocks=waves.launch.blocks,
        waves=waves.waves,
        full_waves=waves.full_waves,
        partial_wave_blocks=waves.partial_wave_blocks,
        last_wave_fill=waves.last_wave_fill,
        idle_share=waves.idle_share,
        partial_wave_share=waves.partial_wave_share,
        filling_grid_below=waves.filling_grid_below,
        filling_grid_above=waves.filling_grid_above,
        is_cooperative=waves.is_cooperative,
    )


class WholeGpu(NamedTuple):
    """What is known and asked of a whole GPU; None for what is not."""

    gpu: Gpu | None = None
    full_wave: FullWave | None = None
    waves: Waves | None = None
    green_context: GreenContext | None = None
    """What a green context gets, where SMs were given that are a part of the GPU's."""


def whole_gpu_lines(
    wave: FullWave | None,
    waves: WavesReport | None,
    launchable: bool,
    green_context: GreenContext | None = None,
) -> Iterator[tuple[str, str]]:
    """What the whole GPU holds, how the grid runs there, and which grids would fill it: label and text."""
    if wave is None:
        return
    if launchable:
        yield "Whole GPU" if green_context is None else "Part of GPU", _resident(wave)
    if green_context is not None:
        yield "Green context", _green_context(green_context)
    if waves is not None:
        yield "Grid", _waves(waves, wave) + _measured_waves(waves, wave)
        if waves.partial_wave_blocks:
            yield "Tail", _tail(waves, wave)
            yield "Full waves", _filling(waves, wave)
        yield "Coop. grid", _cooperative(waves, wave)


def _resident(wave: FullWave) -> str:
    at_most = "at most " if wave.is_upper_bound else ""
    sms = wave.multiprocessor_count
    hold = f"{words.count(sms, 'SM')} {'holds' if sms == 1 else 'hold'}"
    if not wave.blocks:
        return f"{hold} no cluster of {words.count(wave.cluster_size or 1, 'block')}"
    text = f"{hold} {at_most}{words.count(wave.blocks, 'block')}"
    if wave.clusters is not None:
        text += f", {words.count(wave.clusters, 'cluster')} of {wave.cluster_size}"
    text += ": the grid of a persistent kernel"
    if not wave.is_upper_bound:
        return text
    unit = wave.measured
    measured = "" if unit is None else f"; one {unit.gpu} was measured to hold {unit.clusters}"
    return f"{text} (only the GPU itself knows how many clusters{measured})"


def _cooperative(waves: WavesReport, wave: FullWave) -> str:
    most = f"up to {words.count(wave.blocks, 'block')}"
    if waves.is_cooperative is None:
        return f"cudaLaunchCooperativeKernel takes {most}, if there are so many clusters"
    can = "can" if waves.is_cooperative else "cannot"
    return f"cudaLaunchCooperativeKernel {can} run it: it takes {most}"


def _green_context(context: GreenContext) -> str:
    asked = f"one of at least {words.count(context.wanted, 'SM')} gets {context.multiprocessor_count:,}"
    if context.without_coscheduling == context.multiprocessor_count:
        return asked
    return f"{asked}, or {context.without_coscheduling:,} without co-scheduling"


def _waves(waves: WavesReport, wave: FullWave) -> str:
    at_least = "at least " if wave.is_upper_bound else ""
    number = f"{waves.waves:,.2f}" if waves.waves >= 0.005 else "<0.01"
    text = f"{words.count(waves.blocks, 'block')}: {at_least}{number} waves"
    if not waves.partial_wave_blocks:
        return f"{text}, all of them full"
    fill = f"{words.percent(waves.last_wave_fill)} full"
    if not waves.full_waves:
        return f"{text}, {at_least}{fill}"
    partial = (
        f"{waves.full_waves:,} full and one of {words.count(waves.partial_wave_blocks, 'block')}, {fill}"
    )
    return f"{text}; with so many clusters {partial}" if wave.is_upper_bound else f"{text}, {partial}"


def _measured_waves(waves: WavesReport, wave: FullWave) -> str:
    if wave.measured is None or not wave.measured.clusters:
        return ""
    clusters = wave.measured.clusters
    number = waves.blocks / (clusters * (wave.cluster_size or 1))
    return f"; with the {words.count(clusters, 'cluster')} measured: {number:,.2f} waves"


def _tail(waves: WavesReport, wave: FullWave) -> str:
    so_many = "there are so many clusters and " if wave.is_upper_bound else ""
    text = f"{words.percent(waves.idle_share)} of the GPU idle, if {so_many}all blocks take equally long"
    if waves.partial_wave_share:
        text += f"; the last wave takes up to {words.percent(waves.partial_wave_share)} of the time"
    return text


def _filling(waves: WavesReport, wave: FullWave) -> str:
    text = words.count(waves.filling_grid_above, "block")
    if waves.filling_grid_below is not None:
        text = f"{waves.filling_grid_below:,} or {text}"
    return f"{text}, if there are so many clusters" if wave.is_upper_bound else text
