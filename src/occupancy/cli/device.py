"""``occupancy device``: the GPUs of this machine."""

from __future__ import annotations

import click

from ..errors import InputError
from .choose_sm import device_option
from .help import Command
from .options import format_option
from .output import print_report


@click.command("device", cls=Command)
@click.argument("number", metavar="[N]", type=click.IntRange(min=0), required=False)
@device_option("option", help="The same as N.")
@format_option
def command(number: int | None, option: int | None, output_format: str) -> None:
    """The GPUs of this machine, and what an SM of each offers: from the driver, or else from the table.

    N is the number of one of them.

    \b
    occupancy device
    occupancy device 1 --format json
    """
    from ..device import read_device, read_devices
    from ..report.device import device_report

    if number is not None and option is not None:
        raise InputError("both say which GPU it is", where="N and --device", hint="Leave one out.")
    index = option if number is None else number
    devices = read_devices() if index is None else (read_device(index),)
    print_report(device_report(devices), output_format)
