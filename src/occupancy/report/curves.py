"""Occupancy by block size, registers and shared memory: the charts of NVIDIA's spreadsheet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from ..advice.search import Dial
from ..engine import Result, evaluate
from ..tables.gpus import Gpu
from ..values.numbers import count, join_and, percent
from . import pictures
from .calc import RESULT_COLUMNS, gpu_text, kernel_text, label
from .model import Column, Report, Table, chosen
from .pictures import Picture, StepPlot, tick
from .sweep import SCREEN_COLUMNS


class Step(NamedTuple):
    """Neighbouring values of one input with the same result."""

    gpu: Gpu
    input: str
    first: int
    last: int
    result: Result
    is_current: bool
    """True if the kernel's own value is one of them."""


COLUMNS = (
    *chosen(RESULT_COLUMNS, "gpu", "cc", "model"),
    Column("input", about='"threads", "regs" or "smem"', type="string"),
    Column("first", about="Smallest value of the step", type="integer"),
    Column("last", about="Largest value of the step", type="integer"),
    Column("is_current", about="Whether it has the kernel's own value", type="boolean"),
    *chosen(RESULT_COLUMNS, "occupancy", "active_blocks", "active_warps", "limiters"),
)

NOW = Column("is_current", "", lambda step: "<- now" if step.is_current else "", align="left")


def curves(result: Any) -> dict[str, list[Step]]:
    """Return the steps over threads, registers and shared memory, while all else stays."""
    kernel = result.kernel
    shared_memory = kernel.shared_memory if kernel.has_shared_memory else None
    steps = {
        "threads": list(_steps(result, "threads", 1, _over_threads(result), kernel.threads)),
        "regs": list(_steps(result, "regs", 1, Dial(result, "regs").results(1), kernel.regs)),
        "smem": list(_steps(result, "smem", 0, Dial(result, "smem").results(0), shared_memory)),
    }
    *others, last = steps["smem"]
    if others and not last.result.active_blocks and not last.is_current:
        steps["smem"] = others  # sizes that are too large for any block
    return steps


def _over_threads(result: Result) -> Iterator[tuple[int, Result]]:
    """Yield the result for each number of warps, with the most threads that they hold."""
    limits, most = result.limits, result.limits.max_threads_per_block
    for threads in [*range(limits.warp_size, most, limits.warp_size), most]:
        yield threads, evaluate(limits, result.kernel.replace(threads=threads), result.model)


def _steps(
    result: Any, name: str, first: int, results: Iterator[tuple[int, Result]], now: int | None
) -> Iterator[Step]:
    def key(each: tuple[int, Result]) -> object:
        return each[1].active_blocks, each[1].active_warps, each[1].limiters

    for _, group in groupby(results, key):
        last, found = list(group)[-1]
        yield Step(result.gpu, name, first, last, found, now is not None and first <= now <= last)
        first = last + 1


def curves_report(result: Any) -> Report:
    """Return the report of the three curves of an `Occupancy`."""
    steps = curves(result)
    tables = []
    for name, each in steps.items():
        title = f"{pictures.title_of(name, short=True)} up to"
        last = Column(name, title, lambda step: tick(step.input, step.last))
        columns = [last, *SCREEN_COLUMNS, NOW]
        tables.append(Table(f"Occupancy by {pictures.LABELS[name]}", columns, each))
    return Report(
        name="curves",
        headline=(_result_text(result), f"{kernel_text(result.kernel)} on {gpu_text(result.gpu)}"),
        columns=COLUMNS,
        rows=[step for each in steps.values() for step in each],
        rows_key="steps",
        inputs=result.kernel.to_dict(),
        shows_rows=False,
        details=tables,
    )


def _result_text(result: Any) -> str:
    limiters = join_and([label(each) for each in result.limiters])
    blocks = count(result.active_blocks, "block")
    return (
        f"{percent(result.occupancy)} occupancy on {result.gpu.label}: {blocks} per SM, limited by {limiters}"
    )


def curves_picture(results: Sequence[Any], title: str | None = None) -> Picture:
    """Return three plots with a curve for each GPU and the kernel's own values marked."""
    kernel = results[0].kernel
    subject = "Occupancy by block size, registers and shared memory"
    names = [f"{result.gpu.label}: {percent(result.occupancy)}" for result in results]
    if len(results) == 1:
        subject, names = _result_text(results[0]), [""]
    found = [curves(result) for result in results]
    smem = kernel.shared_memory if kernel.has_shared_memory else None
    plots = []
    for name, now in (("threads", kernel.threads), ("regs", kernel.regs), ("smem", smem)):
        per_gpu = [each[name] for each in found]
        values = sorted({end for steps in per_gpu for step in steps for end in (step.first, step.last)})
        shares = [[_occupancy_at(steps, value) for value in values] for steps in per_gpu]
        lines = dict(zip(names, shares, strict=True))
        plots.append(StepPlot(name, values, lines, [] if now is None else [now]))
    return Picture(f"{title or subject}\n{kernel_text(kernel)}", plots)


def _occupancy_at(steps: Sequence[Step], value: int) -> float:
    """Return the occupancy at a value; 0 beyond the GPU's limits."""
    return next((step.result.occupancy for step in steps if step.first <= value <= step.last), 0.0)
