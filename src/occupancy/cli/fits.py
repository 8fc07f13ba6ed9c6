"""``occupancy fits``: one kernel on many chips."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .choose_sm import ChosenSms, sms_options
from .options import format_option, kernel_options
from .output import print_report

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..api.arguments import KernelArguments


@click.command("fits")
@sms_options
@kernel_options
@format_option
def command(
    sms: ChosenSms,
    output_format: str,
    **kernel: Unpack[KernelArguments],
) -> None:
    """On which chips a kernel runs, and how well.

    Without --cc: on all that the table has.

    \b
    occupancy fits --threads 256 --regs 64 --smem 96k
    occupancy fits --threads 256 --regs 64 --smem 96k --cc 8.0,8.6,9.0
    """
    from ..api.questions import fits

    print_report(fits(ccs=sms.limits, **kernel).report, output_format)
