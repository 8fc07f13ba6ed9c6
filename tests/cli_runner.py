"""Runners of the command line for tests, in this process or in a subprocess."""

import csv
import io
import json
import os
import subprocess
import sys
from typing import Any

import click
from click.testing import CliRunner, Result

from occupancy.cli import commands

CONTEXT = click.Context(commands)
COMMANDS = {name: commands.get_command(CONTEXT, name) or commands for name in commands.list_commands(CONTEXT)}
"""Commands by name."""

PROGRAM = (sys.executable, "-m", "occupancy")


def run_alone(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, **environment}
    return subprocess.run([*PROGRAM, *arguments], capture_output=True, text=True, env=variables)


def run(*arguments: str, columns: int | str = 80, stdin: bytes | None = None) -> Result:
    screen = {"COLUMNS": str(columns)}
    return CliRunner().invoke(commands, arguments, prog_name="occupancy", env=screen, input=stdin)


def as_json(*arguments: object, stdin: bytes | None = None) -> Any:
    done = run(*map(str, arguments), "--format", "json", stdin=stdin)
    assert done.exit_code in (0, 1), done.output
    return json.loads(done.stdout)


def as_csv(*arguments: object) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(run(*map(str, arguments), "--format", "csv").stdout)))
