"""The answer to ``occupancy scan``: the kernels that files hold, with their registers and occupancy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...builds.overview import Overview
from ...builds.running import RunsOn
from ...builds.scan_row import ScanRow
from ...builds.selection import Order
from ...readers import ReadProblem
from ...values.dataclass import dataclass
from ..base import Report
from .spills import cost_in_a_cell
from .summary import summary


@dataclass(frozen=True, slots=True)
class ScanReport(Report):
    """Everything that ``occupancy scan`` found. What people see of it is a `ScanScreen`."""

    kernels: tuple[ScanRow, ...]
    sort: Order | None
    """The order of the kernels; null: as they were found. Where none was asked for, launches of traces come
    after all else, the longest first."""
    reverse: bool
    """Whether they begin with the other end of it."""
    found: int
    """How many kernels and launches the sources hold, wanted or not."""
    time_us: float
    """Microseconds of all launches of traces that the sources hold, wanted or not."""
    runs_on: RunsOn | None
    """The chip that was asked about, where of kernels for several architectures those for others than it runs
    were left out; null where none were."""
    gpu: str | None
    """The product that the answers are for; null where none was named."""
    threads: int | None
    """Threads per block that were given for the kernels whose block size no file states."""
    multiprocessor_count: int | None
    """SMs that the waves are for; null: those of the GPU that each launch ran on."""
    overview: Overview
    """What was found and is wanted, in numbers, whether all of it is among ``kernels`` or not."""
    spill_logs: tuple[str, ...]
    """The logs of the compiler that say what the kernels of other files spill."""
    problems: tuple[ReadProblem, ...]
    """What could not be read."""

    def _each_row(self) -> Iterable[Mapping[str, Any]]:
        """A row for each kernel."""
        return csv_rows(self.kernels, range(len(self.kernels)))

    def headline(self) -> str:
        """How many kernels there are, and of which kind."""
        return summary(self)


def csv_rows(kernels: Sequence[ScanRow], places: range) -> Iterator[dict[str, Any]]:
    """The rows of the CSV for some of the kernels."""
    return (csv_row(kernels[place]) for place in places)


def csv_row(row: ScanRow) -> dict[str, Any]:
    """A row of the CSV: the next step is one cell, and so is what spills cost; an empty list is nothing."""
    step, cost = row.next_step, row.spill_cost
    cells = {"next_step": step and str(step), "spill_cost": cost and cost_in_a_cell(cost)}
    cells["other_warps"] = "; ".join(map(str, row.other_warps)) or None
    known = {name: None if value == () else value for name, value in row.to_dict().items()}
    return {**known, **cells}
