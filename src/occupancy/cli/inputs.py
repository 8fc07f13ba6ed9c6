"""Options of a kernel, made from the table of fields, and of its grid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from ..values.fields import FIELDS, Field
from .command import Group, Option

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

COMMON = ("threads", "regs", "smem")
"""On the first page of the help."""


def option_of(
    field: Field, *, required: bool = False, multiple: bool = False
) -> Callable[[Decorated], Decorated]:
    """Return the decorator of a field's option."""
    group: Group = "launch" if field.name in ("dynamic_smem", "carveout", "opt_in") else "kernel"
    settings: dict[str, Any] = {"group": group, "is_common": field.name in COMMON, "help": field.help}
    if field.kind == "flag":
        settings["default"] = None
    else:
        settings.update(metavar=field.metavar, required=required, multiple=multiple)
        if field.choices:
            settings["type"] = click.Choice(field.choices)
    return click.option(*field.options, field.name, cls=Option, **settings)


def kernel_options(
    *, required: Sequence[str] = ("threads",), without: Sequence[str] = ()
) -> Callable[[Decorated], Decorated]:
    """Return a decorator that adds the option of every field, and ``--model``.

    Args:
        required: Fields that must be given.
        without: Fields that the command does not take.
    """
    fields = [field for field in FIELDS.values() if field.options and field.name not in without]

    def decorate(command: Decorated) -> Decorated:
        command = click.option(
            "--model", cls=Option, group="kernel", type=click.Choice(("cuda", "spreadsheet")),
            metavar="cuda|spreadsheet", help="Rules of the CUDA runtime, or of NVIDIA's old spreadsheet.",
        )(command)  # fmt: skip
        for field in reversed(fields):
            command = option_of(field, required=field.name in required)(command)
        return command

    return decorate


def grid_options(command: Decorated) -> Decorated:
    """Add ``--grid``, ``--cluster`` and ``--sms``."""
    for name, metavar, text, is_common in (
        ("--sms", "N", "SMs, in place of those of the GPU.", False),
        ("--cluster", "N|XxYxZ", "Blocks per cluster, from 9.0.", True),
        ("--grid", "N|XxYxZ", "Blocks of the grid, for its waves.", True),
    ):
        command = click.option(
            name, cls=Option, group="launch", metavar=metavar, help=text, is_common=is_common
        )(command)  # fmt: skip
    return command
