"""The answer to ``occupancy calc`` for several chips: each by its name, and what helps on all at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ..advice.launch_bounds import RegisterCap
from ..advice.next_steps import holds_all_virtual_resources, may_be_divided
from ..advice.on_all import StepOnAll, fewer_registers_on_all
from ..advice.waves import FullWave
from ..engine import Answer, Model
from ..render import words
from ..render.document import (
    SENTENCE,
    Block,
    Bullets,
    Column,
    Document,
    Heading,
    Marked,
    Only,
    Paragraph,
    Table,
    Together,
    graded,
)
from ..tables.chips import Chip
from ..values.dataclass import dataclass
from ..values.resources import ADJUSTABLE, QUANTITIES, Changeable, Resource, amount_of
from .base import Report
from .calc import Explanation, in_cells
from .calc_advice import how_to_cap, of_divided_registers
from .calc_document import steps_of
from .fits import limited_or_stopped_by
from .gpu import WAVES, WavesReport, WholeGpu, fill, wave_cells
from .inputs import Inputs, blocks_in_words, inputs_of
from .tensor_memory import tensor_memory

COLUMNS = (
    Column("Chip", is_number=False),
    Column("CC", is_number=False),
    Column("Occupancy"),
    Column("Blocks"),
    Column("Warps"),
    Column("Limited or stopped by", is_number=False, least=SENTENCE),
)

WAVE_COLUMNS = (
    Column("Chip", is_number=False),
    Column("SMs"),
    Column("Blocks at once", is_number=False, least=SENTENCE),
    Column("Waves"),
    Column("Last wave", is_number=False, least=SENTENCE),
)

MOST_STEPS = 9
"""By using less, on a screen."""


@dataclass(frozen=True, slots=True)
class OnChip:
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
    launchable: bool
    limit: str | None
    """The name of the limit that keeps it from launching; null where it launches."""
    allowed: int | None
    """What that limit allows."""
    reason: str | None
    """Why it does not launch."""
    full_wave: FullWave | None
    """What is resident on the whole GPU at once, where the number of its SMs is known."""
    waves: WavesReport | None
    """How the grid runs, where one was given and the kernel launches; of clusters as many as may fit."""
    measured_waves: WavesReport | None
    """How it runs with the clusters that one GPU was measured to hold, where there is only a bound."""
    explanation: tuple[Explanation, ...] | None
    """The arithmetic, where it was asked for."""

    @property
    def label(self) -> str:
        """Its name, else its compute capability."""
        return self.gpu or self.cc


@dataclass(frozen=True, slots=True)
class OnAllReport(Report):
    """The answer to ``occupancy calc`` for several chips."""

    inputs: Inputs
    chips: tuple[OnChip, ...]
    next_steps: tuple[StepOnAll, ...]
    """Steps by using less, each with more blocks than the one before on a chip, if it can be that with the
    lowest occupancy, and fewer on none; and the nearest and the best block sizes that help on each. What
    helps all chips stands first.
    """
    fewer_registers: RegisterCap | None
    """How the first step that asks for fewer registers is told to the compiler."""
    notes: tuple[str, ...]

    @property
    def launchable(self) -> bool:
        """Whether the kernel launches on all of them."""
        return all(chip.launchable for chip in self.chips)

    def rows(self) -> Iterable[Mapping[str, Any]]:
        """A row for each chip."""
        for chip in self.chips:
            row = asdict(chip)
            fill(row, WAVES)
            row["explanation"] = in_cells(chip.explanation or ())
            yield row

    def document(self) -> Document:
        """What was asked, a row for each chip, then what helps on all of them."""
        has_names = any(chip.gpu for chip in self.chips)
        rows = [
            (
                *([chip.label] if has_names else []),
                chip.cc,
                graded(words.percent(chip.occupancy), chip.occupancy),
                str(chip.active_blocks),
                f"{chip.active_warps} of {chip.max_warps_per_multiprocessor}",
                limited_or_stopped_by(chip),
            )
            for chip in self.chips
        ]
        return (
            Only(
                "text",
                [Paragraph(Marked(f"{blocks_in_words(self.inputs)} on {len(self.chips)} chips", "strong"))],
            ),
            Table(COLUMNS if has_names else COLUMNS[1:], rows),
            Together(list(self._waves())),
            *self._advice(),
            Bullets(self.notes, "faint"),
            *(part for chip in self.chips for part in _explained(chip)),
        )

    def headline(self) -> str:
        """The occupancy on each chip."""
        return ", ".join(f"{chip.label} {words.percent(chip.occupancy)}" for chip in self.chips)

    def _waves(self) -> Iterator[Block]:
        grid = next((chip.waves.blocks for chip in self.chips if chip.waves is not None), None)
        sizes = [chip.full_wave.cluster_size for chip in self.chips if chip.full_wave is not None]
        cluster = next((size for size in sizes if size is not None), None)
        if grid is None and cluster is None:
            return
        title = "The whole GPU" if grid is None else f"A grid of {words.count(grid, 'block')}"
        yield Heading(title if cluster is None else f"{title}, in clusters of {cluster}")
        rows = [
            (chip.label if number == 0 else "", *cells)
            for chip in self.chips
            for number, cells in enumerate(wave_cells(chip.full_wave, chip.waves, chip.measured_waves))
        ]
        columns = WAVE_COLUMNS if grid is not None else WAVE_COLUMNS[:3]
        yield Table(columns, [row[: len(columns)] for row in rows])

    def _advice(self) -> Iterator[Block]:
        if not self.next_steps:
            if all(chip.occupancy == 1 or chip.limiters == ("virtual_resources",) for chip in self.chips):
                return  # of a permit that can be relinquished the notes tell
            yield Paragraph("No single change of what was given helps on all of these chips at once.")
            return
        less = [step for step in self.next_steps if "threads" not in step.requires]
        sizes = [step for step in self.next_steps if step not in less]
        parts = [list(self._by_using_less(less)), list(self._by_block_size(sizes))]
        # What helps all of them stands first, in the order of the steps.
        for part in parts if self.next_steps[0] in less else reversed(parts):
            if part:
                yield Together(part)
        left = [chip.label for chip in self.chips if less and not self._helps(less[-1], chip)]
        if left:
            yield Paragraph(
                f"Using less does not help on {words.listing(left)}: only another block size can."
            )

    def _by_using_less(self, steps: Sequence[StepOnAll]) -> Iterator[Block]:
        if not steps:
            return
        shown = _most_useful(steps)
        title = "What helps"
        if len(steps) > 1:
            title += " all of them first, then" if self._helps_all(steps[0]) else ","
            title += " step by step the chip that is lowest"
        elif self._helps_all(steps[0]):
            title += " on all of them at once"
        yield Heading(title)
        changed = [each for each in ADJUSTABLE if any(each in step.requires for step in shown)]
        titles = [_title(each) for each in changed]
        rows = [self._cells(step, changed) for step in shown]
        if len(changed) > 1:  # else the first column tells the rows apart
            titles.insert(0, "Step")
            rows = [(str(number), *row) for number, row in enumerate(rows, 1)]
        yield self._table(titles, rows)
        if len(shown) < len(steps):
            hidden = words.count(len(steps) - len(shown), "step")
            yield Bullets([f"{hidden} between these in --format json."], "faint")
        if self.fewer_registers is not None:
            yield Paragraph(how_to_cap(self.fewer_registers))

    def _by_block_size(self, steps: Sequence[StepOnAll]) -> Iterator[Block]:
        if not steps:
            return
        kept = f", {words.size(size)} per block as now" if (size := self.inputs.shared_memory) else ""
        yield Heading(f"Another block size{kept}")
        yield self._table([_title("threads")], [self._cells(step, ["threads"]) for step in steps])

    def _table(self, titles: Sequence[str], rows: Sequence[tuple[str, ...]]) -> Table:
        return Table([Column(title) for title in (*titles, *(chip.label for chip in self.chips))], rows)

    def _helps(self, step: StepOnAll, chip: OnChip) -> bool:
        return step.occupancy[self.chips.index(chip)] > chip.occupancy or chip.occupancy == 1

    def _helps_all(self, step: StepOnAll) -> bool:
        return all(self._helps(step, chip) for chip in self.chips)

    def _cells(self, step: StepOnAll, changed: Sequence[Changeable]) -> tuple[str, ...]:
        """What a block is to use then, and what each chip gives."""
        used = {each: step.requires.get(each, amount_of(each, self.inputs)) for each in changed}
        amounts = ("" if amount is None else words.amount(each, amount) for each, amount in used.items())
        reached = (
            f"{words.count(blocks, 'block')}, {words.percent(occupancy)}"
            for blocks, occupancy in zip(step.active_blocks, step.occupancy, strict=True)
        )
        return *amounts, *reached


def _title(resource: Changeable) -> str:
    return QUANTITIES[resource].label.capitalize()


def _most_useful(steps: Sequence[StepOnAll]) -> Sequence[StepOnAll]:
    """All of few; of many the nearest, and the furthest with each number of registers."""
    if len(steps) <= MOST_STEPS:
        return steps
    furthest = {step.requires.get("regs"): step for step in steps}.values()
    useful = [*steps[:1], *(step for step in furthest if step != steps[0])]
    return useful if len(useful) <= MOST_STEPS else [*useful[: MOST_STEPS - 1], useful[-1]]


def on_all_report(
    chips: Sequence[Chip],
    answers: Sequence[Answer],
    steps: tuple[StepOnAll, ...],
    wholes: Sequence[WholeGpu],
    explained: Sequence[tuple[Explanation, ...] | None],
) -> OnAllReport:
    """Everything that is shown of a kernel on several chips.

    Args:
        chips: The chips.
        answers: The answer for each of them.
        steps: What helps on all of them.
        wholes: The whole GPU, for each of them.
        explained: The arithmetic, for each of them, where it was asked for.
    """
    fewer = fewer_registers_on_all(answers, steps)
    return OnAllReport(
        inputs_of(answers[0].kernel),
        tuple(map(_on_chip, chips, answers, wholes, explained)),
        steps,
        fewer,
        (
            *dict.fromkeys(whole.note for whole in wholes if whole.note is not None),
            *_permits(chips, answers),
            *_divided(answers, fewer),
        ),
    )


def _divided(answers: Sequence[Answer], fewer: RegisterCap | None) -> Iterator[str]:
    """What to ask instead, where fewer registers are the advice for a block that may divide them."""
    if fewer is not None and any(map(may_be_divided, answers)):
        said = of_divided_registers(inputs_of(answers[0].kernel))
        yield f"{said[0].upper()}{said[1:]}."


def _permits(chips: Sequence[Chip], answers: Sequence[Answer]) -> Iterator[str]:
    """How many blocks there are on each chip once its only one has relinquished its permit."""
    for chip, answer in zip(chips, answers, strict=True):
        columns = tensor_memory(answer)
        if columns is None or not holds_all_virtual_resources(answer):
            continue
        if columns.blocks_without_permit > answer.active_blocks:
            later = words.count(columns.blocks_without_permit, "block")
            reached = f"{later}, {words.percent(columns.occupancy_without_permit)}"
            yield f"{chip.label}: {reached} once each relinquishes its permit to allocate (inferred)."


def _explained(chip: OnChip) -> Document:
    """The steps of one chip, below its name."""
    if chip.explanation is None:
        return ()
    return Heading(words.chip(chip.gpu, chip.cc, chip.architecture)), *steps_of(chip.explanation)


def _on_chip(
    chip: Chip, answer: Answer, whole: WholeGpu, explanation: tuple[Explanation, ...] | None
) -> OnChip:
    waves, measured_waves = whole.reports
    return OnChip(
        gpu=chip.name,
        cc=chip.cc,
        architecture=chip.limits.architecture,
        model=answer.model,
        occupancy=answer.occupancy,
        active_blocks=answer.active_blocks,
        active_warps=answer.active_warps,
        max_warps_per_multiprocessor=chip.limits.max_warps_per_multiprocessor,
        limiters=answer.limiters,
        launchable=answer.launchable,
        limit=None if answer.failure is None else answer.failure.limit,
        allowed=None if answer.failure is None else answer.failure.allowed,
        reason=answer.reason,
        full_wave=whole.full_wave,
        waves=waves,
        measured_waves=measured_waves,
        explanation=explanation,
    )
