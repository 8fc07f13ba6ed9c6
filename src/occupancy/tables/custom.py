"""Limits that a user brings: a table in a file, or changes to a row. Checked with pydantic.

The types are those of `Limits` itself; nothing is declared twice.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import asdict, fields
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ..errors import InputError, TableError, UnknownComputeCapabilityError, shown
from ..values.limits import (
    DERIVED_CURES,
    FIELD_NAMES,
    KIND_CHECKS,
    KINDS,
    ComputeCapability,
    Limits,
    SpreadsheetColumn,
    with_consequences,
)
from ..values.spellings import did_you_mean, parse_count, parse_size
from . import shipped
from .yaml_file import read_yaml

_LIMITS = TypeAdapter(Limits)

_CHANGEABLE = FIELD_NAMES - {"compute_capability"}

_START_FROM_A_ROW = 'Start from a shipped row with like: "9.0", and give only what differs.'

# In place of pydantic's words, which are those of JSON and of Python.
_ALLOWED = {
    "tuple_type": "a list",
    "dataclass_type": "names and values",
    "unexpected_keyword_argument": "only " + ", ".join(field.name for field in fields(SpreadsheetColumn)),
}


def read_limits(path: str | os.PathLike[str]) -> dict[str, Limits]:
    """Read a table of limits from a YAML file, for chips that the shipped table lacks.

    The file has the layout of the shipped one (``data/gpu_limits.yaml``, first document). A row may
    begin with ``like``, the name of a shipped row, and then gives only what differs from it::

        schema_version: 1
        compute_capabilities:
          "13.0":
            like: "10.0"
            max_blocks_per_multiprocessor: 24

    Returns:
        The limits by compute capability (``"13.0"``), in the order of the file.

    Raises:
        TableError: The file cannot be read, or a row is incomplete, wrong or contradicts itself.
    """
    file = os.fspath(path)
    documents = read_yaml(path)
    if len(documents) != 1 or not isinstance(documents[0], dict):
        raise TableError(
            "is not a table of limits",
            where=file,
            allowed="one YAML document with schema_version and compute_capabilities",
        )
    values: dict[object, Any] = documents[0]
    _check_names(values, ("schema_version", "compute_capabilities"), f"{file}: ")
    version = values.get("schema_version")
    if type(version) is not int or version != shipped.SCHEMA_VERSION:
        raise TableError(_got(version), where=f"{file}: schema_version", allowed=str(shipped.SCHEMA_VERSION))
    rows = values.get("compute_capabilities")
    if not isinstance(rows, dict) or not rows:
        raise TableError(
            _got(rows),
            where=f"{file}: compute_capabilities",
            allowed='rows such as "9.0": {like: "8.9", max_blocks_per_multiprocessor: 32}',
        )
    limits = [_read_row(name, row, f"{file}: compute_capabilities") for name, row in rows.items()]
    return {str(each.compute_capability): each for each in limits}


def with_changes(limits: Limits, changes: Iterable[str]) -> Limits:
    """The same SM with some limits changed, as the command line has it.

    Args:
        limits: The SM.
        changes: ``NAME=VALUE`` each. A value is a number, a size such as ``64k``, a list of these
            with commas, ``true``, ``false``, ``null``, or text.

    Raises:
        TableError: No such limit, or a value that it cannot have.
    """
    where = f"limits of {limits.compute_capability}: "
    given: dict[str, Any] = {}
    for change in changes:
        name, equals, text = (part.strip() for part in change.partition("="))
        if not equals:
            raise TableError(
                f"{shown(change)} has no value",
                where="limits to change",
                allowed="LIMIT=VALUE, such as max_blocks_per_multiprocessor=4",
            )
        if name in given:
            raise TableError("is given twice", where=where + name)
        _check_names([name], _CHANGEABLE, where)
        is_list = isinstance(getattr(limits, name), tuple)
        given[name] = [_parse_value(part) for part in text.split(",")] if is_list else _parse_value(text)
    return _validated(limits.compute_capability, asdict(limits), given, where)


def _read_row(name: object, row: object, where: str) -> Limits:
    cc = _capability(name, where)
    where = f'{where}."{cc}"'
    if not isinstance(row, dict):
        raise TableError(_got(row), where=where, allowed="names of limits and their values")
    where += "."
    _check_names(row, _CHANGEABLE | {"like"}, where)
    given = dict(row)
    base = _shipped_row(given.pop("like"), f"{where}like") if "like" in given else {}
    return _validated(cc, base, given, where)


def _shipped_row(name: object, where: str) -> dict[str, Any]:
    try:
        return shipped.row(_capability(name, where))
    except UnknownComputeCapabilityError as error:
        raise TableError(error.problem, where=where, allowed=error.allowed) from error


def _capability(name: object, where: str) -> ComputeCapability:
    if not isinstance(name, str):
        raise TableError(
            _got(name),
            where=where,
            allowed='a compute capability in quotes, such as "9.0"',
            cure="Without quotes, 12.10 would be read as 12.1.",
        )
    try:
        cc = ComputeCapability.parse(name)
    except InputError as error:
        raise TableError(error.problem, where=where, allowed='such as "9.0"') from error
    if str(cc) != name:
        raise TableError(_got(name), where=where, allowed=f'"{cc}"')
    return cc


def _check_names(given: Iterable[object], names: Collection[str], where: str) -> None:
    for name in given:
        if name not in names:
            start = str(name)[:80]
            raise TableError(
                "there is no such name",
                where=where + start,
                allowed=did_you_mean(start, names),
                cure=DERIVED_CURES.get(start, ""),
            )


def _validated(cc: ComputeCapability, base: dict[str, Any], given: dict[str, Any], where: str) -> Limits:
    if base:
        given = with_consequences(given, base)
    values = {**base, **given, "compute_capability": cc}
    try:
        # As JSON, whose lists pydantic takes for tuples, strict as it is.
        return _LIMITS.validate_json(json.dumps(values, default=str))
    except ValidationError as error:
        raise _table_error(error, where) from error
    except TypeError as error:
        raise TableError(f"holds a name that is not text: {error}", where=where.rstrip(".: ")) from error


def _table_error(error: ValidationError, where: str) -> TableError:
    problems = error.errors(include_url=False)
    first, *others = problems
    if first["type"] in ("missing", "too_long") and isinstance(first["input"], list):
        field = str(first["loc"][0])
        return TableError(_got(first["input"]), where=where + field, allowed=KIND_CHECKS[KINDS[field]][1])
    missing = [each["loc"] for each in problems if each["type"] == "missing"]
    if missing:
        return TableError(
            "is missing",
            where=where + ", ".join(map(_path, missing)),
            cure=_START_FROM_A_ROW if len(missing[0]) == 1 else "",
        )
    broken_rule = first.get("ctx", {}).get("error")
    if isinstance(broken_rule, TableError):
        field = broken_rule.where.rpartition(": ")[2]
        return TableError(
            broken_rule.problem, where=where + _path((*first["loc"], field)), allowed=broken_rule.allowed
        )
    also = ", ".join(_path(each["loc"]) for each in others)
    return TableError(
        _got(first["input"]),
        where=where + _path(first["loc"]),
        allowed=_ALLOWED.get(first["type"], first["msg"].removeprefix("Input should be ")),
        cure=f"Wrong too: {also}." if also else "",
    )


def _path(location: tuple[int | str, ...]) -> str:
    return ".".join(map(str, location))


def _got(value: object) -> str:
    return "got nothing" if value is None else f"got {shown(value)}"


def _parse_value(text: str) -> object:
    text = text.strip()
    constants = {"null": None, "none": None, "true": True, "false": False}
    if text.lower() in constants:
        return constants[text.lower()]
    for parse in (parse_size, parse_count):  # the second one also knows negative numbers
        with suppress(InputError):
            return parse(text, "")
    return text
