"""The report of every block size of a kernel, on one GPU or on several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..advice.block_sizes import BlockSize, with_full_occupancy
from ..advice.runtime import LaunchConfiguration
from ..tables.gpus import Gpu
from ..values.kernel import Kernel
from ..values.numbers import count, join_and, percent, size
from .calc import gpu_text, label, target
from .model import Block, Column, Facts, Paragraph, Report, Table
from .pictures import Picture, StepPlot, title

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


def _on_gpus(row: SizeRow) -> list[dict[str, Any]]:
    return [
        {
            "active_blocks": each.active_blocks,
            "active_warps": each.active_warps,
            "occupancy": each.occupancy,
            "limiters": list(each.limiters),
            "needs_opt_in": each.needs_opt_in,
        }
        for each in row.sizes
    ]


COLUMNS = (
    Column("threads", "Threads", lambda row: row.threads, None, "Threads per block", type="integer"),
    Column("occupancy", "Lowest", lambda row: row.lowest, lambda row: percent(row.lowest),
           "The lowest occupancy of all GPUs, 0 to 1", type="number"),
    Column("gpus", "", _on_gpus, about="The result on each GPU", type="array"),
    Column("dynamic_smem", "", lambda row: row.sizes[0].dynamic_smem,
           about="Bytes of dynamic shared memory with this size", type="integer"),
)  # fmt: skip


def _screen_columns(gpus: Sequence[Gpu]) -> list[Column]:
    """Return the columns of a screen: a column for each GPU."""

    def on(number: int) -> Column:
        cell = lambda row: percent(row.sizes[number].occupancy)  # noqa: E731
        return Column("", gpus[number].label, cell, cell)

    return [*COLUMNS[:2], *map(on, range(len(gpus)))]


def block_sizes_report(
    gpus: Sequence[Gpu],
    results: Sequence[Any],
    sizes: Sequence[Sequence[BlockSize]],
    launches: Sequence[LaunchConfiguration | None],
    limit: int | None = None,
    all_rows: bool = False,
) -> Report:
    """Return every block size that launches, best first.

    Args:
        gpus: The GPUs.
        results: The kernel with any block size on each of them.
        sizes: Its block sizes on each of them.
        launches: The runtime's own choice, where the SMs are known.
        limit: The number of block sizes; None: all.
        all_rows: Whether the screen shows all of them.
    """
    kernel: Kernel = results[0].kernel
    by_threads = [{each.threads: each for each in found} for found in sizes]
    common = [threads for threads in by_threads[0] if all(threads in each for each in by_threads)]
    rows = [SizeRow(threads, tuple(each[threads] for each in by_threads)) for threads in common]
    rows = [row for row in rows if any(each.active_blocks for each in row.sizes)]
    rows.sort(key=lambda row: (-row.lowest, -row.threads))
    rows = rows[:limit]
    one = len(gpus) == 1
    best = f"best {percent(rows[0].lowest)}" if rows else "no size launches"
    limited = (
        f", limited by {join_and([label(each) for each in rows[0].sizes[0].limiters])}"
        if rows and one
        else ""
    )
    named = gpu_text(gpus[0]) if one else join_and([gpu.label for gpu in gpus])
    details: list[Block] = []
    if not one:
        details.append(Table("", _screen_columns(gpus), rows if all_rows else rows[:MOST_ROWS]))
    if one:
        details += _levels(rows, limit is not None or all_rows)
    elif len(rows) > MOST_ROWS and not all_rows:
        details.append(Paragraph((f"{count(len(rows) - MOST_ROWS, 'more size')}: --all lists them.",)))
    details += _advice(results, sizes, launches, gpus)
    return Report(
        name="block-sizes",
        headline=(f"Block sizes on {named}, {_use_text(kernel)}: {best}{limited}",),
        columns=COLUMNS,
        rows=rows,
        rows_key="block_sizes",
        inputs={**kernel.to_dict(), "threads": None, "block_dim": None},
        values={"gpus": [{"gpu": gpu.name, "cc": gpu.cc} for gpu in gpus]},
        shows_rows=False,
        details=details,
    )


def _use_text(kernel: Kernel) -> str:
    parts = [] if kernel.regs is None else [count(kernel.regs, "register")]
    if kernel.has_shared_memory:
        parts.append(f"{size(kernel.shared_memory)} of shared memory")
    return ", ".join(parts) or "nothing given"


def _levels(rows: Sequence[SizeRow], shows_all: bool) -> Iterator[Block]:
    """Return the sizes by their occupancy: one row for each occupancy."""
    levels: dict[float, list[SizeRow]] = {}
    for row in rows:
        levels.setdefault(row.lowest, []).append(row)
    shown = list(levels.items()) if shows_all else list(levels.items())[:MOST_LEVELS]
    best = set(rows[0].sizes[0].limiters) if rows else set()

    def sizes_text(found: Sequence[SizeRow]) -> str:
        parts = []
        for row in found:
            other = [label(each) for each in row.sizes[0].limiters if each not in best]
            by = f", limited by {join_and(other)}" if other and not best & set(row.sizes[0].limiters) else ""
            parts.append(f"{row.threads:,} ({row.sizes[0].active_blocks}{by})")
        return "  ".join(parts)

    columns = (
        Column("occupancy", "Occupancy", lambda level: level[0], lambda level: percent(level[0])),
        Column("threads", "Threads per block (blocks per SM)", lambda level: None,
               lambda level: sizes_text(level[1]), align="left", wraps=True),
    )  # fmt: skip
    yield Table("", columns, shown)
    lower = sum(len(found) for _, found in list(levels.items())[len(shown) :])
    if lower:
        yield Paragraph((f"Lower: {count(lower, 'size')}, --all lists them",))


def _advice(
    results: Sequence[Any],
    sizes: Sequence[Sequence[BlockSize]],
    launches: Sequence[LaunchConfiguration | None],
    gpus: Sequence[Gpu],
) -> Iterator[Block]:
    facts = [
        (
            gpu.label,
            f"the CUDA runtime picks {launch.block_size:,} threads and a grid of {launch.min_grid_size:,} blocks",
        )
        for gpu, launch in zip(gpus, launches, strict=True)
        if launch is not None and launch.block_size
    ]
    if facts:
        yield Facts(facts)
    for gpu, result, found in zip(gpus, results, sizes, strict=True):
        full = with_full_occupancy(result, found)
        if full is not None:
            where = "" if len(gpus) == 1 else f" on {gpu.label}"
            what = " and ".join(target(*each) for each in full.requires.items())
            threads = join_and([f"{each:,}" for each in full.threads])
            yield Paragraph((f"With {what}, {threads} threads reach 100%{where}.",))


def block_sizes_picture(results: Sequence[Any], sizes: Sequence[Sequence[BlockSize]]) -> Picture:
    """Return a curve for each GPU over the block sizes, with the best one of each marked.

    Args:
        results: An `Occupancy` on each GPU, of one kernel.
        sizes: The block sizes of each, best first.
    """
    values = sorted({each.threads for found in sizes for each in found})
    curves = {}
    for result, found in zip(results, sizes, strict=True):
        shares = {each.threads: each.occupancy for each in found}
        curves[result.gpu.label if len(results) > 1 else ""] = [shares.get(each, 0.0) for each in values]
    marks = [found[0].threads for found in sizes if found]
    kernel = results[0].kernel
    given = {name: getattr(kernel, name) for name in ("regs", "smem", "static_smem", "dynamic_smem")}
    fixed: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if len(results) == 1:
        fixed = {"gpu" if results[0].gpu.name else "cc": results[0].gpu.label, **fixed}
    return Picture(title(["threads"], fixed), [StepPlot("threads", values, curves, marks)])
