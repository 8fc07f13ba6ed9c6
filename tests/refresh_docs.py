"""Write into the documents what their commands print now, the lists of public names, and the action's inputs.

python -m tests.refresh_docs
"""

from __future__ import annotations

import importlib.util
import inspect
import io
import re
import shlex
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import yaml
from click.testing import CliRunner
from rich.console import Console
from rich.text import Text

import occupancy
from occupancy.cli import commands

ROOT = Path(__file__).parent.parent
# Written when the site is built, and not kept.
GENERATED = {"api.md", "json.md"}
DOCUMENTS = [
    ROOT / "README.md",
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if path.name not in GENERATED),
]
PICTURE = ROOT / "docs" / "terminal.svg"
FIGURES = ROOT / "docs" / "_static"
PICTURED = "occupancy calc --cc 7.0 --threads 128 --regs 37"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

LIST = re.compile(
    r"^<!-- (public (?:functions|errors|types)|inputs of the action) -->\n.*?^<!-- end -->$",
    re.MULTILINE | re.DOTALL,
)


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


def inputs_of_the_action() -> str:
    """A table of what the GitHub action takes, from its own file."""
    rows = ["| Input | Default | What it is |", "| --- | --- | --- |"]
    for name, of_it in yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["inputs"].items():
        default = "required" if of_it.get("required") else f"`{of_it['default']}`" if of_it["default"] else ""
        rows.append(f"| `{name}` | {default} | {of_it['description']} |")
    return "\n".join(rows)


def with_lists(text: str) -> str:
    """A document whose lists of public names are those of the package, and whose inputs are the action's."""

    def listed(found: re.Match[str]) -> str:
        kind = found[1].removeprefix("public ")
        body = inputs_of_the_action() if kind == found[1] else public_names(kind)
        return f"<!-- {found[1]} -->\n{body}\n<!-- end -->"

    return LIST.sub(listed, text)


def _output(command: str) -> str:
    """What a command prints; ``| head -N`` and ``| grep -A N WORD`` cut it to the point."""
    asked, *filters = command.split(" | ")
    lines = _printed(asked).splitlines()
    for each in filters:
        name, *arguments = shlex.split(each)
        if name == "head":
            lines = lines[: int(arguments[0].removeprefix("-"))]
        elif name == "grep":
            _, after, word = arguments
            first = next(number for number, line in enumerate(lines) if word in line)
            lines = lines[first : first + 1 + int(after)]
        else:
            raise ValueError(f"only head and grep -A can follow here: {command}")
    return "\n".join(lines).rstrip() + "\n"


def _printed(command: str, **environment: str) -> str:
    program, *arguments = shlex.split(command)
    if program != "occupancy":
        raise ValueError(f"only occupancy can be run here: {command}")
    settings = {"COLUMNS": "80", **environment}
    return (
        CliRunner()
        .invoke(commands, arguments, prog_name="occupancy", env=settings, color=True)
        .output.rstrip()
    )


def terminal_picture() -> str:
    """The README's picture: a terminal with a command and what it prints now, as SVG."""
    console = Console(record=True, width=80, file=io.StringIO(), force_terminal=True, color_system="standard")
    console.print(Text.assemble(("$ ", "dim"), (PICTURED, "bold")), "", sep="\n")
    console.print(Text.from_ansi(_printed(PICTURED, FORCE_COLOR="1")))
    picture = console.export_svg(title="occupancy", unique_id="occupancy")
    # rich names a font on the web; the reader's own will do.
    return re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)


def module_at(path: Path) -> ModuleType:
    """A module that is in no package: of the documentation site, or of the benchmarks."""
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def example(framework: str, folder: Path) -> Any:
    """The example of docs/autotuning.md for a framework, as a module: Triton reads its source."""
    page = ROOT / "docs" / "autotuning.md"
    (source,) = [text for _, text in blocks(page, "python") if framework in text]
    path = folder / f"example_for_{framework}.py"
    path.write_text(source, encoding="utf-8")
    return module_at(path)


def main() -> None:
    """Rewrite every document."""
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        fresh = BLOCK.sub(
            lambda found: f"```console\n{refreshed(found[2])}```" if found[1] == "console" else found[0], text
        )
        document.write_text(with_lists(fresh), encoding="utf-8", newline="\n")
    PICTURE.write_text(terminal_picture(), encoding="utf-8", newline="\n")
    module_at(ROOT / "docs" / "figures.py").write_all(FIGURES)


if __name__ == "__main__":
    main()
