"""The report of GPUs that are known by name."""

from __future__ import annotations

from collections.abc import Sequence

from ..tables.gpus import Gpu
from ..values.numbers import count
from .model import Column, Report

COLUMNS = (
    Column("name", "GPU", "label", about="Name of the GPU.", align="left", type="string"),
    Column("cc", "CC", about="Compute capability.", align="left", type="string"),
    Column("multiprocessor_count", "SMs", type="integer",
           about="SMs of one GPU; a card with two GPUs shows up as two devices."),
    Column("die", "Die", about="NVIDIA's code of the die, such as AD102.", align="left", optional=2, type="string"),
    Column("memory_gb", "Memory", show=lambda gpu: "-" if gpu.memory_gb is None else f"{gpu.memory_gb:g} GB",
           about="Memory as sold, in GB.", optional=1, type="number"),
    Column("market", about="Market, such as datacenter.", type="string"),
    Column("l2_cache_bytes", about="Size of the L2 cache, if a device reported it.", type="integer"),
)  # fmt: skip


def gpus_report(gpus: Sequence[Gpu], others: int = 0) -> Report:
    """Return the report of some GPUs; ``others`` more are not shown."""
    hidden = f"The newest {len(gpus)} GPUs; --all lists {others:,} more"
    return Report("gpus", (hidden if others else count(len(gpus), "GPU"),), COLUMNS, gpus, "gpus")
