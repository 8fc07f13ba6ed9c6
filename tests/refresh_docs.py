"""Write the output of every command into the documents, and draw their pictures.

python -m tests.refresh_docs
"""

import contextlib
import importlib.util
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import yaml
from click.testing import CliRunner
from rich.console import Console
from rich.text import Text

from occupancy.cli import commands

ROOT = Path(__file__).parent.parent
# Generated when the site is built.
GENERATED = {"api.md", "cli.md", "json.md", "notes.md"}
KEPT = sorted(path for path in (ROOT / "docs").rglob("*.md") if path.name not in GENERATED)
DOCUMENTS = [ROOT / "README.md", *KEPT]
PICTURE = ROOT / "docs" / "terminal.svg"
FIGURES = ROOT / "docs" / "_static"
TUTORIAL = FIGURES / "tutorial"
BUILDS = ROOT / "tests" / "data" / "builds"
PICTURED = 'occupancy calc --gpu "H100 SXM" --threads 256 --regs 72 --smem 40k'
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INPUTS = re.compile(r"^<!-- inputs of the action -->\n.*?^<!-- end -->$", re.MULTILINE | re.DOTALL)


def blocks(document: Path, language: str) -> list[tuple[int, str]]:
    """Return the line number and the text of each fenced block of a language."""
    text = document.read_text(encoding="utf-8")
    every = [found for found in BLOCK.finditer(text) if found[1] == language]
    return [(text.count("\n", 0, found.start()) + 1, found[2]) for found in every]


def refreshed(document: Path) -> str:
    """Return a document with the current output of its commands and the action's inputs."""
    text = document.read_text(encoding="utf-8")

    def block(found: re.Match[str]) -> str:
        if found[1] != "console":
            return found[0]
        commands_shown = re.findall(r"^\$ (.*)$", found[2], flags=re.MULTILINE)
        sessions = (f"$ {command}\n{printed(command)}\n" for command in commands_shown)
        return "```console\n" + "\n".join(sessions) + "```"

    with folder_for(document):
        fresh = BLOCK.sub(block, text)
    return INPUTS.sub(lambda _: f"<!-- inputs of the action -->\n{action_inputs()}\n<!-- end -->", fresh)


@contextlib.contextmanager
def folder_for(document: Path) -> Iterator[None]:
    """Change to the folder of a document's commands, or to a copy if the document writes files."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "copy"
        if document.name == "tutorial.md":
            os.chdir(shutil.copytree(TUTORIAL, folder))
        elif document.name == "ci.md":
            for old, new in (("before", "before"), ("after", "build")):
                shutil.copytree(BUILDS / old, folder / new)
            os.chdir(folder)
            printed("occupancy init before/ --threads 256")
        else:
            os.chdir(ROOT)
        try:
            yield
        finally:
            os.chdir(before)


def action_inputs() -> str:
    """Return a table of the inputs in action.yml."""
    rows = ["| Input | Default | Meaning |", "| --- | --- | --- |"]
    for name, each in yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["inputs"].items():
        default = "required" if each.get("required") else f"`{each['default']}`" if each["default"] else ""
        rows.append(f"| `{name}` | {default} | {each['description']} |")
    return "\n".join(rows)


def printed(command: str, **environment: str) -> str:
    """Return the output of a command, 80 columns wide."""
    program, *arguments = shlex.split(command)
    if program != "occupancy":
        raise ValueError(f"documents run occupancy alone: {command}")
    settings = {"COLUMNS": "80", **environment}
    done = CliRunner().invoke(commands, arguments, prog_name="occupancy", env=settings, color=True)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return "\n".join(line.rstrip() for line in done.output.rstrip().splitlines())


def terminal_picture() -> str:
    """Return the README's picture of a terminal, as SVG."""
    console = Console(record=True, width=80, file=io.StringIO(), force_terminal=True, color_system="standard")
    console.print(Text.assemble(("$ ", "dim"), (PICTURED, "bold")), "", sep="\n")
    console.print(Text.from_ansi(printed(PICTURED, FORCE_COLOR="1")))
    picture = console.export_svg(title="occupancy", unique_id="occupancy")
    # Use the reader's font, not a web font.
    return re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)


def module_at(path: Path) -> ModuleType:
    """Import a file outside any package."""
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def example(framework: str, folder: Path) -> Any:
    """Return the example of docs/autotuning.md for a framework as a module, since Triton reads its source."""
    (source,) = [text for _, text in blocks(ROOT / "docs" / "autotuning.md", "python") if framework in text]
    path = folder / f"example_for_{framework}.py"
    path.write_text(source, encoding="utf-8")
    return module_at(path)


def main() -> None:
    for document in DOCUMENTS:
        document.write_text(refreshed(document), encoding="utf-8", newline="\n")
    PICTURE.write_text(terminal_picture(), encoding="utf-8", newline="\n")
    module_at(ROOT / "docs" / "figures.py").write_all(FIGURES)


if __name__ == "__main__":
    main()
