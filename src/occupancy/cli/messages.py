"""How errors are said: one line each for a program; on a terminal red, and broken at words."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from ..errors import DeviceError, OccupancyError
from . import terminal_width


def say(error: click.ClickException) -> None:
    """Print an error on standard error, click's own in the form of ours.

    Raises:
        OSError: It cannot be written there.
    """
    text = message(error)
    if sys.stderr is None or not sys.stderr.isatty():
        click.echo(f"Error: {text}", err=True)
        return
    from .output import wants_color

    color = wants_color()
    lines = wrapped(f"Error: {text}", terminal_width())
    if color:
        red = click.style("Error:", fg="red", bold=True)
        lines = "\n".join(
            red + line[6:] if line.startswith("Error:") else line for line in lines.splitlines()
        )
    click.echo(lines, err=True, color=color)


def message(error: click.ClickException) -> str:
    """What is wrong; of a wrong use of the command line also where its use is told."""
    if isinstance(error, click.BadParameter) and isinstance(error.param, click.Option):
        return f"{_as_typed(error.param)}: {_in_our_words(error, error.param)}"
    text = error.format_message().strip()
    if isinstance(error, click.UsageError) and error.ctx is not None:
        text = f"{_sentence(text)} `{error.ctx.command_path} --help` lists what there is."
    return text


def _in_our_words(error: click.BadParameter, option: click.Option) -> str:
    """What click says of a value, as our own errors say it."""
    if isinstance(error, click.MissingParameter):
        return f"is missing. {option.help or ''}".strip()
    if isinstance(option.type, click.Choice) and " is not one of " in error.message:
        value = error.message.partition(" is not one of ")[0]
        hint = _HINTS.get(option.name or "", "")
        return f"{value} is not a choice. Allowed: {', '.join(option.type.choices)}. {hint}".rstrip()
    if isinstance(option.type, click.IntRange) and " is not in the range" in error.message:
        value = error.message.partition(" is not in the range")[0]
        return f"{value} is out of range. Allowed: {option.type.min} and up."
    return _sentence(error.message).replace("a valid integer range", "a whole number")


_HINTS = {"model": "`occupancy calc --model spreadsheet` shows both answers where they differ."}
"""Option with a choice -> what people may want who choose something else."""


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


def name_options(error: OccupancyError, command: click.Command, arguments: Sequence[str]) -> None:
    """Say where an error is by the options as they were typed, instead of by the arguments of a function.

    What was not typed has the option's full name; but a chip that no option named speaks for itself.
    """
    options = {each.name or "": each for each in command.params if isinstance(each, click.Option)}
    named = []
    for name in error.where.split(" and "):
        option = options.get(_OPTIONS.get(name, name)) or options.get(f"{name}s")
        option = option or next((each for each in options.values() if f"--{name}" in each.opts), None)
        if name in _CHIPS and not (option and any(_names(option, each) for each in arguments)):
            continue
        if option is None or isinstance(error, DeviceError):
            named.append(name)
        else:
            named.append(_as_typed(option, arguments))
    error.where = " and ".join(named)


_OPTIONS = {"multiprocessor_count": "sms", "cluster_size": "cluster"}
"""Arguments of functions whose option is called otherwise."""

_CHIPS = ("cc", "gpu")


def _as_typed(option: click.Option, arguments: Sequence[str] = ()) -> str:
    """The name by which an option was given last, else its full name."""
    typed = (name for each in reversed(arguments) if (name := _names(option, each)))
    return next(typed, None) or next((each for each in option.opts if each.startswith("--")), option.opts[0])


def _names(option: click.Option, argument: str) -> str | None:
    """The name of an option with which an argument begins."""
    name = argument.partition("=")[0] if argument.startswith("--") else argument[:2]
    return name if name in (*option.opts, *option.secondary_opts) else None


def wrapped(text: str, width: int) -> str:
    """A text in lines that end between words; a word that is too long has a line of its own."""
    import textwrap  # only an error needs it

    return "\n".join(
        textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False)
        for line in text.splitlines()
    )
