"""Where launches were profiled, what is answered for instead, and whether the profiler says the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...builds.notes import GRID_NOTE
from ...builds.scan_row import ScanRow
from ...readers.pytorch_trace import OPT_IN_NOTE
from ...render import words
from ...render.document import About
from ...values.asking import Asking
from ..name_words import MOST_IN_A_NOTE, brief_name

if TYPE_CHECKING:
    from .report import ScanReport

OF_NSIGHT = ("ncu-rep", "nsight-csv")
LEAST_DIFFERENCE = 0.001
"""Of two occupancies that differ by more than rounding: Nsight Compute's details page has two decimals of a
percentage."""


ACHIEVED = "Achieved"
"""The title of the column of what was measured."""

REPORTED = "Reported"
"""That of the occupancy that a profiler reports."""

OF_REPORTED = (OPT_IN_NOTE, GRID_NOTE)
"""The notes on kernels that are about that column."""

PART_OF_A_WAVE = 0.9
"""Fewer waves explain alone that less than such a part of the occupancy is achieved."""


def of_achieved(rows: Sequence[ScanRow], profiled: Sequence[ScanRow]) -> Iterator[About]:
    """What the column is, and which launches have too few blocks to achieve more.

    Args:
        rows: All that are shown.
        profiled: Those of them whose waves are those of the GPU that they were profiled on.
    """
    if all(row.achieved_occupancy is None for row in rows):
        return
    yield About(
        ACHIEVED,
        "Occ. is theoretical, Achieved was measured: less where there are few waves, or where blocks "
        "take unequally long.",
    )
    small = {
        brief_name(row): f"{words.percent(row.waves)} of one wave"
        for row in profiled
        if row.waves is not None
        and row.waves < PART_OF_A_WAVE
        and (row.achieved_occupancy or 1) < PART_OF_A_WAVE * (row.occupancy or 0)
    }
    named = [f"{name} ({share})" for name, share in small.items()]
    if named:
        why = "Achieved is less because the grid fills only a part of the GPU"
        yield About(ACHIEVED, f"{why}: {words.listing(words.first_of(named, MOST_IN_A_NOTE))}.")


def with_their_waves(report: ScanReport) -> list[ScanRow]:
    """The launches whose waves are those of the GPU that they were profiled on."""
    return [row for row in report.kernels if _has_its_waves(row, report)]


def _has_its_waves(row: ScanRow, report: ScanReport) -> bool:
    return not row.what_if and report.multiprocessor_count in (None, row.multiprocessor_count)


def where_profiled(report: ScanReport) -> Iterator[str | About]:
    """``Answered for H20, 78 SMs, and so are Waves; profiled on NVIDIA H200, 132 SMs.``"""
    rows = [row for row in report.kernels if row.profiled_on]
    asked = _with_sms(report.gpu, report.multiprocessor_count)
    if not rows:
        return
    where = list(dict.fromkeys(_with_sms(row.profiled_on, row.multiprocessor_count) for row in rows))
    profiled = words.listing(words.first_of(where, MOST_IN_A_NOTE))
    has_waves = any(row.waves is not None for row in rows)
    is_measured = any(row.achieved_occupancy is not None for row in rows)
    if not asked:
        yield f"Profiled on {profiled}."
        if has_waves:
            yield About("Waves", "Waves: on the GPU that each launch was profiled on.")
        return
    if all(_is_on(row, report) for row in report.kernels):
        yield f"Profiled on {profiled}, the GPU that was asked for: nothing changes."
        return
    is_another = not all(_has_its_waves(row, report) for row in rows)
    waves = ", and so are Waves" if has_waves and is_another else ""
    measured = ", where Achieved was measured" if is_measured and is_another else ""
    then = ""
    if has_waves and report.multiprocessor_count is None:
        then = " Waves are for the SMs of that GPU; the full name of a product gives its own."
    yield f"Answered for {asked}{waves}; profiled on {profiled}{measured}.{then}"


def _is_on(row: ScanRow, report: ScanReport) -> bool:
    """Whether a launch was profiled on the very GPU that was asked about."""
    if row.what_if or not (row.profiled_on and report.gpu and report.multiprocessor_count):
        return False
    from ...tables.gpus import candidates  # which few scans ask for

    is_called_so = not set(candidates(row.profiled_on)).isdisjoint(candidates(report.gpu))
    return is_called_so and row.multiprocessor_count == report.multiprocessor_count


def _with_sms(name: str | None, sms: int | None) -> str:
    parts = [words.printable(name)] if name else []
    return ", ".join([*parts, *([words.count(sms, "SM")] if sms else [])])


def of_nsight(rows: Sequence[ScanRow]) -> Iterator[str]:
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
    both = Asking(
        "--columns occupancy,reported shows both", "reported_occupancy has it", "the column Reported has it"
    )
    differs = f"Nsight's theoretical occupancy differs for {differing:,} of {launches:,} launches: "
    yield Asking.of(differs, both, ".")
