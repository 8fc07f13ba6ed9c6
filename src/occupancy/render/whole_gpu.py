"""What runs on the whole GPU, as labelled lines for every kind of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from . import words

if TYPE_CHECKING:
    from ..advice.waves import FullWave
    from ..report.calc import CalcReport
    from ..report.gpu import WavesReport


def lines(report: CalcReport) -> Iterator[tuple[str, str]]:
    """What the whole GPU holds, how the grid runs there, and which grids would fill it: label and text."""
    if report.full_wave is not None and report.launchable:
        yield "Whole GPU", _resident(report.full_wave)
    if report.waves is not None and report.full_wave is not None:
        yield "Grid", _waves(report.waves, report.full_wave)
        if report.waves.partial_wave_blocks:
            yield "Tail", _tail(report.waves, report.full_wave)
            yield "Full waves", _filling(report.waves, report.full_wave)


def _resident(wave: FullWave) -> str:
    at_most = "at most " if wave.is_upper_bound else ""
    hold = f"{words.count(wave.multiprocessors, 'SM')} {'holds' if wave.multiprocessors == 1 else 'hold'}"
    if not wave.blocks:
        return f"{hold} no cluster of {words.count(wave.cluster_size or 1, 'block')}"
    text = f"{hold} {at_most}{words.count(wave.blocks, 'block')}"
    if wave.clusters is not None:
        text += f", {words.count(wave.clusters, 'cluster')} of {wave.cluster_size}"
    text += ": the grid of a persistent kernel"
    return f"{text} (only the GPU itself tells how many clusters)" if wave.is_upper_bound else text


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
