"""Limits that a user brings: a table in a file, or changes to a row.

Names and types are those of `Limits` and `SpreadsheetColumn`, whose own checks do the rest. By hand, because
pydantic takes longer to import than an answer to compute.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import MISSING, asdict, fields
from typing import Any

from ..errors import InputError, TableError, UnknownComputeCapabilityError, shown
from ..values.limits import (
    DERIVED_HINTS,
    FIELD_NAMES,
    KIND_CHECKS,
    ComputeCapability,
    Limits,
    SpreadsheetColumn,
    with_consequences,
)
from ..values.spellings import did_you_mean, parse_count, parse_size
from . import shipped
from .yaml_file import read_yaml

_CHANGEABLE = FIELD_NAMES - {"compute_capability"}

_START_FROM_A_ROW = 'Start from a shipped row with like: "9.0", and give only what differs.'

# The type of a field -> whether a plain value is one, and what a file may have there.
_PLAIN_KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "str": (lambda value: isinstance(value, str), "a valid string"),
    "bool": (lambda value: isinstance(value, bool), "a valid boolean"),
    "int": (lambda value: type(value) is int, "a valid integer"),
    "int | None": (lambda value: value is None or type(value) is int, "a valid integer"),
    "Granularity": (lambda value: value in ("warp", "block"), "'warp' or 'block'"),
    "Literal['2.4', '11.1']": (lambda value: value in ("2.4", "11.1"), "'2.4' or '11.1'"),
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
            hint="It is one YAML document with schema_version and compute_capabilities.",
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
            hint='Write rows such as "9.0": {like: "8.9", max_blocks_per_multiprocessor: 32}.',
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
                where="changes",
                hint="Write LIMIT=VALUE, such as max_blocks_per_multiprocessor=4.",
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
        raise TableError(_got(row), where=where, hint="Give names of limits and their values.")
    where += "."
    _check_names(row, _CHANGEABLE | {"like"}, where)
    given = dict(row)
    base = _shipped_row(given.pop("like"), f"{where}like") if "like" in given else {}
    return _validated(cc, base, given, where)


def _shipped_row(name: object, where: str) -> dict[str, Any]:
    try:
        return shipped.row(_capability(name, where))
    except UnknownComputeCapabilityError as error:
        raise error.elsewhere(where, TableError) from error


def _capability(name: object, where: str) -> ComputeCapability:
    if not isinstance(name, str):
        raise TableError(
            _got(name),
            where=where,
            hint='Write a compute capability in quotes, such as "9.0". Without them, 12.10 is read as 12.1.',
        )
    try:
        cc = ComputeCapability.parse(name)
    except InputError as error:
        raise TableError(error.problem, where=where, hint='Write it as "9.0".') from error
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
                hint=DERIVED_HINTS.get(start, ""),
            )


def _validated(cc: ComputeCapability, base: dict[str, Any], given: dict[str, Any], where: str) -> Limits:
    if base:
        given = with_consequences(given, base)
    try:
        # Plain values alone: a date of YAML becomes text, and a name that is a number too.
        values: dict[str, Any] = json.loads(json.dumps({**base, **given}, default=str))
    except TypeError as error:
        raise TableError(f"holds a name that is not text: {error}", where=where.rstrip(".: ")) from error
    except ValueError as error:  # an integer of more digits than Python writes
        raise TableError("holds a number that no limit has", where=where.rstrip(".: ")) from error
    values.pop("compute_capability", None)
    missing, wrong = list(_missing(Limits, values)), list(_wrong(Limits, values))
    if missing:
        hint = _START_FROM_A_ROW if "." not in missing[0] else ""
        raise TableError("is missing", where=where + ", ".join(missing), hint=hint)
    if wrong:
        (path, value, allowed), *others = wrong
        also = ", ".join(other for other, _, _ in others)
        raise TableError(
            _got(value), where=where + path, allowed=allowed, hint=f"Wrong too: {also}." if also else ""
        )
    part = ""
    try:
        if values.get("spreadsheet") is not None:
            part = "spreadsheet."
            values["spreadsheet"] = SpreadsheetColumn(**shipped.with_tuples(values["spreadsheet"]))
            part = ""
        return Limits(compute_capability=cc, **shipped.with_tuples(values))
    except TableError as error:
        field = error.where.rpartition(": ")[2]
        raise error.elsewhere(where + part + field, TableError) from error


def _missing(
    cls: type[Limits | SpreadsheetColumn], values: Mapping[str, Any], within: str = ""
) -> Iterator[str]:
    for field in fields(cls):
        if field.name in values:
            if field.name == "spreadsheet" and isinstance(values[field.name], dict):
                yield from _missing(SpreadsheetColumn, values[field.name], "spreadsheet.")
        elif field.default is MISSING and field.name != "compute_capability":
            yield within + field.name


def _wrong(
    cls: type[Limits | SpreadsheetColumn], values: Mapping[str, Any], within: str = ""
) -> Iterator[tuple[str, Any, str]]:
    """Where a value is of another type than its field, that value, and what is allowed there."""
    known = {field.name: str(field.type) for field in fields(cls)}
    for name, kind in known.items():
        if name not in values:
            continue
        value, path = values[name], within + name
        if kind == "SpreadsheetColumn | None":
            if isinstance(value, dict):
                yield from _wrong(SpreadsheetColumn, value, f"{path}.")
            elif value is not None:
                yield path, value, "names and values"
        elif kind.startswith("tuple"):
            yield from _wrong_in_list(path, value, kind)
        elif not _PLAIN_KINDS[kind][0](value):
            yield path, value, _PLAIN_KINDS[kind][1]
    for name in values:
        if name not in known:
            yield within + name, values[name], "only " + ", ".join(known)


def _wrong_in_list(path: str, value: Any, kind: str) -> Iterator[tuple[str, Any, str]]:
    if not isinstance(value, list):
        yield path, value, "a list"
        return
    is_one, allowed = _PLAIN_KINDS["int"]
    wrong = [(f"{path}.{place}", each, allowed) for place, each in enumerate(value) if not is_one(each)]
    yield from wrong
    is_list, allowed = KIND_CHECKS[kind]
    if not wrong and not is_list(tuple(value)):
        yield path, value, allowed


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
