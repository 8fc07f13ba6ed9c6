"""Where launches were profiled, what is answered for instead, and whether the profiler says the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..builds.scanner import ScanRow
from ..render import words
from .asking import Asking

if TYPE_CHECKING:
    from .scan import ScanReport

MOST_GPUS = 3
"""That a line names."""

OF_NSIGHT = ("ncu-rep", "nsight-csv")
LEAST_DIFFERENCE = 0.001
"""Of two occupancies that differ by more than rounding: Nsight Compute's details page has two decimals of a
percentage."""


def where_profiled(report: ScanReport) -> Iterator[str]:
    """``Answered for H20, 78 SMs, and so are Waves; profiled on NVIDIA H200, 132 SMs.``"""
    rows = [row for row in report.kernels if row.profiled_on]
    asked = _with_sms(report.gpu, report.multiprocessor_count)
    if not rows:
        return
    where = list(dict.fromkeys(_with_sms(row.profiled_on, row.multiprocessor_count) for row in rows))
    more = len(where) - MOST_GPUS
    profiled = words.listing([*where[:MOST_GPUS], *([f"{more:,} more"] if more > 0 else [])])
    has_waves = any(row.waves is not None for row in rows)
    is_measured = any(row.achieved_occupancy is not None for row in rows)
    if not asked:
        waves = ", which Waves are for" if has_waves else ""
        yield f"Profiled on {profiled}{waves}."
        return
    is_another = any(
        row.what_if or report.multiprocessor_count not in (None, row.multiprocessor_count) for row in rows
    )
    waves = ", and so are Waves" if has_waves and is_another else ""
    measured = ", where Achieved was measured" if is_measured and is_another else ""
    yield f"Answered for {asked}{waves}; profiled on {profiled}{measured}."


def _with_sms(name: str | None, sms: int | None) -> str:
    parts = [words.printable(name)] if name else []
    return ", ".join([*parts, *([words.count(sms, "SM")] if sms else [])])


def of_nsight(rows: Sequence[ScanRow], asking: Asking) -> Iterator[str]:
    """Whether the theoretical occupancy of Nsight Compute is ours."""
    said = [
        (row.launches or 1, abs(row.reported_occupancy - row.occupancy) > LEAST_DIFFERENCE)
        for row in rows
        if row.format in OF_NSIGHT
        and not row.what_if
        and row.occupancy is not None
        and row.reported_occupancy is not None
    ]
    launches = sum(number for number, _ in said)
    differing = sum(number for number, differs in said if differs)
    if not said:
        return
    if not differing:
        which = "this launch" if launches == 1 else f"all {launches:,} launches"
        yield f"Nsight's theoretical occupancy is the same for {which}."
        return
    yield (
        f"Nsight's theoretical occupancy differs for {differing:,} of {launches:,} launches: "
        f"{asking.reported}."
    )
