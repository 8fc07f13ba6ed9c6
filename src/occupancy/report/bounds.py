"""The answer to ``occupancy bounds``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from ..advice.budget import budget
from ..advice.launch_bounds import LaunchBounds, maxnreg_in_source, nvcc_option
from ..advice.search import changed
from ..engine import evaluate
from ..render import words
from ..render.document import Bullets, Code, Column, Document, Marked, Table, graded
from ..tables.gpus import Gpu
from ..values.dataclass import dataclass
from ..values.kernel import MAX_REGISTERS_PER_THREAD, Kernel
from .base import Report
from .inputs import Inputs, inputs_of
from .of_chips import OfChip

COLUMNS = (
    Column("Chip", is_number=False),
    Column("CC", is_number=False),
    Column("Legal", is_number=False),
    Column("Register cap"),
    Column("Blocks at the cap"),
    Column("Occupancy"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChipBounds(OfChip, LaunchBounds):
    """Launch bounds on one chip that was named."""

    gpu: str | None
    """The name of the product; null for a compute capability."""
    architecture: str
    most_smem: int | None
    """Bytes per block with which the blocks asked for are resident; null where none is asked for, or the
    bounds are not legal.
    """

    @property
    def has_too_few_blocks(self) -> bool:
        """Whether fewer blocks are resident than the bounds ask for, though they are legal."""
        return self.legal and self.active_blocks < (self.min_blocks or 0)


@dataclass(frozen=True, slots=True)
class BoundsReport(Report):
    """The whole answer to ``occupancy bounds``."""

    inputs: Inputs
    min_blocks: int | None
    launch_bounds: str
    """What to write before the kernel's name."""
    chips: tuple[ChipBounds, ...]
    """The bounds on each chip."""
    register_cap: int
    """Registers per thread that the compiler exceeds on none of the chips where the bounds are legal."""
    most_smem: int | None
    """Bytes per block with which the blocks asked for are resident on all of those; null where none is asked
    for, the bounds are legal on no chip, or what else the kernel uses leaves no room for them on one.
    """

    def _each_row(self) -> Iterable[Mapping[str, Any]]:
        """A row for each chip."""
        for chip in self.chips:
            row = asdict(chip)
            yield {"gpu": row.pop("gpu"), **row}

    def document(self) -> Document:
        """The line to paste, a row for each chip, then what to beware of."""
        has_names = any(chip.gpu for chip in self.chips)
        rows = [
            (
                *([chip.label] if has_names else []),
                chip.cc,
                "yes" if chip.legal else Marked("no", "bad"),
                str(chip.register_cap),
                str(chip.active_blocks),
                graded(words.percent(chip.occupancy), chip.occupancy),
            )
            for chip in self.chips
        ]
        columns = COLUMNS if has_names else COLUMNS[1:]
        return Code(self.launch_bounds), Table(columns, rows), Bullets(list(self._notes()))

    def _notes(self) -> Iterator[str]:
        """What holds on all chips, what to beware of on each, and how to have the same cap in another way."""
        if len(self.chips) > 1 and any(chip.legal for chip in self.chips):
            yield self._on_all()
        for chip in self.chips:
            if chip.has_too_few_blocks:
                yield self._too_few(chip)
            if chip.warning is not None:
                yield f"{chip.label}: {chip.warning}. At most {words.count(chip.most_blocks, 'block')}."
        registers = self.inputs.regs
        if registers is not None:
            spilling = [chip.label for chip in self.chips if registers > chip.register_cap]
            if spilling:
                yield (
                    f"On {words.listing(spilling)} the compiler may have to spill: {registers} registers "
                    "are too many."
                )
        # What the compiler ignores, and what every kernel has anyway, is no cap.
        caps = {chip.register_cap for chip in self.chips if chip.legal} - {MAX_REGISTERS_PER_THREAD}
        if caps:
            cap = str(caps.pop()) if len(caps) == 1 else "N"
            without, option = maxnreg_in_source(cap), nvcc_option(cap)
            yield f"The same cap without launch bounds: {without}, or nvcc {option}."

    def _on_all(self) -> str:
        legal = [chip for chip in self.chips if chip.legal]
        where = "all of these chips" if len(legal) == len(self.chips) else "all chips where they are legal"
        text = f"On {where}: at most {words.count(self.register_cap, 'register')} per thread"
        if self.min_blocks is None or self.most_smem is None:
            return f"{text}."
        blocks = words.count(self.min_blocks, "block")
        least = [chip.label for chip in legal if chip.most_smem == self.most_smem]
        text = f"{text}, and {blocks} with up to {words.size(self.most_smem)} of shared memory"
        if len(least) < len(legal):
            text += f" (as {words.listing(least)} {'allows' if len(least) == 1 else 'allow'})"
        return f"{text}."

    def _too_few(self, chip: ChipBounds) -> str:
        wanted, found = self.min_blocks or 0, words.count(chip.active_blocks, "block")
        if "shared_memory" in chip.limiters and self.inputs.shared_memory is not None:
            why = f"{words.size(self.inputs.shared_memory)} of shared memory leave room for {found}"
        else:
            # Two resources, or one whose name is a plural: all but the two kinds of memory.
            one = len(chip.limiters) == 1 and chip.limiters[0].endswith("_memory")
            limiters = words.listing([words.name(each) for each in chip.limiters])
            why = f"{limiters} {'leaves' if one else 'leave'} room for {found}"
        return f"{chip.label}: {why}, not for {wanted}."


def bounds_report(kernel: Kernel, answers: tuple[LaunchBounds, ...], chips: Sequence[Gpu]) -> BoundsReport:
    """Everything that is shown of launch bounds on one chip or more."""
    first = answers[0]
    each_smem = [_most_smem(kernel, answer, chip) for chip, answer in zip(chips, answers, strict=True)]
    return BoundsReport(
        inputs_of(kernel),
        first.min_blocks,
        first.launch_bounds,
        tuple(
            ChipBounds(
                **{each.name: getattr(answer, each.name) for each in fields(LaunchBounds)},
                gpu=chip.name,
                architecture=chip.limits.architecture,
                most_smem=most,
            )
            for chip, answer, most in zip(chips, answers, each_smem, strict=True)
        ),
        min((answer.register_cap for answer in answers if answer.legal), default=first.register_cap),
        _least([most for most, answer in zip(each_smem, answers, strict=True) if answer.legal]),
    )


def _least(each_smem: Sequence[int | None]) -> int | None:
    found = [most for most in each_smem if most is not None]
    return min(found) if found and len(found) == len(each_smem) else None


def _most_smem(kernel: Kernel, answer: LaunchBounds, chip: Gpu) -> int | None:
    """Bytes per block with which the blocks of legal bounds are resident; None where none let so many in."""
    if not answer.legal or answer.min_blocks is None:
        return None
    bare = changed(kernel, {"regs": 0, "smem": 0})
    if evaluate(chip.limits, bare).active_blocks < answer.min_blocks:
        return None  # what else it uses is too much
    wanted = budget(chip, bare, blocks=answer.min_blocks).wanted
    return None if wanted is None else wanted.smem
