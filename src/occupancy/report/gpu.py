"""The GPU that an answer is about, and what runs on the whole of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from ..advice.waves import FullWave, Waves
from . import DOCUMENTED


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU that was named, or that was found in this machine."""

    __pydantic_config__: ClassVar[dict[str, Any]] = DOCUMENTED

    name: str
    multiprocessors: int | None
    """SMs; None where nobody tells."""
    known_from: str
    """Who tells: ``"device"``, this machine's own GPU; for a product what data/gpus.csv says."""
    device: int | None
    """The number of this machine's GPU; None for a product."""


@dataclass(frozen=True, slots=True)
class WavesReport:
    """How a grid runs on a whole GPU, if all of its blocks take equally long."""

    __pydantic_config__: ClassVar[dict[str, Any]] = DOCUMENTED

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
    )


class WholeGpu(NamedTuple):
    """What is known and asked of a whole GPU; None for what is not."""

    gpu: Gpu | None = None
    full_wave: FullWave | None = None
    waves: Waves | None = None
