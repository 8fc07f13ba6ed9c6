"""The report of every block size of a kernel, on one GPU or on several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from ..advice.block_sizes import BlockSize
from ..advice.runtime import LaunchConfiguration
from ..tables.gpus import Gpu
from ..values.kernel import Kernel
from ..values.numbers import count, percent, size
from .calc import RESULT_COLUMNS
from .model import LABELS, Block, Column, Paragraph, Report, Table, chosen, facts
from .pictures import Picture, StepPlot, best_marks
from .words import gpu_name, gpu_text, limited_by, uses_of

MOST_LEVELS = 5
"""Occupancies of the screen of one GPU."""
MOST_ROWS = 16
"""Block sizes of the screen of several."""


class SizeRow(NamedTuple):
    """One block size on every GPU."""

    threads: int
    sizes: tuple[BlockSize, ...]

    @property
    def lowest(self) -> float:
        return min(each.occupancy for each in self.sizes)


class SizeOnGpu(NamedTuple):
    """One block size on one GPU."""

    gpu: Gpu
    result: BlockSize


COLUMNS = (
    *chosen(RESULT_COLUMNS, "gpu", "cc"),
    Column("threads", "", "result.threads", about="Threads per block", type="integer"),
    *chosen(RESULT_COLUMNS, "occupancy", "active_blocks", "active_warps", "limiters"),
    Column("dynamic_smem", "", "result.dynamic_smem", about="Dynamic shared memory per block in bytes", type="integer"),
)  # fmt: skip
ROW_COLUMNS = Column("threads", "Threads"), Column("lowest", "Lowest", show=lambda row: percent(row.lowest))


def block_sizes_report(
    sizes: Sequence[Any],
    launches: Sequence[LaunchConfiguration | None] = (),
    smem_per_thread: int | None = None,
    all_rows: bool = True,
) -> Report:
    """Return every block size of some results that launches, best first."""
    gpus: list[Gpu] = [each.result.gpu for each in sizes]
    by_threads = [{each.threads: each for each in found} for found in sizes]
    common = [threads for threads in by_threads[0] if all(threads in each for each in by_threads)]
    rows = [SizeRow(threads, tuple(each[threads] for each in by_threads)) for threads in common]
    rows = [row for row in rows if any(each.active_blocks for each in row.sizes)]
    rows.sort(key=lambda row: (-row.lowest, -row.threads))
    best = f"best {percent(rows[0].lowest)}" if rows else "no size launches"
    if len(gpus) == 1:
        best += f", {limited_by(rows[0].sizes[0].limiters)}" if rows else ""
        details: list[Block] = list(_levels(rows, all_rows))
    else:
        shown = rows if all_rows else rows[:MOST_ROWS]
        columns = [*ROW_COLUMNS, *map(_on_gpu, gpus, range(len(gpus)))]
        details = [Table("Occupancy (blocks per SM)", columns, shown)]
        if len(rows) > len(shown):
            hidden = count(len(rows) - len(shown), "more size")
            details.append(Paragraph((f"{hidden}. To list them, pass --all.",)))
    picks = [
        (gpu_name(gpu), f"{each.block_size:,} threads, minimum grid {each.min_grid_size:,} blocks")
        for gpu, each in zip(gpus, launches, strict=False)
        if each is not None and each.block_size
    ]
    if picks:
        picks += [(gpu_name(gpu), "unknown: the number of SMs varies") for gpu in gpus if gpu.variants]
        details.append(facts(picks, "cudaOccupancyMaxPotentialBlockSize returns"))
    kernel: Kernel = sizes[0].result.kernel
    headline = f"Block sizes on {gpu_text(*gpus)}: {best}", *filter(None, [_uses(kernel, smem_per_thread)])
    inputs = {**kernel.to_dict(), "threads": None, "block_dim": None, "smem_per_thread": smem_per_thread}
    on_gpus = [SizeOnGpu(*each) for row in rows for each in zip(gpus, row.sizes, strict=True)]
    return Report(
        "block-sizes", headline, COLUMNS, on_gpus, "block_sizes", inputs, {}, details, shows_rows=False
    )


def _uses(kernel: Kernel, smem_per_thread: int | None) -> str:
    added = [] if smem_per_thread is None else [f"{size(smem_per_thread)} of shared memory per thread"]
    return ", ".join([*uses_of(kernel), *added])


def _on_gpu(gpu: Gpu, number: int) -> Column:
    def cell(row: SizeRow) -> str:
        return f"{percent(row.sizes[number].occupancy)} ({row.sizes[number].active_blocks})"

    return Column("", gpu_name(gpu), cell)


LEVEL_COLUMNS = (
    Column("occupancy", "Occupancy", lambda level: percent(level[0].lowest)),
    Column("threads", "Threads per block (blocks per SM)", align="left", wraps=True,
           show=lambda level: ", ".join(f"{row.threads:,} ({row.sizes[0].active_blocks})" for row in level)),
)  # fmt: skip


def _levels(rows: Sequence[SizeRow], shows_all: bool) -> Iterator[Block]:
    levels = [list(level) for _, level in groupby(rows, lambda row: row.lowest)]
    shown = levels if shows_all else levels[:MOST_LEVELS]
    yield Table("", LEVEL_COLUMNS, shown)
    if lower := sum(map(len, levels[len(shown) :])):
        yield Paragraph((f"{count(lower, 'lower size')}. To list them, pass --all.",))


def block_sizes_picture(sizes: Sequence[Any], smem_per_thread: int | None = None) -> Picture:
    """Return a curve for each GPU over the block sizes, with the best ones of each marked."""
    values = sorted({each.threads for found in sizes for each in found})
    curves = {}
    for found in sizes:
        shares = {each.threads: each.occupancy for each in found}
        curves[gpu_name(found.result.gpu) if len(sizes) > 1 else ""] = [
            shares.get(each, 0.0) for each in values
        ]
    marks = best_marks(values, curves.values())
    result = sizes[0].result
    where = [gpu_text(result.gpu)] if len(sizes) == 1 else []
    given = ", ".join(filter(None, [*where, _uses(result.kernel, smem_per_thread)]))
    title = f"Occupancy by {LABELS['threads']}\n{given}".rstrip()
    return Picture(title, [StepPlot("threads", values, curves, marks)])
