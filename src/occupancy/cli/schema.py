"""``occupancy schema``: what a program can rely on."""

from __future__ import annotations

import click

from ..errors import InputError
from .output import print_data


def _names(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """For the shell's completion."""
    from ..report.schema import REPORTS

    return [name for name in REPORTS if name.startswith(typed)]


@click.command("schema")
@click.argument("name", metavar="COMMAND", required=False, shell_complete=_names)
def command(name: str | None) -> None:
    """Print the JSON Schema of COMMAND with --format json.

    \b
    occupancy schema calc
    """
    from ..render.csv_json import to_json
    from ..report.schema import REPORTS, json_schema

    if name is None:
        raise InputError("is missing", where="COMMAND", allowed=", ".join(REPORTS))

    print_data(to_json(json_schema(name)))
