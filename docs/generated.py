"""The generated pages of the reference: library and JSON."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import occupancy
from occupancy.page.build import build_page
from occupancy.report.schema import REPORTS, json_schema

API_HEAD = """# Python API

Every public name. Sizes are in bytes and occupancy is a fraction of 1. Results are immutable, print as the
command of the same name does, and display as tables in a notebook. [Embed the library](../embed.md) is the
guide.
"""

JSON_HEAD = """# JSON

The fields of every command with `--format json`. `occupancy schema COMMAND` prints them as a JSON Schema
(draft 2020-12), and `to_dict()` of a result in Python returns the same values. `schema_version` goes up if a
name changes its meaning or is removed.
"""


def write_all(folder: Path) -> None:
    """Write ``api.md`` and ``json.md``."""
    _write(folder / "api.md", api_page())
    _write(folder / "json.md", json_page())


def write_page(folder: Path) -> None:
    """Write the interactive page for the site."""
    folder.mkdir(exist_ok=True)
    _write(folder / "occupancy.html", build_page(occupancy.__version__))


def public_names() -> list[str]:
    """Return every public name except the version."""
    return sorted(set(dir(occupancy)) - {"__version__"})


def api_page() -> str:
    """Return a page with every public name: functions, classes, modules, errors."""
    functions, classes, modules, errors = [], [], [], []
    for name in public_names():
        public = getattr(occupancy, name)
        if inspect.ismodule(public):
            modules.append(name)
        elif not inspect.isclass(public):
            functions.append(name)
        elif issubclass(public, Exception):
            errors.append(name)
        else:
            classes.append(name)
    parts = [API_HEAD, "## Functions\n", *(_directive("autofunction", name) for name in functions)]
    parts += ["## Classes\n", *(_directive("autoclass", name, **_members(name)) for name in classes)]
    parts += ["## Modules\n", *(_directive("automodule", name, members="") for name in modules)]
    parts += ["## Errors\n", *(_directive("autoexception", name) for name in errors)]
    return "\n".join(parts)


def _members(name: str) -> dict[str, str]:
    """Return the options of a class: all members except those of every result and every tuple."""
    of_tuples = ", count, index" if issubclass(getattr(occupancy, name), tuple) else ""
    return {"members": "", "undoc-members": "", "exclude-members": f"to_dict, from_dict{of_tuples}"}


def _directive(kind: str, name: str, **options: str) -> str:
    lines = "".join(f"   :{option}: {value}".rstrip() + "\n" for option, value in options.items())
    return f"```{{eval-rst}}\n.. {kind}:: occupancy.{name}\n{lines}```\n"


def json_page() -> str:
    """Return a page with a table of the fields of each command's JSON."""
    parts = [JSON_HEAD]
    for command in REPORTS:
        parts.append(f"## occupancy {command}\n\n| Field | Type | Meaning |\n| --- | --- | --- |")
        schema = json_schema(command)
        for kind in schema.get("anyOf", [schema]):
            kind = _resolved(kind, schema)
            for path, type_name, meaning in _fields("", kind, schema, ()):
                parts.append(f"| `{path}` | {type_name} | {meaning} |")
        parts.append("")
    return "\n".join(parts)


def _fields(
    prefix: str, kind: dict[str, Any], schema: dict[str, Any], seen: tuple[str, ...]
) -> Iterator[tuple[str, str, str]]:
    for name, field in kind.get("properties", {}).items():
        path = f"{prefix}{name}"
        meaning = " ".join(field.get("description", "").split()).replace("|", "\\|")
        yield path, _type(field), meaning
        for reference, suffix in _nested(field):
            if reference not in seen:
                inner = _resolved({"$ref": reference}, schema)
                yield from _fields(f"{path}{suffix}.", inner, schema, (*seen, reference))


def _nested(field: dict[str, Any], suffix: str = "") -> Iterator[tuple[str, str]]:
    if "$ref" in field:
        yield field["$ref"], suffix
    for each in field.get("anyOf", ()):
        yield from _nested(each, suffix)
    if isinstance(field.get("items"), dict):
        yield from _nested(field["items"], "[]")
    if isinstance(field.get("additionalProperties"), dict):
        yield from _nested(field["additionalProperties"], ".*")


def _resolved(kind: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    reference = kind.get("$ref")
    found: dict[str, Any] = schema["$defs"][reference.rsplit("/", 1)[1]] if reference else kind
    return found


def _type(field: dict[str, Any]) -> str:
    if "$ref" in field:
        return "object"
    if "anyOf" in field:
        return " or ".join(dict.fromkeys(_type(each) for each in field["anyOf"]))
    if "enum" in field:
        return " or ".join(f"`{each}`" for each in field["enum"])
    if "const" in field:
        return f"`{field['const']}`"
    if field.get("type") == "array":
        items = field.get("items")
        return f"array of {_type(items)}" if isinstance(items, dict) else "array"
    return str(field.get("type", "any"))


def _write(path: Path, text: str) -> None:
    # A file that did not change keeps its time, so that a second build does not parse it again.
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
