"""What curves and sweeps say in words, for every kind of text and picture."""

from __future__ import annotations

from ..report.curves import Curve, Step
from ..report.sweep import Cell, SweepReport
from . import scale, words

HEADER = ("Occupancy", "Warps", "Blocks", "Limited by")


def cells(answer: Cell | Step) -> tuple[str, str, str, str]:
    """The texts under `HEADER`."""
    return (
        words.percent(answer.occupancy),
        str(answer.active_warps),
        str(answer.active_blocks),
        words.listing([words.name(limiter) for limiter in answer.limiters]),
    )


def amount(curve: Curve, value: int) -> str:
    """A value of a curve with its unit: ``37 registers``, ``9.5 KiB``."""
    if curve.variable == "shared_memory":
        return words.size(value)
    return words.count(value, curve.variable.removesuffix("s"))


def fixed(report: SweepReport) -> str:
    """What does not vary: ``compute capability 9.0, registers per thread 40``."""
    return ", ".join(
        f"{scale.name(name)} {scale.amount(name, value)}" for name, value in report.fixed.items()
    )
