"""The answer to ``occupancy block-sizes`` for several chips: one size for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ...advice.block_sizes import BlockSize
from ...render import words
from ...render.document import Bullets, Column, Document, Heading, Only, Table, Together, graded
from ...tables.gpus import Gpu
from ...values.dataclass import dataclass
from ...values.resources import Resource
from ..base import Report
from ..block_sizes import OPT_IN_TITLE, BlockSizesReport, opt_in_blocks
from ..of_chips import OfChip

TIES = (
    "Best is the highest of the lowest occupancies; among equals the higher sum, then the larger block. "
    "Shared memory per block is as given."
)


@dataclass(frozen=True, slots=True)
class SizeOnChip(OfChip):
    """What one block size comes to on one chip."""

    gpu: str | None
    """The name of the product; null for a compute capability."""
    cc: str
    active_blocks: int
    active_warps: int
    occupancy: float
    limiters: tuple[Resource, ...]
    needs_opt_in: bool


@dataclass(frozen=True, slots=True)
class SizeOnAll:
    """What one block size comes to on each chip."""

    threads: int
    dynamic_smem: int | None
    """Bytes of dynamic shared memory with this size; None where none was given."""
    chips: tuple[SizeOnChip, ...]

    @property
    def rank(self) -> tuple[float, float, int]:
        """The greater, the better."""
        shares = [chip.occupancy for chip in self.chips]
        return min(shares), sum(shares), self.threads


@dataclass(frozen=True, slots=True)
class BlockSizesOnAllReport(Report):
    """The answer to ``occupancy block-sizes`` for several chips."""

    inputs: dict[str, Any]
    """What was given, but for the block size; None for what was not. Sizes are in bytes."""
    block_sizes: tuple[SizeOnAll, ...]
    """Best first: by the lowest occupancy of the chips, then by their sum, then the larger block."""

    def _each_row(self) -> Iterable[Mapping[str, Any]]:
        """A row for each block size on each chip."""
        for size in self.block_sizes:
            for chip in size.chips:
                row = asdict(chip)
                start = {"gpu": row.pop("gpu"), "cc": row.pop("cc"), "threads": size.threads}
                yield {**start, "dynamic_smem": size.dynamic_smem, **row}

    def document(self) -> Document:
        """A row for each block size, with the occupancy on each chip."""
        chips = self.block_sizes[0].chips
        has_dynamic = any(size.dynamic_smem is not None for size in self.block_sizes)
        needing = [any(chip.needs_opt_in for chip in size.chips) for size in self.block_sizes]
        columns = (
            Column("Threads"),
            *((Column("Dynamic"),) if has_dynamic else ()),
            *(Column(chip.label) for chip in chips),
            *((Column(OPT_IN_TITLE, is_number=False),) if any(needing) else ()),
        )
        rows = [
            (
                f"{size.threads:,}",
                *((words.size(size.dynamic_smem or 0),) if has_dynamic else ()),
                *(graded(words.percent(chip.occupancy), chip.occupancy) for chip in size.chips),
                *(("needed" if needs else "",) if any(needing) else ()),
            )
            for size, needs in zip(self.block_sizes, needing, strict=True)
        ]
        best = {
            number
            for number, size in enumerate(self.block_sizes)
            if size.rank[:2] == self.block_sizes[0].rank[:2]
        }
        title = f"Occupancy with each block size on {len(chips)} chips, best for all of them first"
        return (
            Only("text", [Heading(title)]),
            Table(columns, rows, best),
            Together(opt_in_blocks(any(needing))),
            Only("text", [Bullets([TIES], "faint")]),
        )


def block_sizes_on_all_report(
    chips: Sequence[Gpu], reports: Sequence[BlockSizesReport]
) -> BlockSizesOnAllReport:
    """What the block sizes of a kernel come to on several chips.

    Args:
        chips: The chips.
        reports: The block sizes on each of them; those that one of them does not allow are left out.
    """
    on_each = [{size.threads: size for size in report.block_sizes} for report in reports]
    common = [threads for threads in on_each[0] if all(threads in sizes for sizes in on_each)]
    sizes = (
        SizeOnAll(
            threads,
            on_each[0][threads].dynamic_smem,
            tuple(_on_chip(chip, each[threads]) for chip, each in zip(chips, on_each, strict=True)),
        )
        for threads in common
    )
    best_first = sorted(sizes, key=lambda size: size.rank, reverse=True)
    return BlockSizesOnAllReport(reports[0].inputs, tuple(best_first))


def _on_chip(chip: Gpu, size: BlockSize) -> SizeOnChip:
    return SizeOnChip(
        chip.name,
        chip.cc,
        size.active_blocks,
        size.active_warps,
        size.occupancy,
        size.limiters,
        size.needs_opt_in,
    )
