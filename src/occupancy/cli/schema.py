"""``occupancy schema``: what a program can rely on."""

from __future__ import annotations

import click

from ..errors import InputError
from .printing import print_data


def _names(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """For the shell's completion."""
    from ..report.schema import REPORTS

    return [name for name in REPORTS if name.startswith(typed)]


@click.command("schema")
@click.argument("name", metavar="COMMAND", required=False, shell_complete=_names)
def command(name: str | None) -> None:
    """Print the JSON Schema of a command's --format json.

    \b
    occupancy schema calc
    """
    import json

    from ..report.schema import REPORTS, json_schema

    if name is None:
        raise InputError("is missing", where="COMMAND", allowed=", ".join(REPORTS))

    print_data(json.dumps(json_schema(name), indent=2))
