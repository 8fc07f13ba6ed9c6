"""``occupancy gpus``: GPUs by name, with their compute capability and number of SMs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .completion import complete_chip
from .help import Command, grouped_option
from .options import format_option
from .output import print_report

if TYPE_CHECKING:
    from ..api.chips import GpuOrder

MAX_ROWS = 30
"""Rows without --all or a pattern."""

ORDERS = ("newest", "name", "sms", "memory")


@click.command("gpus", cls=Command)
@click.argument("words", metavar="[PATTERN]", nargs=-1, shell_complete=complete_chip)
@grouped_option(
    "output", "--sort", is_common=True, type=click.Choice(ORDERS), default="newest", metavar="ORDER",
    help=f"Sort by age or name, or by the most SMs or memory. [{'|'.join(ORDERS)}]",
)  # fmt: skip
@grouped_option("output", "--all", "wants_all", is_flag=True, is_common=True, help="List every GPU.")
@format_option
def command(words: tuple[str, ...], sort: GpuOrder, wants_all: bool, output_format: str) -> None:
    """List GPUs by name, with their compute capability and number of SMs.

    PATTERN is words of the name, the die, the market or the memory in any spelling, or a compute
    capability, or an architecture; several with commas. Without it, a terminal shows the newest 30.

    \b
    occupancy gpus
    occupancy gpus rtx 4090
    occupancy gpus h100 sxm
    occupancy gpus hopper,l40s
    occupancy gpus --all --sort sms
    """
    from ..api.chips import gpus
    from ..report.gpus import gpus_report

    found = gpus(" ".join(words), sort=sort)
    shown = found if wants_all or words else found[:MAX_ROWS]
    print_report(gpus_report(shown), output_format)
    if left := len(found) - len(shown):
        click.echo(f"{left:,} more with --all, or by a pattern such as ampere.", err=True)
