"""The screen of ``occupancy budget``."""

from __future__ import annotations

from rich.text import Text

from ...report.budget import BudgetReport
from .. import grids, words
from . import PLAIN_WIDTH, to_string
from .grid import tables_of


def render(report: BudgetReport, width: int = PLAIN_WIDTH, color: bool = False) -> str:
    """What was asked for first, then every level."""
    wanted = report.wanted
    most = f"{wanted.registers} registers per thread and {words.size(wanted.shared_memory)} of shared memory"
    headline = Text.assemble(
        (f"{words.percent(wanted.occupancy)} occupancy", "bold"),
        f" on compute capability {report.cc}, {words.count(wanted.active_blocks, 'block')} of "
        f"{words.count(report.inputs.threads, 'thread')}:\nup to ",
        (most, "bold"),
        " per block",
    )
    return to_string(headline, Text(), *tables_of(grids.budget(report), width), width=width, color=color)
