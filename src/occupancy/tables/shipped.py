"""The table of limits that ships with the library; the only module that knows where ``data/`` lies.

The table is written in YAML (``data/gpu_limits.yaml``). A wheel also holds its rows as JSON, made of the
YAML when the wheel is built, because reading that is five times as fast as only importing PyYAML. Without it
every answer would take 1.2 times `python -c pass` longer, a fifth of its goal in ``benchmarks/startup.py``.
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
COMPILED_NAME = "gpu_limits.json"

_DOCUMENT_START = r"(?m)^---\n"
_ROW = r'(?m)^  "(\d+\.\d+)":\n((?:    .*\n)+)'


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


def _unknown(cc: ComputeCapability) -> UnknownComputeCapabilityError:
    ordered = known()
    place = bisect(ordered, cc)
    nearest = ordered[max(0, place - 2) : place + 2]
    return UnknownComputeCapabilityError(
        f"{cc} is not in the table",
        where="cc",
        cure=f"The nearest are {', '.join(map(str, nearest))}. For a chip that the table lacks, bring its "
        "limits in a file: --limits FILE, or occupancy.read_limits().",
    )


def row(cc: ComputeCapability) -> dict[str, Any]:
    """The row of a compute capability as the file has it: names and plain values.

    Raises:
        UnknownComputeCapabilityError: It is not in the table.
    """
    values: dict[str, Any] | str | None = _rows().get(str(cc))
    if values is None:
        raise _unknown(cc)
    return _parse_yaml(values) if isinstance(values, str) else values


def compiled() -> str:
    """The rows as JSON, for a wheel to hold beside the YAML."""
    return json.dumps({name: _parse_yaml(text) for name, text in _rows_of_yaml().items()})


def provenance_document() -> dict[str, Any]:
    """The second document of the table: the sources, and where they disagree. See `sources`."""
    return _parse_yaml(_documents()[1])


@cache
def _limits_of(cc: ComputeCapability) -> Limits:
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in row(cc).items()
    }
    column = values.pop("spreadsheet", None)
    if column is not None:
        listed = tuple(column.get("doubled_register_units", ()))
        values["spreadsheet"] = SpreadsheetColumn(**{**column, "doubled_register_units": listed})
    return Limits(compute_capability=cc, **values)


@cache
def _rows() -> Mapping[str, dict[str, Any] | str]:
    path = data_path(COMPILED_NAME)
    if not os.path.exists(path):
        return _rows_of_yaml()
    with open(path, encoding="utf-8") as file:
        rows: dict[str, dict[str, Any]] = json.load(file)
    return rows


def _rows_of_yaml() -> dict[str, str]:
    # Each row is YAML of its own. Parsing all of them takes thirty times as long as the one asked for.
    return dict(re.findall(_ROW, _documents()[0]))


def _parse_yaml(text: str) -> dict[str, Any]:
    from .yaml_file import parse

    values: dict[str, Any] = parse(text)
    return values


@cache
def _documents() -> tuple[str, str]:
    with open(data_path(FILE_NAME), encoding="utf-8") as file:
        _, values, provenance = re.split(_DOCUMENT_START, file.read())
    return values, provenance
