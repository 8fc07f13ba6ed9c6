"""TOML to plain values; the only home of TOML."""

from __future__ import annotations

import os
import re
import sys
from typing import Any

from ..errors import OccupancyError, shown
from .bounded_file import content_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PYPROJECT = "pyproject.toml"
MAX_FILE_BYTES = 1 << 20
_MONTH = re.compile(rb"=\s*\d{4}-\d{1,2}\s*(?:#.*)?$", re.MULTILINE)
"""A month in the place of a date."""
_HEAD_OF_TABLE = re.compile(r"\s*\[\[([\w\s.-]+)\]\]")


def read_toml(file: str, error_class: type[OccupancyError]) -> dict[str, Any]:
    """The values of a TOML file of unknown origin.

    Raises:
        OccupancyError: Of the given class: it cannot be read, is too large, or not TOML.
    """
    return read_toml_with_lines(file, error_class)[0]


def read_toml_with_lines(
    file: str, error_class: type[OccupancyError]
) -> tuple[dict[str, Any], dict[str, list[int]]]:
    """The values, and the name of each list of tables -> the lines at which its tables ``[[name]]`` begin.

    A list that is written otherwise has no lines; and what merely looks like the head of a table, within a
    text of several lines, is counted: who uses the lines compares their number with that of the tables.

    Raises:
        OccupancyError: As `read_toml`.
    """
    content = content_of(file, "a file of settings", MAX_FILE_BYTES, error_class)
    try:
        text = content.decode("utf-8-sig")
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: not UTF-8, or a number of 5000 digits
        hint = "A date has a day: 2027-01-31." if _MONTH.search(content) else ""
        raise error_class(f"is not TOML: {error}", where=file, hint=hint) from error
    lines: dict[str, list[int]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if head := _HEAD_OF_TABLE.match(line):
            lines.setdefault("".join(head[1].split()), []).append(number)
    return values, lines


def tools(pyproject: dict[str, Any]) -> dict[str, Any]:
    """The tables of a ``pyproject.toml`` below ``tool``."""
    found = pyproject.get("tool")
    return found if isinstance(found, dict) else {}


def default_chip(error_class: type[OccupancyError]) -> str | None:
    """The chip that ``cc`` of ``[tool.occupancy]`` names in the ``pyproject.toml`` of this folder, if any.

    Raises:
        OccupancyError: Of the given class: the file cannot be read, or names no chip.
    """
    if not os.path.exists(PYPROJECT):
        return None
    table = tools(read_toml(PYPROJECT, error_class)).get("occupancy")
    chip = table.get("cc") if isinstance(table, dict) else None
    if chip is not None and not isinstance(chip, str):
        raise error_class(
            f"got {shown(chip)}", where=f"{PYPROJECT}: tool.occupancy.cc", hint='Name a chip, such as "9.0".'
        )
    return chip
