"""The generated pages of the reference: command line, library and JSON."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import occupancy
from occupancy.page.build import build_page
from occupancy.report.model import NOTES
from occupancy.report.schema import REPORTS, json_schema

API_HEAD = """# Python API

This page lists every public name. For a guide, see [Embed the library](../embed.md). Sizes are in bytes, and
occupancy is a number from 0 to 1. Results are immutable. They print as the command of the same name does, and
display as tables in a notebook.
"""

CLI_PAGE = """# Command line

`occupancy COMMAND --help` prints the same descriptions.

```{eval-rst}
.. click:: occupancy.cli:commands
   :prog: occupancy
   :nested: full
```
"""

JSON_HEAD = """# JSON

This page lists the fields that each command prints with `--format json`. `occupancy schema COMMAND` prints them
as a JSON Schema (draft 2020-12). If a name is removed or changes its meaning, `schema_version` increases.
Occupancy is a number from 0 to 1. A field is null if it does not apply or if the value is unknown.

## Every command

| Field | Type | Meaning |
| --- | --- | --- |
| `schema_version` | integer | Version of the names and their meanings |
| `report` | string | Name of the command |
| `inputs` | object | Inputs that you passed: see [Inputs](#inputs) |
| `notes[].code` | string | Stable name of a [note](notes.md) |
| `notes[].text` | string | Text of the note |
"""


def write_all(folder: Path) -> None:
    """Write ``cli.md``, ``api.md``, ``json.md`` and ``notes.md``."""
    _write(folder / "cli.md", CLI_PAGE)
    _write(folder / "api.md", api_page())
    _write(folder / "json.md", json_page())
    _write(folder / "notes.md", notes_page())


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
    parts.append("## Classes\n")
    parts += [_directive("autoclass", name, **_members(getattr(occupancy, name))) for name in classes]
    parts += ["## Modules\n", *(_module(name) for name in modules)]
    parts += ["## Errors\n", *(_directive("autoexception", name) for name in errors)]
    return "\n".join(parts)


def _module(name: str) -> str:
    """Return a heading, and a module with its functions; ``typing`` has classes that no other page lists."""
    classes = {key: each for key, each in vars(getattr(occupancy, name)).items() if inspect.isclass(each)}
    functions = _directive("automodule", name, members="", **{"exclude-members": ", ".join(classes)})
    results = [key for key in classes if name == "typing" and key not in public_names()]
    listed = [_directive("autoclass", f"{name}.{key}", **_members(classes[key])) for key in results]
    return "\n".join([f"### `occupancy.{name}`\n", functions, *listed])


def _members(public: type) -> dict[str, str]:
    """Return the options of a class: all members except those of every result and every tuple."""
    of_tuples = ", count, index" if issubclass(public, tuple) else ""
    options = {"members": "", "undoc-members": "", "exclude-members": f"to_dict, from_dict{of_tuples}"}
    return {**options, "inherited-members": ""} if public is occupancy.Occupancy else options


def _directive(kind: str, name: str, **options: str) -> str:
    lines = "".join(f"   :{option}: {value}".rstrip() + "\n" for option, value in options.items())
    return f"```{{eval-rst}}\n.. {kind}:: occupancy.{name}\n{lines}```\n"


def json_page() -> str:
    """Return a page with a table of the fields of each command's JSON."""
    first = json_schema(next(iter(REPORTS)))["properties"]["inputs"]["properties"]
    parts = [JSON_HEAD, _fields_table("Inputs", "`inputs` contains the inputs that you passed:", first)]
    for command in REPORTS:
        _, rows, _ = REPORTS[command]
        columns = json_schema(command)["properties"][rows]["items"]["properties"]
        parts.append(
            _fields_table(f"occupancy {command}", f"Each object in `{rows}` has these fields:", columns)
        )
    return "\n".join(parts)


def notes_page() -> str:
    """Return a page with every note and its code in the JSON."""
    rows = [
        "# Notes",
        "",
        "A report prints at most three of these notes. `notes` in its JSON contains all that apply, with their codes.",
        "",
    ]
    rows += ["| Code | Note |", "| --- | --- |"]
    rows += [f"| `{code}` | {note.text.replace('*', chr(92) + '*')} |" for code, note in NOTES.items()]
    return "\n".join([*rows, ""])


def _fields_table(title: str, sentence: str, fields: Mapping[str, dict[str, Any]]) -> str:
    rows = [f"## {title}\n", f"{sentence}\n", "| Field | Type | Meaning |", "| --- | --- | --- |"]
    for name, field in fields.items():
        meaning = re.sub(r"__\w+__|--[\w-]+", r"`\g<0>`", field.get("description", "")).replace("|", "\\|")
        rows.append(f"| `{name}` | {_type(field)} | {meaning} |")
    return "\n".join([*rows, ""])


def _type(field: dict[str, Any]) -> str:
    return ", ".join(kind for kind in field.get("type", ["any"]) if kind != "null")


def _write(path: Path, text: str) -> None:
    # A file that did not change keeps its time, so that a second build does not parse it again.
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
