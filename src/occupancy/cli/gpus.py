"""``occupancy gpus``: products, with their compute capability and number of SMs."""

from __future__ import annotations

import click

from .completion import complete_chip
from .help import Command
from .options import format_option
from .output import print_report


@click.command("gpus", cls=Command)
@click.argument("words", metavar="[PATTERN]", nargs=-1, shell_complete=complete_chip)
@format_option
def command(words: tuple[str, ...], output_format: str) -> None:
    """Products, with their compute capability and number of SMs.

    PATTERN is words of the name, the chip, the market or the memory, in whatever spelling; or a
    compute capability, or an architecture; several with commas.

    \b
    occupancy gpus
    occupancy gpus rtx 4090
    occupancy gpus h100 sxm
    occupancy gpus hopper,l40s
    """
    from ..api.chips import products

    print_report(products(" ".join(words)).report, output_format)
