"""The report of every block size of a kernel, on one GPU or on several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import methodcaller
from types import SimpleNamespace
from typing import Any, NamedTuple

from ..advice.block_sizes import BlockSize
from ..advice.launch_requirements import needs_opt_in
from ..advice.runtime import LaunchConfiguration
from ..tables.gpus import Gpu
from ..values.kernel import Kernel
from ..values.numbers import count, percent, size
from .model import Column, Paragraph, Report, Section, Table, chosen, facts, note
from .pictures import Picture, StepPlot, best_marks
from .results import RESULT_COLUMNS, gpu_notes
from .words import gpu_name, gpu_text, limited_by, uses_of

MOST_LEVELS, MOST_ROWS = 5, 16
"""Occupancies of the screen of one GPU, and block sizes of the screen of several."""


class SizeRow(NamedTuple):
    threads: int
    sizes: tuple[BlockSize, ...]

    @property
    def lowest(self) -> float:
        return min(each.occupancy for each in self.sizes)

    def cell(self, number: int) -> str:
        return f"{percent(self.sizes[number].occupancy)} ({self.sizes[number].active_blocks})"


COLUMNS = (
    *chosen(RESULT_COLUMNS, "gpu", "cc"),
    Column("threads", value="result.threads", about="Threads per block", type="integer"),
    *chosen(RESULT_COLUMNS, "occupancy", "active_blocks", "active_warps"),
    chosen(RESULT_COLUMNS, "limiters")[0]._replace(value="result.limiters"),
    Column("dynamic_smem", value="result.dynamic_smem", about="Dynamic shared memory in bytes", type="integer"),
)  # fmt: skip
ROW_COLUMNS = Column("threads", "Threads"), Column("lowest", "Lowest", text=percent)
LEVEL_COLUMNS = (
    Column("occupancy", "Occupancy", lambda level: percent(level[0].lowest)),
    Column("threads", "Threads per block (blocks per SM)", align="left", wraps=True,
           show=lambda level: ", ".join(f"{row.threads:,} ({row.sizes[0].active_blocks})" for row in level)),
)  # fmt: skip


def block_sizes_report(
    sizes: Sequence[Any], launches: Sequence[LaunchConfiguration | None] = (),
    smem_per_thread: int | None = None, all_rows: bool = True,
) -> Report:  # fmt: skip
    """Return every block size of some results that launches, best first."""
    kernel: Kernel = sizes[0].result.kernel
    running = [each for each in sizes if any(size.active_blocks for size in each)]
    gpus: list[Gpu] = [each.result.gpu for each in running or sizes]
    best, details = "no size launches", list[Section]()
    if running:
        rows = _rows(running)
        limiters = {row.sizes[0].limiters for row in rows if row.lowest == rows[0].lowest}
        is_same = len(gpus) == len(limiters) == 1
        best = f"best {percent(rows[0].lowest)}{f', {limited_by(*limiters)}' if is_same else ''}"
        details += _sections(gpus, rows, all_rows)
    failing = [each.result for each in sizes if each not in running and each.result.reason]
    if lines := [f"{gpu_name(result.gpu)}: {result.reason}" for result in failing]:
        details.append(Paragraph(lines))
    picks = []
    for each, pick in zip(sizes, launches, strict=False):
        if each in running and pick is not None and pick.block_size:
            grid = f"{pick.min_grid_size:,} {'blocks' if each.result.gpu.multiprocessor_count else 'x SMs'}"
            picks.append((gpu_name(each.result.gpu), f"{pick.block_size:,} threads, minimum grid {grid}"))
    if picks:
        details.append(facts(picks, "cudaOccupancyMaxPotentialBlockSize returns"))
    headline = f"Block sizes on {gpu_text(*gpus)}: {best}", *filter(None, [_uses(sizes, smem_per_thread)])
    inputs = {**kernel.to_dict(), "threads": None, "block_dim": None, "smem_per_thread": smem_per_thread}
    pairs = (each for row in _rows(sizes) for each in zip(sizes, row.sizes, strict=True))
    on_gpus = [SimpleNamespace(gpu=of.result.gpu, result=result) for of, result in pairs]
    notes = gpu_notes(gpus, (each.result for each in on_gpus))
    uses = {(row.gpu.limits, row.result.dynamic_smem) for row in on_gpus if row.result.active_blocks}
    if any(needs_opt_in(limits, kernel._replace(dynamic_smem=each)) for limits, each in uses):
        notes.append(note("opt-in"))
    parts = headline, COLUMNS, on_gpus, "block_sizes", inputs, details, notes
    return Report("block-sizes", *parts, has_table=False)


def _rows(sizes: Sequence[Any]) -> list[SizeRow]:
    by_threads = [{each.threads: each for each in on_gpu} for on_gpu in sizes]
    common = set(by_threads[0]).intersection(*by_threads[1:])
    rows = (SizeRow(threads, tuple(each[threads] for each in by_threads)) for threads in common)
    launching = [row for row in rows if any(each.active_blocks for each in row.sizes)]
    # Ties in the lowest occupancy go to the higher sum, then to the larger block, as in the runtime.
    return sorted(launching, key=lambda r: (-r.lowest, -sum(x.occupancy for x in r.sizes), -r.threads))


def _sections(gpus: Sequence[Gpu], rows: Sequence[SizeRow], shows_all: bool) -> Iterator[Section]:
    """Yield a row for each occupancy of the only GPU, or for each block size on several."""
    if len(gpus) == 1:
        levels = [list(level) for _, level in groupby(rows, lambda row: row.lowest)]
        shown = levels if shows_all else levels[:MOST_LEVELS]
        hidden = len(rows) - sum(map(len, shown))
        yield Table("", LEVEL_COLUMNS, shown)
    else:
        hidden = 0 if shows_all else max(0, len(rows) - MOST_ROWS)
        on_gpus = (Column("", gpu_name(gpu), methodcaller("cell", place)) for place, gpu in enumerate(gpus))
        yield Table("Occupancy (blocks per SM)", [*ROW_COLUMNS, *on_gpus], rows[: len(rows) - hidden])
    if hidden:
        yield Paragraph((f"{count(hidden, 'more size')}. To list them, pass --all.",))


def _uses(sizes: Sequence[Any], smem_per_thread: int | None) -> str:
    kernel, added = sizes[0].result.kernel, []
    if smem_per_thread is not None:
        added = [f"{size(smem_per_thread)} of shared memory per thread"]
    elif len({each.dynamic_smem for on_gpu in sizes for each in on_gpu}) > 1:
        added = ["dynamic shared memory that depends on the block size"]
        kernel = kernel.replace(dynamic_smem=None)
    return ", ".join([*uses_of(kernel), *added])


def block_sizes_picture(sizes: Sequence[Any], smem_per_thread: int | None = None) -> Picture:
    """Return a curve for each GPU over the block sizes, with the best ones of each marked."""
    curves, result = {}, sizes[0].result
    most = max(result.kernel.max_threads or result.limits.max_threads_per_block, result.limits.warp_size)
    values = sorted({each.threads for on_gpu in sizes for each in on_gpu if each.threads <= most})
    for on_gpu in sizes:
        shares = {each.threads: each.occupancy for each in on_gpu}
        name = gpu_name(on_gpu.result.gpu) if len(sizes) > 1 else ""
        curves[name] = [shares.get(threads, 0.0) for threads in values]
    marks = best_marks(values, curves.values())
    given = ", ".join(filter(None, [gpu_text(result.gpu) * (len(sizes) == 1), _uses(sizes, smem_per_thread)]))
    title = f"Occupancy by threads per block\n{given[:1].upper()}{given[1:]}".rstrip()
    return Picture(title, [StepPlot("threads", values, curves, marks)])
