"""User-defined limits: a table in a file, or changes to a row, validated by `Limits`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import MISSING, fields
from typing import Any

from ..errors import TableError, UnknownComputeCapabilityError, invalid, shown
from ..values.limits import KINDS, ComputeCapability, Limits, SpreadsheetColumn, check_names, plain_value
from ..values.numbers import listed
from . import shipped
from .files import read_toml, read_yaml


def read_limits(path: str | os.PathLike[str]) -> dict[str, Limits]:
    """Read a table of limits from a YAML or TOML file, for example for other GPUs.

    The file has the layout of the shipped table (``data/gpu_limits.yaml``, first document). A row can
    begin with ``like``, the name of a shipped row, and then contains only the differences::

        schema_version: 1
        compute_capabilities:
          "13.0":
            like: "10.0"
            max_blocks_per_multiprocessor: 24
            max_shared_memory_per_block_optin: 200k

    A ``.toml`` file has the same rows as tables ``[compute_capabilities."13.0"]``.

    Returns:
        The limits by compute capability (``"13.0"``), in the order of the file.

    Raises:
        TableError: The file cannot be read, or a row is incomplete, invalid or contradictory.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TableError(f"{shown(path)} is not a path", where="path")
    file = os.fspath(path)
    is_toml = file.lower().endswith(".toml")
    documents: list[Any] = [read_toml(file, TableError)[0]] if is_toml else read_yaml(file)
    if len(documents) != 1 or not isinstance(documents[0], dict):
        hint = "Write one document with schema_version and compute_capabilities."
        raise TableError("is not a table of limits", where=file, hint=hint)
    values: dict[object, Any] = documents[0]
    check_names(values, ("schema_version", "compute_capabilities"), f"{file}: ")
    version = values.get("schema_version")
    if type(version) is not int or version != shipped.SCHEMA_VERSION:
        where, allowed = f"{file}: schema_version", str(shipped.SCHEMA_VERSION)
        raise TableError(invalid(version), where=where, allowed=allowed)
    rows = values.get("compute_capabilities")
    if not isinstance(rows, dict) or not rows:
        hint = 'Write rows such as "9.0": {like: "8.9", max_blocks_per_multiprocessor: 32}.'
        raise TableError(invalid(rows), where=f"{file}: compute_capabilities", hint=hint)
    limits = [_read_row(name, row, f"{file}: compute_capabilities") for name, row in rows.items()]
    return {str(each.compute_capability): each for each in limits}


def with_changes(limits: Limits, changes: Iterable[str]) -> Limits:
    """Return the same SM with changes NAME=VALUE: a size, a list with commas, true, false, or null."""
    given: dict[str, Any] = {}
    for change in changes:
        name, equals, text = (part.strip() for part in change.partition("="))
        if not equals or not name:
            hint = "Write one such as max_blocks_per_multiprocessor=4."
            raise TableError(f"{shown(change)} is not LIMIT=VALUE", where="changes", hint=hint)
        check_names([name], KINDS, "--set ")
        constants: dict[str, object] = {"null": None, "none": None, "true": True, "false": False}
        is_list = isinstance(getattr(limits, name), tuple)
        given[name] = constants.get(text.lower(), text.split(",") if is_list else text)
    return _make_limits(limits.compute_capability, limits, given, "--set ")


def _read_row(name: object, row: object, where: str) -> Limits:
    cc = _parse_name(name, where)
    where = f'{where}."{cc}"'
    if not isinstance(row, dict):
        raise TableError(invalid(row), where=where, hint="Write names of limits and their values.")
    where += "."
    check_names(row, {*KINDS, "like"}, where)
    given = dict(row)
    known = None
    if "like" in given:
        try:
            known = shipped.limits(_parse_name(given.pop("like"), f"{where}like"))
        except UnknownComputeCapabilityError as error:
            raise TableError(error.problem, where=f"{where}like") from None
    return _make_limits(cc, known, given, where)


def _parse_name(name: object, where: str) -> ComputeCapability:
    if not isinstance(name, str) or not re.fullmatch(r"[0-9]{1,2}\.[0-9]{1,2}", name):
        hint = 'Write a compute capability in quotes, such as "9.0". Without them, 12.10 is read as 12.1.'
        raise TableError(invalid(name), where=where, hint=hint)
    return ComputeCapability.parse(name)


def _make_limits(cc: ComputeCapability, known: Limits | None, given: dict[str, Any], where: str) -> Limits:
    """Return a row with changes; errors contain the position in the file, or the name in the change."""
    values = {name: plain_value(value, KINDS[name]) for name, value in given.items()}
    values["compute_capability"] = cc
    missing = [each.name for each in fields(Limits) if each.default is MISSING and each.name not in values]
    if known is None and missing:
        hint = 'Start from a shipped row with like: "9.0", and write only the differences.'
        raise TableError("are missing", where=where + listed(missing, 4), hint=hint)
    try:
        if isinstance(column := values.get("spreadsheet"), dict):
            check_names(column, SpreadsheetColumn._fields, f"{where}spreadsheet.")
            column = {name: plain_value(value) for name, value in column.items()}
            values["spreadsheet"] = SpreadsheetColumn(**{"version": None, **column})
        return Limits(**values) if known is None else known.replace(**values)
    except TableError as error:
        if error.where.startswith(where):
            raise
        raise error.with_location(where + error.where, TableError) from None
