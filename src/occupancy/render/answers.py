"""One of many answers as the cells of a row, for every kind of table."""

from __future__ import annotations

from ..report.curves import Step
from ..report.sweep import Cell
from . import words

HEADER = ("Occupancy", "Warps", "Blocks", "Limited by")


def cells(answer: Cell | Step) -> tuple[str, str, str, str]:
    """The texts under `HEADER`."""
    return (
        words.percent(answer.occupancy),
        str(answer.active_warps),
        str(answer.active_blocks),
        words.listing([words.name(limiter) for limiter in answer.limiters]),
    )
