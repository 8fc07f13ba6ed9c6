"""Shell completion of option values, from the table and the list of GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

MOST_GPUS = 40
"""Names that a shell is given at once."""


def complete_chip(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Compute capabilities, architectures and GPUs; of a list with commas the last one."""
    from click.shell_completion import CompletionItem

    from ..tables import shipped
    from ..tables.gpus import all_gpus, candidates

    before, comma, part = typed.rpartition(",")
    wanted = _word(part.strip().lower())
    found: dict[str, str] = {}
    if parameter.name not in ("gpu", "gpus"):
        for cc in shipped.known():
            found[str(cc)] = architecture = shipped.limits(cc).architecture
            found.setdefault(architecture.split()[0].lower(), architecture)
    chosen = {name: text for name, text in found.items() if name.startswith(wanted)}
    named = [each for each in all_gpus() if _word(each.label).lower().startswith(wanted)] if wanted else []
    for each in (named or (candidates(wanted) if wanted else ()))[:MOST_GPUS]:
        chosen[_word(each.label)] = each.cc
    return [CompletionItem(f"{before}{comma}{name}", help=text) for name, text in chosen.items()]


def _word(name: str) -> str:
    """Return a name that needs no quotes."""
    return name.replace(" ", "-")


def complete_limit(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """Return the names of limits, with an equals sign."""
    from ..values.limits import FIELD_NAMES

    names = sorted(name for name in FIELD_NAMES if name.startswith(typed) and name != "compute_capability")
    return [f"{name}=" for name in names]
