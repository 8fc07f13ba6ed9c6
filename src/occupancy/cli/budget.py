"""``occupancy budget``: what a kernel may use and keep an occupancy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .choose_sm import ChosenSm, sm_options
from .options import format_option, kernel_options
from .output import print_report

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..api.arguments import KernelArguments


@click.command("budget")
@sm_options
@kernel_options
@click.option("--occupancy", metavar="SHARE", help="The least occupancy: 75%, or 0.75.")
@click.option("--blocks", metavar="N", help="Or the least number of resident blocks.")
@format_option
def command(
    sm: ChosenSm,
    occupancy: str | None,
    blocks: str | None,
    output_format: str,
    **kernel: Unpack[KernelArguments],
) -> None:
    """The most registers and shared memory that keep an occupancy.

    Both may be used up to their most at once, and the blocks still fit. What you say of the kernel
    must allow them.

    \b
    occupancy budget --cc 9.0 --threads 256 --occupancy 75%
    occupancy budget --cc 8.6 --threads 128 --blocks 6
    """
    from ..api.questions import budget

    print_report(budget(sm.limits, occupancy=occupancy, blocks=blocks, **kernel), output_format)
