"""The reports of limits, of their sources, and of the GPUs that are known by name."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from ..tables.gpus import CURRENT_FROM, Gpu
from ..tables.sources import Provenance
from ..values.limits import KINDS, Limits
from ..values.numbers import count
from .model import Column, Paragraph, Report, Section, Table
from .results import gpu_notes
from .words import limit_text

_OVERVIEW = {
    "architecture": "Architecture", "max_threads_per_multiprocessor": "Threads",
    "max_warps_per_multiprocessor": "Warps", "max_blocks_per_multiprocessor": "Blocks",
    "max_registers_per_multiprocessor": "Registers",
    "max_shared_memory_per_multiprocessor": "Shared/SM", "max_shared_memory_per_block_optin": "Shared/block",
}  # fmt: skip
NAMES = tuple(dict.fromkeys((*_OVERVIEW, *KINDS)))
_JSON_TYPES = {"int": "integer", "bool": "boolean", "tuple": "array", "SpreadsheetColumn": "object"}

SIDE_BY_SIDE = 3
"""Compute capabilities in a table of all limits."""

_LABELS = {
    "max_shared_memory_per_block_optin": "Shared memory per block, with opt-in",
    "unified_l1_and_shared_memory": "Unified L1 and shared memory", "max_block_dim": "Block dimensions",
    "max_portable_cluster_size": "Blocks per cluster", "spreadsheet": "NVIDIA's spreadsheet",
    "max_non_portable_cluster_size": "Blocks per cluster, non-portable", "sub_partitions": "Sub-partitions per SM",
    "tensor_memory_per_multiprocessor": "Tensor memory columns per SM",
    "fp32_lanes_per_multiprocessor": "FP32 lanes per SM",
}  # fmt: skip


def limit_label(name: str) -> str:
    """Return the name of a limit as people write it: ``Threads per SM``."""
    words = name.removeprefix("max_").replace("multiprocessor", "SM").replace("_", " ")
    return _LABELS.get(name, words[0].upper() + words[1:])


def _column(name: str) -> Column:
    return Column(
        name, _OVERVIEW.get(name, ""), show=lambda row: limit_text(name, getattr(row, name)),
        type=_JSON_TYPES.get(KINDS.get(name, "int").partition("[")[0], "string"),
        about=f"{limit_label(name)}{' in bytes' if 'shared_memory' in name else ''}",
        align="left" if name == "architecture" else "right",
        optional={"max_threads_per_multiprocessor": 1, "architecture": 2}.get(name, 0),
    )  # fmt: skip


CC = Column("cc", "CC", lambda row: str(row.compute_capability), about="Compute capability", align="left",
            type="string")  # fmt: skip
COLUMNS = (CC, *map(_column, NAMES))


def limits_report(found: Sequence[Gpu | Limits], *, is_overview: bool = False) -> Report:
    gpus = [each if isinstance(each, Gpu) else Gpu(each) for each in found]
    rows = list(dict.fromkeys(gpu.limits for gpu in gpus))
    if is_overview:
        newer = all(row.compute_capability >= CURRENT_FROM for row in rows)
        scope = f", compute capability {CURRENT_FROM} and newer (--all adds older ones)" if newer else ""
        headline = [f"Limits of an SM{scope}"]
        return Report("limits", headline, COLUMNS, rows, "compute_capabilities", notes=gpu_notes(gpus))
    label = Column("label", "Limit", limit_label, align="left")
    columns = list(map(_limit_column, rows))
    names = [name for name in NAMES if any(getattr(row, name) is not None for row in rows)]
    starts = range(0, len(columns), SIDE_BY_SIDE)
    tables = [Table("", [label, *columns[start : start + SIDE_BY_SIDE]], names) for start in starts]
    shown = ", ".join(gpu.label if gpu.name is None else f"{gpu.name} ({gpu.cc})" for gpu in gpus)
    parts = [f"Limits of an SM: {shown}"], COLUMNS, rows, "compute_capabilities"
    return Report("limits", *parts, details=tables, notes=gpu_notes(gpus), has_table=False)


def _limit_column(row: Limits) -> Column:
    return Column("", Gpu(row).label, lambda key: limit_text(key, getattr(row, key)), wraps=True, widest=20)


def _disputes(value: Provenance) -> list[str]:
    """Return ``256 in H13.5, H13.3. No compiler ...`` for each dispute."""
    texts = []
    for dispute in value.disputes:
        each = ((limit_text(value.field, other.value), other.sources) for other in dispute.others)
        others = [f"{text} in {', '.join(source.code for source in sources)}" for text, sources in each]
        texts.append(f"{'; '.join(others)}. {dispute.why}")
    return texts


SOURCE_COLUMNS = (
    CC._replace(title=""),
    Column("limit", "Limit", "field", about="Name of the limit", align="left", type="string"),
    Column("value", "Value", show=lambda value: limit_text(value.field, value.value),
           about="Value; null if there is no such limit or no source for it", wraps=True),
    Column("sources", "Sources", lambda value: [source.code for source in value.sources],
           about="Codes of the sources, explained in `sources`", align="left", wraps=True, type="array"),
    Column("note", about="Explanation of the value", type="string"),
    Column("disputes", value=_disputes, about="Values of other sources, with the reason for the choice", type="array"),
)  # fmt: skip


def sources_report(values: Sequence[Provenance]) -> Report:
    details: list[Section] = []
    for cc, group in groupby(values, lambda value: value.compute_capability):
        rows = list(group)
        details.append(Table(f"Compute capability {cc}", SOURCE_COLUMNS[1:4], rows))
        if notes := [f"  {row.field}: {row.note}" for row in rows if row.note]:
            details.append(Paragraph(["Notes", *notes]))
        if disputes := [f"  {row.field}: {text}" for row in rows for text in _disputes(row)]:
            details.append(Paragraph(["Disputed", *disputes]))
    others: list[Any] = [other for value in values for dispute in value.disputes for other in dispute.others]
    sources = dict(sorted((source.code, source) for each in [*values, *others] for source in each.sources))
    lines = ["Sources"]
    for code, source in sources.items():
        lines += [f"  {code}: {source.title}", f"    {source.where} ({source.license})"]
    details.append(Paragraph(lines))
    parts = (["Sources of the limits"], SOURCE_COLUMNS, values, "limits", dict[str, Any](), details)
    return Report("sources", *parts, values={"sources": sources}, has_table=False)


GPU_COLUMNS = (
    Column("name", "GPU", "label", about="Name of the GPU", align="left", type="string"),
    Column("cc", "CC", about="Compute capability", align="left", type="string"),
    Column("multiprocessor_count", "SMs", type="integer", about="SMs; a card with two GPUs is two devices"),
    Column("die", "Die", about="Die, such as AD102", align="left", optional=2, type="string"),
    Column("memory_gb", "Memory", show=lambda gpu: "-" if gpu.memory_gb is None else f"{gpu.memory_gb:g} GB",
           about="Advertised memory in GB", optional=1, type="number"),
    Column("market", about="Market, such as datacenter", type="string"),
    Column("l2_cache_bytes", about="Size of the L2 cache in bytes, if known", type="integer"),
)  # fmt: skip


def gpus_report(gpus: Sequence[Gpu], others: int = 0) -> Report:
    top = f"First {len(gpus)} of {len(gpus) + others:,} GPUs, highest compute capability first (--all lists every GPU)"
    return Report("gpus", [top if others else count(len(gpus), "GPU")], GPU_COLUMNS, gpus, "gpus")
