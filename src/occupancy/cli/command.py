"""Commands with their options in groups, and errors as messages."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from inspect import cleandoc
from itertools import takewhile
from shlex import quote
from typing import Any

import click

from ..errors import OPTION, OccupancyError, about
from ..values.untrusted import printable, printable_lines

EXIT_INTERRUPTED = 130
EXIT_CLOSED_PIPE = 141
"""128 + SIGINT and 128 + SIGPIPE: exit codes of programs that these signals end."""

GROUPS = {
    "own": "Options", "kernel": "Kernel", "kernels": "Kernels", "launch": "Launch", "gpu": "GPU",
    "rare": "Advanced", "output": "Output",
}  # fmt: skip
"""Sections of a help, in its order: the command's own options, then those that commands share."""
MOST_UNGROUPED = 8
"""A help with at most this number of options has them in one list."""
MAX_NAME_COLUMNS = 24
"""Columns for the names of the options; a longer one has a line of its own."""
OTHER_NAMES = {"arch": "cc", "sm": "cc", "json": "format json", "csv": "format csv", "html": "format html"}
"""Options of other tools, and ours of the same meaning."""
EXAMPLES = "\n\b\n"
"""Begins the examples of a docstring; click does not wrap what follows."""


class Option(click.Option):
    """An option in a group of the help."""

    def __init__(self, *declarations: str, group: str = "own", **settings: Any) -> None:
        super().__init__(declarations, **settings)
        self.group = group


class WithExamples(click.Command):
    """A command whose help has the examples of its docstring in a section."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        description, _, examples = cleandoc(self.help or "").partition(EXAMPLES)
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(description)
        with formatter.section("Examples"):
            for line in examples.splitlines():
                formatter.write(f"{'':{formatter.current_indent}}{line}\n")


class Command(WithExamples):
    """A command with grouped options, whose errors name options in place of keywords."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under the names of their groups, aligned over all groups."""
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        sections: dict[str, list[tuple[str, str]]] = {group: [] for group in GROUPS}
        for each in options:
            group = "own" if len(options) <= MOST_UNGROUPED else getattr(each, "group", "output")
            sections[group].append(each.get_help_record(ctx) or ("", ""))
        longest = max(len(name) for rows in sections.values() for name, _ in rows)
        width = min(longest, MAX_NAME_COLUMNS)
        for group, rows in sections.items():
            if rows:
                with formatter.section(GROUPS[group]):
                    formatter.write_dl([(name.ljust(width), text) for name, text in rows], col_max=width)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as click does, and also -threads 256 and -t=256; suggest options for values without one."""
        known = [name for each in self.get_params(ctx) for name in each.opts if name[:2] == "--"]
        args = [f"-{each}" if f"-{each}" in known else re.sub("^(-[a-z])=", r"\1", each) for each in args]
        if unquoted := _unquoted_gpu(args):
            ctx.fail(unquoted)
        values = super().parse_args(ctx, args)
        if values:
            hint = f" Did you mean {likely}?" if (likely := _likely_meaning(ctx.params, values)) else ""
            noun = "arguments" if len(values) > 1 else "argument"
            ctx.fail(f"Unexpected {noun} {' '.join(map(repr, values))}.{hint}")
        return values

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except OccupancyError as error:
            messages = ["\n".join(map(printable, self._lines(each))) for each in error.every]
            raise click.UsageError("\nError: ".join(messages)) from error

    def _lines(self, error: OccupancyError) -> tuple[str, ...]:
        error.hint = re.sub(f"`[^`]+`{OPTION}", r"\1", error.hint)
        name = "sms" if error.where == "multiprocessor_count" else error.where
        param = next((each for each in self.params if each.name == name), None)
        if param is not None:
            error.where = name_of(param) if isinstance(param, click.Option) else ""
            if error.problem == "is missing":
                return (f"Missing {error.where}. {error.hint}".rstrip(),)
        return error.lines()


def _unquoted_gpu(args: Sequence[str]) -> str:
    """Return the error for an unquoted GPU, as in ``--gpu RTX 4090``; empty without one."""
    for option, separator in (("--gpu", " "), ("--cc", ","), ("-c", ",")):
        following = args[args.index(option) + 1 :] if option in args else []
        words = list(takewhile(lambda each: each[:1] != "-" and not os.path.exists(each), following))
        if len(words) > 1:
            from ..tables.gpus import find_gpus

            with suppress(OccupancyError):
                find_gpus(name := separator.join(words))
                return f"Unexpected argument {words[1]!r}. Did you mean {option} {quote(name)}?"
    return ""


def _likely_meaning(params: Mapping[str, Any], values: Sequence[str]) -> str:
    """Return the options or the command that extra arguments were meant for; empty if unknown."""
    from ..tables.gpus import find_gpus

    first, names = values[0], ["threads", "regs", "smem"]
    if re.search(r"\.[a-z]|/", first) or os.path.exists(first):
        return f"occupancy scan {quote(first)}"
    if not first.isdecimal():
        try:
            find_gpus(first)
        except OccupancyError:
            return ""
        names.insert(0, "gpu")
    free = [name for name in names if not params.get(name, True)]
    return " ".join(f"--{name} {quote(value)}" for name, value in zip(free, values, strict=False))


def name_of(param: click.Parameter) -> str:
    """Return ``--threads`` for an option, ``FILE`` for an argument."""
    if isinstance(param, click.Option):
        return next((each for each in param.opts if each.startswith("--")), param.opts[0])
    return (param.metavar or (param.name or "").upper()).strip("[].")


def message_of(error: click.UsageError) -> str:
    """Return an error of click in the style of ours: what is wrong, then what to type."""
    if error.ctx is None:
        return re.sub("^Option '(.+?)'", r"\1", error.format_message())
    command = error.ctx.command
    if isinstance(error, click.MissingParameter) and error.param is not None:
        example = cleandoc(command.help or "").partition(EXAMPLES)[2].partition("\n")[0]
        return f"Missing {name_of(error.param)}. Example: {example}"
    if isinstance(error, click.BadParameter) and error.param is not None:
        problem = error.message.replace("a valid float", "a number").replace("a valid integer", "an integer")
        return about(name_of(error.param), problem) if isinstance(error.param, click.Option) else problem
    text = error.format_message()
    if isinstance(error, click.NoSuchOption):
        text = f"No such option {error.option_name}.{_likely_options(command, error.option_name)}"
    return text if text.endswith("?") else f"{text} See {error.ctx.command_path} --help."


def _likely_options(command: click.Command, name: str) -> str:
    """Return a hint with the option for the name of another tool, or else those of a similar name."""
    from ..values.fields import ALIASES, FIELDS
    from ..values.spellings import nearest_names

    plain = name.replace("-", "").lower()
    options = {each.name: each.opts[-1][2:] for each in command.params if each.opts[-1].startswith("--")}
    negated = [option[2:] for each in command.params for option in each.secondary_opts]
    near = [options[each] for each in [ALIASES.get(plain)] if each in options]
    other = OTHER_NAMES.get(plain, "")
    if other.partition(" ")[0] in options.values():
        near = [other]
    if not near and len(plain) > 2 and plain not in FIELDS:
        near = nearest_names(name.strip("-"), [*options.values(), *negated])
    return f" Did you mean --{' or --'.join(near[:2])}?" if near else ""


def command(*params: click.Parameter) -> Callable[[Callable[..., None]], Command]:
    """Return a decorator that makes a function a command with these parameters, by the function's name."""
    # Command.parse_args refuses extra arguments.
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
        raise click.UsageError(printable_lines(message_of(error))) from None
    except MemoryError:
        raise click.UsageError("There is not enough memory for the result.") from None
    except KeyboardInterrupt:
        raise click.exceptions.Exit(EXIT_INTERRUPTED) from None
    except BrokenPipeError:
        raise click.exceptions.Exit(EXIT_CLOSED_PIPE) from None
    except OSError as error:
        file = "The output cannot be written" if error.filename is None else os.fsdecode(error.filename)
        raise click.UsageError(printable(f"{file}: {error.strerror or error}.")) from error
