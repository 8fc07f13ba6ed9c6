"""The command line: one module for each command, loaded when it is called."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any, NoReturn

import click

from .. import __version__
from ..errors import OccupancyError

EXIT_CLOSED_PIPE = 141
"""128 + SIGPIPE: what a shell reports for a program whose reader went away."""

# Command -> one line for `occupancy --help`; its module has the same name, with underscores, and is
# loaded only when the command is called.
COMMANDS = {
    "calc": "How many blocks of a kernel fit on an SM, and what stops one more.",
    "limits": "What an SM of each compute capability offers.",
}


class Refusal(click.ClickException):
    """Wrong usage: one message on standard error, exit code 2."""

    exit_code = 2


class LazyCommands(click.Group):
    """A group whose commands are imported on demand, and which puts every error into a message."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f".{cmd_name.replace('-', '_')}", __name__)
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except OccupancyError as error:
            raise Refusal(str(error)) from error


@click.command(cls=LazyCommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="occupancy")
def commands() -> None:
    """CUDA occupancy without a GPU: exact, for every compute capability.

    \b
    occupancy calc --cc 7.0 --threads 128 --regs 37
    """


def main() -> NoReturn:
    """Run the command line; the entry point of the program ``occupancy``."""
    try:
        code = commands.main(prog_name="occupancy", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as exit_request:
        code = exit_request.exit_code
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        code = 130
    except BrokenPipeError:
        # Nobody reads any more; keep the interpreter from flushing into the closed pipe at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = EXIT_CLOSED_PIPE
    sys.exit(code)
