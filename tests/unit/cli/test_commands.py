"""What holds for every command: its help, and how an error of the system ends it."""

from __future__ import annotations

import io
import os

import click
import pytest

from occupancy.cli import COMMANDS
from occupancy.cli.command import Refusal, errors_as_messages
from tests.cli_runner import run


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_prints_no_escape_sequence(command: str) -> None:
    shown = run(*command.split(), "--help").stdout
    assert shown.startswith("Usage: occupancy")
    assert "\\b" not in shown


def test_launch_bounds_that_differ_between_architectures() -> None:
    command = "budget --threads 384 --cc 8.0,9.0,12.0 --blocks 8.0=1,9.0=2,12.0=4"
    bounds = "__launch_bounds__(384, __CUDA_ARCH__ >= 1200 ? 4 : __CUDA_ARCH__ >= 900 ? 2 : 1)"
    assert bounds in run(*command.split(), columns=200).stdout


def test_a_file_that_fails_is_named() -> None:
    with pytest.raises(Refusal, match=r"^/nowhere/table: No such file or directory\.$"), errors_as_messages():
        os.stat("/nowhere/table")


def test_only_printing_is_called_writing_the_answer() -> None:
    with pytest.raises(Refusal, match=r"^The output cannot be written: "), errors_as_messages():
        click.echo("answer", file=_Full())
    with pytest.raises(Refusal, match=r"^the system: it is on fire\.$"), errors_as_messages():
        raise OSError("it is on fire")


class _Full(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError(28, "No space left on device")
