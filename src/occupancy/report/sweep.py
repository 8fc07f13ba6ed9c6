"""The answer to ``occupancy sweep`` over one or two variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any, Literal

from ..engine import Occupancy
from ..values.resources import Resource
from . import SCHEMA_VERSION

Variable = Literal["cc", "threads", "regs", "smem", "carveout"]
Value = int | str


@dataclass(frozen=True, slots=True)
class Axis:
    """A variable and the values that it takes, in the order in which they were given."""

    variable: Variable
    values: tuple[Value, ...]
    """Threads per block, registers per thread, bytes of shared memory per block; else as given."""

    @property
    def is_numeric(self) -> bool:
        """Whether all values are numbers."""
        return all(isinstance(value, int) for value in self.values)


@dataclass(frozen=True, slots=True)
class Cell:
    """The answer for one value of each axis."""

    values: tuple[Value, ...]
    active_blocks: int
    active_warps: int
    occupancy: float
    limiters: tuple[Resource, ...]
    launchable: bool


@dataclass(frozen=True, slots=True)
class SweepReport:
    """The answers over one or two variables."""

    schema_version: int
    fixed: dict[str, Value]
    """What was given of the rest, by the names of the options."""
    axes: tuple[Axis, ...]
    cells: tuple[Cell, ...]
    """One for each combination; the last axis changes fastest."""

    def lines(self) -> list[tuple[Cell, ...]]:
        """The cells in lines: one for each value of the first of two axes."""
        length = len(self.axes[-1].values)
        return [self.cells[start : start + length] for start in range(0, len(self.cells), length)]

    def to_dict(self) -> dict[str, Any]:
        """The report as plain dictionaries, lists and numbers."""
        return {
            "schema_version": self.schema_version,
            "fixed": self.fixed,
            "variables": {axis.variable: list(axis.values) for axis in self.axes},
            "rows": self.rows(),
        }

    def rows(self) -> list[dict[str, Any]]:
        """One flat row for each combination, with what is the same for all of them."""
        names = [axis.variable for axis in self.axes]
        rows = []
        for cell in self.cells:
            answer = asdict(cell)
            values = dict(zip(names, answer.pop("values"), strict=True))
            rows.append({**self.fixed, **values, **answer})
        return rows


def sweep_report(
    axes: Sequence[Axis], answers: Iterable[Occupancy], fixed: Mapping[str, Value]
) -> SweepReport:
    """Put the answers in the order of the axes' combinations, the last axis fastest, into a report."""
    combinations = product(*(axis.values for axis in axes))
    cells = (
        Cell(
            values,
            answer.active_blocks,
            answer.active_warps,
            answer.occupancy,
            answer.limiters,
            answer.launchable,
        )
        for values, answer in zip(combinations, answers, strict=True)
    )
    return SweepReport(SCHEMA_VERSION, dict(fixed), tuple(axes), tuple(cells))
