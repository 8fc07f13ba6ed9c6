"""The GPU that an answer is about, and what runs on the whole of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..advice.partitions import GreenContext
from ..advice.waves import FullWave, Waves
from ..render import words
from ..tables.chips import Chip
from ..tables.clusters import MeasuredClusters
from ..values.dataclass import dataclass
from ..values.listed import listed
from .base import empty


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
    """The share of the GPU's time that the last wave leaves idle, 0 to 1; where clusters were measured, of
    the time of the places that they fill."""
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


@listed
class WholeGpu(NamedTuple):
    """What is known and asked of a whole GPU; None for what is not."""

    gpu: Gpu | None = None
    full_wave: FullWave | None = None
    waves: Waves | None = None
    green_context: GreenContext | None = None
    """What a green context gets, where SMs were given that are a part of the GPU's."""
    note: str | None = None
    """What is not known of it, a sentence."""

    @property
    def reports(self) -> tuple[WavesReport | None, WavesReport | None]:
        """How the grid runs, with a bound of the clusters and with those that were measured."""
        if self.waves is None:
            return None, None
        measured = self.waves.as_measured
        return waves_report(self.waves), None if measured is None else waves_report(measured)


WAVES = {"full_wave": FullWave, "waves": WavesReport, "measured_waves": WavesReport}
"""Fields of an answer about the whole GPU."""


def fill(row: dict[str, Any], optional: Mapping[str, type[Any]]) -> None:
    """Give a row of CSV the columns of what this answer does not have."""
    row.update({name: empty(kind) for name, kind in optional.items() if row[name] is None})
    row["full_wave"]["measured"] = row["full_wave"]["measured"] or empty(MeasuredClusters)


def whole_gpu_lines(
    wave: FullWave | None,
    waves: WavesReport | None,
    measured: WavesReport | None,
    launchable: bool,
    green_context: GreenContext | None = None,
) -> Iterator[tuple[str, str]]:
    """What the whole GPU holds, how the grid runs there, and which grids would fill it: label and text.

    Args:
        wave: What is resident at once.
        waves: How the grid runs.
        measured: The same with the clusters that one GPU was measured to hold.
        launchable: Whether the kernel launches.
        green_context: What a green context gets.
    """
    if wave is None:
        return
    if launchable:
        yield "Whole GPU" if green_context is None else "Part of GPU", _resident(wave)
    if green_context is not None:
        yield "Green context", _green_context(green_context)
    if waves is None:
        return
    cases = [(case, case.waves) for case in _cases(wave, waves, measured) if case.waves is not None]
    tails = [(case, each) for case, each in cases if each.partial_wave_blocks]
    blocks = words.count(waves.blocks, "block")
    (first, *more) = [_said(case.words, waves_in_words(each)) for case, each in cases]
    lines = {
        "Grid": [f"{blocks}{', ' if cases[0][0].words else ': '}{first}", *more],
        "Tail": [_said(case.short, _tail(each, is_first=each is waves)) for case, each in tails],
        "Full waves": ["; ".join(_said(case.short, _filling(each)) for case, each in tails)] if tails else [],
    }
    for label, texts in lines.items():
        yield from ((label if number == 0 else "", text) for number, text in enumerate(texts))


def _said(case: str, text: str) -> str:
    return f"{case}: {text}" if case else text


class _Case(NamedTuple):
    """What the number of clusters can be."""

    words: str
    """Empty without clusters, or where their number is known, or was measured to be all that may fit."""
    wave: FullWave
    waves: WavesReport | None

    @property
    def short(self) -> str:
        """The same where it was said before."""
        return f"with {self.wave.clusters:,}" if self.words else ""


def _cases(wave: FullWave, waves: WavesReport | None, measured: WavesReport | None) -> Iterator[_Case]:
    lower, unit = wave.as_measured, wave.measured
    if not wave.is_upper_bound or (unit is not None and unit.clusters == wave.clusters):
        yield _Case("", wave, waves)
    else:
        yield _Case(f"if all {words.count(wave.clusters or 0, 'cluster')} fit", wave, waves)
        if unit is not None and lower is not None:
            yield _Case(f"with {unit.clusters:,} as measured on one {unit.gpu}", lower, measured)


def wave_cells(
    wave: FullWave | None, waves: WavesReport | None, measured: WavesReport | None
) -> Iterator[tuple[str, str, str, str]]:
    """For each number of clusters that there can be: SMs, blocks at once, waves, and the last wave."""
    if wave is None:
        yield "not known", "", "", ""
        return
    sms = f"{wave.multiprocessor_count:,}"
    for case in _cases(wave, waves, measured):
        as_measured = f"as measured on one {wave.measured.gpu}" if wave.measured is not None else ""
        at_once = f"{case.wave.blocks:,} {case.words or as_measured}".rstrip() if case.wave.blocks else "0"
        if case.waves is None:
            yield sms, at_once, "", ""
            continue
        partial = words.count(case.waves.partial_wave_blocks, "block")
        last = f"{partial}, {words.percent(case.waves.last_wave_fill)} full"
        yield sms, at_once, number_of_waves(case.waves), last if case.waves.partial_wave_blocks else "full"


def _resident(wave: FullWave) -> str:
    sms = wave.multiprocessor_count
    hold = f"{words.count(sms, 'SM')} {'holds' if sms == 1 else 'hold'}"
    if not wave.blocks:
        return f"{hold} no cluster of {words.count(wave.cluster_size or 1, 'block')}"
    text = words.count(wave.blocks, "block")
    if wave.clusters is not None:
        text += f", {words.count(wave.clusters, 'cluster')} of {wave.cluster_size}"
    if not wave.is_upper_bound:
        return f"{hold} {text}: the grid of a persistent kernel, the largest cooperative one"
    unit = wave.measured
    if unit is None:
        return f"{hold} at most {text}"
    held = f"{words.count(unit.blocks, 'block')}, {words.count(unit.clusters, 'cluster')}"
    held = "all of them" if unit.clusters == wave.clusters else held
    return f"{hold} at most {text}; one {unit.gpu} was measured to hold {held}"


def _green_context(context: GreenContext) -> str:
    asked = f"one of at least {words.count(context.wanted, 'SM')} gets {context.multiprocessor_count:,}"
    if context.without_coscheduling == context.multiprocessor_count:
        return asked
    return f"{asked}, or {context.without_coscheduling:,} without co-scheduling"


def waves_in_words(waves: WavesReport) -> str:
    """``4.55 waves, 4 full and one of 360 blocks, 54.5% full``."""
    text = f"{number_of_waves(waves)} waves"
    if not waves.partial_wave_blocks:
        return f"{text}, all of them full"
    fill = f"{words.percent(waves.last_wave_fill)} full"
    if not waves.full_waves:
        return f"{text}, {fill}"
    partial = words.count(waves.partial_wave_blocks, "block")
    return f"{text}, {waves.full_waves:,} full and one of {partial}, {fill}"


def number_of_waves(waves: WavesReport) -> str:
    """``4.55``."""
    return f"{waves.waves:,.2f}" if waves.waves >= 0.005 else "<0.01"


def _tail(waves: WavesReport, *, is_first: bool) -> str:
    text = f"{words.percent(waves.idle_share)} of {'the GPU' if is_first else 'their places'} idle"
    if is_first:
        text += ", if all blocks take equally long"
    if waves.partial_wave_share:
        text += f"; the last wave takes up to {words.percent(waves.partial_wave_share)} of the time"
    return text


def _filling(waves: WavesReport) -> str:
    text = words.count(waves.filling_grid_above, "block")
    return text if waves.filling_grid_below is None else f"{waves.filling_grid_below:,} or {text}"
