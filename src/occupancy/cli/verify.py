"""``occupancy verify``: whether table and engine are right on the GPU of this machine."""

from __future__ import annotations

import click

from .choose_sm import device_option
from .help import Command, grouped_option
from .options import format_option
from .output import print_report


@click.command("verify", cls=Command)
@device_option("index", default=0, show_default=True, help="The number of the GPU.")
@grouped_option("output", "--quick", is_common=True, is_flag=True, help="Make about one comparison in fifty.")
@format_option
def command(index: int, quick: bool, output_format: str) -> None:
    """Whether the table and the engine agree with the driver of this machine's GPU.

    Compiles kernels and compares more than 200,000 answers. Some kernels are launched, unless --quick: the
    largest cooperative grids, and splits of registers of which half wait for ever, each in a process of its
    own. It takes some minutes. The exit code is 1 if one answer differs.

    \b
    occupancy verify
    occupancy verify --quick --format json
    """
    from ..report.verify import verify_report
    from ..verify import FULL_PLAN, QUICK_PLAN, verify_device

    report = verify_report(verify_device(index, QUICK_PLAN if quick else FULL_PLAN))
    print_report(report, output_format)
    if report.different:
        click.get_current_context().exit(1)
