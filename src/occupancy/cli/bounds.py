"""``occupancy bounds``: launch bounds on many chips."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..errors import InputError
from .choose_sm import ChosenSms, sms_options
from .options import format_option, kernel_options
from .output import print_report

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..api.arguments import KernelArguments


@click.command("bounds")
@sms_options
@kernel_options
@click.option("--min-blocks", metavar="N", help="The least number of blocks per SM, as the second bound.")
@format_option
def command(
    sms: ChosenSms,
    min_blocks: str | None,
    output_format: str,
    **kernel: Unpack[KernelArguments],
) -> None:
    """What the compiler makes of __launch_bounds__ on each chip.

    Whether the SM can hold the blocks, the registers per thread that ptxas will not exceed, and the
    occupancy with as many, or with --regs if those are fewer.

    \b
    occupancy bounds --threads 256 --min-blocks 4 --cc 8.0,8.6,9.0,12.0
    """
    from ..api.questions import given
    from ..report.bounds import bounds_report

    if not (sms.are_named and sms.limits):
        raise InputError("is missing", where="--cc", allowed="compute capabilities, such as --cc 8.0,9.0")
    on_each = [given(sm, **kernel) for sm in sms.limits]
    answers = tuple(each.launch_bounds(min_blocks=min_blocks) for each in on_each)
    print_report(bounds_report(on_each[0].kernel, answers), output_format)
