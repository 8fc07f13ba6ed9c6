"""The answer to ``occupancy gpus``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from ..tables.products import Product
from . import DOCUMENTED, SCHEMA_VERSION


@dataclass(frozen=True, slots=True)
class GpuEntry:
    """A product."""

    __pydantic_config__: ClassVar[dict[str, Any]] = DOCUMENTED

    name: str
    cc: str
    multiprocessors: int
    """SMs of one GPU."""
    known_from: str
    """Who tells the number of SMs: hardware, two lists or one list of products, or inferred from the chip."""
    chip: str
    market: str | None
    memory_gb: float | None
    l2_cache_bytes: int | None
    """Only where a device reported it."""


@dataclass(frozen=True, slots=True)
class GpusReport:
    """Some products, by compute capability."""

    __pydantic_config__: ClassVar[dict[str, Any]] = DOCUMENTED

    schema_version: int
    gpus: tuple[GpuEntry, ...]

    def to_dict(self) -> dict[str, Any]:
        """The report as plain dictionaries, lists and numbers: what the JSON holds."""
        return asdict(self)


def gpus_report(products: tuple[Product, ...]) -> GpusReport:
    """Everything that is shown of some products."""
    return GpusReport(SCHEMA_VERSION, tuple(_entry(product) for product in products))


def _entry(product: Product) -> GpuEntry:
    return GpuEntry(
        name=product.name,
        cc=str(product.compute_capability),
        multiprocessors=product.multiprocessor_count,
        known_from=product.known_from,
        chip=product.chip,
        market=product.market,
        memory_gb=product.memory_gb,
        l2_cache_bytes=product.l2_cache_bytes,
    )
