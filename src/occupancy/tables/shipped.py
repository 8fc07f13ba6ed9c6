"""The shipped table of limits, and the location of the data files.

The table is YAML (``data/gpu_limits.yaml``) with JSON values, so that rows are read without PyYAML: its import
takes longer than ``python -c pass``.
"""

from __future__ import annotations

import json
import os
import re
from bisect import bisect
from functools import cache
from typing import Any

from ..errors import UnknownComputeCapabilityError, shown
from ..values.limits import ComputeCapability, Limits, SpreadsheetColumn, plain_value

SCHEMA_VERSION = 1
FILE_NAME = "gpu_limits.yaml"

_ROW = r'(?m)^  "(\d+\.\d+)":\n((?:    .*\n)+)'
_FIELD = r"(?m)^    (\w+): (.+)$"


def data_path(file_name: str) -> str:
    """Return the path of a data file, in the package (wheel) or in ``data/`` (checkout)."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    installed = os.path.join(package, "data", file_name)
    return installed if os.path.exists(installed) else os.path.join(package, "..", "..", "data", file_name)


def limits(cc: object) -> Limits:
    """Return the limits of a compute capability, in any form that `ComputeCapability.parse` accepts."""
    wanted = ComputeCapability.parse(cc)
    if str(wanted) not in _rows():
        ordered = known()
        place = bisect(ordered, wanted)
        nearest = dict.fromkeys(map(str, ordered[max(0, place - 2) : place + 2]), "")
        given = f"compute capability {wanted}"
        if isinstance(cc, (int, str)) and str(cc) != str(wanted):
            given = f"{shown(cc)}, read as {given},"
        problem = f"{given} is unknown (nearest: {', '.join(nearest)})"
        hint = "To add a GPU, describe it in a file and read it with `occupancy.read_limits()` (`--limits FILE`)."
        raise UnknownComputeCapabilityError(problem, where="gpu", hint=hint, choices=nearest)
    return _limits_of(wanted)


def known() -> tuple[ComputeCapability, ...]:
    return tuple(sorted(ComputeCapability.parse(name) for name in _rows()))


@cache
def provenance_document() -> dict[str, Any]:
    """Return the second document of the table: sources and disagreements, see `sources`."""
    from .files import read_yaml

    return dict(read_yaml(data_path(FILE_NAME))[1])


@cache
def _limits_of(cc: ComputeCapability) -> Limits:
    values = {name: plain_value(json.loads(value)) for name, value in re.findall(_FIELD, _rows()[str(cc)])}
    if (column := values.get("spreadsheet")) is not None:
        values["spreadsheet"] = SpreadsheetColumn(**{key: plain_value(each) for key, each in column.items()})
    return Limits(compute_capability=cc, **values)


@cache
def _rows() -> dict[str, str]:
    with open(data_path(FILE_NAME), encoding="utf-8") as file:
        return dict(re.findall(_ROW, file.read()))
