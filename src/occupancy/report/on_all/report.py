"""The answer to ``occupancy calc`` for several chips: each by its name, and what helps on all at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ...advice.next_steps import NextStep, may_be_divided, using_less
from ...advice.on_all import StepOnAll, steps_on_all
from ...advice.opt_in import OptIn, opt_ins, refused_by_compiler
from ...advice.portability import NoSuchClusters
from ...advice.waves import FullWave
from ...engine import Answer, Model, default_model, evaluate
from ...render import words
from ...tables.gpus import Gpu
from ...values.asking import reworded
from ...values.dataclass import dataclass
from ...values.resources import Resource
from ..base import Document, Report
from ..calc.advice import of_divided_registers
from ..calc.notes import notes_on, why_it_differs
from ..calc.report import Explanation, in_a_cell, in_cells
from ..calc.tensor_memory import once_relinquished
from ..gpu.report import WAVES, WavesReport, WholeGpu, fill
from ..inputs import Inputs, inputs_of
from ..of_chips import OfChip, later_names, said_of_chips


@dataclass(frozen=True, slots=True)
class OnChip(OfChip):
    """The answer for one chip."""

    gpu: str | None
    """The name of the product; null for a compute capability."""
    cc: str
    architecture: str
    model: Model
    occupancy: float
    """Active warps by the most warps of an SM, 0 to 1."""
    active_blocks: int
    active_warps: int
    max_warps_per_multiprocessor: int
    """Warps that an SM holds."""
    limiters: tuple[Resource, ...]
    launchable: bool | None
    """Whether it launches; null where no source says whether the chip has such clusters."""
    limit: str | None
    """The name of the limit that keeps it from launching; null where it launches."""
    allowed: int | None
    """What that limit allows."""
    reason: str | None
    """Why it does not launch, or why that is not known."""
    opt_ins: tuple[OptIn, ...]
    """The calls that the launch needs before it."""
    refused_by_compiler: str | None
    """Why no compiler makes such a kernel; null where one does, and where it does not launch anyway."""
    full_wave: FullWave | None
    """What is resident on the whole GPU at once, where the number of its SMs is known."""
    waves: WavesReport | None
    """How the grid runs, where one was given and the kernel launches; of clusters as many as may fit."""
    measured_waves: WavesReport | None
    """How it runs with the clusters that one GPU was measured to hold, where there is only a bound."""
    waves_without_clusters: WavesReport | None
    """How it runs without clusters, where it has some."""
    nearest_step: NextStep | None
    """The least that using less takes for more on this chip alone; null where it does not help."""
    furthest_step: NextStep | None
    """What the highest occupancy takes that using less reaches on this chip alone; null likewise."""
    explanation: tuple[Explanation, ...] | None
    """The arithmetic, where it was asked for."""


@dataclass(frozen=True, slots=True)
class RuntimeOnAll:
    """What the CUDA runtime gives on each of several chips, and so the hardware."""

    active_blocks: tuple[int, ...]
    """On each chip, in their order."""
    occupancy: tuple[float, ...]
    """Active warps by the most warps of an SM, 0 to 1, on each chip."""
    next_step: StepOnAll | None
    """The nearest step to a higher occupancy; null where nothing helps on all of them at once."""


@dataclass(frozen=True, slots=True)
class OnAllReport(Report):
    """The answer to ``occupancy calc`` for several chips."""

    inputs: Inputs
    chips: tuple[OnChip, ...]
    next_steps: tuple[StepOnAll, ...]
    """Steps by using less, each with more blocks than the one before on a chip, if it can be that with the
    lowest occupancy, and fewer on none; then the nearest and the best block sizes that help on each.
    """
    runtime: RuntimeOnAll | None
    """What the CUDA runtime gives, where an answer is the spreadsheet's and the runtime knows the chip."""
    notes: tuple[str, ...]

    @property
    def launchable(self) -> bool:
        """Whether the kernel launches on all of them."""
        return all(chip.launchable for chip in self.chips)

    @property
    def can_run(self) -> bool:
        """Whether it compiles and launches on all of them."""
        return self.launchable and all(chip.refused_by_compiler is None for chip in self.chips)

    def _each_row(self) -> Iterable[Mapping[str, Any]]:
        """A row for each chip."""
        for chip in self.chips:
            row = asdict(chip)
            fill(row, WAVES)
            row["opt_ins"] = [each.call for each in chip.opt_ins]
            for name in ("nearest_step", "furthest_step"):
                step = getattr(chip, name)
                row[name] = None if step is None else in_a_cell(step)
            row["explanation"] = in_cells(chip.explanation or ())
            yield row

    def document(self) -> Document:
        """What was asked, a row for each chip, then what helps on all of them."""
        from .document import document

        return document(self)

    def headline(self) -> str:
        """The occupancy on each chip."""
        shares = [
            "unknown" if each.launchable is None else words.percent(each.occupancy) for each in self.chips
        ]
        return ", ".join(f"{chip.label} {share}" for chip, share in zip(self.chips, shares, strict=True))


def on_all_report(
    chips: Sequence[Gpu],
    answers: Sequence[Answer],
    steps: tuple[StepOnAll, ...],
    wholes: Sequence[WholeGpu],
    explained: Sequence[tuple[Explanation, ...] | None],
    missing: Sequence[NoSuchClusters | None],
) -> OnAllReport:
    """Everything that is shown of a kernel on several chips.

    Args:
        chips: The chips.
        answers: The answer for each of them.
        steps: What helps on all of them.
        wholes: The whole GPU, for each of them.
        explained: The arithmetic, for each of them, where it was asked for.
        missing: The clusters that were asked for and that it does not have, as far as is known, for each of
            them.
    """
    asks_for_fewer = any(step.fewer_registers is not None for step in steps)
    return OnAllReport(
        inputs_of(answers[0].kernel),
        tuple(map(_on_chip, chips, answers, wholes, explained, missing)),
        steps,
        _runtime(answers, can_be_helped=not any(missing)),
        (
            *_of_single(chips, answers),
            *dict.fromkeys(note for whole in wholes for note in whole.notes),
            *said_of_chips(chips, ([once_relinquished(answer)] for answer in answers)),
            *(_divided(answers) if asks_for_fewer else ()),
        ),
    )


def _runtime(answers: Sequence[Answer], *, can_be_helped: bool) -> RuntimeOnAll | None:
    if all(answer.model == default_model(answer.limits) for answer in answers):
        return None
    now = [evaluate(answer.limits, answer.kernel) for answer in answers]
    steps = steps_on_all(now) if can_be_helped else ()
    return RuntimeOnAll(
        tuple(answer.active_blocks for answer in now),
        tuple(answer.occupancy for answer in now),
        next(iter(steps), None),
    )


def _of_single(chips: Sequence[Gpu], answers: Sequence[Answer]) -> Iterator[str]:
    """What a reader should know of single chips, each sentence once."""
    yield from later_names(chips)
    if len({answer.model for answer in answers}) > 1:
        by = [
            chip.label for chip, answer in zip(chips, answers, strict=True) if answer.model == "spreadsheet"
        ]
        yield f"{words.listing(by)}: {words.BY_SPREADSHEET}."
    yield from said_of_chips(chips, ([*notes_on(answer), *why_it_differs(answer)] for answer in answers))


def _divided(answers: Sequence[Answer]) -> Iterator[str]:
    """What to ask instead of fewer registers for a block that may divide them."""
    if any(map(may_be_divided, answers)):
        said = of_divided_registers(inputs_of(answers[0].kernel))
        yield reworded(said, lambda text: words.capitalised(f"{text}."))


def _on_chip(
    chip: Gpu,
    answer: Answer,
    whole: WholeGpu,
    explanation: tuple[Explanation, ...] | None,
    missing: NoSuchClusters | None,
) -> OnChip:
    runs = missing is None
    steps = tuple(using_less(answer)) if runs and answer.occupancy < 1 else ()
    # What it certainly cannot do stands before what nobody knows.
    stops = missing if missing is not None and missing.is_known else answer.failure or missing
    of_clusters = stops if isinstance(stops, NoSuchClusters) else None
    return OnChip(
        gpu=chip.name,
        cc=chip.cc,
        architecture=chip.limits.architecture,
        model=answer.model,
        occupancy=answer.occupancy if runs else 0.0,
        active_blocks=answer.active_blocks if runs else 0,
        active_warps=answer.active_warps if runs else 0,
        max_warps_per_multiprocessor=chip.limits.max_warps_per_multiprocessor,
        limiters=answer.limiters if runs else (),
        launchable=None if of_clusters is not None and not of_clusters.is_known else stops is None,
        limit=None if stops is None else stops.limit,
        allowed=None if stops is None else stops.allowed,
        reason=answer.reason if of_clusters is None else of_clusters.reason,
        opt_ins=opt_ins(answer, whole.cluster_size) if runs else (),
        refused_by_compiler=refused_by_compiler(answer),
        full_wave=whole.full_wave,
        **whole.runs,
        nearest_step=steps[0] if steps else None,
        furthest_step=steps[-1] if steps else None,
        explanation=explanation,
    )
