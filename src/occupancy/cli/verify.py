"""``occupancy verify``: the table and the engine beside the driver of this machine's GPU."""

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
    """Compare the table and the engine with the driver of a GPU of this machine.

    Compiles kernels, launches none, and compares more than 200,000 results; that takes some minutes. The
    exit code is 1 if a result differs.

    \b
    occupancy verify
    occupancy verify --quick --format json
    """
    from ..device import verify
    from ..report.verify import verify_report

    report = verify_report(verify(index, quick=quick))
    print_report(report, output_format)
    if report.different:
        click.get_current_context().exit(1)
