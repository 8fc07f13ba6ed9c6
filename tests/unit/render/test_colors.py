"""What stands out on a screen: the cell that matters, in a colour that means the same everywhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.color import Color, ColorSystem

from occupancy.cli import commands
from occupancy.render.document import grade
from occupancy.render.text.charts import GRADIENT
from occupancy.render.text.screen import STYLES

STYLED = re.compile(r"\x1b\[(?P<style>[0-9;]+)m(?P<text>.*?)\x1b\[0m")
GREEN, YELLOW, RED = "1;32", "1;33", "1;31"


def screen(*command: str, **environment: str) -> str:
    settings = {"COLUMNS": "120", "FORCE_COLOR": "1", "TERM": "xterm", "COLORTERM": "", "NO_COLOR": ""}
    done = CliRunner().invoke(commands, command, env={**settings, **environment}, color=True)
    return done.stdout


def coloured(text: str) -> dict[str, set[str]]:
    """Style of a colour -> the pieces of text that have it."""
    found: dict[str, set[str]] = {}
    for each in STYLED.finditer(text):
        if each["style"] in (GREEN, YELLOW, RED):
            found.setdefault(each["style"], set()).add(each["text"].strip())
    return found


KERNEL = ("--threads", "256", "--smem", "96k")


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (("fits", "--cc", "7.5,9.0,10.7", *KERNEL), {RED: {"Not on"}, YELLOW: {"25%"}, GREEN: {"75%"}}),
        (
            ("bounds", "--cc", "7.5,9.0", "-t", "256", "--min-blocks", "6"),
            {RED: {"no"}, YELLOW: {"25%"}, GREEN: {"75%"}},
        ),
        (
            ("budget", "--cc", "9.0", "-t", "512"),
            {GREEN: {"100%", "75%", "50%"}, YELLOW: {"25%"}},
        ),
        (("budget", "--cc", "9.0,8.0", "-t", "256", "--blocks", "4"), {GREEN: {"50%"}}),
        (("calc", "--cc", "7.5,9.0", *KERNEL), {RED: {"0%"}, YELLOW: {"25%"}}),
        (("calc", "--cc", "9.0", "-t", "256", "-r", "64"), {GREEN: {"50% occupancy"}}),
        (
            ("block-sizes", "--cc", "9.0", "--regs", "128"),
            {YELLOW: {"25%"}, RED: {"0%"}},
        ),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else "",
)
def test_only_the_cell_that_matters_is_coloured(
    command: tuple[str, ...], expected: dict[str, set[str]]
) -> None:
    found = coloured(screen(*command))
    assert found.keys() == expected.keys()
    assert all(texts <= found[style] for style, texts in expected.items())
    assert all(text in ("no", "Not on") or "%" in text for texts in found.values() for text in texts)


def test_so_it_is_in_a_scan_and_a_diff(builds: Path) -> None:
    found = coloured(screen("scan", str(builds / "before")))
    assert found == {GREEN: {"100%", "75%"}, YELLOW: {"25%"}}
    changed = coloured(screen("diff", str(builds / "before"), str(builds / "after")))
    assert all("->" in text for texts in changed.values() for text in texts)
    assert "100% -> 50%" in changed[RED]


def test_half_is_green_everywhere() -> None:
    assert STYLES[grade(0.5)] == "bold green"
    assert STYLES[grade(0.49)] == "bold yellow"
    for above, color in GRADIENT.items():
        red, green, _ = Color.parse(color).get_truecolor()
        assert (above >= 0.5) == (green > 1.2 * red), above


@pytest.mark.parametrize(
    ("environment", "has_many"),
    [
        ({"TERM": "xterm-256color"}, True),
        ({"COLORTERM": "truecolor"}, True),
        ({"TERM": "xterm"}, False),
        ({"TERM": "dumb"}, False),  # FORCE_COLOR is stronger than it
    ],
    ids=str,
)
def test_the_colours_are_those_of_the_terminal(environment: dict[str, str], has_many: bool) -> None:
    """In a process of its own, because rich remembers how it wrote a style."""
    settings = {"COLUMNS": "120", "FORCE_COLOR": "1", "TERM": "xterm", "COLORTERM": "", "NO_COLOR": ""}
    kernel = ("--cc", "9.0", "--threads", "64:1024:64", "--regs", "32:128:16")
    text = subprocess.run(
        (sys.executable, "-m", "occupancy", "sweep", *kernel),
        env={**os.environ, **settings, **environment},
        stdout=subprocess.PIPE,
        check=True,
    ).stdout.decode()
    assert "\x1b[" in text
    assert ("\x1b[38;5;112m" in text) == has_many
    half = Color.parse(GRADIENT[0.5]).downgrade(ColorSystem.STANDARD)
    assert half.get_ansi_codes() in (("32",), ("92",))
