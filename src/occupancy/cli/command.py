"""Commands with their options in groups, suggestions for mistyped words, and errors as messages."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import click

from ..errors import OccupancyError
from ..values.untrusted import printable

DEFAULT_WIDTH = 80
EXIT_INTERRUPTED = 130
EXIT_CLOSED_PIPE = 141
"""128 + SIGINT and 128 + SIGPIPE: exit codes of programs that these signals end."""

Group = Literal["gpu", "kernel", "launch", "output"]
GROUPS: dict[Group, str] = {"gpu": "GPU", "kernel": "Kernel", "launch": "Launch", "output": "Options"}


class Option(click.Option):
    """An option in a group of the help."""

    def __init__(self, *declarations: str, group: Group = "output", **settings: Any) -> None:
        super().__init__(declarations, **settings)
        self.group = group


class Refusal(click.ClickException):
    """Wrong usage: a message on standard error, exit code 2."""

    exit_code = 2


class Failure(Refusal):
    """A command without a result: a message on standard error, exit code 1."""

    exit_code = 1


class Command(click.Command):
    """A command with grouped options, whose usage errors end in something to type."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under the names of their groups."""
        for group, title in GROUPS.items():
            records = (
                option.get_help_record(ctx) for option in self.get_params(ctx)
                if isinstance(option, click.Option) and getattr(option, "group", "output") == group
            )  # fmt: skip
            rows = [record for record in records if record is not None]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as click does; name the options that other words and bare numbers stand for."""
        before = ["", *args]
        numbers = [
            each for option, each in zip(before, args, strict=False)
            if each.replace(".", "", 1).isdecimal() and not option.startswith("-")
        ]  # fmt: skip
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            found = error.possibilities or []
            longer = [each for each in found if each.startswith(error.option_name)]
            near = self._options_like(error.option_name) or longer or found
            raise click.NoSuchOption(error.option_name, possibilities=near, ctx=ctx) from None
        except click.UsageError as error:
            if numbers and any(option.name == "threads" for option in self.params):
                names = ["--cc"] * ("." in numbers[0]) + ["--threads", "--regs", "--smem"]
                named = " ".join(f"{name} {value}" for name, value in zip(names, numbers, strict=False))
                bare = ", ".join(map(repr, numbers))
                raise click.UsageError(f"Unexpected values {bare}. Did you mean {named}?", ctx) from None
            if not isinstance(error, click.MissingParameter) or error.param is None:
                raise
            name, what = error.param.make_metavar(ctx).rstrip("."), "files, or - for standard input."
            if isinstance(error.param, click.Option):
                text = error.param.help or ""
                name, what = error.param.opts[-1], f"{text[:1].lower()}{text[1:]}"
            raise click.UsageError(f"Missing {name}: give {what}", ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; its errors name options in place of keywords."""
        try:
            return super().invoke(ctx)
        except OccupancyError as error:
            raise refusal(error, self) from error

    def _options_like(self, typed: str) -> list[str]:
        from ..values.fields import FIELDS

        plain = typed.replace("-", "").lower()
        known = {option.name for option in self.params}
        if plain == "arch" and "cc" in known:
            return ["--cc"]
        return [
            field.options[-1] for field in FIELDS.values() if plain in field.aliases and field.name in known
        ]


def command(*params: click.Parameter) -> Callable[[Callable[..., None]], Command]:
    """Return a decorator that makes a function a command with these parameters, by the function's name."""
    return click.command(cls=Command, params=list(params))


def terminal_width() -> int:
    """Return the columns of the terminal, or of the variable COLUMNS; 80 without either."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and len(columns) <= len("10000") and int(columns) > 0:
        return int(columns)
    try:
        # A terminal that was never given its size reports 0.
        return os.get_terminal_size(sys.stdout.fileno()).columns or DEFAULT_WIDTH
    except (AttributeError, OSError, ValueError):  # closed, no terminal, or a test's stand-in
        return DEFAULT_WIDTH


@contextmanager
def errors_as_messages() -> Iterator[None]:
    """Turn errors of the system, also of printing, into a message and an exit code."""
    closed_pipe = click.exceptions.Exit(EXIT_CLOSED_PIPE)
    try:
        yield
    except MemoryError:
        raise Refusal("There is not enough memory for the result.") from None
    except BrokenPipeError:
        raise closed_pipe from None
    except OSError as error:
        problem = error.strerror or str(error)
        if _was_printing(error):
            if error.errno == errno.EINVAL:  # as Windows calls a closed pipe
                raise closed_pipe from None
            raise Refusal(f"The output cannot be written: {problem}.") from error
        file = error.filename or "the system"
        raise Refusal(printable(f"{os.fsdecode(file)}: {problem}.")) from error


def refusal(error: OccupancyError, command: click.Command, kind: type[Refusal] = Refusal) -> Refusal:
    """Return the message of an error, and of those found together with it, with options for keywords."""
    messages = ["\n".join(map(printable, _lines(each, command))) for each in error.every]
    return kind("\nError: ".join(messages))


def _lines(error: OccupancyError, command: click.Command) -> Sequence[str]:
    names = {"multiprocessor_count": "sms", "min_blocks": "blocks"}
    name = names.get(error.where, error.where)
    option = next((each for each in command.params if each.name == name), None)
    if isinstance(option, click.Option):
        long = next((name for name in option.opts if name.startswith("--")), option.opts[0])
        if error.problem == "is missing":
            return [f"Missing {long}. {error.hint}".rstrip()]
        error.where = long
    return error.lines()


def _was_printing(error: OSError) -> bool:
    import traceback  # only an error needs it

    from .printing import print_text

    printing = {click.echo.__code__, print_text.__code__}
    return any(frame.f_code in printing for frame, _ in traceback.walk_tb(error.__traceback__))


def print_error(error: click.ClickException) -> None:
    """Print an error on standard error, on a terminal with a red start and broken at words."""
    text = error.format_message().strip()
    if isinstance(error, click.UsageError) and error.ctx is not None and not isinstance(error, Refusal):
        text = f"{text.rstrip('.')}. See {error.ctx.command_path} --help." if "?" not in text else text
    if sys.stderr is None or not sys.stderr.isatty():
        click.echo(f"Error: {text}", err=True)
        return
    import textwrap

    from .printing import wants_color

    width = terminal_width()
    lines = "\n".join(
        textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False)
        for line in f"Error: {text}".splitlines()
    )
    color = wants_color()
    if color:
        lines = lines.replace("Error:", click.style("Error:", fg="red", bold=True))
    click.echo(lines, err=True, color=color)
