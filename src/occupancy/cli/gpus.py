"""``occupancy gpus``: products, with their compute capability and number of SMs."""

from __future__ import annotations

import click

from .options import format_option
from .output import print_report


@click.command("gpus")
@click.argument("pattern", required=False)
@format_option
def command(pattern: str | None, output_format: str) -> None:
    """Products, with their compute capability and number of SMs.

    PATTERN is words of the name, the chip, the market or the memory, in whatever spelling.

    \b
    occupancy gpus
    occupancy gpus "4090"
    occupancy gpus "h100 sxm"
    """
    from ..report.gpus import gpus_report
    from ..tables.products import find_gpu, matching, products

    found = products() if pattern is None else matching(pattern) or (find_gpu(pattern),)
    print_report(gpus_report(found), output_format)
