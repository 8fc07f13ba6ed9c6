"""What the next step leaves of the software pipeline of a kernel of Triton, in words."""

from __future__ import annotations

from collections.abc import Iterable

from ...builds.scan_row import ScanRow
from ...builds.stages import more_stages_there, stages_within
from ...render import words
from ...values.limits import ComputeCapability


def stages_in_words(row: ScanRow) -> str:
    """``num_stages 4 -> 3 (about 24 KiB)``: those of the next step, in place of its shared memory.

    Empty where it asks for no less shared memory, there is no pipeline to shorten, or no stage fits; nor
    where the chip is another than it was compiled for, with other stages in that memory.
    """
    if row.cc is not None and more_stages_there(row, ComputeCapability.parse(row.cc)):
        return ""
    wanted = None if row.next_step is None else row.next_step.requires.get("smem")
    stages = None if wanted is None else stages_within(wanted, row)
    if wanted is None or not stages:
        return ""
    return f"num_stages {row.num_stages} -> {stages} (about {words.size(wanted)})"


def needs_smaller_tile(row: ScanRow) -> bool:
    """Whether the next step asks for less shared memory than a single stage takes."""
    wanted = None if row.next_step is None else row.next_step.requires.get("smem")
    return wanted is not None and stages_within(wanted, row) == 0


def stages_there(rows: Iterable[ScanRow]) -> str:
    """`` (one stage less)``: how a pipeline differs where kernels are answered for another architecture than
    that of their code; empty where it does not, or not for all alike."""
    asked = ((row, ComputeCapability.parse(row.cc)) for row in rows if row.cc is not None)
    changes = {more for row, cc in asked if (more := more_stages_there(row, cc)) is not None}
    if changes == {-1}:
        return " (one stage less)"
    return " (one stage more)" if changes == {1} else ""
