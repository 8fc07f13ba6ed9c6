"""``occupancy fits``: one kernel on many chips."""

from __future__ import annotations

from typing import Any

import click

from .choose_sm import ChosenSms, sms_options
from .options import format_option, kernel_options
from .output import print_report


@click.command("fits")
@sms_options
@kernel_options
@format_option
def command(
    sms: ChosenSms,
    output_format: str,
    **kernel: Any,
) -> None:
    """On which chips a kernel runs, and how well.

    Without --cc: on all that the table has.

    \b
    occupancy fits --threads 256 --regs 64 --smem 96k
    occupancy fits --threads 256 --regs 64 --smem 96k --cc 8.0,8.6,9.0
    """
    from ..api.compute import make_kernel
    from ..api.questions import fits_everywhere
    from ..report.fits import fits_report

    answers = fits_everywhere(sms.limits, **kernel)
    kernel.pop("model")
    print_report(fits_report(make_kernel(**kernel), answers), output_format)
