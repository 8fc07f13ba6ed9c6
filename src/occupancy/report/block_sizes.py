"""The report of every block size of a kernel, on one GPU or on several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from ..advice.block_sizes import BlockSize, full_at
from ..advice.runtime import LaunchConfiguration
from ..tables.gpus import Gpu
from ..values.kernel import Kernel
from ..values.numbers import count, join_and, percent
from ..values.spellings import in_range
from .calc import gpu_text, gpu_values, limited_by, target, uses_of
from .model import LABELS, Block, Column, Paragraph, Report, Table, facts, values_of
from .pictures import Picture, StepPlot

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
        """The lowest occupancy of all GPUs."""
        return min(each.occupancy for each in self.sizes)


ON_GPU = ("active_blocks", "active_warps", "occupancy", "limiters")
COLUMNS = (
    Column("threads", "Threads", about="Threads per block", type="integer"),
    Column("occupancy", "Lowest", "lowest", lambda row: percent(row.lowest),
           "The lowest occupancy of all GPUs, 0 to 1", type="number"),
    Column("gpus", "", lambda row: [values_of(each, *ON_GPU) for each in row.sizes],
           about="The result on each GPU", type="array"),
    Column("dynamic_smem", "", lambda row: row.sizes[0].dynamic_smem,
           about="Bytes of dynamic shared memory with this size", type="integer"),
)  # fmt: skip


def block_sizes_report(
    gpus: Sequence[Gpu],
    results: Sequence[Any],
    sizes: Sequence[Sequence[BlockSize]],
    launches: Sequence[LaunchConfiguration | None],
    limit: int | None = None,
    all_rows: bool = False,
) -> Report:
    """Return every block size that launches, best first."""
    kernel: Kernel = results[0].kernel
    by_threads = [{each.threads: each for each in found} for found in sizes]
    common = [threads for threads in by_threads[0] if all(threads in each for each in by_threads)]
    rows = [SizeRow(threads, tuple(each[threads] for each in by_threads)) for threads in common]
    rows = [row for row in rows if any(each.active_blocks for each in row.sizes)]
    rows.sort(key=lambda row: (-row.lowest, -row.threads))
    rows = rows[: None if limit is None else in_range(limit, "limit")]
    best = f"best {percent(rows[0].lowest)}" if rows else "no size launches"
    if len(gpus) == 1:
        named = gpu_text(gpus[0])
        if rows:
            best += f", {limited_by(rows[0].sizes[0].limiters)}"
        details: list[Block] = list(_levels(rows, limit is not None or all_rows))
    else:
        named = join_and([gpu.label for gpu in gpus])
        shown = rows if all_rows else rows[:MOST_ROWS]
        details = [
            Table("Occupancy (blocks per SM)", [*COLUMNS[:2], *map(_on_gpu, gpus, range(len(gpus)))], shown)
        ]
        if len(rows) > len(shown):
            hidden = count(len(rows) - len(shown), "more size")
            details.append(Paragraph((f"{hidden}: --all lists them.",)))
    if advice := [text for each in zip(results, sizes, launches, strict=True) for text in _advice(*each)]:
        details.append(facts(advice) if len(gpus) > 1 else Paragraph([text for _, text in advice]))
    headline = f"Block sizes on {named}: {best}", *filter(None, [", ".join(uses_of(kernel))])
    inputs = {**kernel.to_dict(), "threads": None, "block_dim": None}
    values = {"gpus": [gpu_values(gpu) for gpu in gpus]}
    return Report(
        "block-sizes", headline, COLUMNS, rows, "block_sizes", inputs, values, details, shows_rows=False
    )


def _advice(
    result: Any, sizes: Sequence[BlockSize], launch: LaunchConfiguration | None
) -> Iterator[tuple[str, str]]:
    """Yield the GPU with the runtime's choice, and with the change that leads to full occupancy."""
    if launch is not None and launch.block_size:
        picked = f"{launch.block_size:,} threads and a grid of {launch.min_grid_size:,} blocks"
        yield result.gpu.label, f"The CUDA runtime picks {picked}."
    if sizes and (full := full_at(result, sizes)):
        ((name, amount),) = full[0].items()
        threads = join_and([f"{each:,}" for each in full[1]])
        yield result.gpu.label, f"{threads} threads reach 100% with {target(name, amount)}."


def _on_gpu(gpu: Gpu, number: int) -> Column:
    def cell(row: SizeRow) -> str:
        return f"{percent(row.sizes[number].occupancy)} ({row.sizes[number].active_blocks})"

    return Column("", gpu.label, cell)


def _sizes_text(level: Sequence[SizeRow]) -> str:
    return "  ".join(f"{row.threads:,} ({row.sizes[0].active_blocks})" for row in level)


LEVEL_COLUMNS = (
    Column("occupancy", "Occupancy", lambda level: percent(level[0].lowest)),
    Column("threads", "Threads per block (blocks per SM)", _sizes_text, align="left", wraps=True),
)


def _levels(rows: Sequence[SizeRow], shows_all: bool) -> Iterator[Block]:
    """Return the sizes by their occupancy: one row for each occupancy."""
    levels = [list(level) for _, level in groupby(rows, lambda row: row.lowest)]
    shown = levels if shows_all else levels[:MOST_LEVELS]
    yield Table("", LEVEL_COLUMNS, shown)
    if lower := sum(map(len, levels[len(shown) :])):
        yield Paragraph((f"{count(lower, 'lower size')}: --all lists them.",))


def block_sizes_picture(results: Sequence[Any], sizes: Sequence[Sequence[BlockSize]]) -> Picture:
    """Return a curve for each GPU over the block sizes, with the best one of each marked."""
    values = sorted({each.threads for found in sizes for each in found})
    curves = {}
    for result, found in zip(results, sizes, strict=True):
        shares = {each.threads: each.occupancy for each in found}
        curves[result.gpu.label if len(results) > 1 else ""] = [shares.get(each, 0.0) for each in values]
    marks = [found[0].threads for found in sizes if found]
    where = [gpu_text(results[0].gpu)] if len(results) == 1 else []
    given = ", ".join([*where, *uses_of(results[0].kernel)])
    title = f"Occupancy by {LABELS['threads']}\n{given}".rstrip()
    return Picture(title, [StepPlot("threads", values, curves, marks)])
