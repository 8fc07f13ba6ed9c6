"""The table of limits that ships with the library; the only module that knows ``data/`` and YAML."""

from __future__ import annotations

import os
import re
from functools import cache
from typing import Any

import yaml

from .errors import TableError, UnknownComputeCapabilityError
from .sm_limits import ComputeCapability, Limits, SpreadsheetColumn

SCHEMA_VERSION = 1
FILE_NAME = "gpu_limits.yaml"

MAX_FILE_BYTES = 256 << 10
"""Four times the shipped table with its sources; what fits in it is parsed in a second and 80 MB."""
MAX_DEPTH = 16

_DOCUMENT_START = re.compile(r"^---\n", re.MULTILINE)
_ROW = re.compile(r'^  "(\d+\.\d+)":\n((?:    .*\n)+)', re.MULTILINE)

# libyaml where PyYAML was built with it: ten times as fast, the same values.
_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def data_path(file_name: str) -> str:
    """Where a data file lies: beside this module in a wheel, in ``data/`` at the top of a checkout."""
    here = os.path.dirname(os.path.abspath(__file__))
    installed = os.path.join(here, "data", file_name)
    return installed if os.path.exists(installed) else os.path.join(here, "..", "..", "data", file_name)


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


def unknown(
    cc: ComputeCapability, candidates: tuple[ComputeCapability, ...]
) -> UnknownComputeCapabilityError:
    """The error for a compute capability that is not among the candidates; it names the nearest."""
    nearest = sorted(
        candidates, key=lambda each: (abs(each.major - cc.major), abs(each.minor - cc.minor), each)
    )
    return UnknownComputeCapabilityError(
        f"{cc} is not in the table",
        where="compute capability",
        allowed="the nearest known are " + ", ".join(str(each) for each in sorted(nearest[:3])),
        cure="For a chip that the table lacks, bring its limits in a file: "
        "--limits FILE, or occupancy.read_limits().",
    )


def row(cc: ComputeCapability) -> dict[str, Any]:
    """The row of a compute capability as the file has it: names and plain values.

    Raises:
        UnknownComputeCapabilityError: It is not in the table.
    """
    text = _rows().get(str(cc))
    if text is None:
        raise unknown(cc, known())
    values: dict[str, Any] = yaml.load(text, _SafeLoader)
    return values


def provenance_document() -> dict[str, Any]:
    """The second document of the table: the sources, and where they disagree. See `sources`."""
    document: dict[str, Any] = yaml.load(_documents()[1], _SafeLoader)
    return document


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
def _rows() -> dict[str, str]:
    # Each row is YAML of its own. Parsing all of them takes thirty times as long as the one asked for.
    return dict(_ROW.findall(_documents()[0]))


@cache
def _documents() -> tuple[str, str]:
    with open(data_path(FILE_NAME), encoding="utf-8") as file:
        _, values, provenance = _DOCUMENT_START.split(file.read())
    return values, provenance


class _StrictLoader(_SafeLoader):  # type: ignore[misc]
    """Refuses a key that occurs twice, where YAML would silently take the last one."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key.value!r} occurs twice", key.start_mark
                )
            seen.add(str(key.value))
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)
        return mapping


def read_yaml(path: str | os.PathLike[str]) -> list[Any]:
    """Read the documents of a YAML file of unknown origin.

    Anchors, aliases and tags are refused: a table needs none of them, and a few lines of them can
    stand for gigabytes.

    Raises:
        TableError: It cannot be read, is too large, too deeply nested, not YAML, or has a key twice.
    """
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            text = file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        problem = getattr(error, "strerror", None) or error
        raise TableError(f"cannot be read: {problem}", where=name) from error
    if len(text) > MAX_FILE_BYTES:
        raise TableError("is too large for a table of limits", where=name, allowed="up to 256 KiB")
    try:
        _check_events(text, name)
        return list(yaml.load_all(text, _StrictLoader))
    except yaml.YAMLError as error:
        raise TableError(f"is not YAML: {_one_line(error)}", where=name) from error
    except TableError:
        raise
    except ValueError as error:  # such as the date 2026-13-45, or an integer of 5000 digits
        raise TableError(f"holds a value that cannot be read: {error}", where=name) from error


def _check_events(text: bytes, name: str) -> None:
    # Events come without recursion; loading recurses and would end the process on deep nesting.
    depth = 0
    for event in yaml.parse(text, _SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        line = event.start_mark.line + 1 if event.start_mark else 1
        if depth > MAX_DEPTH:
            raise TableError(
                f"is nested too deeply at line {line}", where=name, allowed=f"{MAX_DEPTH} levels"
            )
        if getattr(event, "anchor", None) or getattr(event, "tag", None):
            raise TableError(
                f"has an anchor, alias or tag at line {line}", where=name, cure="Write the value out."
            )


def _one_line(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    return f"{problem} (line {mark.line + 1}, column {mark.column + 1})" if mark else str(problem)
