"""``occupancy bounds``: launch bounds on many chips."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .choose_sm import chips_options
from .help import Command
from .options import blocks_option, format_option, kernel_options
from .output import print_report

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..api.arguments import KernelArguments
    from ..tables.gpus import Gpu


@click.command("bounds", cls=Command)
@chips_options("current")
@kernel_options
@blocks_option("min_blocks", "Blocks per SM, the second bound; also --min-blocks.")
@format_option
def command(
    chips: list[Gpu],
    min_blocks: str | None,
    output_format: str,
    **kernel: Unpack[KernelArguments],
) -> None:
    """What the compiler makes of __launch_bounds__ on each chip.

    Whether the SM can hold the blocks, the registers per thread that ptxas will not exceed, and the
    occupancy with so many, or with --regs if those are fewer. For several chips also what is right for
    all of them. Without --cc: on 7.5 and newer.

    \b
    occupancy bounds --threads 256 --blocks 4 --cc 8.0,8.6,9.0,12.0
    """
    from ..api.questions import given
    from ..report.bounds import bounds_report

    on_each = [given(chip, **kernel) for chip in chips]
    answers = tuple(each.launch_bounds(min_blocks=min_blocks) for each in on_each)
    print_report(bounds_report(on_each[0].kernel, answers, chips), output_format)
