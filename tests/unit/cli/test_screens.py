"""Whatever the width: no number parts from its unit, no line is wider than the terminal."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from tests.cli_runner import run

COMMANDS = (
    (
        "calc",
        "--cc",
        "9.0",
        "--threads",
        "256",
        "--regs",
        "72",
        "--smem",
        "40k",
        "--grid",
        "5000",
        "--sms",
        "132",
    ),
    ("calc", "--cc", "9.0", "--threads", "256", "--smem", "300k", "--explain"),
    ("calc", "--cc", "8.6", "--threads", "1024", "--regs", "80", "--charts"),
    ("fits", "--threads", "256", "--smem", "96k"),
    ("budget", "--cc", "9.0", "--threads", "256", "--regs", "40", "--occupancy", "75%"),
    ("bounds", "--cc", "7.5,8.6,9.0", "--threads", "256", "--min-blocks", "6"),
    ("registers", "--threads", "384", "--groups", "1:40,2:232"),
    ("block-sizes", "--cc", "8.6", "--regs", "40", "--smem-per-thread", "32"),
    ("sweep", "--cc", "9.0", "--threads", "128", "--regs", "16:128:8"),
    ("sweep", "--cc", "9.0", "--threads", "32:1024:32", "--regs", "16:128:8"),
    ("limits", "9.0", "8.6"),
    ("gpus", "h100"),
    ("scan", "BEFORE"),
    ("diff", "BEFORE", "AFTER"),
)
WIDTHS = (60, 80, 120, 200)

TORN = re.compile(r"\d$\n\s*(?:[KMG]iB|bytes|GB)\b", re.MULTILINE)
"""A size whose unit stands in the next line."""


def screen(command: tuple[str, ...], builds: Path, columns: int) -> str:
    folders = {"BEFORE": str(builds / "before"), "AFTER": str(builds / "after")}
    return run(*(folders.get(each, each) for each in command), columns=columns).stdout


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_number_is_broken(command: tuple[str, ...], columns: int, builds: Path) -> None:
    text = screen(command, builds, columns)
    assert not TORN.search(text), text
    assert max(map(len, text.splitlines())) <= columns


def test_a_number_without_its_unit_would_be_found() -> None:
    assert TORN.search("shared memory 40\n             KiB")
    assert not TORN.search("8 blocks of 256\n  threads, 3")


def columns_of(*command: str) -> list[str]:
    return next(csv.reader(io.StringIO(run(*command, "--format", "csv").stdout)))


def test_the_columns_of_the_csv_do_not_depend_on_the_options() -> None:
    plain = columns_of("calc", "--cc", "9.0", "--threads", "256")
    for more in (
        ("--grid", "4096", "--sms", "132"),
        ("--explain",),
        ("--set", "max_blocks_per_multiprocessor=16"),
        ("--smem", "300k"),
    ):
        assert columns_of("calc", "--cc", "9.0", "--threads", "256", *more) == plain
    assert columns_of("limits", "9.0") == columns_of("limits", "8.6")


def test_what_the_system_reserves_is_told_apart() -> None:
    text = run("calc", "--cc", "9.0", "--threads", "256", "--smem", "8k", columns=100).stdout
    assert "8 KiB + 1 KiB reserved" in text
    assert "Left over" in text
    assert "Unused" not in text
