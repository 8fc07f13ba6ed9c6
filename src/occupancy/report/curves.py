"""How the occupancy of a kernel changes with its block size, its registers and its shared memory.

These are the three charts of NVIDIA's spreadsheet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from ..advice.search import Dial, changed
from ..engine import Answer, Model, evaluate
from ..render import charts, words
from ..render.answers import ANSWER, answer_cells
from ..render.document import Column, Document, Heading, Only, Table
from ..render.pictures import Picture, StepPlot
from ..values.dataclass import dataclass
from ..values.resources import Adjustable, Changeable, Resource
from .base import Report
from .inputs import Inputs, blocks_in_words, inputs_of

SUBJECT = "Occupancy by block size, registers and shared memory"


@dataclass(frozen=True, slots=True)
class Step:
    """Neighbouring values that give the same answer."""

    first: int
    last: int
    active_blocks: int
    active_warps: int
    occupancy: float
    limiters: tuple[Resource, ...]


@dataclass(frozen=True, slots=True)
class Better:
    """The nearest value on one side of the kernel's that gives a higher occupancy."""

    value: int
    active_blocks: int
    active_warps: int
    occupancy: float


@dataclass(frozen=True, slots=True)
class Curve:
    """The answers over one variable, while all else stays as it is."""

    variable: Changeable
    """``"threads"`` per block, ``"regs"`` per thread or ``"smem"`` in bytes per block."""
    now: int | None
    """The kernel's own value; None where it was not given."""
    steps: tuple[Step, ...]
    """From the lowest value to the highest, without gaps."""
    better: tuple[Better, ...]
    """Below the kernel's value, and above it; neither where it was not given."""

    @property
    def scale(self) -> charts.Scale:
        """What varies, as it is written."""
        return charts.scale(self.variable)

    def table(self) -> Table:
        """A row for each step; the kernel's own stands out."""
        label = self.scale.label
        rows = []
        for step in self.steps:
            first, last = label(step.first), label(step.last)
            rows.append((first if first == last else f"{first} to {last}", *answer_cells(step)))
        now = self.now
        own = [i for i, step in enumerate(self.steps) if now is not None and step.first <= now <= step.last]
        return Table((Column(self.scale.header), *ANSWER), rows, own)


@dataclass(frozen=True, slots=True)
class CurvesReport(Report):
    """A kernel and its three curves."""

    model: Model
    gpu: str | None
    """The name of the product; null for a compute capability."""
    cc: str
    architecture: str
    inputs: Inputs
    occupancy: float
    active_blocks: int
    active_warps: int
    max_warps_per_multiprocessor: int
    """Warps that an SM holds."""
    limiters: tuple[Resource, ...]
    curves: tuple[Curve, ...]

    def _each_row(self) -> Iterator[Mapping[str, Any]]:
        """A row for each step of each curve."""
        for curve in self.curves:
            for step in curve.steps:
                yield {
                    "gpu": self.gpu,
                    "cc": self.cc,
                    "model": self.model,
                    "variable": curve.variable,
                    **asdict(step),
                }

    def document(self) -> Document:
        """A chart for each of the three on a terminal, with the kernel marked; else a table for each."""
        return (
            Only("text", [Heading(self._heading()), *map(self._chart, self.curves)]),
            Only("markdown", [curve.table() for curve in self.curves]),
        )

    def _heading(self) -> str:
        return f"Blocks of {words.count(self.inputs.threads, 'thread')} on {self._chip()}"

    def _chip(self) -> str:
        return words.chip(self.gpu, self.cc, self.architecture)

    def _chart(self, curve: Curve) -> charts.StepChart:
        def mark(value: int, warps: int, occupancy: float) -> charts.Mark:
            return charts.Mark(value, warps, f"{counted(value)}: {words.percent(occupancy)}")

        counted = curve.scale.counted
        return charts.StepChart(
            title=f"Warps per SM by {curve.scale.title}",
            height="warps per SM",
            highest=self.max_warps_per_multiprocessor,
            scale=curve.scale,
            steps=[charts.Step(step.first, step.last, step.active_warps) for step in curve.steps],
            has_even_steps=curve.variable == "threads",  # one for each number of warps
            now=None if curve.now is None else mark(curve.now, self.active_warps, self.occupancy),
            better=[mark(each.value, each.active_warps, each.occupancy) for each in curve.better],
            nowhere="not given, counted as none",
            caption=self._caption(curve),
        )

    def _caption(self, curve: Curve) -> str:
        """Where the kernel is, and the nearest values with more warps."""
        if curve.now is None:
            return "Not given, and counted as none."
        counted = curve.scale.counted
        parts = [f"Now {counted(curve.now)}: {_warps(self.active_warps, self.occupancy)}."]
        for better in curve.better:
            parts.append(f"With {counted(better.value)}: {_warps(better.active_warps, better.occupancy)}.")
        if not curve.better and self.occupancy < 1:
            parts.append("No other value gives more warps.")
        return " ".join(parts)


def curves_picture(reports: Sequence[CurvesReport], title: str | None = None) -> Picture:
    """Return the three plots of a kernel, with a curve for each GPU and the kernel's own values marked.

    Args:
        reports: The kernel's report on each GPU.
        title: The title; by default the result of the only GPU, or the subject.
    """
    first = reports[0]
    plots = []
    for per_gpu in zip(*(report.curves for report in reports), strict=True):
        values = sorted({end for curve in per_gpu for step in curve.steps for end in (step.first, step.last)})
        curves = {
            f"{report.gpu or report.cc}: {words.percent(report.occupancy)}" if len(reports) > 1 else "": [
                _occupancy_at(curve, value) for value in values
            ]
            for report, curve in zip(reports, per_gpu, strict=True)
        }
        marks = [] if per_gpu[0].now is None else [per_gpu[0].now]
        plots.append(StepPlot(per_gpu[0].variable, values, curves, marks))
    blocks = words.count(first.active_blocks, "block")
    limiters = words.listing([words.name(limiter) for limiter in first.limiters])
    result = f"{words.percent(first.occupancy)} occupancy on {first.gpu or first.cc}: {blocks} per SM"
    heading = title or (f"{result}, limited by {limiters}" if len(reports) == 1 else SUBJECT)
    return Picture(f"{heading}\n{blocks_in_words(first.inputs)}", plots)


def _occupancy_at(curve: Curve, value: int) -> float:
    """0 beyond what the chip allows."""
    return next((step.occupancy for step in curve.steps if step.first <= value <= step.last), 0.0)


def _warps(warps: int, occupancy: float) -> str:
    return f"{words.count(warps, 'warp')}, {words.percent(occupancy)}"


def curves_report(result: Answer, gpu: str | None = None) -> CurvesReport:
    """The curves of a kernel, for the SM and the model of an answer, and the name of its product."""
    limits, kernel = result.limits, result.kernel

    def dial(resource: Adjustable) -> Dial:
        return Dial(limits, kernel, result.model, resource)

    inputs = inputs_of(kernel)
    now: dict[Changeable, int | None] = {
        "threads": kernel.threads,
        "regs": kernel.regs,
        "smem": inputs.shared_memory,
    }
    steps = {
        "threads": _steps(1, _over_threads(result)),
        "regs": _steps(1, dial("regs").answers(1)),
        "smem": _launching(_steps(0, dial("smem").answers(0)), now["smem"]),
    }
    return CurvesReport(
        model=result.model,
        gpu=gpu,
        cc=str(limits.compute_capability),
        architecture=limits.architecture,
        inputs=inputs,
        occupancy=result.occupancy,
        active_blocks=result.active_blocks,
        active_warps=result.active_warps,
        max_warps_per_multiprocessor=limits.max_warps_per_multiprocessor,
        limiters=result.limiters,
        curves=tuple(
            Curve(variable, value, steps[variable], tuple(_better(variable, value, steps[variable], result)))
            for variable, value in now.items()
        ),
    )


def _over_threads(result: Answer) -> Iterator[tuple[int, Answer]]:
    """The answer for each number of warps, with the most threads that they hold."""
    limits, kernel = result.limits, result.kernel
    most = limits.max_threads_per_block
    for threads in [*range(limits.warp_size, most, limits.warp_size), most]:
        yield threads, evaluate(limits, changed(kernel, {"threads": threads}), result.model)


def _steps(first: int, answers: Iterator[tuple[int, Answer]]) -> tuple[Step, ...]:
    steps = []
    for key, group in groupby(
        answers, lambda each: (each[1].active_blocks, each[1].active_warps, each[1].limiters)
    ):
        last, answer = list(group)[-1]
        steps.append(Step(first, last, key[0], key[1], answer.occupancy, key[2]))
        first = last + 1
    return tuple(steps)


def _launching(steps: tuple[Step, ...], now: int | None) -> tuple[Step, ...]:
    """The steps without sizes that are too large for any block, unless the kernel's own is one of them."""
    *others, last = steps
    is_beyond = last.active_blocks == 0 and (now is None or now < last.first)
    return tuple(others) if others and is_beyond else steps


def _better(
    variable: Changeable, now: int | None, steps: tuple[Step, ...], result: Answer
) -> Iterator[Better]:
    if now is None:
        return
    better = [step for step in steps if step.active_warps > result.active_warps]
    below = [step for step in better if step.last < now]
    above = [step for step in better if step.first > now]
    # A block of whole warps leaves no lane idle.
    near = [(step.last, step) for step in below[-1:]]
    near += [(step.last if variable == "threads" else step.first, step) for step in above[:1]]
    for value, step in near:
        yield Better(value, step.active_blocks, step.active_warps, step.occupancy)
