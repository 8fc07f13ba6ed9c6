"""The screen of ``occupancy fits``."""

from __future__ import annotations

from rich.text import Text

from ...report.fits import FitsReport
from .. import grids, words
from . import PLAIN_WIDTH, to_string
from .grid import tables_of


def render(report: FitsReport, width: int = PLAIN_WIDTH, color: bool = False) -> str:
    """A count, then a row for each chip with what limits it, or what stops it."""
    launching = sum(chip.launchable for chip in report.chips)
    chips = words.count(len(report.chips), "chip")
    headline = Text(f"Launches on {launching} of {chips}", style="bold")
    return to_string(headline, Text(), *tables_of(grids.fits(report), width), width=width, color=color)
