"""The reports of limits, of their sources, and of the GPUs that are known by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from ..tables.gpus import CURRENT_FROM, Gpu
from ..tables.sources import Dispute, Provenance, Source
from ..values.limits import Limits, SpreadsheetColumn
from ..values.numbers import count, plain, size
from .model import Block, Column, Paragraph, Report, Table

LABELS = {
    "architecture": "Architecture",
    "warp_size": "Warp size",
    "max_threads_per_multiprocessor": "Threads per SM",
    "max_blocks_per_multiprocessor": "Blocks per SM",
    "max_registers_per_multiprocessor": "Registers per SM",
    "max_registers_per_block": "Registers per block",
    "max_registers_per_thread": "Registers per thread",
    "max_shared_memory_per_multiprocessor": "Shared memory per SM",
    "max_shared_memory_per_block": "Shared memory per block",
    "max_shared_memory_per_block_optin": "Shared memory per block, opt-in",
    "max_oversized_shared_memory_per_block": "Shared memory per block, oversized",
    "reserved_shared_memory_per_block": "Shared memory reserved per block",
    "shared_memory_configurations": "Shared memory configurations",
    "unified_l1_and_shared_memory": "L1 and shared memory",
    "max_threads_per_block": "Threads per block",
    "max_block_dim": "Block dimensions",
    "max_portable_cluster_size": "Cluster size, portable",
    "max_non_portable_cluster_size": "Cluster size, non-portable",
    "max_barriers_per_block": "Barriers per block",
    "max_barriers_per_multiprocessor": "Barriers per SM",
    "virtual_resources_per_multiprocessor": "Virtual resources per SM",
    "tensor_memory_per_multiprocessor": "Tensor memory per SM",
    "register_allocation_unit": "Register allocation unit",
    "register_allocation_granularity": "Register allocation granularity",
    "shared_memory_allocation_unit": "Shared memory allocation unit",
    "warp_allocation_granularity": "Warp allocation granularity",
    "sub_partitions": "Sub-partitions",
    "launch_check_sub_partitions": "Sub-partitions in the launch check",
    "partitioned_global_caching": "Partitioned global caching",
    "fp32_lanes_per_multiprocessor": "FP32 lanes per SM",
    "spreadsheet": "Spreadsheet",
    "max_warps_per_multiprocessor": "Warps per SM",
}
"""Limit -> its label, in the order of the table."""

_OVERVIEW = {
    "architecture": "Architecture",
    "max_threads_per_multiprocessor": "Threads",
    "max_warps_per_multiprocessor": "Warps",
    "max_blocks_per_multiprocessor": "Blocks",
    "max_registers_per_multiprocessor": "Registers",
    "max_shared_memory_per_multiprocessor": "Shared memory",
    "max_shared_memory_per_block_optin": "per block",
}
"""Limit -> its title in the overview."""

SIDE_BY_SIDE = 3
"""Compute capabilities in a table of all limits."""


def limit_text(name: str, value: Any) -> str:
    """Return a limit as people read it: ``96 KiB``, ``1024 x 1024 x 64``, ``-`` for None."""
    if isinstance(value, SpreadsheetColumn):
        return f"version {value.version}"
    if name == "shared_memory_configurations" and value is not None:
        return ", ".join(str(each // 1024) for each in value) + " KiB"
    if isinstance(value, tuple):
        return " x ".join(map(str, value))
    return size(value) if type(value) is int and "shared_memory" in name else plain(value)


def _plain_value(value: Any) -> Any:
    return asdict(value) if isinstance(value, SpreadsheetColumn) else value


def _column(name: str) -> Column:
    return Column(
        name,
        _OVERVIEW.get(name, ""),
        lambda row: _plain_value(getattr(row, name)),
        lambda row: limit_text(name, getattr(row, name)),
        about=f"{LABELS[name]}{', in bytes' if 'shared_memory' in name else ''}.",
        align="left" if name == "architecture" else "right",
        optional={"max_threads_per_multiprocessor": 1, "architecture": 2}.get(name, 0),
    )


CC = Column(
    "cc", "CC", lambda row: str(row.compute_capability), None, "Compute capability.", "left", type="string"
)
COLUMNS = (CC, *map(_column, LABELS))


def limits_report(
    rows: Sequence[Limits], names: Mapping[str, Sequence[str]] | None = None, *, is_overview: bool = False
) -> Report:
    """Return the report of some limits."""
    if is_overview:
        newer = all(row.compute_capability >= CURRENT_FROM for row in rows)
        scope = f" from {CURRENT_FROM} on; --all lists the older ones" if newer else ""
        return Report("limits", (f"Limits of an SM{scope}",), COLUMNS, rows, "compute_capabilities")
    titles = []
    for row in rows:
        cc = str(row.compute_capability)
        known_as = ", ".join((names or {}).get(cc, ()))
        titles.append(f"{known_as} ({cc})" if known_as else cc)

    def limit_column(row: Limits, title: str) -> Column:
        return Column("", title, lambda name: limit_text(name, getattr(row, name)), wraps=True)

    label = Column("label", "Limit", LABELS.get, align="left")
    columns = list(map(limit_column, rows, titles))
    if len(rows) == 1:
        columns.append(Column("limit", "Name", str, align="left", optional=1))
    tables = [
        Table("", [label, *columns[start : start + SIDE_BY_SIDE]], list(LABELS))
        for start in range(0, len(columns), SIDE_BY_SIDE)
    ]
    headline = (f"Limits of an SM: {', '.join(titles)}",)
    return Report("limits", headline, COLUMNS, rows, "compute_capabilities", shows_rows=False, details=tables)


def _codes(sources: Sequence[Source]) -> list[str]:
    return [source.code for source in sources]


def _disputes(value: Provenance) -> list[dict[str, Any]]:
    return [
        {
            "others": [{"value": other.value, "sources": _codes(other.sources)} for other in dispute.others],
            "why": dispute.why,
        }
        for dispute in value.disputes
    ]


def _disputed(value: Provenance, dispute: Dispute) -> str:
    """Return ``256 by H13.5. No compiler ...``."""
    others = [
        f"{limit_text(value.field, other.value)} by {' '.join(_codes(other.sources))}"
        for other in dispute.others
    ]
    return f"{'; '.join(others)}. {dispute.why}"


SOURCE_COLUMNS = (
    CC._replace(title=""),
    Column("limit", "Limit", "field", about="Name of the limit.", align="left", type="string"),
    Column("value", "Value", lambda value: _plain_value(value.value),
           lambda value: limit_text(value.field, value.value),
           about="Value; null if there is no such limit, or if it is not known.", wraps=True),
    Column("sources", "Sources", lambda value: _codes(value.sources),
           lambda value: " ".join(_codes(value.sources)),
           about="Codes of the sources of the value.", align="left", wraps=True, type="array"),
    Column("note", about="Remark.", type="string"),
    Column("disputes", "", _disputes,
           lambda value: " ".join(_disputed(value, dispute) for dispute in value.disputes),
           about="Values of other sources, and why the table has another.", type="array"),
)  # fmt: skip


def sources_report(values: Sequence[Provenance]) -> Report:
    """Return the report of the sources of some values."""
    cited: dict[str, Source] = {}
    details: list[Block] = []
    for cc, found in groupby(values, lambda value: value.compute_capability):
        rows, notes, disputes = list(found), [], []
        for value in rows:
            cited |= {source.code: source for source in value.sources}
            if value.note:
                notes.append(f"  {value.field}: {value.note}")
            for dispute in value.disputes:
                cited |= {source.code: source for other in dispute.others for source in other.sources}
                disputes.append(f"  {value.field}: {_disputed(value, dispute)}")
        details.append(Table(f"Compute capability {cc}", SOURCE_COLUMNS[1:4], rows))
        remarks = {"Notes": notes, "Disputed": disputes}
        details += [Paragraph([title, *lines]) for title, lines in remarks.items() if lines]
    sources = sorted(cited.items())
    lines = [f"  {code}: {source.title}. {source.where} ({source.licence})" for code, source in sources]
    return Report(
        "sources",
        ("Sources of the limits",),
        SOURCE_COLUMNS,
        values,
        "limits",
        values={"sources": {code: source._asdict() for code, source in sources}},
        shows_rows=False,
        details=[*details, Paragraph(["Sources", *lines])],
    )


GPU_COLUMNS = (
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
    return Report("gpus", (hidden if others else count(len(gpus), "GPU"),), GPU_COLUMNS, gpus, "gpus")
