"""Commands with their options in groups, and errors as messages."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from inspect import cleandoc
from shlex import quote
from typing import Any

import click

from ..errors import OccupancyError, ReadError, about
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
OTHER_NAMES = {
    "arch": "cc", "gencode": "cc", "sm": "cc", "cc": "gpu", "json": "format json", "csv": "format csv",
    "html": "format html", "o": "format FORMAT > FILE or occupancy page -o FILE", "v": "version",
    "kernel": "name", "filter": "name", "minoccupancy": "below",
}  # fmt: skip
"""Options of other tools and commands -> ours of the same meaning."""
EXAMPLES = "\n\b\n"
"""Start of the examples of a docstring; click does not wrap them."""


class Option(click.Option):
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
        width = min(MAX_NAME_COLUMNS, max(len(name) for rows in sections.values() for name, _ in rows))
        for group, rows in sections.items():
            if rows:
                with formatter.section(GROUPS[group]):
                    formatter.write_dl([(name.ljust(width), text) for name, text in rows], col_max=width)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as click does; suggest options for values without one."""
        known = _options_of(self)
        for place, word in enumerate(args):  # -threads is --threads; click reads -arch as -a -r -c -h
            is_long = f"-{word.partition('=')[0]}" in known or word[:2] not in known
            short = re.sub("^(-[a-z])=", r"\1", word)  # -c=9.0
            args[place] = f"-{word}" if is_long and re.match("-[a-z]{2}", word) else short
        options = [each for each in self.params if not getattr(each, "is_flag", True)]
        valued = {name: each for each in options for name in each.opts}
        for word, following in zip(args, [*args[1:], ""], strict=False):
            lacks_value = following in ("", *known) or following.startswith("--")
            if word in valued and lacks_value and not ctx.resilient_parsing:  # of the shell's completion
                ctx.fail(f"{word} needs a value. {_about(valued[word])}")
        if values := super().parse_args(ctx, args):
            hint = f" Did you mean {likely}?" if (likely := _likely_meaning(ctx, values)) else ""
            noun = "arguments" if len(values) > 1 else "argument"
            ctx.fail(f"Unexpected {noun} {' '.join(map(repr, values))}.{hint}")
        return values

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except OccupancyError as error:
            raise click.UsageError("\nError: ".join(self.messages(error))) from error

    def messages(self, error: OccupancyError) -> list[str]:
        return ["\n".join(map(printable, self._lines(each))) for each in error.every]

    def _lines(self, error: OccupancyError) -> tuple[str, ...]:
        own = set(_options_of(self))
        sentences = re.split(r"(?<=\.) ", error.hint_with_options)
        parts = ((each, re.findall("--[a-z-]+", each)) for each in sentences)
        error.hint = " ".join(each for each, named in parts if "occupancy " in each or own.issuperset(named))
        param = next((each for each in self.params if each.name == error.where), None)
        if param is not None and not isinstance(error, ReadError):  # about a file, such as build
            error.where = name_of(param) if isinstance(param, click.Option) else ""
            error.hint = error.hint.replace('"', "")  # for Python
            if error.problem == "is missing":
                return (f"Missing {error.where}. {error.hint}".rstrip(),)
        return error.lines()


def _likely_meaning(ctx: click.Context, values: Sequence[str]) -> str:
    """Return the options or the command that extra arguments were meant for; empty if unknown."""
    from ..tables.gpus import find_gpus
    from ..values.spellings import parse_size

    if any(isinstance(each, click.Argument) for each in ctx.command.params):
        return ""
    first, names = values[0], ["threads", "blocks", "regs", "smem"]
    another = " " if first.isdecimal() else ","  # 32 can be threads
    for name, separator in (("gpu", " "), ("gpu", another), ("cc", ","), ("smem", "")):  # RTX 4090, 40 KiB
        if given := ctx.params.get(name):
            together = separator.join([*([given] if isinstance(given, str) else given), *values])
            with suppress(OccupancyError):
                if name == "smem":
                    parse_size(together, name)
                else:
                    find_gpus(together)
                return f"--{name} {quote(together)}"
    if re.search(r"\.[a-z]|/", first) or os.path.exists(first):
        return f"occupancy scan {quote(first)}"
    if not first.isdecimal():
        try:
            find_gpus(first)
        except OccupancyError:
            return ""
        names.insert(0, "gpu")
    free = [name for name in names if not ctx.params.get(name, True)]
    return " ".join(f"--{name} {quote(value)}" for name, value in zip(free, values, strict=False))


def _about(param: click.Parameter) -> str:
    """Return the first sentence of an option's help, or an example of an argument."""
    return re.split(r"(?<=\.) ", getattr(param, "help", None) or "Write a number such as 0.")[0]


def name_of(param: click.Parameter) -> str:
    """Return ``--threads`` for an option, ``FILE`` for an argument."""
    if isinstance(param, click.Option):
        return next((each for each in param.opts if each.startswith("--")), param.opts[0])
    return (param.metavar or (param.name or "").upper()).strip("[].")


def message_of(error: click.UsageError) -> str:
    """Return an error of click in our style: the problem, then the text to type."""
    if error.ctx is None:
        return error.format_message()
    if isinstance(error, click.MissingParameter) and error.param is not None:
        example = cleandoc(error.ctx.command.help or "").partition(EXAMPLES)[2].partition("\n")[0]
        return f"Missing {name_of(error.param)}. Example: {example}"
    if isinstance(error, click.BadParameter) and error.param is not None:
        text = error.message.replace("a valid float", "a number").replace("a valid integer", "an integer")
        given, is_choice, names = text.partition(" is not one of ")
        known = f" is unknown. Allowed: {names}".replace("'", "") if is_choice else f" {_about(error.param)}"
        return about(name_of(error.param), given + known)
    text = error.format_message()
    if isinstance(error, click.NoSuchOption):
        text = f"No such option {error.option_name}."
        if hint := _likely_options(error.ctx, error.option_name):
            return f"{text} {hint}"
    return text if text.endswith("?") else f"{text} See {error.ctx.command_path} --help."


def _likely_options(ctx: click.Context, name: str) -> str:
    """Return the hint for an unknown option: one of the same meaning, its commands, or similar names."""
    from ..values.fields import LIKELY
    from ..values.numbers import join_and
    from ..values.spellings import nearest_names

    bare = name.strip("-")
    plain = bare.replace("-", "").lower()
    meant = LIKELY.get(plain) or OTHER_NAMES.get(plain, bare)
    arguments = {each.name: each for each in ctx.command.params if isinstance(each, click.Argument)}
    argument = arguments.get(meant) or arguments.get(OTHER_NAMES.get(meant, meant))  # --arch, --cc and --gpu
    if argument is not None:
        return f"Write it without an option: {ctx.command_path} {name_of(argument)}."
    own, likely = _options_of(ctx.command), f"--{meant.replace('_', '-')}"
    if likely.partition(" ")[0] in own:
        near = [likely, *(each for each in own if each.startswith(name) and each != likely)]
    else:
        group: Any = ctx.find_root().command
        commands = group.list_commands(ctx)
        if ctx.command.name == "block-sizes" and name in ("-t", "--threads"):
            return "This command tries every block size. For one, use occupancy calc."
        if having := [each for each in commands if name in _options_of(group.get_command(ctx, each))]:
            return f"Use this option with occupancy {join_and([*having[:3], 'others'] if len(having) > 4 else having)}."
        near = [f"--{each}" for each in nearest_names(bare, [each[2:] for each in own if each[:2] == "--"])]
        spelled = [f"--{LIKELY[each].replace('_', '-')}" for each in nearest_names(plain, LIKELY)]
        near = near or [each for each in dict.fromkeys(spelled) if each in own]
        near = near or [f"occupancy {each}" for each in commands if each in bare]  # --launch-bounds
    return f"Did you mean {' or '.join(near[:2])}?" if near else ""


def _options_of(command: click.Command) -> list[str]:
    return [name for each in command.params for name in (*each.opts, *each.secondary_opts)]


def command(*params: click.Parameter) -> Callable[[Callable[..., None]], Command]:
    """Return a decorator that makes a function a command with these parameters, by the function's name."""
    # Command.parse_args refuses extra arguments.
    settings = {"allow_extra_args": True, "token_normalize_func": lambda name: name.replace("_", "-")}
    return click.command(cls=Command, params=list(params), context_settings=settings)


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
        raise click.UsageError(printable(f"{about(file, str(error.strerror or error))}.")) from error
