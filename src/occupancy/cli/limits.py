"""``occupancy limits``: the table."""

from __future__ import annotations

import click

from .options import format_option
from .output import print_report


@click.command("limits")
@click.argument("ccs", metavar="[CC]...", nargs=-1)
@click.option("--limits", "limits_file", metavar="FILE", help="Show a table of your own (YAML) instead.")
@format_option
def command(ccs: tuple[str, ...], limits_file: str | None, output_format: str) -> None:
    """What an SM of each compute capability offers.

    Without a CC: all of them, the main limits. With some: every limit, side by side.

    \b
    occupancy limits
    occupancy limits 8.0 9.0 12.0
    """
    from .. import table
    from ..report.limits import LimitsReport
    from ..sm_limits import ComputeCapability

    if limits_file is None:
        rows = {str(cc): table.limits(cc) for cc in table.known()}
    else:
        from ..custom_table import read_limits

        rows = read_limits(limits_file)
    wanted = [ComputeCapability.parse(cc) for cc in ccs]
    chosen = [rows.get(str(cc)) or table.limits(cc) for cc in wanted] or list(rows.values())
    print_report("limits", LimitsReport(tuple(chosen), is_whole_table=not ccs), output_format)
