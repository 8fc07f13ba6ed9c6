"""The table of limits that ships with the library; the only module that knows where ``data/`` lies.

The table is written in YAML (``data/gpu_limits.yaml``), with values that are JSON: what an answer needs of it
is read without PyYAML, whose import alone takes longer than ``python -c pass``.
"""

from __future__ import annotations

import json
import os
import re
from bisect import bisect
from collections.abc import Mapping
from functools import cache
from typing import Any

from ..errors import UnknownComputeCapabilityError
from ..values.asking import Asking
from ..values.dataclass import dataclass
from ..values.limits import ComputeCapability, Limits, SpreadsheetColumn

SCHEMA_VERSION = 1
FILE_NAME = "gpu_limits.yaml"

_DOCUMENT_START = r"(?m)^---\n"
_ROW = r'(?m)^  "(\d+\.\d+)":\n((?:    .*\n)+)'
_FIELD = r"(?m)^    (\w+): (.+)$"
_RENAMED = r'(?m)^  "(\d+\.\d+)": ({.+})$'


@dataclass(frozen=True, slots=True)
class NewName:
    """What a compute capability is called since a version of CUDA renamed it."""

    to: ComputeCapability
    by: str
    """The version: ``"CUDA 13.0"``."""


def data_path(file_name: str) -> str:
    """Where a data file lies: in the package in a wheel, in ``data/`` at the top of a checkout."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    installed = os.path.join(package, "data", file_name)
    return installed if os.path.exists(installed) else os.path.join(package, "..", "..", "data", file_name)


def limits(cc: object) -> Limits:
    """The limits of a compute capability.

    Args:
        cc: Any spelling that `ComputeCapability.parse` reads.

    Raises:
        InputError: Not a compute capability.
        UnknownComputeCapabilityError: One that is not in the table.
    """
    return _limits_of(ComputeCapability.parse(cc))


def known() -> tuple[ComputeCapability, ...]:
    """Every compute capability of the table, ascending."""
    return tuple(sorted(ComputeCapability.parse(name) for name in _rows()))


@cache
def renamed() -> Mapping[ComputeCapability, NewName]:
    """The compute capabilities of the table that a later CUDA calls otherwise: the same SM twice."""
    parse = ComputeCapability.parse
    named = ((parse(old), json.loads(new)) for old, new in re.findall(_RENAMED, _documents()[1]))
    return {old: NewName(parse(new["to"]), new["by"]) for old, new in named}


def _unknown(cc: ComputeCapability) -> UnknownComputeCapabilityError:
    ordered = known()
    place = bisect(ordered, cc)
    nearest = ordered[max(0, place - 2) : place + 2]
    return UnknownComputeCapabilityError(
        f"{cc} is not in the table",
        where="cc",
        hint=Asking.of(
            f"The nearest are {', '.join(map(str, nearest))}. For a chip that the table lacks, bring its "
            "limits in a file: ",
            Asking("--limits FILE", "occupancy.read_limits()"),
            ".",
        ),
    )


def row(cc: ComputeCapability) -> dict[str, Any]:
    """The row of a compute capability as the file has it: names and plain values.

    Raises:
        UnknownComputeCapabilityError: It is not in the table.
    """
    text = _rows().get(str(cc))
    if text is None:
        raise _unknown(cc)
    return {name: json.loads(value) for name, value in re.findall(_FIELD, text)}


def provenance_document() -> dict[str, Any]:
    """The second document of the table: the sources, and where they disagree. See `sources`."""
    from .files import parse_trusted_yaml

    values: dict[str, Any] = parse_trusted_yaml(_documents()[1])
    return values


@cache
def _limits_of(cc: ComputeCapability) -> Limits:
    values = with_tuples(row(cc))
    if (column := values.get("spreadsheet")) is not None:
        values["spreadsheet"] = SpreadsheetColumn(**with_tuples(column))
    return Limits(compute_capability=cc, **values)


def with_tuples(values: Mapping[str, Any]) -> dict[str, Any]:
    """Plain values as `Limits` has them: a list is a tuple."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}


@cache
def _rows() -> Mapping[str, str]:
    """Compute capability -> the text of its row."""
    return dict(re.findall(_ROW, _documents()[0]))


@cache
def _documents() -> tuple[str, str]:
    with open(data_path(FILE_NAME), encoding="utf-8") as file:
        _, values, provenance = re.split(_DOCUMENT_START, file.read())
    return values, provenance
