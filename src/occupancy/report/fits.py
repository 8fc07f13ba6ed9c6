"""The answer to ``occupancy fits``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import TYPE_CHECKING, Any

from ..advice.budget import TOLERANCE, check_share
from ..advice.next_steps import using_less
from ..advice.opt_in import MORE_SHARED_MEMORY
from ..advice.portability import CLUSTER_LIMITS, Fit
from ..engine import Model, evaluate
from ..render import words
from ..render.document import (
    Block,
    Bullets,
    Cell,
    Code,
    Column,
    Document,
    Marked,
    Paragraph,
    Table,
    Together,
    graded,
)
from ..tables.gpus import WELL_KNOWN, Gpu
from ..tables.shipped import renamed
from ..tables.table import CURRENT_FROM, are_current
from ..values.asking import Asking
from ..values.dataclass import dataclass
from ..values.kernel import Kernel
from ..values.limits import ComputeCapability
from ..values.resources import Changeable, amount_of
from .base import Report
from .calc.notes import counted_by_header
from .calc.tensor_memory import once_relinquished
from .inputs import Inputs, inputs_of, name_of
from .most_sms import how_many_clusters, largest_product, sms_of
from .of_chips import OfChip, labels_by, later_names, said_of_chips
from .opt_in import call_for

if TYPE_CHECKING:
    from .on_all.report import OnChip

COLUMNS = (
    Column("Chip", is_number=False),
    Column("CC", is_number=False),
    Column("Architecture", is_number=False),
    Column("Launches", is_number=False),
    Column("Blocks"),
    Column("Occupancy"),
    Column("Warps\nper SM"),
    Column("Limited by", is_number=False, least=13),
)

NAMED_COLUMNS = (
    COLUMNS[0],
    COLUMNS[1],
    COLUMNS[2]._replace(may_go=True),
    *COLUMNS[3:6],
    COLUMNS[6]._replace(may_go=True),
    COLUMNS[7],
    Column("SMs"),
)
"""Of products; without a name the architecture says which chip it is."""

MOST_FULL = 4
"""Chips with full occupancy that the first line names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChipFit(OfChip, Fit):
    """Whether the kernel runs on one chip that was named."""

    gpu: str | None
    """The name of the product; null for a compute capability."""
    architecture: str
    known_by: str | None
    """A product that people know the compute capability by; null where there is none."""
    max_warps_per_multiprocessor: int
    """Warps that an SM holds."""
    multiprocessor_count: int | None
    """SMs of the product; null for a compute capability, or where its variants differ."""
    largest_gpu: str | None
    """The product with the most SMs that is meant: of all of a compute capability, or of the variants of one
    that was named; null where none is known."""
    largest_multiprocessor_count: int | None
    """The SMs of that."""
    known_from: str | None
    """Where that number is from: hardware, two lists or one list of products, inferred, or the device of this
    machine."""
    to_launch: dict[Changeable, int] | None
    """What must change, all of it together, so that it launches; null where it does, and where using less
    does not help."""


@dataclass(frozen=True, slots=True)
class FitsReport(Report):
    """The whole answer to ``occupancy fits``."""

    inputs: Inputs
    cluster_size: int | None
    """Blocks per cluster; null for a launch without clusters."""
    least_occupancy: float | None
    """The least occupancy that was asked for, above 0 and up to 1; null where all chips are listed."""
    asked: tuple[str, ...]
    """The chips that were asked about, by name or compute capability."""
    chips: tuple[ChipFit, ...]
    """The answer for each of them, or for those that reach the least occupancy, the best first."""
    notes: tuple[str, ...]
    """What a later CUDA calls a chip, and what becomes of a kernel that allocates tensor memory once it has
    relinquished its permit."""

    @property
    def can_run(self) -> bool:
        """Whether it compiles and launches on all of them."""
        return all(chip.can_run for chip in self.chips)

    def reaching(self, share: float) -> FitsReport:
        """The same of the chips that reach an occupancy, the best first.

        Raises:
            InputError: It is not above 0 and up to 1.
        """
        check_share(share)
        best = sorted(self.chips, key=lambda chip: -chip.occupancy)
        enough = tuple(chip for chip in best if chip.occupancy >= share - TOLERANCE)
        return replace(self, least_occupancy=share, chips=enough)

    def _each_row(self) -> Iterable[Mapping[str, Any]]:
        """A row for each chip."""
        for chip in self.chips:
            row = asdict(chip)
            row["opt_ins"] = [each.call for each in chip.opt_ins]
            row["to_launch"] = [f"{name}={amount}" for name, amount in (chip.to_launch or {}).items()]
            yield {"gpu": row.pop("gpu"), **row}

    def document(self) -> Document:
        """A count, a row for each chip on which it runs with what limits it, then what stops it elsewhere."""
        has_names = any(chip.gpu for chip in self.chips)
        rows = [
            (
                *([chip.label] if has_names else []),
                chip.cc,
                chip.architecture if chip.gpu else f"{chip.architecture}{_in_brackets(chip)}",
                _launches(chip),
                *(("", "") if chip.launchable is None else _amounts(chip)),
                str(chip.max_warps_per_multiprocessor),
                limited_or_stopped_by(chip, self.inputs),
                *([sms_of(chip)] if has_names else []),
            )
            for chip in self.chips
            if chip.launchable is not False
        ]
        table = [Table(NAMED_COLUMNS if has_names else COLUMNS[1:], rows)] if rows else []
        return (
            Paragraph((Marked(self.headline(), "strong"), self._scope())),
            *self._not_compiled(),
            *table,
            Together([*self._not_on(), *self._without_clusters()]),
            Together(list(self._most_sms())),
            Together(self._opt_in()),
            Bullets(self.notes, "faint"),
        )

    def _not_compiled(self) -> Iterator[Block]:
        """That no compiler makes the kernel, once: the reason is the same on all chips."""
        from .calc.document import not_compiled  # which few answers need

        if why := next((chip.refused_by_compiler for chip in self.chips if chip.refused_by_compiler), None):
            yield Paragraph(not_compiled(why))

    def _not_on(self) -> Iterator[Block]:
        """On which chips it does not launch, what stops it there, and with what it would."""
        stopped = [chip for chip in self.chips if chip.launchable is False]
        on = labels_by(
            ((limited_or_stopped_by(chip, self.inputs), *self._ways_to_launch(chip)), _called(chip))
            for chip in stopped
        )
        for (why, ways, calls), labels in on.items():
            then = f" It launches there with {ways}{':' if calls else '.'}" if ways else ""
            yield Paragraph((Marked("Not on", "bad"), f" {words.listing(labels)}: {why}.{then}"))
            yield from map(Code, calls)

    def _ways_to_launch(self, chip: ChipFit) -> tuple[str, tuple[str, ...]]:
        """What must change, empty where nothing helps, and the calls after which less of it must."""
        changes = {
            each: words.change(each, amount_of(each, self.inputs), amount)
            for each, amount in (chip.to_launch or {}).items()
        }
        less = words.listing(list(changes.values())) if changes else ""
        is_cure = "smem" in changes and any(each.needed_for == MORE_SHARED_MEMORY for each in chip.opt_ins)
        if not is_cure:
            return less, ()
        calls = tuple(each.call for each in chip.opt_ins)
        others = [change for each, change in changes.items() if each != "smem"]
        then = f"with {words.listing(others)}" if others else "as it is"
        return f"{less}, or {then} after {'this call' if len(calls) == 1 else 'these calls'}", calls

    def _without_clusters(self) -> Iterator[Block]:
        """On which of those that have no such clusters it runs without any."""
        if labels := [chip.label for chip in self.chips if chip.runs_without_clusters]:
            yield Paragraph(f"Without clusters it launches on {words.listing(labels)}, too.")

    def _most_sms(self) -> Iterator[Block]:
        """How many SMs there are at most, and that clusters may not use them all."""
        able = [chip for chip in self.chips if chip.can_run]
        if self.cluster_size is not None and able:
            yield from how_many_clusters(able, self.inputs, self.cluster_size)

    def _opt_in(self) -> list[Block]:
        """What it takes to launch with opt-in, where that is so on some chip."""
        found = dict.fromkeys(
            (each.needed_for, each.call) for chip in self.chips if chip.can_run for each in chip.opt_ins
        )
        return [part for each in found for part in call_for("With opt-in", *each)]

    def headline(self) -> str:
        """On how many chips it launches, and on which with full occupancy."""
        clusters = f" in clusters of {self.cluster_size}" if self.cluster_size else ""
        if self.least_occupancy is not None:
            share = ("At least " if self.least_occupancy < 1 else "") + words.percent(self.least_occupancy)
            return (
                f"{share} occupancy on {len(self.chips) or 'none'} of {self._counted(self.asked)}{clusters}"
            )
        launching = sum(chip.can_run for chip in self.chips)
        unknown = sum(chip.launchable is None for chip in self.chips)
        text = f"Launches on {launching} of {self._counted(self.chips)}{clusters}"
        if unknown:
            text += f"; unknown on {unknown}"
        full = [_called(chip) for chip in self.chips if chip.occupancy == 1 and chip.can_run]
        if 0 < len(full) <= MOST_FULL:
            text += f"; 100% occupancy on {words.listing(full)}"
        return text

    def _counted(self, chips: Sequence[object]) -> str:
        """``14 compute capabilities``; of products, which can have one in common, ``3 chips``."""
        if not all(name.replace(".", "").isdecimal() for name in self.asked):
            return words.count(len(chips), "chip")
        return f"{len(chips)} compute capabilit{'y' if len(chips) == 1 else 'ies'}"

    def _scope(self) -> str:
        """Which chips these are, where none was named."""
        older = Asking("; --all has the older ones", "")
        return Asking.of(f" (from {CURRENT_FROM} on", older, ")") if are_current(self.asked) else ""


def _called(chip: ChipFit) -> str:
    """``10.7 (VR200)``, or the name of the product."""
    return chip.gpu or f"{chip.cc}{_in_brackets(chip)}"


def _in_brackets(chip: ChipFit) -> str:
    """By which product people know a compute capability, or what a later CUDA calls it; empty without."""
    if chip.known_by is None and (new := renamed().get(ComputeCapability.parse(chip.cc))):
        return f" (as {new.to})"
    return f" ({chip.known_by})" if chip.known_by else ""


def _launches(chip: ChipFit) -> Cell:
    if chip.launchable is None:
        return "unknown"
    if not chip.can_run:
        return Marked("no", "bad")
    return "with opt-in" if chip.opt_ins else "yes"


def _amounts(chip: Fit) -> tuple[str, Cell]:
    return str(chip.active_blocks), graded(words.percent(chip.occupancy), chip.occupancy)


def fits_report(
    kernel: Kernel,
    answers: tuple[Fit, ...],
    chips: Sequence[Gpu],
    model: Model | None = None,
    cluster_size: int | None = None,
) -> FitsReport:
    """Everything that is shown of a kernel on many chips."""
    return FitsReport(
        inputs_of(kernel),
        cluster_size,
        None,
        tuple(chip.label for chip in chips),
        tuple(_chip_fit(chip, answer, kernel, model) for chip, answer in zip(chips, answers, strict=True)),
        _notes(kernel, answers, chips, model),
    )


def _notes(
    kernel: Kernel, answers: tuple[Fit, ...], chips: Sequence[Gpu], model: Model | None
) -> tuple[str, ...]:
    notes = list(later_names(chips))
    if kernel.tensor_memory is not None:
        launching = [chip for chip, answer in zip(chips, answers, strict=True) if answer.launchable]
        found = [evaluate(chip.limits, kernel, model) for chip in launching]
        said = ((counted_by_header(answer), once_relinquished(answer)) for answer in found)
        notes += said_of_chips(launching, said)
    return tuple(notes)


def _chip_fit(chip: Gpu, answer: Fit, kernel: Kernel, model: Model | None) -> ChipFit:
    product = largest_product(chip)
    step = None
    if answer.launchable is False and answer.limit is not None and answer.limit not in CLUSTER_LIMITS:
        step = next(using_less(evaluate(chip.limits, kernel, model)), None)
    return ChipFit(
        **{each.name: getattr(answer, each.name) for each in fields(Fit)},
        gpu=chip.name,
        architecture=chip.limits.architecture,
        known_by=WELL_KNOWN.get(chip.cc),
        max_warps_per_multiprocessor=chip.limits.max_warps_per_multiprocessor,
        multiprocessor_count=chip.multiprocessor_count,
        largest_gpu=None if product is None else product.name,
        largest_multiprocessor_count=None if product is None else product.multiprocessor_count,
        known_from=None if product is None else product.known_from,
        to_launch=None if step is None else step.requires,
    )


def limited_or_stopped_by(chip: Fit | OnChip, inputs: Inputs) -> str:
    """What limits a kernel on a chip, or why it does not launch there."""
    if chip.launchable is None:
        return f"unknown above {chip.allowed} per cluster" if chip.limit else "not in the spreadsheet"
    if chip.launchable:
        return words.listing([name_of(limiter, inputs) for limiter in chip.limiters])
    if chip.limit is None or chip.allowed is None:
        return (chip.reason or "").removeprefix(f"compute capability {chip.cc} ").removeprefix("has ")
    return over_limit(chip.limit, chip.allowed)


def over_limit(limit: str, allowed: int) -> str:
    """``over 63 registers per thread``: a limit of a chip that a kernel breaks, and its value."""
    most = words.size(allowed) if "shared_memory" in limit else f"{allowed:,}"
    if "cluster_size" in limit:
        return f"over {most} blocks per cluster"
    if limit.startswith("max_block_dim"):
        return f"over {most} threads in one dimension"
    name = words.name(limit.removeprefix("max_").removesuffix("_optin"))
    return f"over {most} {name.removesuffix(' per block')}"
