"""The screen of ``occupancy gpus``."""

from __future__ import annotations

from ...report.gpus import GpusReport
from . import PLAIN_WIDTH, plain_table, to_string


def render(report: GpusReport, width: int = PLAIN_WIDTH, color: bool = False) -> str:
    """A line for each product."""
    table = plain_table()
    table.add_column("GPU")
    table.add_column("CC", no_wrap=True)
    table.add_column("SMs", justify="right")
    table.add_column("SMs known from")
    table.add_column("Chip", no_wrap=True)
    table.add_column("Memory", justify="right", no_wrap=True)
    for gpu in report.gpus:
        memory = "" if gpu.memory_gb is None else f"{gpu.memory_gb:g} GB"
        table.add_row(gpu.name, gpu.cc, str(gpu.multiprocessors), gpu.known_from, gpu.chip, memory)
    return to_string(table, width=width, color=color)
