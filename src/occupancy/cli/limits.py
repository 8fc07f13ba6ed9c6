"""``occupancy limits``: the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..errors import InputError
from .choose_sm import limits_option
from .options import format_option
from .output import print_report

if TYPE_CHECKING:
    from ..report.limits import SourcesReport
    from ..values.limits import Limits


@click.command("limits")
@click.argument("ccs", metavar="[CC]...", nargs=-1)
@limits_option("Show a table of your own (YAML) instead.")
@click.option("--sources", "with_sources", is_flag=True, help="Where each value comes from.")
@format_option
def command(ccs: tuple[str, ...], limits_file: str | None, with_sources: bool, output_format: str) -> None:
    """What an SM of each compute capability offers.

    Without a CC: all of them, the main limits. With some: every limit, side by side.

    \b
    occupancy limits
    occupancy limits 8.0 9.0 12.0
    occupancy limits 10.3 --sources
    """
    from ..report.limits import LimitsReport
    from ..tables.table import Table

    table = Table(limits_file)
    chosen = tuple(map(table.limits, ccs)) or table.rows()
    if with_sources:
        print_report(_sources_report(chosen, limits_file), output_format)
    else:
        print_report(LimitsReport(chosen, is_whole_table=not ccs), output_format)


def _sources_report(rows: tuple[Limits, ...], limits_file: str | None) -> SourcesReport:
    from ..report.limits import FIELDS, SourcesReport
    from ..tables.sources import provenance

    if limits_file is not None:
        raise InputError("a table of your own has no sources", where="--sources", cure="Leave out --limits.")
    return SourcesReport(tuple(provenance(row.compute_capability, field) for row in rows for field in FIELDS))
