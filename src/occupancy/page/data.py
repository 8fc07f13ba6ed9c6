"""The page's data: inputs and their ranges, the limits of every compute capability, and the GPUs.

Links to the page have the inputs of a result after the ``#`` of the address.
"""

from __future__ import annotations

import csv
import dataclasses
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from ..engine import Result
from ..tables.gpus import FILE_NAME, WELL_KNOWN
from ..tables.shipped import data_path, known, limits
from ..values.fields import FIELDS, Carveout, Field
from ..values.limits import Limits

COLUMNS = ("name", "multiprocessor_count", "die", "market", "memory_gb", "also_called")
"""Columns of the list of GPUs that a name is found by."""

LABELS = {
    "threads": "Threads / block", "regs": "Registers / thread", "dynamic_smem": "Dynamic shared",
    "static_smem": "Static shared", "barriers": "Barriers", "carveout": "Carveout",
    "opt_in": "Opt-in > 48 KiB", "caching": "Caching of loads", "tensor_memory": "Tensor memory",
    "virtual_resources": "Virtual resources", "shared_memory_mode": "Shared memory mode",
}  # fmt: skip
"""Inputs of the form in their order, with labels of few letters."""

LAUNCH = (
    Field("sms", "SMs of the GPU", "count", "Known for a GPU by name; enter it for a compute capability.", 1),
    Field("grid", "Blocks of the grid", "shape", "A number, or a shape such as 128x32.", 1),
    Field("cluster", "Blocks per cluster", "shape", "A number, or a shape such as 2x1.", 1),
)

NEEDS = {
    "caching": "partitioned_global_caching",
    "tensor_memory": "tensor_memory_per_multiprocessor",
    "virtual_resources": "virtual_resources_per_multiprocessor",
    "shared_memory_mode": "max_oversized_shared_memory_per_block",
    "cluster": "max_portable_cluster_size",
}
"""Limits without which a GPU does not have an input."""


def page_data() -> dict[str, Any]:
    """Return all of the page's data."""
    fields = [*(FIELDS[name]._replace(label=label) for name, label in LABELS.items()), *LAUNCH]
    inputs = [
        {
            "name": field.name.replace("_", "-"),
            "field": field.name,
            "label": field.label,
            "kind": "shape" if field.name == "threads" else field.kind,
            "help": field.help.partition("  [")[0],
            "range": [field.low, field.high],
            "multiple": field.multiple_of,
            "options": ["yes", "no"] if field.kind == "flag" else field.choices,
            "needs": NEEDS.get(field.name),
            "is_launch": field in LAUNCH,
        }
        for field in fields
    ]
    rows = [dataclasses.asdict(limits(cc)) | {"compute_capability": str(cc)} for cc in known()]
    columns = {field.name: [row[field.name] for row in rows] for field in dataclasses.fields(Limits)}
    return {"limits": columns, "inputs": inputs, "known_by": WELL_KNOWN, "gpus": _gpus()}


def _gpus() -> dict[str, str]:
    """Return compute capability -> its GPUs, one on a line, with the columns of `COLUMNS`."""
    found: dict[str, list[str]] = {}
    with open(data_path(FILE_NAME), encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            line = "|".join(row[column] for column in COLUMNS).rstrip("|")
            found.setdefault(row["compute_capability"], []).append(line)
    return {cc: "\n".join(lines) for cc, lines in found.items()}


def question_of(answer: Result, launch: Mapping[str, str | None]) -> str:
    """Return the inputs of a result by the names of the options: ``cc=9.0&threads=256``."""
    kernel = answer.kernel
    pairs = {name.replace("_", "-"): _text(getattr(kernel, name)) for name in (*LABELS, "smem")}
    if kernel.block_dim is not None:
        pairs["threads"] = "x".join(map(str, kernel.block_dim))
    return link_to(answer.limits.compute_capability, {**pairs, **launch})


def link_to(cc: object, inputs: Mapping[str, str | None]) -> str:
    """Return the link to a GPU with some inputs."""
    return urlencode({"cc": str(cc)} | {name: text for name, text in inputs.items() if text is not None})


def _text(value: object) -> str | None:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Carveout):
        return str(value) if value.unit == "percent" else str(value.amount)
    return None if value is None else str(value)
