"""``occupancy limits``: the table."""

from __future__ import annotations

import click

from .options import format_option, print_answer, terminal


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
    from ..limits_report import limits_report
    from ..sm_limits import ComputeCapability

    if limits_file is None:
        rows = {str(cc): table.limits(cc) for cc in table.known()}
    else:
        from ..custom_table import read_limits

        rows = read_limits(limits_file)
    wanted = [ComputeCapability.parse(cc) for cc in ccs]
    chosen = [rows.get(str(cc)) or table.limits(cc) for cc in wanted] or list(rows.values())
    report = limits_report(chosen)
    if output_format == "text":
        from ..render.limits_text import limits_overview, limits_side_by_side

        show = limits_side_by_side if ccs else limits_overview
        print_answer(show(report, **terminal()))
    else:
        from ..render import limits_records

        print_answer(getattr(limits_records, f"limits_{output_format}")(report))
