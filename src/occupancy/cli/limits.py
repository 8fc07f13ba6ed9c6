"""``occupancy limits``: the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..errors import InputError
from .choose_sm import NamedChips, all_option, cc_option, gpu_option_as, limits_option
from .completion import complete_chip
from .help import Command, grouped_option
from .options import format_option
from .output import print_report

if TYPE_CHECKING:
    from ..report.limits import SourcesReport
    from ..values.limits import Limits


@click.command("limits", cls=Command)
@click.argument("chips", metavar="[CHIP]...", nargs=-1, shell_complete=complete_chip)
@cc_option("ccs", multiple=True, metavar="CHIP,...", help="The same as a CHIP.")
@gpu_option_as("gpus", multiple=True, metavar="NAME,...", help="Or products: 'RTX 4090', A6000.")
@all_option
@limits_option("Show a table of your own (YAML or TOML) instead.")
@grouped_option(
    "output", "--sources", "with_sources", is_flag=True, is_common=True, help="Where each value comes from."
)
@format_option
def command(
    chips: tuple[str, ...],
    ccs: tuple[str, ...],
    gpus: tuple[str, ...],
    wants_all: bool,
    limits_file: str | None,
    with_sources: bool,
    output_format: str,
) -> None:
    """What an SM of each compute capability offers.

    Without a CHIP: the main limits of 7.5 and newer, with --all of all. With some: every limit, side by
    side. A CHIP is a compute capability, an architecture or a GPU.

    \b
    occupancy limits
    occupancy limits 8.0 hopper "RTX 5090"
    occupancy limits 10.3 --sources
    """
    from ..report.limits import LimitsReport

    chosen = NamedChips((*chips, *ccs), gpus, limits_file=limits_file)
    named = chosen.chips()
    rows = {chip.cc: chip.limits for chip in named or chosen.of_table(wants_all)}
    names: dict[str, list[str]] = {}
    for chip in named:
        if chip.name is not None:
            names.setdefault(chip.cc, []).append(chip.name)
    if with_sources:
        print_report(_sources_report(tuple(rows.values()), limits_file), output_format)
    else:
        print_report(LimitsReport(tuple(rows.values()), is_whole_table=not named, gpus=names), output_format)


def _sources_report(rows: tuple[Limits, ...], limits_file: str | None) -> SourcesReport:
    from ..report.limits import FIELDS, SourcesReport
    from ..tables.sources import provenance

    if limits_file is not None:
        raise InputError("a table of your own has no sources", where="--sources", hint="Leave out --limits.")
    return SourcesReport(tuple(provenance(row.compute_capability, field) for row in rows for field in FIELDS))
