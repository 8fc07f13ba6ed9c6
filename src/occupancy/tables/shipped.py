"""The shipped table of limits, and the place of the data files.

The table is YAML (``data/gpu_limits.yaml``) with values that are JSON, so that rows are read without PyYAML,
whose import alone takes longer than ``python -c pass``.
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
from ..values.limits import ComputeCapability, Limits, SpreadsheetColumn

SCHEMA_VERSION = 1
FILE_NAME = "gpu_limits.yaml"

_DOCUMENT_START = r"(?m)^---\n"
_ROW = r'(?m)^  "(\d+\.\d+)":\n((?:    .*\n)+)'
_FIELD = r"(?m)^    (\w+): (.+)$"
_RENAMED = r'(?m)^  "(\d+\.\d+)": ({.+})$'


def data_path(file_name: str) -> str:
    """Return the path of a data file: in the package of a wheel, in ``data/`` of a checkout."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    installed = os.path.join(package, "data", file_name)
    return installed if os.path.exists(installed) else os.path.join(package, "..", "..", "data", file_name)


def limits(cc: object) -> Limits:
    """Return the limits of a compute capability.

    Args:
        cc: Any spelling that `ComputeCapability.parse` reads.

    Raises:
        InputError: Not a compute capability.
        UnknownComputeCapabilityError: The table lacks it.
    """
    return _limits_of(ComputeCapability.parse(cc))


def known() -> tuple[ComputeCapability, ...]:
    """Return every compute capability of the table, ascending."""
    return tuple(sorted(ComputeCapability.parse(name) for name in _rows()))


@cache
def renamed() -> Mapping[ComputeCapability, ComputeCapability]:
    """Return the compute capabilities that a later CUDA renamed, with their new names: the same SM twice."""
    parse = ComputeCapability.parse
    return {parse(old): parse(json.loads(new)["to"]) for old, new in re.findall(_RENAMED, _documents()[1])}


def _unknown(cc: ComputeCapability) -> UnknownComputeCapabilityError:
    ordered = known()
    place = bisect(ordered, cc)
    nearest = ordered[max(0, place - 2) : place + 2]
    return UnknownComputeCapabilityError(
        f"compute capability {cc} is not known",
        where="cc",
        hint=f"The nearest are {', '.join(map(str, nearest))}. To add one, "
        "give a table of your own (`--limits FILE`, `occupancy.read_limits()`).",
    )


def row(cc: ComputeCapability) -> dict[str, Any]:
    """Return the row of a compute capability as names and plain values.

    Raises:
        UnknownComputeCapabilityError: The table lacks it.
    """
    text = _rows().get(str(cc))
    if text is None:
        raise _unknown(cc)
    return {name: json.loads(value) for name, value in re.findall(_FIELD, text)}


@cache
def provenance_document() -> dict[str, Any]:
    """Return the second document of the table: sources and disagreements, see `sources`."""
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
    """Return plain values with lists as tuples, as in `Limits`."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}


@cache
def _rows() -> Mapping[str, str]:
    """Return compute capability -> text of its row."""
    return dict(re.findall(_ROW, _documents()[0]))


@cache
def _documents() -> tuple[str, str]:
    with open(data_path(FILE_NAME), encoding="utf-8") as file:
        _, values, provenance = re.split(_DOCUMENT_START, file.read())
    return values, provenance
