"""``occupancy budget``: what a kernel may use and keep an occupancy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .choose_sm import chips_options
from .help import Command, grouped_option
from .options import blocks_option, format_option, kernel_options
from .output import print_report

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..api.arguments import KernelArguments
    from ..tables.gpus import Gpu


@click.command("budget", cls=Command)
@chips_options("one")
@kernel_options
@grouped_option(
    "launch", "--occupancy", is_common=True, metavar="SHARE", help="The least occupancy: 75%, 75 or 0.75."
)
@blocks_option("blocks", "Or the least blocks per SM; also --min-blocks.")
@format_option
def command(
    chips: list[Gpu],
    occupancy: str | None,
    blocks: str | None,
    output_format: str,
    **kernel: Unpack[KernelArguments],
) -> None:
    """The most registers and shared memory that keep an occupancy.

    A kernel may use both limits together, and the blocks still fit. For several chips: the limits
    that are right for all of them. Without --occupancy and --blocks: every level.

    \b
    occupancy budget --cc 9.0 --threads 256 --occupancy 75%
    occupancy budget --cc 8.6 --threads 128 --blocks 6
    occupancy budget --gpu "A100,H100,RTX 3090" --threads 256 --blocks 4
    """
    if len(chips) == 1:
        from ..api.questions import budget

        print_report(budget(chips[0], occupancy=occupancy, blocks=blocks, **kernel), output_format)
        return
    from ..api.on_all import budget_on_all

    print_report(budget_on_all(chips, occupancy=occupancy, blocks=blocks, **kernel), output_format)
