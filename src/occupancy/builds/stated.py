"""What one file states of a kernel, and how a record takes what only another file states."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..readers import KernelRecord

COMPILED = (
    "regs", "static_smem", "spill_smem", "barriers", "virtual_resources", "reallocates_registers",
    "stack_bytes", "counted_spill_store_bytes", "counted_spill_load_bytes", "max_threads", "required_threads",
    "min_blocks", "register_cap", "cluster_dim", "max_cluster_rank",
)  # fmt: skip
"""What the compiler decides."""

STATED_ONCE = ("spill_store_bytes", "spill_load_bytes", "linked", "code", "is_static", "file", "line")
"""What not every file can state, and no two state differently."""


def fill(record: KernelRecord, other: KernelRecord, names: Iterable[str]) -> KernelRecord:
    """The record, with what only the other states."""
    lacking = {name: getattr(other, name) for name in names if getattr(record, name) is None}
    known = {name: value for name, value in lacking.items() if value is not None}
    return replace(record, **known) if known else record


def also_in(record: KernelRecord, sources: Iterable[str]) -> KernelRecord:
    """The record, with the names of more files that it comes from."""
    files = {*record.also_in, *sources} - {record.source}
    return replace(record, also_in=tuple(sorted(files))) if files != set(record.also_in) else record
