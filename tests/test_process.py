"""The program run from a shell: exit codes, closed pipes, terminals."""

import contextlib
import os
import subprocess
import sys

import pytest
from click.shell_completion import BashComplete

from occupancy.cli import commands
from tests.cli_runner import PROGRAM
from tests.cli_runner import run_alone as run

V100 = ("calc", "--cc", "7.0", "--threads", "128", "--regs", "37")


@pytest.mark.parametrize(
    "arguments", [("calc", "--cc", "9.0", "--threads", "0"), ("calc", "--no-such"), ("nothing",), ("calc",)]
)
def test_wrong_usage_goes_to_standard_error_and_ends_with_2(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Error: " in done.stderr
    assert (" --help." in done.stderr) == (arguments[-1] in ("--no-such", "nothing"))
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [("limits", "--format", "json"), ("--help",), ("--version",)])
def test_a_closed_pipe_ends_quietly(arguments: tuple[str, ...]) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    with os.fdopen(write_end, "w") as closed:
        done = subprocess.run([*PROGRAM, *arguments], stdout=closed, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (141, "")


def test_color_only_on_a_terminal_and_not_with_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    pty = pytest.importorskip("pty", reason="SKIPPED: this system has no pseudo-terminals")

    def on_a_terminal(**environment: str) -> str:
        controller, terminal = pty.openpty()
        merged = {**os.environ, "TERM": "xterm", **environment}
        subprocess.run([*PROGRAM, *V100], stdout=terminal, stderr=terminal, env=merged)
        os.close(terminal)
        shown = b""
        with contextlib.suppress(OSError):  # on Linux, the other side is closed
            while chunk := os.read(controller, 65536):
                shown += chunk
        os.close(controller)
        return shown.decode()

    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in on_a_terminal()
    assert "\x1b[" not in on_a_terminal(NO_COLOR="1")
    assert "\x1b[" not in on_a_terminal(TERM="dumb")
    assert "\x1b[" not in on_a_terminal(NO_COLOR="1", FORCE_COLOR="1")


def test_color_can_be_forced_where_there_is_no_terminal() -> None:
    done = run(*V100)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("75% occupancy")
    assert "\x1b[" not in done.stdout
    assert "\x1b[" in run(*V100, FORCE_COLOR="1", NO_COLOR="").stdout
    assert "\x1b[" not in run(*V100, FORCE_COLOR="1", NO_COLOR="1").stdout
    assert "\x1b[" not in run(*V100, FORCE_COLOR="").stdout
    assert "\x1b[" not in run(*V100, "--format", "json", FORCE_COLOR="1", NO_COLOR="").stdout


def test_the_shell_completes() -> None:
    completions = {
        "ca": ["plain,calc"], "calc --thr": ["plain,--threads"], "calc --format j": ["plain,json", "plain,jsonl"],
        "calc --model s": ["plain,spreadsheet"], "budget --caching ca": ["plain,ca"],
        "calc --limits my": ["file,my"], "limits --limits my": ["file,my"],
    }  # fmt: skip
    shell = BashComplete(commands, {}, "occupancy", "_OCCUPANCY_COMPLETE")
    for typed, offered in completions.items():
        *arguments, last = typed.split()
        assert [f"{each.type},{each.value}" for each in shell.get_completions(arguments, last)] == offered
    # Completion needs the program's name, so `python -m` does not work.
    code = "import sys; sys.argv = ['occupancy']; from occupancy.cli import main; main()"
    asked = {"_OCCUPANCY_COMPLETE": "bash_complete", "COMP_WORDS": "occupancy ca", "COMP_CWORD": "1"}
    command, variables = [sys.executable, "-c", code], {**os.environ, **asked}
    assert subprocess.run(command, capture_output=True, text=True, env=variables).stdout == "plain,calc\n"
