"""How errors are said: where, what, what is allowed, the hint."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import click
import pytest

import occupancy
from occupancy.cli import commands
from occupancy.cli.messages import message, wrapped
from tests.cli_runner import run


def test_lines_end_between_words() -> None:
    text = wrapped("Error: " + "max_shared_memory_per_block_optin is 232,448 bytes " * 4, 40)
    assert max(map(len, text.splitlines())) <= 40
    assert text.split() == ("Error: " + "max_shared_memory_per_block_optin is 232,448 bytes " * 4).split()


def test_usage_errors_have_the_form_of_ours() -> None:
    context = click.Context(commands, info_name="occupancy")
    found = message(click.UsageError("No such option: --foo", context))
    assert found == "No such option: --foo. `occupancy --help` lists what there is."


def test_without_a_command_there_is_one_screen() -> None:
    done = run()
    text = done.stdout
    assert done.exit_code == 0
    assert len(text.splitlines()) <= 40
    assert all(f"occupancy {each}" in text for each in ("calc --cc", "scan build/", "check build/"))
    assert all(f"  {each}  " in text for each in ("calc", "fits", "schema"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("calc", "-t", "0"), "-t: 0 is out of range. Allowed: 1 to 1,024."),
        (("calc", "--threads", "0"), "--threads: 0 is out of range."),
        (("calc", "-t0"), "-t: 0 is out of range."),
        (("calc", "-t", "32", "--regs", "256"), "--regs: 256 is out of range. Allowed: 0 to 255."),
        (("calc", "-t", "32", "-s", "1.3k"), "-s: '1.3k' is not a whole number of bytes."),
        (
            ("calc", "-t", "32", "--opt-in", "--tensor-memory", "x"),
            "--tensor-memory: 'x' is not a whole number.",
        ),
        (("calc", "-t", "32", "--grid", "9", "--sms", "0"), "--sms: 0 is out of range. Allowed: 1 and up."),
        (("calc", "-t", "32", "--grid", "9"), "--grid: the number of SMs of 9.0 is not known."),
        (("calc", "-t", "32", "--set", "x"), "--set: 'x' has no value."),
        (("bounds", "-t", "32", "--min-blocks", "0"), "min_blocks: 0 is out of range."),
        (("budget", "-t", "32", "--blocks", "1", "--occupancy", "1"), "--occupancy and --blocks: both say"),
        (("block-sizes", "--smem-per-thread", "x"), "--smem-per-thread: 'x' is not a size."),
        (("registers", "-t", "384", "--groups", "1x"), "--groups: '1x' is not a list of warpgroups."),
        (("sweep", "-t", "64:32"), "-t: the range '64:32' is empty."),
        (("sweep", "-t", "64", "--regs", "1,256"), "--regs: 256 is out of range."),
    ],
    ids=str,
)
def test_errors_name_the_option_that_was_typed(arguments: tuple[str, ...], message: str) -> None:
    done = run(arguments[0], "--cc", "9.0", *arguments[1:])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"Error: {message}")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("-t", "32", "--caching", "x"), "--caching: 'x' is not a choice. Allowed: ca, cg."),
        (
            ("-t", "32", "--model", "cuda,spreadsheet"),
            "--model: 'cuda,spreadsheet' is not a choice. Allowed: cuda, spreadsheet. "
            "`occupancy calc --model spreadsheet` shows both answers where they differ.",
        ),
        (("-t", "32", "--device", "-1"), "--device: -1 is out of range. Allowed: 0 and up."),
        (("-t", "32", "--device", "x"), "--device: 'x' is not a whole number."),
        (("-r", "32"), "--threads: is missing. Threads per block, or the block's shape: 256, 16x16."),
    ],
    ids=str,
)
def test_errors_of_click_say_it_in_our_words(arguments: tuple[str, ...], expected: str) -> None:
    with pytest.raises(click.ClickException) as caught:
        commands.main(("calc", *arguments), prog_name="occupancy", standalone_mode=False)
    assert message(caught.value) == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("calc", "-t", "32", "-c", "hopp"), "Error: -c: 'hopp' is not a compute"),
        (("calc", "-t", "32", "--arch", "9.9"), "Error: --arch: 9.9 is not in the table."),
        (("fits", "-t", "32", "--gpu", "A100,hopp"), "Error: --gpu: 'hopp' is not a compute"),
        (("limits", "hopp"), "Error: 'hopp' is not a compute"),
        (("gpus", "hopp"), "Error: 'hopp' is not a compute"),
    ],
    ids=str,
)
def test_a_chip_that_no_option_named_speaks_for_itself(arguments: tuple[str, ...], message: str) -> None:
    assert run(*arguments).stderr.startswith(message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"threads": 0}, "threads: 0 is out of range. Allowed: 1 to 1,024."),
        ({"threads": 32, "regs": 256}, "regs: 256 is out of range. Allowed: 0 to 255."),
        ({"threads": 32, "smem": "x"}, "smem: 'x' is not a size."),
        ({"threads": 32, "opt_in": 2}, "opt_in: 2 is not a choice."),
        ({"threads": 32, "shared_memory_mode": "x"}, "shared_memory_mode: 'x' is not a choice."),
        ({"threads": 32, "tensor_memory": 32}, "tensor_memory: compute capability 9.0 has no tensor memory."),
    ],
    ids=str,
)
def test_errors_of_python_name_the_argument(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(occupancy.InputError) as caught:
        occupancy.compute("9.0", **arguments)
    assert str(caught.value).startswith(message)


@pytest.mark.posix
@pytest.mark.parametrize("columns", [40, 80])
@pytest.mark.parametrize("option", [("--gpu", "6000"), ("-c", "9.9")], ids=str)
def test_a_terminal_shows_errors_red_and_broken_at_words(columns: int, option: tuple[str, str]) -> None:
    master, slave = os.openpty()
    environment = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm", "NO_COLOR": ""}
    command = [sys.executable, "-m", "occupancy", "calc", "-t", "256", *option]
    subprocess.run(command, stderr=slave, stdout=slave, env=environment, check=False)
    text = os.read(master, 10_000).decode().replace("\r", "")
    os.close(slave)
    os.close(master)
    assert text.startswith("\x1b[31m\x1b[1mError:\x1b[0m ")
    lines = text.replace("\x1b[31m\x1b[1m", "").replace("\x1b[0m", "").splitlines()
    assert max(map(len, lines)) <= columns
    assert " ".join(" ".join(lines).split()) == " ".join(run(*command[3:]).stderr.split())


def test_a_schema_of_nothing_names_what_there_is() -> None:
    assert run("schema").stderr.startswith("Error: COMMAND: is missing. Allowed: calc, fits, budget, ")
