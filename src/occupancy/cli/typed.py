"""The options of a command as they were typed."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import click
from click.core import ParameterSource


def typed_options(without: Collection[str] = ()) -> str:
    """Those of the command that runs, in the order of its help: ``--arch sm_90 --below 50``.

    Args:
        without: The names of the parameters that are left out.
    """
    context = click.get_current_context()
    typed = (
        word
        for each in context.command.params
        if isinstance(each, click.Option) and each.name not in without
        if context.get_parameter_source(each.name or "") is not ParameterSource.DEFAULT
        for word in _words(max(each.opts, key=len), context.params[each.name or ""])
    )
    return shlex.join(typed)


def _words(option: str, value: Any) -> Iterator[str]:
    if isinstance(value, bool):
        yield option
    elif isinstance(value, Mapping):  # sizes by the names of kernels
        for name, each in value.items():
            yield from (option, each if name == "*" else f"{name}={each}")
    else:
        for each in value if isinstance(value, tuple) else (value,):
            yield from (option, str(each))
