"""The answer to ``occupancy gpus``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from ..render.document import Column, Document, Only, Table
from ..tables.products import Product
from ..values.dataclass import dataclass
from .base import Report


@dataclass(frozen=True, slots=True)
class GpuEntry:
    """A product."""

    name: str
    cc: str
    multiprocessor_count: int
    """SMs of one GPU."""
    known_from: str
    """Where the number of SMs is from: hardware, two lists or one list of products, or inferred."""
    chip: str
    market: str | None
    memory_gb: float | None
    l2_cache_bytes: int | None
    """Only where a device reported it."""


COLUMNS = (
    Column("GPU", is_number=False, least=1, cuts=True),
    Column("CC", is_number=False),
    Column("SMs", least=1, cuts=True),
    Column("SMs known from", is_number=False, least=1, cuts=True),
    Column("Chip", is_number=False),
    Column("Memory"),
)


@dataclass(frozen=True, slots=True)
class GpusReport(Report):
    """Some products, by compute capability."""

    gpus: tuple[GpuEntry, ...]

    def _each_row(self) -> Iterable[Mapping[str, Any]]:
        """A row for each product."""
        return map(asdict, self.gpus)

    def document(self) -> Document:
        """A row for each product; with its memory where that stands beside its name on a terminal."""
        rows = [
            (gpu.name, gpu.cc, str(gpu.multiprocessor_count), gpu.known_from, gpu.chip) for gpu in self.gpus
        ]
        memories = ["" if gpu.memory_gb is None else f"{gpu.memory_gb:g} GB" for gpu in self.gpus]
        with_memory = [(*row, memory) for row, memory in zip(rows, memories, strict=True)]
        return (
            Only("text", [Table(COLUMNS, with_memory, splits=False)]),
            Only("markdown", [Table(COLUMNS[:-1], rows)]),
        )


def gpus_report(products: tuple[Product, ...]) -> GpusReport:
    """Everything that is shown of some products."""
    return GpusReport(tuple(_entry(product) for product in products))


def _entry(product: Product) -> GpuEntry:
    return GpuEntry(
        name=product.name,
        cc=str(product.compute_capability),
        multiprocessor_count=product.multiprocessor_count,
        known_from=product.known_from,
        chip=product.chip,
        market=product.market,
        memory_gb=product.memory_gb,
        l2_cache_bytes=product.l2_cache_bytes,
    )
