"""The screen of ``occupancy bounds``."""

from __future__ import annotations

from rich.text import Text

from ...report.bounds import BoundsReport
from .. import grids
from . import PLAIN_WIDTH, to_string
from .grid import tables_of


def render(report: BoundsReport, width: int = PLAIN_WIDTH, color: bool = False) -> str:
    """The line to paste, a row for each chip, then what to beware of."""
    line = Text(report.launch_bounds, style="bold")
    notes = [Text(note) for note in grids.bounds_notes(report)]
    return to_string(
        line, Text(), *tables_of(grids.bounds(report), width), Text(), *notes, width=width, color=color
    )
