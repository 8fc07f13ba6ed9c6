"""YAML to plain values; the only module that knows PyYAML."""

from __future__ import annotations

import os
import re
from typing import Any

import yaml

from ..errors import TableError, shown
from .bounded_file import content_of

MAX_FILE_BYTES = 256 << 10
"""Four times the shipped table with its sources; what fits in it is parsed in a second and 80 MB."""
MAX_DEPTH = 16

# YAML 1.1, 10.3: 010 is 8, and 1:30 is 90.
_SURPRISING = re.compile(r"[-+]?(?:0[0-7_]+|[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?)")

# libyaml where PyYAML was built with it: ten times as fast, the same values.
_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def parse(text: str) -> Any:
    """The value of one YAML document that we wrote ourselves."""
    return yaml.load(text, _SafeLoader)


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
    text = content_of(name, "a table of limits", MAX_FILE_BYTES, TableError)
    try:
        _check_events(text, name)
        return list(yaml.load_all(text, _StrictLoader))
    except yaml.YAMLError as error:
        raise TableError(f"is not YAML: {_one_line(error)}", where=name) from error
    except TableError:
        raise
    except (ValueError, OverflowError) as error:  # such as the date 2026-13-45, or 1:1:...:1.5
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
        if isinstance(event, yaml.ScalarEvent) and event.implicit[0] and _SURPRISING.fullmatch(event.value):
            raise TableError(
                f"has {shown(event.value)} at line {line}, which YAML 1.1 does not read as a decimal number",
                where=name,
                hint="Write it without the leading zero, or the colon, or in quotes.",
            )
        if getattr(event, "anchor", None) or getattr(event, "tag", None):
            raise TableError(
                f"has an anchor, alias or tag at line {line}", where=name, hint="Write the value out."
            )


def _one_line(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    return f"{problem} (line {mark.line + 1}, column {mark.column + 1})" if mark else str(problem)
