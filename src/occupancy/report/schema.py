"""JSON Schema of the reports, made from their columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import InputError, shown
from ..values.fields import FIELDS
from . import block_sizes, budget, calc, check, device, diff, limits, scan, sweep
from .model import SCHEMA_VERSION, Column
from .words import FILTERS

REPORTS: Mapping[str, tuple[Sequence[Column], str, Sequence[str]]] = {
    "calc": (calc.COLUMNS, "gpus", ()),
    "fits": (calc.FITS_COLUMNS, "gpus", ()),
    "budget": (budget.BUDGET_COLUMNS, "levels", ("gpus",)),
    "stages": (budget.STAGES_COLUMNS, "levels", ("gpus",)),
    "bounds": (budget.BOUNDS_COLUMNS, "gpus", ()),
    "block-sizes": (block_sizes.COLUMNS, "block_sizes", ()),
    "registers": (budget.SPLIT_COLUMNS, "groups", ()),
    "sweep": (sweep.COLUMNS, "results", ()),
    "scan": (scan.COLUMNS, "kernels", ("summary", "found", "problems")),
    "diff": (diff.COLUMNS, "kernels", ("summary", "problems")),
    "check": (check.COLUMNS, "violations", ("passed", "added", "permitted", "changed", "exempt")),
    "limits": (limits.COLUMNS, "compute_capabilities", ()),
    "sources": (limits.SOURCE_COLUMNS, "limits", ("sources",)),
    "gpus": (limits.GPU_COLUMNS, "gpus", ()),
    "device": (device.COLUMNS, "devices", ()),
    "verify": (device.CHECK_COLUMNS, "checks", ()),
}
"""Report -> its columns, the key of its rows, and further members of its JSON."""

OTHER_INPUTS = {
    "grid": ("array", "Blocks along x, y and z"),
    "max_active_clusters": ("integer", "Resident clusters of the whole GPU"),
    "occupancy": ("number", "Target occupancy, 0 to 1"),
    "blocks": ("array", "Blocks per SM, for each GPU"),
    "stage_smem": ("integer", "Shared memory of a stage in bytes"),
    "smem_per_thread": ("integer", "Dynamic shared memory per thread in bytes"),
    **dict.fromkeys(("gpu", "cc"), ("string", "GPU, or compute capability")),
    **dict.fromkeys(("old", "new", "build", "rules", "baseline"), ("string", "File or folder")),
    **dict.fromkeys((*FILTERS, "sms"), ("", "Option as given")),
}
"""Input that is no field of a kernel -> its type and meaning."""

MEMBERS = {
    "gpus": ("objects", "GPUs, in the order of the arrays in a row"),
    "summary": ("object", "Numbers of kernels by findings or verdicts"),
    "found": ("integer", "Number of kernels in the files"),
    "passed": ("boolean", "True if no kernel breaks a rule or was removed"),
    "added": ("objects", "Kernels that the baseline does not contain"),
    "permitted": ("objects", "Removed kernels that allow_removed permits"),
    "changed": ("objects", "Kernels with changes that break no rule"),
    "exempt": ("objects", "Kernels with an exemption from the rules that they break"),
    "problems": ("objects", "Damaged parts of the files: the file, the line if known, and what is wrong"),
    "sources": ("object", "Title, address and license of each source"),
}
"""Further member -> its type and meaning."""


def json_schema(command: str) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a command's output with ``--format json``."""
    if command not in REPORTS:
        raise InputError(f"{shown(command)} has no schema", where="command", allowed=", ".join(REPORTS))
    columns, rows_key, members = REPORTS[command]
    fields = () if command == "sweep" else FIELDS.values()  # a sweep also has lists of values
    inputs = {field.name: _described(field.json_type, field.about) for field in fields}
    inputs |= {name: _described(*described) for name, described in OTHER_INPUTS.items()}
    rows = {column.key: _described(column.type, column.about) for column in columns}
    row = {"type": "object", "properties": rows, "required": list(rows)}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"occupancy {command}",
        "type": "object",
        "required": ["schema_version", "report", "inputs", rows_key, "notes"],
        "properties": {
            "schema_version": {"const": SCHEMA_VERSION},
            "report": {"const": command},
            "inputs": {"type": "object", "properties": inputs},
            **{name: _described(*MEMBERS[name]) for name in members},
            rows_key: {"type": "array", "items": row},
            "notes": _described("objects", "Notes, each with a code and a text"),
        },
    }


def _described(json_type: str, about: str) -> dict[str, Any]:
    described: dict[str, Any] = {"type": [json_type, "null"]} if json_type else {}
    if json_type == "objects":
        described = {"type": ["array", "null"], "items": {"type": "object"}}
    return {**described, "description": about} if about else described
