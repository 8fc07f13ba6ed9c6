"""Write into the documents what their commands print now, and the list of public names.

python -m tests.refresh_docs
"""

from __future__ import annotations

import inspect
import re
import shlex
from pathlib import Path

from click.testing import CliRunner

import occupancy
from occupancy.cli import commands

ROOT = Path(__file__).parent.parent
# Written when the site is built, and not kept.
GENERATED = {"api.md", "json.md"}
DOCUMENTS = [
    ROOT / "README.md",
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if path.name not in GENERATED),
]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

LIST = re.compile(r"^<!-- public (functions|errors|types) -->\n.*?^<!-- end -->$", re.MULTILINE | re.DOTALL)


def blocks(document: Path, language: str) -> list[tuple[int, str]]:
    """Line number and text of each fenced block of a language."""
    text = document.read_text(encoding="utf-8")
    return [
        (text.count("\n", 0, found.start()) + 1, found[2])
        for found in BLOCK.finditer(text)
        if found[1] == language
    ]


def refreshed(console: str) -> str:
    """A console block with what its commands print now."""
    commands_shown = re.findall(r"^\$ (.*)$", console, flags=re.MULTILINE)
    return "\n".join(f"$ {command}\n{_output(command)}" for command in commands_shown)


def kind_of(name: str) -> str:
    """In which list of docs/python.md a public name stands."""
    public = getattr(occupancy, name)
    if not inspect.isclass(public):
        return "functions"
    return "errors" if issubclass(public, occupancy.OccupancyError) else "types"


def public_names(kind: str) -> str:
    """A table of the public names of a kind, each with the first line of what `help` says of it."""
    rows = ["| Name | What it is |", "| --- | --- |"]
    for name in sorted(set(dir(occupancy)) - {"__version__"}):
        if kind_of(name) == kind:
            first, *_ = inspect.cleandoc(getattr(occupancy, name).__doc__).split("\n\n")
            rows.append(f"| `{name}` | {' '.join(first.split()).replace('``', '`')} |")
    return "\n".join(rows)


def with_public_names(text: str) -> str:
    """A document whose lists of public names are those of the package."""
    return LIST.sub(lambda found: f"<!-- public {found[1]} -->\n{public_names(found[1])}\n<!-- end -->", text)


def _output(command: str) -> str:
    program, *arguments = shlex.split(command)
    if program != "occupancy":
        raise ValueError(f"only occupancy can be run here: {command}")
    done = CliRunner().invoke(commands, arguments, prog_name="occupancy", env={"COLUMNS": "80"})
    return done.output.rstrip() + "\n"


def main() -> None:
    """Rewrite every document."""
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        fresh = BLOCK.sub(
            lambda found: f"```console\n{refreshed(found[2])}```" if found[1] == "console" else found[0], text
        )
        document.write_text(with_public_names(fresh), encoding="utf-8")


if __name__ == "__main__":
    main()
