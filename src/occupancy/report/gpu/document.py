"""How the whole GPU, and the grid that runs on it, are shown to people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...advice.partitions import GreenContext
from ...advice.waves import FullWave, measured_in_words
from ...render import words
from ...render.document import SENTENCE, Block, Column, Heading, Paragraph, Table
from .report import HasRuns, WavesReport


def whole_gpu_lines(
    wave: FullWave | None,
    waves: WavesReport | None,
    launchable: bool,
    green_context: GreenContext | None = None,
) -> Iterator[tuple[str, str]]:
    """What the whole GPU holds, how a grid without clusters runs there, and which would fill it.

    Args:
        wave: What is resident at once.
        waves: How the grid runs.
        launchable: Whether the kernel launches.
        green_context: What a green context gets.

    Yields:
        Labels, each with its text.
    """
    if wave is None:
        return
    if launchable:
        yield "Whole GPU" if green_context is None else "Part of GPU", _resident(wave)
    if green_context is not None:
        yield "Green context", _green_context(green_context)
    if waves is None or wave.cluster_size is not None:
        return
    yield "Grid", f"{words.count(waves.blocks, 'block')}: {waves_in_words(waves)}"
    if waves.partial_wave_blocks:
        yield "Tail", _tail(waves)
        yield "Full waves", f"{_filling(waves)} blocks"


CLUSTER_COLUMNS = (
    Column("Waves"),
    Column("Last wave", is_number=False, least=SENTENCE),
    Column("GPU\nidle"),
    Column("Blocks for\nfull waves", is_number=False, may_go=True),
)


EQUALLY_LONG = "if all blocks take equally long"


def in_clusters(answer: HasRuns) -> Iterator[Block]:
    """How a grid runs in clusters, beside how it runs without, and in a sentence what that changes."""
    wave, without = answer.full_wave, answer.waves_without_clusters
    if wave is None or wave.cluster_size is None or without is None:
        return
    rows = [("without clusters", without), *((case.at_once, waves) for case, waves in _running(wave, answer))]
    size = wave.cluster_size
    yield Heading(f"A grid of {words.count(without.blocks, 'block')}, {EQUALLY_LONG}")
    yield Table(
        (Column(f"Clusters of {size}\nat once", is_number=False, least=SENTENCE), *CLUSTER_COLUMNS),
        [(name, *_cells(each), _filling(each)) for name, each in rows],
    )
    yield Paragraph(what_clusters_change(answer))


def what_clusters_change(answer: HasRuns) -> str:
    """Whether the grid takes more waves in clusters than without; empty where it has none, or does not run.

    ``Clusters of 4 change nothing if all 165 fit. With 154, 4.87 waves instead of 4.55: still 5 rounds.``
    """
    wave, without = answer.full_wave, answer.waves_without_clusters
    if wave is None or without is None:
        return ""
    said = []
    cases = list(_running(wave, answer))
    for case, each in cases:
        if each.waves != without.waves:
            when = f"If all {case.wave.clusters:,} fit" if case.is_bound else f"With {case.wave.clusters:,}"
            said.append(f"{when}, {_instead(each, without)}.")
        else:
            when = f" if all {case.wave.clusters:,} fit" if case.is_bound else ""
            said.append(f"Clusters of {wave.cluster_size} change nothing{when}.")
    if len(cases) > 1:
        measured, _ = cases[-1]
        said.append(f"Plan with the measured {measured.wave.clusters:,}.")
        sms = words.count(wave.multiprocessor_count, "SM")
        said.append(f"Idle is counted against what all {sms} could hold, in each row.")
    return " ".join(said)


def _instead(waves: WavesReport, without: WavesReport) -> str:
    """``4.87 waves instead of 4.55: still 5 rounds``."""
    text = f"{number_of_waves(waves)} waves instead of {number_of_waves(without)}"
    rounds = words.count(waves.rounds, "round")
    if waves.rounds == without.rounds:
        return f"{text}: still {rounds}"
    return f"{text}: {rounds} instead of {without.rounds:,}"


class _Case(NamedTuple):
    """What the number of clusters can be."""

    measured: str
    """On which GPU it was; empty where it is computed, or where a device tells it."""
    wave: FullWave
    waves: WavesReport | None
    is_bound: bool = False
    """Whether there may be fewer, by arithmetic alone."""

    @property
    def at_once(self) -> str:
        """``at most 165``; ``154, measured on one H200``."""
        return self.qualified(f"{self.wave.clusters:,}")

    def qualified(self, count: str) -> str:
        """A number of blocks or clusters, and how sure it is."""
        at_most = "at most " if self.is_bound else ""
        return f"{at_most}{count}{self.measured and f', {self.measured}'}"


def _cases(wave: FullWave, answer: HasRuns) -> Iterator[_Case]:
    lower, unit = wave.as_measured, wave.measured
    measured = "" if unit is None else f"measured on one {unit.gpu}"
    if not wave.is_upper_bound or (unit is not None and unit.clusters == wave.clusters):
        yield _Case(measured, wave, answer.waves)
    else:
        yield _Case("", wave, answer.waves, is_bound=wave.blocks > 0)
        if lower is not None:
            yield _Case(measured, lower, answer.measured_waves)


def _running(wave: FullWave, answer: HasRuns) -> Iterator[tuple[_Case, WavesReport]]:
    """The cases in which the grid runs."""
    return ((case, case.waves) for case in _cases(wave, answer) if case.waves is not None)


def wave_cells(answer: HasRuns) -> Iterator[tuple[str, ...]]:
    """For each number of clusters that there can be: SMs, blocks at once, waves, the last, what is idle."""
    wave = answer.full_wave
    if wave is None:
        yield "not known", "", "", "", ""
        return
    sms = f"{wave.multiprocessor_count:,}"
    for case in _cases(wave, answer):
        at_once = f"{case.wave.blocks:,}"
        if case.wave.clusters:
            at_once += f" in {words.count(case.wave.clusters, 'cluster')}"
        if case.waves is None:
            yield sms, case.qualified(at_once), "", "", ""
        else:
            yield sms, case.qualified(at_once), *_cells(case.waves)


def _cells(waves: WavesReport) -> tuple[str, str, str]:
    """The waves, the last of them, and what is idle."""
    return number_of_waves(waves), _last(waves), words.percent(waves.idle_share)


def _last(waves: WavesReport) -> str:
    """``360 blocks, 54.5% full``."""
    if not waves.partial_wave_blocks:
        return "full"
    return f"{words.count(waves.partial_wave_blocks, 'block')}, {words.percent(waves.last_wave_fill)} full"


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
    return "; ".join(filter(None, (f"{hold} at most {text}", measured_in_words(wave))))


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
    if not waves.full_waves:
        return f"{text}, {words.percent(waves.last_wave_fill)} full"
    return f"{text}, {waves.full_waves:,} full and one of {_last(waves)}"


def number_of_waves(waves: WavesReport) -> str:
    """``4.55``."""
    return f"{waves.waves:,.2f}" if waves.waves >= 0.005 else "<0.01"


def _tail(waves: WavesReport) -> str:
    text = f"{words.percent(waves.idle_share)} of the GPU idle, {EQUALLY_LONG}"
    if waves.partial_wave_share:
        text += f"; the last wave takes up to {words.percent(waves.partial_wave_share)} of the time"
    return text


def _filling(waves: WavesReport) -> str:
    """``2,640 or 3,300``: the nearest grids whose last wave is full."""
    grids = dict.fromkeys(filter(None, (waves.filling_grid_below, waves.filling_grid_above)))
    return " or ".join(f"{grid:,}" for grid in grids)
