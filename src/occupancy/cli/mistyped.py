"""Command lines that cannot be read, and what to type instead."""

from __future__ import annotations

import difflib
import os
import re
import shlex
from collections.abc import Collection, Iterator, Sequence
from itertools import takewhile

import click

from ..errors import OccupancyError
from ..tables.gpus import find_gpus
from ..values.other_names import our_names, plain

_ELSEWHERE = {"groups": "`occupancy calc --setmaxnreg`"}
"""What only another command answers, and that."""

_UNIT = r"(?i)[kmg](?:i?b)?|b(?:ytes?)?"
_CHIP_OPTIONS = ("-c", "--cc", "--sm", "--arch", "--gpu")


def with_hint(error: click.UsageError, context: click.Context, arguments: Sequence[str]) -> click.UsageError:
    """An error of a command's line as one that says what to type instead, where that is known.

    Args:
        error: What click says of it.
        context: Of the command.
        arguments: What was typed after its name.
    """
    if isinstance(error, click.NoSuchOption):
        hint = _instead(error.option_name, context, arguments)
        return click.UsageError(f"There is no option {error.option_name!r}.{hint}", context)
    if stray := _stray(context, arguments):
        return click.UsageError(_about(stray, context, arguments), context)
    return error


def _instead(name: str, context: click.Context, arguments: Sequence[str]) -> str:
    """What to type instead of an option that there is not, as a sentence; empty where that is not known."""
    if name in ("-o", "--output"):
        return " The answer is printed: add > FILE to keep it."
    if plain(name).startswith("launchbound"):
        options = _as_launch_bounds(name, arguments)
        meant = options if context.command.name == "bounds" else ""
        other = f"`occupancy bounds {options}`"
    else:
        meant = " or ".join(_meant(name, context.command))
        elsewhere = (_ELSEWHERE[each] for each in (plain(name), *our_names(name)) if each in _ELSEWHERE)
        other = next(elsewhere, "") or _command_with(name, context)
    return f" Did you mean {meant}?" if meant else f" {other} answers for it." if other else ""


def instead_of_command(name: str, commands: Collection[str]) -> str:
    """What to type instead of a command that there is not, as a sentence; empty where that is not known."""
    near = [each for each in commands if each.startswith(name)] or difflib.get_close_matches(name, commands)
    if near:
        return f" Did you mean {' or '.join(near)}?"
    if os.path.exists(name):
        return f" Did you mean `occupancy scan {shlex.quote(name)}`?"
    option = _option_of_chip(name)
    return f" A chip is given as: occupancy calc {option} {shlex.quote(name)} ..." if option else ""


def without_command(
    error: click.NoSuchOption, group: click.Group, context: click.Context
) -> click.UsageError:
    """What to say of an option that stands where a command belongs."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command and any(error.option_name in option.opts for option in _options(command)):
            way = f"`{context.command_path} {name} {error.option_name} ...`"
            return click.UsageError(f"The command before {error.option_name} is missing: {way}.", context)
    return error


def _command_with(name: str, context: click.Context) -> str:
    """The first command, in the order of the help, that answers for an option of this name; or nothing.

    Both must be about a kernel, for what else commands are about is not the same thing. How an answer is
    shown is said of another kind of answer where one of them reads files.
    """
    group = context.parent.command if context.parent is not None else None
    if not isinstance(group, click.Group) or name in _CHIP_OPTIONS or not _is_about_kernels(context.command):
        return ""
    commands = (group.get_command(context, each) for each in group.list_commands(context))
    for each in filter(_is_about_kernels, filter(None, commands)):
        means_the_same = not any(map(_takes_words, (each, context.command)))
        for option in _options(each):
            if name in option.opts and (means_the_same or _group(option) != "output"):
                return f"`occupancy {each.name} {name}`"
    return ""


def _is_about_kernels(command: click.Command) -> bool:
    return any(_group(option) == "kernel" for option in _options(command))


def _group(option: click.Option) -> str:
    """What an option is about, by the help."""
    return getattr(option, "group", "output")


def _takes_words(command: click.Command) -> bool:
    """Whether it takes words without an option, such as files."""
    return any(isinstance(each, click.Argument) for each in command.params)


def _options(command: click.Command) -> Iterator[click.Option]:
    return (each for each in command.params if isinstance(each, click.Option))


def _meant(typed: str, command: click.Command) -> list[str]:
    """The options that one which does not exist can stand for, the likeliest first."""
    word = plain(typed)
    names = {
        plain(name): (name, option)
        for option in _options(command)
        for name in (*option.opts, *option.secondary_opts)
        if name.startswith("--")
    }
    found = [name for name in (word, *map(plain, our_names(word))) if name in names]
    if not found and len(word) > 1:
        found = [name for name in names if name.startswith(word)] or [name for name in names if word in name]
    found = found or difflib.get_close_matches(word, names, cutoff=0.75)
    of_option = {id(names[name][1]): names[name][0] for name in reversed(found)}  # one name of each
    return list(of_option.values())[::-1]


def _stray(context: click.Context, arguments: Sequence[str]) -> list[str]:
    """What stands without an option, in a command that has options only."""
    command = context.command
    if _takes_words(command):
        return []
    try:
        return command.make_parser(context).parse_args(list(arguments))[1]
    except click.UsageError:
        return []


def _as_launch_bounds(option: str, arguments: Sequence[str]) -> str:
    """The options for what was typed as launch bounds, ``256,4`` or ``(256, 4)``; without it an example."""
    _, _, typed = " ".join(arguments).partition(option)
    found = re.match(r"[\s=('\"]*([0-9]+)(?:[\s,]+([0-9]+))?", typed)
    threads, blocks = found.groups() if found else ("256", "4")
    return f"--threads {threads}" + (f" --blocks {blocks}" if blocks else "")


def _as_values(stray: Sequence[str], before: str, command: click.Command) -> str:
    """What bare words stand for: a chip, then the block size and the registers, or as in launch bounds the
    blocks; empty where that cannot be.

    After a chip without a digit numbers are the rest of its name, as in RTX 4090.
    """
    names = {name for option in _options(command) for name in option.opts}
    second = "--blocks" if "--blocks" in names else "--regs"
    options = [option for option in ("--threads", second) if option in names]
    words = [each.strip("(),") for each in stray]
    for count in range(len(words) + 1):
        name, rest = " ".join(words[:count]), words[count:]
        if len(rest) > len(options) or not all(each.isdecimal() for each in rest):
            continue
        if count == 0 and before.replace(" ", "").isalpha():
            continue
        # A whole number may be anything else.
        if count and not ("--cc" in names and not name.isdecimal() and _option_of_chip(name)):
            continue
        chip = [f"--{'cc' if name[0].isdecimal() else 'gpu'} {shlex.quote(name)}"] if name else []
        return f"Did you mean {' '.join([*chip, *map(' '.join, zip(options, rest, strict=False))])}?"
    return ""


def _option_of_chip(name: str) -> str:
    """The option that takes a chip of this name; empty where there is none."""
    try:
        chips = find_gpus(name)
    except OccupancyError:
        return ""
    return "--gpu" if chips[0].name else "--cc"


def _about(stray: Sequence[str], context: click.Context, arguments: Sequence[str]) -> str:
    first = stray[0]
    before = arguments[: arguments.index(first)]
    value = before[-1] if before else ""
    text = f"{', '.join(map(repr, stray))} {'stand' if len(stray) > 1 else 'stands'} without an option."
    if re.fullmatch(_UNIT, first) and value[-1:].isdigit():
        return f"{text} Write {value}{first} in one word."
    if meant := _as_values(stray, value, context.command):
        return f"{text} {meant}"
    if before[-2:-1] and before[-2] in _CHIP_OPTIONS:
        following = takewhile(lambda each: each in stray, arguments[len(before) :])
        words = " ".join((value, *following))
        return f"{text} For a name of several words write {before[-2]} '{words}'."
    if os.path.exists(first):
        return f"{text} `occupancy scan {shlex.quote(first)}` reads files."
    own_help = context.command.help or ""
    example = re.search(rf"(?m)^\s*(occupancy {context.command.name} -.*?)(?:  |$)", own_help)
    return f"{text} Each value follows its option, as in `{example[1]}`." if example else text
