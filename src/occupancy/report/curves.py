"""How the occupancy of a kernel changes with its block size, its registers and its shared memory.

These are the three charts of NVIDIA's spreadsheet.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

from ..advice.search import Dial, changed
from ..engine import Model, Occupancy, evaluate
from ..values.resources import Adjustable, Changeable, Resource
from . import SCHEMA_VERSION
from .inputs import Inputs, inputs_of


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
    """``"threads"`` per block, ``"registers"`` per thread or ``"shared_memory"`` in bytes per block."""
    now: int | None
    """The kernel's own value; None where it was not given."""
    steps: tuple[Step, ...]
    """From the lowest value to the highest, without gaps."""
    better: tuple[Better, ...]
    """Below the kernel's value, and above it; neither where it was not given."""

    @property
    def first(self) -> int:
        """The lowest value."""
        return self.steps[0].first

    @property
    def last(self) -> int:
        """The highest value."""
        return self.steps[-1].last

    def at(self, value: int) -> Step:
        """The step that holds a value, or the one nearest to it."""
        return next((step for step in self.steps if value <= step.last), self.steps[-1])


@dataclass(frozen=True, slots=True)
class CurvesReport:
    """A kernel and its three curves."""

    schema_version: int
    model: Model
    cc: str
    architecture: str
    inputs: Inputs
    occupancy: float
    active_blocks: int
    active_warps: int
    max_warps: int
    """Warps that an SM holds."""
    limiters: tuple[Resource, ...]
    curves: tuple[Curve, ...]

    def to_dict(self) -> dict[str, Any]:
        """The report as plain dictionaries, lists and numbers."""
        return asdict(self)


def curves_report(result: Occupancy) -> CurvesReport:
    """The curves of a kernel, for the SM and the model of an answer."""
    limits, kernel = result.limits, result.kernel

    def dial(resource: Adjustable) -> Dial:
        return Dial(limits, kernel, result.model, resource)

    has_size = (kernel.smem, kernel.static_smem, kernel.dynamic_smem) != (None, None, None)
    now: dict[Changeable, int | None] = {
        "threads": kernel.threads,
        "registers": kernel.registers,
        "shared_memory": kernel.shared_memory if has_size else None,
    }
    steps = {
        "threads": _steps(1, _over_threads(result)),
        "registers": _steps(1, dial("registers").answers(1)),
        "shared_memory": _launching(_steps(0, dial("shared_memory").answers(0)), now["shared_memory"]),
    }
    return CurvesReport(
        schema_version=SCHEMA_VERSION,
        model=result.model,
        cc=str(limits.compute_capability),
        architecture=limits.architecture,
        inputs=inputs_of(kernel),
        occupancy=result.occupancy,
        active_blocks=result.active_blocks,
        active_warps=result.active_warps,
        max_warps=limits.max_warps_per_multiprocessor,
        limiters=result.limiters,
        curves=tuple(
            Curve(variable, value, steps[variable], tuple(_better(variable, value, steps[variable], result)))
            for variable, value in now.items()
        ),
    )


def _over_threads(result: Occupancy) -> Iterator[tuple[int, Occupancy]]:
    """The answer for each number of warps, with the most threads that they hold."""
    limits, kernel = result.limits, result.kernel
    most = limits.max_threads_per_block
    for threads in [*range(limits.warp_size, most, limits.warp_size), most]:
        yield threads, evaluate(limits, changed(kernel, {"threads": threads}), result.model)


def _steps(first: int, answers: Iterator[tuple[int, Occupancy]]) -> tuple[Step, ...]:
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
    variable: Changeable, now: int | None, steps: tuple[Step, ...], result: Occupancy
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
