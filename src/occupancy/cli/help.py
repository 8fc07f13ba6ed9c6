"""Options of commands that are not built from the table of fields yet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from .command import Command as Command
from .command import Option

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def grouped_option(
    group: str, *declarations: str, is_common: bool = False, **how: Any
) -> Callable[[Decorated], Decorated]:
    """Return `click.option` for an `Option`."""
    name = "gpu" if group == "chip" else group
    return click.option(*declarations, cls=Option, group=name, is_common=is_common, **how)


def with_options(*options: Callable[[Any], Any]) -> Callable[[Decorated], Decorated]:
    """Return several options as one decorator, in the order of the help."""

    def decorate(command: Decorated) -> Decorated:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate
