"""The answer to ``occupancy gpus``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ..render.document import Column, Document, Table
from ..tables.gpus import Gpu
from ..values.dataclass import dataclass
from .base import Report


@dataclass(frozen=True, slots=True)
class GpuEntry:
    """A GPU that is known by name."""

    name: str
    cc: str
    multiprocessor_count: int | None
    """SMs of one GPU."""
    die: str | None
    market: str | None
    memory_gb: float | None
    l2_cache_bytes: int | None
    """Only where a device reported it."""


COLUMNS = (
    Column("GPU", is_number=False, least=1, cuts=True),
    Column("CC", is_number=False),
    Column("SMs", least=1, cuts=True),
    Column("Die", is_number=False),
    Column("Memory"),
)


@dataclass(frozen=True, slots=True)
class GpusReport(Report):
    """GPUs that are known by name."""

    gpus: tuple[GpuEntry, ...]

    def _each_row(self) -> Iterable[Mapping[str, Any]]:
        """Return a row for each GPU."""
        return map(asdict, self.gpus)

    def document(self) -> Document:
        """Return a row for each GPU."""
        memories = ("" if gpu.memory_gb is None else f"{gpu.memory_gb:g} GB" for gpu in self.gpus)
        rows = [
            (gpu.name, gpu.cc, str(gpu.multiprocessor_count), gpu.die or "", memory)
            for gpu, memory in zip(self.gpus, memories, strict=True)
        ]
        return (Table(COLUMNS, rows, splits=False),)


def gpus_report(gpus: Sequence[Gpu]) -> GpusReport:
    """Return the report of some GPUs."""
    return GpusReport(
        tuple(
            GpuEntry(
                gpu.label,
                gpu.cc,
                gpu.multiprocessor_count,
                gpu.die,
                gpu.market,
                gpu.memory_gb,
                gpu.l2_cache_bytes,
            )
            for gpu in gpus
        )
    )
