"""``occupancy device``: the GPUs of this machine."""

from __future__ import annotations

import click

from .options import format_option
from .output import print_report


@click.command("device")
@click.argument("index", metavar="[N]", type=click.IntRange(min=0), required=False)
@format_option
def command(index: int | None, output_format: str) -> None:
    """The GPUs of this machine, and what an SM of each offers: from the driver, or else from the table.

    N is the number of one of them.

    \b
    occupancy device
    occupancy device 1 --format json
    """
    from ..device import read_device, read_devices
    from ..report.device import device_report

    devices = read_devices() if index is None else (read_device(index),)
    print_report(device_report(devices), output_format)
