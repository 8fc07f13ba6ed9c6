"""Whatever the width: no number parts from its unit, no line is wider than the terminal."""

from __future__ import annotations

import csv
import io
import re
import shlex
import shutil
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from occupancy.cli import COMMANDS, commands
from occupancy.report.name_words import IF_SHORTENED
from tests.cli_runner import run
from tests.recorded import FEW

SCREENS = """
calc --cc 9.0 --threads 256 --regs 72 --smem 40k --grid 5000 --sms 132
calc --cc 9.0 --threads 256 --smem 300k --explain
calc --gpu H200 --threads 256 --regs 40 --grid 4096 --cluster 4
calc --gpu 'RTX 2080 Ti,H100,RTX 4090' --threads 192 --regs 72 --smem 80k
calc --gpu B200 --threads 128 --regs 64 --smem 48k --tensor-memory 256
calc --gpu 'H100 SXM' --threads 384 --regs 168 --smem 220k --cluster 2 --setmaxnreg 24,240,240
calc --cc 8.6 --threads 1024 --regs 80
calc --cc 8.6 --threads 128 --regs 64 --smem 20k --model spreadsheet
calc --gpu 'H100,RTX 4090' --threads 192 --regs 72 --smem 40k --explain
calc --gpu 'H100 SXM,B200' --threads 256 --regs 48 --smem 20k --grid 3000 --cluster 4
fits --threads 256 --smem 96k --all
fits --threads 256 --smem 96k --gpu 'RTX 2080 Ti,RTX 4090,H100 SXM'
budget --cc 9.0 --threads 256 --regs 40 --occupancy 75%
budget --cc 9.0 --threads 256
budget --gpu 'A100,H100,RTX 3090,RTX 5090' --threads 256 --blocks 4
budget --gpu A100,H100 --threads 256
bounds --cc 7.5,8.6,9.0 --threads 256 --min-blocks 6
bounds --gpu 'A100,RTX 3090' --threads 256 --min-blocks 4 --smem 40k --regs 80
registers --threads 384 --groups 1:40,2:232
registers --threads 384 --groups 1:24,2:240
block-sizes --cc 8.6 --regs 40 --smem-per-thread 32
block-sizes --gpu 'H100,RTX 4090,A100' --regs 72 --smem 40k
sweep --gpu 'H100,RTX 4090,A100' --threads 192
limits
limits 9.0 8.6
limits 10.3 --sources
gpus h100
scan BEFORE
scan BEFORE.log
diff BEFORE AFTER
diff BEFORE AFTER --all
check AFTER --rules RULES
"""
CHARTS = """
calc --cc 8.6 --threads 1024 --regs 80 --charts
sweep --gpu H100 --threads 128 --regs 37
sweep --cc 9.0 --threads 128 --regs 16:128:8
sweep --cc 9.0 --threads 32:1024:32 --regs 16:128:8
sweep --gpu 'H100,RTX 4090,A100' --threads 192 --regs 16:255
"""
ONE_PAGE = ("init", "schema")
HELP = (
    "",
    *(f"{command} --help" for command in COMMANDS),
    *(f"{command} --help-all" for command in COMMANDS if command not in ONE_PAGE),
)
WIDTHS = (60, 80, 120, 200)

TORN = re.compile(r"\d$\n\s*(?:[KMG]iB|bytes|GB)\b", re.MULTILINE)
"""A size whose unit stands in the next line."""


@pytest.fixture(scope="module")
def names(builds: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What stands for files in the commands above."""
    rules = tmp_path_factory.mktemp("rules") / "rules.toml"
    rules.write_text("[[rules]]\nmin_occupancy = 60\n")
    return {"BEFORE": str(builds / "before"), "AFTER": str(builds / "after"), "RULES": str(rules)}


def screen(command: str, names: dict[str, str], columns: int, *, color: bool = False) -> str:
    for name, path in names.items():
        command = command.replace(name, path)
    return shown(command, columns, color)


@cache
def shown(command: str, columns: int, color: bool) -> str:
    """Several tests look at the same screen."""
    environment = {"COLUMNS": str(columns), "FORCE_COLOR": "1" if color else "", "NO_COLOR": ""}
    done = CliRunner().invoke(
        commands, shlex.split(command), prog_name="occupancy", color=color, env=environment
    )
    assert done.exit_code in (0, 1), done.output
    return done.stdout


def words_of(text: str) -> set[str]:
    """Without which columns there was no room for: the end of some screens."""
    return {word for word in text.partition("No room for:")[0].split() if "..." not in word}


@pytest.mark.parametrize("columns", [*WIDTHS[:-1], pytest.param(WIDTHS[-1], marks=pytest.mark.thorough)])
@pytest.mark.parametrize("command", SCREENS.strip().splitlines() + CHARTS.strip().splitlines())
def test_no_line_is_wider_than_the_terminal(command: str, columns: int, names: dict[str, str]) -> None:
    text = screen(command, names, columns)
    assert not TORN.search(text), text
    assert max(map(len, text.splitlines())) <= columns
    coloured = re.sub(r"\x1b\[[0-9;]*m", "", screen(command, names, columns, color=True))
    assert [line.rstrip() for line in coloured.splitlines()] == text.splitlines()


@pytest.mark.parametrize("command", SCREENS.strip().splitlines())
def test_no_number_and_no_word_is_broken(command: str, names: dict[str, str]) -> None:
    """Each word of a narrow screen is one of a screen that is wide enough for all."""
    # Where no demangler is installed, names are long, and only narrow screens say how to see whole ones.
    words = words_of(screen(command, names, 400)) | set(IF_SHORTENED.split())
    for columns in WIDTHS:
        broken = {word for word in words_of(screen(command, names, columns)) - words if "://" not in word}
        shown = {word for word in broken if not any(word in whole and "://" in whole for whole in words)}
        assert not shown


@pytest.mark.parametrize("command", HELP)
def test_help_fits_on_a_terminal_of_80_columns(command: str, names: dict[str, str]) -> None:
    assert max(map(len, screen(command, names, 80).splitlines())) <= 80


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize(
    "command",
    ["device", "verify --quick", "calc --device 0 -t 256 -r 40 --grid 9999", "init BEFORE", "page -o p.html"],
)
def test_nor_those_of_a_gpu_and_of_what_writes_files(
    command: str,
    columns: int,
    names: dict[str, str],
    h200: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("occupancy.device.verification.QUICK", FEW)
    shutil.copytree(names["BEFORE"], tmp_path / "before")
    monkeypatch.chdir(tmp_path)
    text = screen(command, {"BEFORE": "before"}, columns)
    assert not TORN.search(text), text
    assert max(map(len, text.splitlines()), default=0) <= columns


@pytest.mark.parametrize("columns", [60, 80])
@pytest.mark.parametrize("command", HELP[1:])
def test_help_on_a_narrow_terminal_ends_no_clause_within_a_value(
    command: str, columns: int, names: dict[str, str]
) -> None:
    for line in screen(command, names, columns).splitlines():
        assert line.count("'") % 2 == 0 or "'s" in line, line
        assert not re.search(r":\d+,\d+\.$|: ?\.$", line), line


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
        ("--grid", "4096", "--sms", "132", "--cluster", "2"),
    ):
        assert columns_of("calc", "--cc", "9.0", "--threads", "256", *more) == plain


@pytest.mark.parametrize(
    "alike",
    [
        (
            "calc --cc 9.0 -t 256",
            "calc --gpu 'H100 SXM' -t 32 --grid 100 --cluster 2",
            "calc --gpu H100 -t 999",
        ),
        (
            "calc --cc 9.0,8.0 -t 256",
            "calc --gpu H100,A100 -t 32 -s 300k",
            "calc --gpu 'H100 SXM,B200' -t 32 --grid 100 --cluster 2 --explain",
        ),
        ("fits -t 256", "fits -t 256 --gpu H100 -s 300k", "fits -t 256 --model spreadsheet"),
        ("budget --cc 9.0 -t 256", "budget --gpu H100 -t 256 --blocks 2"),
        ("bounds -t 256", "bounds --gpu H100 -t 256 --min-blocks 4"),
        (
            "block-sizes --cc 9.0",
            "block-sizes --gpu H100 --smem-per-thread 4",
            "block-sizes --gpu H100,A100 --smem-per-thread 4",
        ),
        ("limits", "limits 9.0", "limits --all"),
        ("gpus", "gpus h100"),
        ("scan BEFORE", "scan BEFORE.log", "scan BEFORE --gpu H200"),
        ("diff BEFORE AFTER", "diff BEFORE AFTER --all"),
        ("sweep --cc 9.0 -t 128", "sweep --gpu H100 -t 128 -r 40"),
    ],
    ids=lambda alike: alike[0],
)
def test_nor_do_they_in_any_command(alike: tuple[str, ...], names: dict[str, str]) -> None:
    headers = [screen(f"{command} --format csv", names, 80).splitlines()[0] for command in alike]
    assert headers == headers[:1] * len(headers)


def test_what_the_system_reserves_is_told_apart() -> None:
    text = run("calc", "--cc", "9.0", "--threads", "256", "--smem", "8k", columns=100).stdout
    assert "8 KiB + 1 KiB reserved" in text
    assert "Left over" in text
    assert "Unused" not in text
