"""Commands about GPUs (limits, gpus, device, verify), and schema."""

from __future__ import annotations

import click

from ..errors import InputError
from .command import Option, command, exit_with_1_if
from .options import ALL_GPUS, LIMITS, named_gpus
from .printing import FORMAT, show

MAX_ROWS = 30
"""GPUs without --all or a pattern."""


@command(
    click.Argument(["gpu"], metavar="[GPU]...", nargs=-1),
    ALL_GPUS,
    LIMITS,
    Option("--sources", "with_sources", is_flag=True, help="Show the sources of each value."),
    FORMAT,
)
def limits(
    gpu: tuple[str, ...], wants_all: bool, limits_file: str | None, with_sources: bool,
    output_format: str | None,
) -> None:  # fmt: skip
    """List the limits of an SM by compute capability.

    Without GPUs, it lists the main limits of 7.5 and newer, or of every compute capability with --all. With
    GPUs, it lists every limit side by side. GPU is a compute capability, an architecture or a name.

    \b
    occupancy limits
    occupancy limits 8.0 hopper "RTX 5090"
    occupancy limits 10.3 --sources
    """
    from ..api.gpus import sources
    from ..report.limits import limits_report, sources_report
    from ..tables.gpus import Gpu, LimitsTable

    table = LimitsTable(limits_file)
    named = named_gpus("gpu", gpu, table)
    chosen = named or [Gpu(each) for each in table.rows(every=wants_all)]
    if not with_sources:
        show(limits_report(chosen, is_overview=not named), output_format)
        return
    if limits_file is not None:
        raise InputError("a custom table has no sources", where="--sources", hint="Remove --limits.")
    show(sources_report(sources({each.cc: each.limits for each in chosen}.values())), output_format)


@command(
    click.Argument(["words"], metavar="[PATTERN]", nargs=-1),
    Option("--all", "wants_all", is_flag=True, help="List every GPU."),
    FORMAT,
)  # fmt: skip
def gpus(words: tuple[str, ...], wants_all: bool, output_format: str | None) -> None:
    """List GPUs by name, with their compute capability and number of SMs, the newest first.

    PATTERN is a part of the name, die, market or memory, a compute capability, or an architecture. Without
    it, the newest 30 GPUs are listed.

    \b
    occupancy gpus
    occupancy gpus rtx 4090
    occupancy gpus h100 sxm
    occupancy gpus hopper,l40s
    """
    from ..api.gpus import gpus as find
    from ..report.limits import gpus_report

    found = find(" ".join(words))
    shown = found if wants_all or words else found[:MAX_ROWS]
    show(gpus_report(shown, len(found) - len(shown)), output_format)


@command(
    click.Argument(["number"], metavar="[N]", type=click.IntRange(min=0), required=False),
    FORMAT,
)
def device(number: int | None, output_format: str | None) -> None:
    """List the GPUs of this machine, with limits from the driver and the table.

    N selects one GPU by its number.

    \b
    occupancy device
    occupancy device 1 --format json
    """
    from ..device import read_device, read_devices
    from ..report.device import device_report

    show(device_report(read_devices() if number is None else [read_device(number)]), output_format)


@command(
    Option("--device", "index", metavar="N", type=click.IntRange(min=0), default=0, show_default=True,
           help="Number of the GPU."),
    Option("--quick", is_flag=True, help="Make about 2% of the comparisons."),
    FORMAT,
)  # fmt: skip
def verify(index: int, quick: bool, output_format: str | None) -> None:
    """Compare limits and results with the driver of a GPU of this machine.

    It compiles kernels, launches none, and compares more than 200,000 results in some minutes. The exit
    code is 1 if a result differs.

    \b
    occupancy verify
    occupancy verify --quick --format json
    """
    from ..device import verify as compare
    from ..report.device import verify_report

    verification = compare(index, quick=quick)
    show(verify_report(verification), output_format)
    exit_with_1_if(verification.different)


@command(click.Argument(["name"], metavar="COMMAND"))
def schema(name: str) -> None:
    """Print the JSON Schema of a command's --format json.

    \b
    occupancy schema calc
    """
    import json

    from ..report.schema import json_schema

    click.echo(json.dumps(json_schema(name), indent=2))
