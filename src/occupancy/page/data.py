"""The page's data: inputs and their ranges, the limits of every compute capability, and the GPUs."""

from __future__ import annotations

import csv
import dataclasses
from itertools import groupby
from typing import Any

from ..tables.gpus import FILE_NAME, WELL_KNOWN
from ..tables.shipped import data_path, known, limits
from ..values.fields import FIELDS, TENSOR_MEMORY_UNIT
from ..values.limits import Limits
from ..values.option_names import names_of

COLUMNS = ("name", "multiprocessor_count", "die", "market", "memory_gb", "also_called")
"""Columns of the list of GPUs that a name is found by."""


def _input(field: str, label: str, kind: str, help: str, **more: Any) -> dict[str, Any]:
    return {
        "name": field.replace("_", "-"),
        "field": field,
        "label": label,
        "kind": kind,
        "help": help,
        **more,
    }


INPUTS = [
    _input("threads", "Threads / block", "shape", "A number, or a shape such as 16x16."),
    _input("regs", "Registers / thread", "count", "From ptxas -v, or cuobjdump -res-usage."),
    _input("dynamic_smem", "Dynamic shared", "size", "Third launch parameter: bytes, 40k, 27.5 KiB."),
    _input("static_smem", "Static shared", "size", "__shared__ arrays of the kernel: bytes, 40k."),
    _input("barriers", "Barriers", "count", "Named barriers per block, 0 to 16. They limit from 9.0."),
    _input("carveout", "Carveout", "carveout", "Hint for shared memory against L1: 50%, 64k, max."),
    _input("opt_in", "Opt-in above 48 KiB", "flag", "Whether cudaFuncSetAttribute raised the limit."),
    _input(
        "caching",
        "Caching of loads",
        "choice",
        "ca caches global loads in L1, which confines a block to half an SM.",
        options=FIELDS["caching"].choices,
        needs="partitioned_global_caching",
    ),
    _input(
        "tensor_memory",
        "Tensor memory",
        "count",
        "Columns that tcgen05.alloc requests, in steps of 32.",
        multiple=TENSOR_MEMORY_UNIT,
        needs="tensor_memory_per_multiprocessor",
    ),
    _input(
        "virtual_resources",
        "Virtual resources",
        "count",
        "128 while a block may allocate tensor memory, 0 after relinquishing.",
        needs="virtual_resources_per_multiprocessor",
    ),
    _input(
        "shared_memory_mode",
        "Shared memory mode",
        "choice",
        "oversized allows more shared memory with 8 KiB of L1.",
        options=FIELDS["shared_memory_mode"].choices,
        needs="max_oversized_shared_memory_per_block",
    ),
]


def page_data(version: str) -> dict[str, Any]:
    """Return all of the page's data."""
    fields = {"cc": "cc", **{each["field"]: each["name"] for each in INPUTS}}
    return {
        "version": version,
        "limits": _limits(),
        "inputs": INPUTS,
        "aliases": {
            alias: name for field, name in fields.items() for alias in names_of(field) if alias != name
        },
        "ranges": {
            each.name: [each.low, each.high] for each in FIELDS.values() if each.kind in ("count", "size")
        },
        "known_by": WELL_KNOWN,
        "gpus": _gpus(),
    }


def _limits() -> dict[str, list[tuple[int, Any]]]:
    """Return limit -> its values, each with the number of neighbouring compute capabilities that have it."""
    rows = [_plain(limits(cc)) for cc in known()]
    rows = [row | {"compute_capability": str(cc)} for row, cc in zip(rows, known(), strict=True)]
    return {
        field.name: [(len(list(same)), value) for value, same in groupby(row[field.name] for row in rows)]
        for field in dataclasses.fields(Limits)
    }


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    return list(value) if isinstance(value, tuple) else value


def _gpus() -> dict[str, str]:
    """Return compute capability -> its GPUs, one on a line, with the columns of `COLUMNS`."""
    found: dict[str, list[str]] = {}
    with open(data_path(FILE_NAME), encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            line = "|".join(row[column] for column in COLUMNS).rstrip("|")
            found.setdefault(row["compute_capability"], []).append(line)
    return {cc: "\n".join(lines) for cc, lines in found.items()}
