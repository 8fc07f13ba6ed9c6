"""``occupancy gpus``: products, with their compute capability and number of SMs."""

from __future__ import annotations

import click

from ..tables.products import GPU_ORDERS, GpuOrder
from .choose_sm import cc_option
from .completion import complete_chip
from .help import Command, grouped_option
from .options import format_option
from .output import print_report


@click.command("gpus", cls=Command)
@click.argument("words", metavar="[PATTERN]", nargs=-1, shell_complete=complete_chip)
@cc_option("ccs", multiple=True, metavar="CHIP,...", help="Only those of 9.0, sm_90a or hopper.")
@grouped_option(
    "output", "--sort", is_common=True, type=click.Choice(GPU_ORDERS), default="cc", metavar="ORDER",
    help=f"Most SMs or memory first, or by name or cc. [{'|'.join(GPU_ORDERS)}]",
)  # fmt: skip
@format_option
def command(words: tuple[str, ...], ccs: tuple[str, ...], sort: GpuOrder, output_format: str) -> None:
    """Products, with their compute capability and number of SMs.

    PATTERN is words of the name, the chip, the market or the memory, in whatever spelling; or a
    compute capability, or an architecture; several with commas.

    \b
    occupancy gpus
    occupancy gpus rtx 4090
    occupancy gpus h100 sxm
    occupancy gpus hopper,l40s
    occupancy gpus --cc 9.0,10.0 --sort sms
    """
    from ..api.products import gpus

    print_report(gpus(" ".join(words), cc=",".join(ccs), sort=sort).report, output_format)
