"""The command line inside this process, for tests of what it prints."""

from __future__ import annotations

from click.testing import CliRunner, Result

from occupancy.cli import commands


def run(*arguments: str, columns: int | str = 80, stdin: bytes | None = None) -> Result:
    """Run a command on a screen so many columns wide."""
    return CliRunner().invoke(
        commands, arguments, prog_name="occupancy", env={"COLUMNS": str(columns)}, input=stdin
    )
