"""What the next step leaves of the software pipeline of a kernel of Triton, in words."""

from __future__ import annotations

from ...builds.scan_row import ScanRow
from ...builds.stages import stages_within
from ...render import words


def stages_in_words(row: ScanRow) -> str:
    """``3 of 4 stages (about 24 KiB)``: those of the next step, which stand in place of its shared memory.

    Empty where it asks for no less shared memory, there is no pipeline to shorten, or no stage fits.
    """
    wanted = None if row.next_step is None else row.next_step.requires.get("smem")
    stages = None if wanted is None else stages_within(wanted, row)
    if wanted is None or not stages:
        return ""
    return f"{stages} of {words.count(row.num_stages or 0, 'stage')} (about {words.size(wanted)})"


def needs_smaller_tile(row: ScanRow) -> bool:
    """Whether the next step asks for less shared memory than a single stage takes."""
    wanted = None if row.next_step is None else row.next_step.requires.get("smem")
    return wanted is not None and stages_within(wanted, row) == 0
