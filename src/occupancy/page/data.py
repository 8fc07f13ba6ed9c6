"""The page's data: inputs and their ranges, the limits of every compute capability, and the GPUs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from ..engine import Result
from ..report.limits import NAMES, limit_label
from ..report.model import json_value
from ..report.words import limit_text
from ..tables.gpus import WELL_KNOWN
from ..tables.products import products
from ..tables.shipped import known, limits
from ..values.fields import FIELDS, Carveout, Field
from ..values.limits import KINDS

COLUMNS = ("compute_capability", "name", "multiprocessor_count", "die", "market", "memory_gb", "also_called")
"""Columns of the list of GPUs for the search by name."""

FORM: dict[str, tuple[str, str, str | None]] = {
    "threads": ("Threads / block", "Size of a block: 256, or a shape: 16x16.", None),
    "regs": ("Registers / thread", "ptxas -v prints “Used N registers”.", None),
    "dynamic_smem": ("Dynamic shared", "Third argument in <<< >>>: 40k or 3*16k.", None),
    "static_smem": ("Static shared", "__shared__ arrays; ptxas -v: “bytes smem”.", None),
    "barriers": ("Barriers", "Named barriers; ptxas -v: “used N barriers”.", None),
    "carveout": ("Carveout", "Shared part of L1: 50%, 64k or max.", None),
    "opt_in": ("Opt-in > 48 KiB", "Allowed by cudaFuncSetAttribute: yes or no.", None),
    "caching": ("Caching of loads", "Global loads cached in L1 (ca) or not (cg).", "partitioned_global_caching"),
    "tensor_memory": ("Tensor memory", "Columns for tcgen05.alloc: 32, 64 to 512.", "tensor_memory_per_multiprocessor"),
    "virtual_resources": (
        "Virtual resources", "128 to run tcgen05.alloc, 0 if relinquished.", "virtual_resources_per_multiprocessor"
    ),
    "shared_memory_mode": ("Shared memory mode", "Beyond the opt-in limit.", "max_oversized_shared_memory_per_block"),
    "sms": ("SMs of the GPU", "Multiprocessors; known for a GPU by name.", None),
    "grid": ("Blocks of the grid", "All blocks of a launch: 4096, or 128x32.", None),
    "cluster": ("Blocks per cluster", "Blocks placed together on a GPC: 2, or 2x1.", "max_portable_cluster_size"),
}  # fmt: skip
"""Inputs in order: label, help, and the limit that is None on a GPU without this input."""


def page_data() -> dict[str, Any]:
    inputs = list[dict[str, Any]]()
    for name, (label, help_, needs) in FORM.items():
        field = FIELDS.get(name) or Field(name, label, "count" if name == "sms" else "shape", help_, low=1)
        values = {
            "name": name.replace("_", "-"), "field": {"sms": "multiprocessor_count"}.get(name, name),
            "label": label, "kind": "shape" if name == "threads" else field.kind, "help": help_,
            "range": [field.low, field.high], "multiple": field.multiple_of, "needs": needs,
            "options": ["yes", "no"] if field.kind == "flag" else field.choices,
        }  # fmt: skip
        inputs.append({key: value for key, value in values.items() if value not in (None, 1, ())})
    tables = list(map(limits, known()))
    texts = {limit_label(name): [limit_text(name, getattr(row, name)) for row in tables] for name in NAMES}
    columns = {name: [json_value(getattr(row, name)) for row in tables] for name in KINDS}
    columns["compute_capability"] = list(map(str, known()))
    gpus = ["|".join(product.row[column] for column in COLUMNS).rstrip("|") for product in products()]
    return {"limits": columns, "limit_texts": texts, "inputs": inputs, "known_by": WELL_KNOWN, "gpus": gpus}


def fragment_of(result: Result, launch: Mapping[str, object]) -> str:
    """Return the inputs of a result by option name: ``cc=9.0&threads=256``."""
    kernel = result.kernel
    names = [name for name in (*FORM, "smem") if name in FIELDS]
    pairs = {name.replace("_", "-"): _text(getattr(kernel, name)) for name in names}
    if kernel.block_dim is not None:
        pairs["threads"] = "x".join(map(str, kernel.block_dim))
    inputs = {"cc": str(result.limits.compute_capability), **pairs, **launch}
    return urlencode({name: text for name, text in inputs.items() if text is not None})


def _text(value: object) -> str | None:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Carveout):
        return str(value) if value.unit == "percent" else str(value.amount)
    return "x".join(map(str, value)) if isinstance(value, tuple) else None if value is None else str(value)
