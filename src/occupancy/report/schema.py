"""JSON Schema of the reports, made from their columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import InputError, shown
from ..values.fields import FIELDS
from . import block_sizes, budget, calc, check, device, diff, limits, scan
from .model import SCHEMA_VERSION, Column

REPORTS: Mapping[str, tuple[Sequence[Column], str]] = {
    "calc": (calc.COLUMNS, "gpus"),
    "fits": (calc.FITS_COLUMNS, "gpus"),
    "budget": (budget.BUDGET_COLUMNS, "levels"),
    "stages": (budget.STAGES_COLUMNS, "levels"),
    "bounds": (budget.BOUNDS_COLUMNS, "gpus"),
    "block-sizes": (block_sizes.COLUMNS, "block_sizes"),
    "registers": (budget.SPLIT_COLUMNS, "groups"),
    "scan": (scan.COLUMNS, "kernels"),
    "diff": (diff.COLUMNS, "kernels"),
    "check": (check.COLUMNS, "violations"),
    "limits": (limits.COLUMNS, "compute_capabilities"),
    "sources": (limits.SOURCE_COLUMNS, "limits"),
    "gpus": (limits.GPU_COLUMNS, "gpus"),
    "device": (device.COLUMNS, "devices"),
    "verify": (device.CHECK_COLUMNS, "checks"),
}
"""Command -> its columns, and the key of its rows."""


def json_schema(command: str) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a command's output with ``--format json``."""
    if command not in REPORTS:
        raise InputError(f"{shown(command)} has no schema", where="command", allowed=", ".join(REPORTS))
    columns, rows_key = REPORTS[command]
    inputs = {field.name: _described(field.json_type, field.about) for field in FIELDS.values()}
    rows = {column.key: _described(column.type, column.about) for column in columns}
    row = {"type": "object", "properties": rows, "required": list(rows)}
    note = {"code": {"type": "string"}, "text": {"type": "string"}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"occupancy {command}",
        "type": "object",
        "required": ["schema_version", "report", "inputs", rows_key, "notes"],
        "properties": {
            "schema_version": {"const": SCHEMA_VERSION},
            "report": {"const": command},
            "inputs": {"type": "object", "properties": inputs},
            rows_key: {"type": "array", "items": row},
            "notes": {"type": "array", "items": {"type": "object", "properties": note}},
        },
    }


def _described(json_type: str, about: str) -> dict[str, Any]:
    described: dict[str, Any] = {"type": [json_type, "null"]} if json_type else {}
    if json_type == "objects":
        described = {"type": ["array", "null"], "items": {"type": "object"}}
    return {**described, "description": about} if about else described
