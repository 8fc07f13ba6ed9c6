"""Commands with their options in groups, and errors as messages."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

import click

from ..errors import OccupancyError
from ..values.untrusted import printable, printable_lines

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


class Command(click.Command):
    """A command with grouped options, whose errors name options in place of keywords."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under the names of their groups."""
        for group, title in GROUPS.items():
            options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
            options = [each for each in options if getattr(each, "group", "output") == group]
            rows = [record for each in options if (record := each.get_help_record(ctx)) is not None]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as click does; suggest options for names of other tools, and for values without an option."""
        try:
            values = super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            from ..values.fields import FIELDS

            name, known = error.option_name.replace("-", "").lower(), {each.name for each in self.params}
            near = [each for each in FIELDS.values() if name in each.aliases and each.name in known]
            if not near:
                raise
            message = f"No such option {error.option_name!r}. Did you mean {near[0].options[-1]!r}?"
            raise click.UsageError(message, ctx) from None
        except click.MissingParameter as error:
            if not isinstance(error.param, click.Option):
                raise
            raise click.UsageError(f"Missing {error.param.opts[-1]}. {error.param.help}", ctx) from None
        if values:
            is_number = values[0].replace(".", "", 1).isdecimal()
            names = ["cc"] * ("." in values[0]) + ["threads", "regs", "smem"] if is_number else []
            free = [f"--{name}" for name in names if name in ctx.params and not ctx.params[name]]
            guess = " ".join(f"{name} {value}" for name, value in zip(free, values, strict=False))
            hint = f" Did you mean {guess}?" if guess else ""
            ctx.fail(f"Unexpected arguments: {' '.join(map(repr, values))}.{hint}")
        return values

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except OccupancyError as error:
            messages = ["\n".join(map(printable, self._lines(each))) for each in error.every]
            raise click.UsageError("\nError: ".join(messages)) from error

    def _lines(self, error: OccupancyError) -> tuple[str, ...]:
        name = "sms" if error.where == "multiprocessor_count" else error.where
        option = next((each for each in self.params if each.name == name), None)
        if isinstance(option, click.Option):
            error.where = next((each for each in option.opts if each.startswith("--")), option.opts[0])
            if error.problem == "is missing":
                return (f"Missing {error.where}. {error.hint}".rstrip(),)
        return error.lines()


def command(*params: click.Parameter) -> Callable[[Callable[..., None]], Command]:
    """Return a decorator that makes a function a command with these parameters, by the function's name."""
    # Command.parse_args refuses them.
    return click.command(cls=Command, params=list(params), context_settings={"allow_extra_args": True})


def exit_with_1_if(failed: object) -> None:
    """End a command whose report was printed."""
    if failed:
        click.get_current_context().exit(1)


@contextmanager
def errors_as_messages() -> Iterator[None]:
    """Turn errors of the system, also of printing, into a message and an exit code."""
    try:
        yield
    except click.UsageError as error:  # click quotes the command line, which may name files
        raise click.UsageError(printable_lines(error.format_message()), error.ctx) from None
    except MemoryError:
        raise click.UsageError("There is not enough memory for the result.") from None
    except KeyboardInterrupt:
        raise click.exceptions.Exit(EXIT_INTERRUPTED) from None
    except BrokenPipeError:
        raise click.exceptions.Exit(EXIT_CLOSED_PIPE) from None
    except OSError as error:
        file = "The output cannot be written" if error.filename is None else os.fsdecode(error.filename)
        raise click.UsageError(printable(f"{file}: {error.strerror or error}.")) from error
