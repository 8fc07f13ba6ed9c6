"""The answer to ``occupancy block-sizes``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from ..advice.block_sizes import BlockSize, FullOccupancy, with_full_occupancy
from ..advice.opt_in import MORE_SHARED_MEMORY, opt_in_call
from ..advice.runtime import CALL, CALL_OF_SIZE, LaunchConfiguration
from ..engine import Answer, Model
from ..render import words
from ..render.document import (
    SENTENCE,
    Block,
    Bullets,
    Column,
    Document,
    Heading,
    Only,
    Paragraph,
    Table,
    Together,
    graded,
)
from ..values.asking import Asking
from ..values.dataclass import dataclass
from ..values.resources import QUANTITIES, RESOURCES
from .base import Report
from .inputs import inputs_of
from .opt_in import call_for

OPT_IN_TITLE = "Opt-in"
TIES = (
    f"Among equals the larger block stands first, as {CALL} chooses it; next steps name "
    "the size nearest to yours. "
    "Smaller blocks wait less at barriers and spread better over the SMs."
)
NONE_LAUNCHES = "No block of any size launches with so much."


@dataclass(frozen=True, slots=True)
class BlockSizesReport(Report):
    """The whole answer to ``occupancy block-sizes``."""

    model: Model
    gpu: str | None
    """The name of the product; null for a compute capability."""
    cc: str
    architecture: str
    inputs: dict[str, Any]
    """What was given, but for the block size; None for what was not. Sizes are in bytes."""
    block_sizes: tuple[BlockSize, ...]
    """Best first; among equals the larger block."""
    full_occupancy: FullOccupancy | None
    """Where no size has it: what one resource must shrink to, and the sizes that have it then."""
    runtime_block_size: int | None
    """Threads per block that cudaOccupancyMaxPotentialBlockSize answers; null where no size launches, and by
    another model than its own."""
    runtime_call: str | None
    """That call, or its form VariableSMem where the dynamic shared memory depends on the block size; null as
    ``runtime_block_size``."""
    launch: LaunchConfiguration | None
    """What cudaOccupancyMaxPotentialBlockSize answers; null where the SMs of the GPU are not known."""

    def _each_row(self) -> Iterable[Mapping[str, Any]]:
        """A row for each block size."""
        return ({"gpu": self.gpu, "cc": self.cc, **asdict(each)} for each in self.block_sizes)

    def document(self) -> Document:
        """What the runtime answers, a row for each block size, and why equals stand in this order."""
        has_dynamic = any(each.dynamic_smem is not None for each in self.block_sizes)
        has_opt_in = any(each.needs_opt_in for each in self.block_sizes)
        columns = (
            Column("Threads"),
            *((Column("Dynamic"),) if has_dynamic else ()),
            Column("Blocks"),
            Column("Warps"),
            Column("Occupancy"),
            Column("Limited by", is_number=False, least=SENTENCE),
            *((Column(OPT_IN_TITLE, is_number=False),) if has_opt_in else ()),
        )
        rows = [
            (
                f"{each.threads:,}",
                *((words.size(each.dynamic_smem or 0),) if has_dynamic else ()),
                str(each.active_blocks),
                str(each.active_warps),
                graded(words.percent(each.occupancy), each.occupancy),
                words.short_names(each.limiters),
                *(("needed" if each.needs_opt_in else "",) if has_opt_in else ()),
            )
            for each in self.block_sizes
        ]
        highest = max((each.occupancy for each in self.block_sizes), default=0.0)
        best = {i for i, each in enumerate(self.block_sizes) if 0 < each.occupancy == highest}
        notes = [TIES if best else NONE_LAUNCHES] if self.block_sizes else []
        if 0 < highest < 1:
            limiting = [set(self.block_sizes[place].limiters) for place in best]
            always = [words.name(each) for each in RESOURCES if each in set.intersection(*limiting)]
            by = f", limited by {words.listing(always)}" if always else ""
            notes.insert(0, f"No size reaches 100%: the most is {words.percent(highest)}{by}.{self._full()}")
        size = self.runtime_block_size if self.block_sizes else None
        of_the_runtime = [] if size is None else [Paragraph(self._of_the_runtime(size))]
        chip = words.chip(self.gpu, self.cc, self.architecture)
        heading = Heading(f"Block sizes on {chip}{words.by(self.model)}")
        return (
            Only("text", [heading, *of_the_runtime]),
            Table(columns, rows, best),
            Together(opt_in_blocks(has_opt_in)),
            Only("text", [Bullets(notes, "faint")]),
        )

    def _of_the_runtime(self, threads: int) -> str:
        """What the runtime's own call answers: a block size, and the grid where that is known."""
        why = " (the shared memory depends on the block size)" if self.runtime_call == CALL_OF_SIZE else ""
        answer = f"{self.runtime_call}{why} answers {threads:,} threads"
        if self.launch is not None:
            return f"{answer}, and a grid of {self.launch.min_grid_size:,} blocks."
        said = f"{answer}; for its grid, which depends on the number of SMs, name "
        if self.gpu is not None:
            return f"{said}one variant of the {self.gpu}."
        return Asking.of(f"{said}the GPU", Asking(" (--gpu)", ""), ".")

    def _full(self) -> str:
        if self.full_occupancy is None:
            return ""
        ((resource, amount),) = self.full_occupancy.requires.items()
        sizes = words.listing([f"{threads:,}" for threads in self.full_occupancy.threads])
        less = f"{words.amount(resource, amount)} {QUANTITIES[resource].label}"
        return f" With {less} blocks of {sizes} threads have it."


def opt_in_blocks(is_needed: bool) -> list[Block]:
    """What the column of that title means."""
    return call_for(OPT_IN_TITLE, MORE_SHARED_MEMORY, opt_in_call(None)) if is_needed else []


def block_sizes_report(
    given: Answer,
    answers: tuple[BlockSize, ...],
    smem_per_thread: int | None = None,
    gpu: str | None = None,
    launch: LaunchConfiguration | None = None,
) -> BlockSizesReport:
    """Everything that is shown of the block sizes of a kernel.

    Args:
        given: The answer for the kernel as it was given, with any block size.
        answers: That for each block size.
        smem_per_thread: Bytes of dynamic shared memory that each thread of a block adds.
        gpu: The name of the product.
        launch: What the runtime answers, where the SMs of the GPU are known.
    """
    inputs = asdict(inputs_of(given.kernel))
    del inputs["threads"], inputs["block_dim"]
    is_answered = given.model == "cuda" and bool(answers[0].active_blocks)
    varies = len({each.dynamic_smem for each in answers}) > 1
    call = launch.call if launch is not None else CALL_OF_SIZE if varies else CALL
    return BlockSizesReport(
        model=given.model,
        gpu=gpu,
        cc=str(given.limits.compute_capability),
        architecture=given.limits.architecture,
        inputs={**inputs, "smem_per_thread": smem_per_thread},
        block_sizes=answers,
        full_occupancy=with_full_occupancy(given, answers),
        runtime_block_size=answers[0].threads if is_answered else None,
        runtime_call=call if is_answered else None,
        launch=launch,
    )
