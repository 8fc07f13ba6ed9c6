"""The command line: one module for each command, loaded when it is called; the only home of click.

A command reads its options, asks `api`, and prints a report. It may use all rooms below; nothing uses it.
"""

from __future__ import annotations

import errno
import importlib
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

import click

from .. import __version__
from ..errors import OccupancyError

DEFAULT_WIDTH = 80
MOST_DIGITS = 5
"""Of a width that is taken for one."""
EXIT_INTERRUPTED = 130
EXIT_CLOSED_PIPE = 141
"""128 + SIGINT and 128 + SIGPIPE: what a shell reports for programs that these signals end."""

# Command -> one line for `occupancy --help`; its module has the same name, with underscores, and is
# loaded only when the command is called.
COMMANDS = {
    "calc": "Compute the occupancy of a kernel, and the changes that raise it.",
    "fits": "List the GPUs on which a kernel runs.",
    "budget": "Find the registers and shared memory for a target occupancy.",
    "bounds": "Show the register cap of __launch_bounds__ on each GPU.",
    "registers": "Check or solve a register split of warpgroups (setmaxnreg).",
    "block-sizes": "Rank block sizes by occupancy.",
    "sweep": "Vary inputs: tables, pictures, rows for programs.",
    "page": "Open the calculator in the browser.",
    "scan": "List the kernels of files with their occupancy.",
    "diff": "Compare the kernels of two builds.",
    "init": "Create rules and a baseline for check.",
    "check": "Check the kernels of a build against rules.",
    "limits": "Show the limits of an SM by compute capability.",
    "gpus": "Find GPUs by name.",
    "device": "Show the GPUs of this machine.",
    "verify": "Compare results with the driver of this machine.",
    "schema": "Print the JSON Schema of a command.",
}


_MODULES = {
    **dict.fromkeys(("calc", "fits", "budget", "bounds", "block-sizes", "registers"), "calc"),
    **dict.fromkeys(("limits", "gpus", "device", "verify"), "gpus"),
}
"""Command -> its module, where that has another name."""

ASKED = f"{__name__}.asked"
"""Key of a context: the command and its arguments, as they were typed."""


class Refusal(click.ClickException):
    """Wrong usage: one message on standard error, exit code 2."""

    exit_code = 2


class ClosedPipe(Exception):  # noqa: N818, it ends the program but is no error
    """The reader of the answer has closed the pipe."""


def _printable(text: str) -> str:
    from ..values.untrusted import printable

    return printable(text)


@contextmanager
def errors_as_messages(context: click.Context | None = None) -> Iterator[None]:
    """Turn whatever goes wrong with an answer, or with printing it, into a message and an exit code."""
    try:
        yield
    except OccupancyError as error:
        if context is not None and ASKED in context.meta:
            from .messages import name_options

            name_options(error, *context.meta[ASKED])
        messages = ("\n".join(map(_printable, each.lines())) for each in error.every)
        raise Refusal("\nError: ".join(messages)) from error
    except MemoryError:
        raise Refusal("There is not enough memory for the answer.") from None
    except BrokenPipeError:
        raise ClosedPipe from None
    except OSError as error:
        problem = error.strerror or str(error)
        if _was_printing(error):
            if error.errno == errno.EINVAL:  # what Windows says of a closed pipe
                raise ClosedPipe from None
            raise Refusal(f"The answer cannot be written: {problem}.") from error
        file = error.filename or "the system"
        raise Refusal(_printable(f"{os.fsdecode(file)}: {problem}.")) from error


def _was_printing(error: OSError) -> bool:
    """Whether it came out of one of the two functions that print."""
    import traceback  # only an error needs it

    from .output import print_text

    printing = {click.echo.__code__, print_text.__code__}
    return any(frame.f_code in printing for frame, _ in traceback.walk_tb(error.__traceback__))


def terminal_width() -> int:
    """Columns of the terminal, or of the variable COLUMNS; 80 where there is neither."""
    # As shutil.get_terminal_size(), whose module takes as long to import as a whole answer to compute.
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and len(columns) <= MOST_DIGITS and int(columns) > 0:
        return int(columns)
    try:
        # A terminal that was never told its size says 0.
        return os.get_terminal_size(sys.stdout.fileno()).columns or DEFAULT_WIDTH
    except (AttributeError, OSError, ValueError):  # closed, no terminal, or a test's stand-in
        return DEFAULT_WIDTH


class Context(click.Context):
    """One whose help is as wide as click makes it, by `terminal_width`."""

    def make_formatter(self) -> click.HelpFormatter:
        forced = click.formatting.FORCED_WIDTH  # by click's own runner of tests
        return click.HelpFormatter(width=forced or max(min(terminal_width(), DEFAULT_WIDTH) - 2, 50))


class LazyCommands(click.Group):
    """A group whose commands are imported on demand, and which puts every error into a message."""

    context_class = Context

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        module = importlib.import_module(f".{_MODULES.get(cmd_name, name)}", __name__)
        command: click.Command = getattr(module, name, None) or module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            from .mistyped import instead_of_command  # only an error needs it

            ctx.fail(f"There is no command {name!r}.{instead_of_command(name, COMMANDS)}")
        found = super().resolve_command(ctx, args)
        ctx.meta[ASKED] = found[1], list(found[2])
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        with errors_as_messages(ctx):  # --help and --version print here
            try:
                return super().parse_args(ctx, args or ["--help"])  # what it is, and what it can do
            except click.NoSuchOption as error:
                from .mistyped import without_command  # only an error needs it

                raise without_command(error, self, ctx) from error

    def invoke(self, ctx: click.Context) -> Any:
        with errors_as_messages(ctx):
            return super().invoke(ctx)


@click.command(cls=LazyCommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="occupancy")
def commands() -> None:
    """CUDA occupancy without a GPU: exact, for every compute capability.

    \b
    occupancy calc --cc 7.0 --threads 128 --regs 37   one kernel on one SM
    occupancy scan build/                             the kernels of files
    occupancy check build/ --rules occupancy.toml     regressions, in CI
    """


def _write_whole() -> None:
    """Have all of an answer written, or an error.

    With PYTHONUNBUFFERED, which containers set, Python leaves out without a word what a full disk or a closed
    pipe does not take of it.
    """
    stream = sys.stdout
    raw = getattr(stream, "buffer", None)
    if stream is not None and isinstance(raw, io.RawIOBase):
        whole = io.BufferedWriter(raw)
        sys.stdout = io.TextIOWrapper(whole, stream.encoding, stream.errors, line_buffering=True)


def main() -> NoReturn:
    """Run the command line; the entry point of the program ``occupancy``."""
    code = 0
    _write_whole()
    try:
        code = commands.main(prog_name="occupancy", standalone_mode=False) or 0
    except click.ClickException as error:
        code = error.exit_code
        if not isinstance(error, Refusal):  # words of the command line, which may come of names of files
            error.__dict__["message"] = "\n\t".join(map(_printable, error.message.split("\n\t")))
        from .messages import say

        with suppress(OSError):  # nobody to tell
            say(error)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        code = EXIT_INTERRUPTED
    except ClosedPipe:
        code = EXIT_CLOSED_PIPE
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            # Already said; without this the interpreter would try again at its end, and complain.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(code)
