"""Commands about GPUs: limits, gpus, device and verify."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..errors import InputError
from .command import Option, command
from .options import ALL_GPUS, LIMITS, complete_gpu, named_gpus
from .printing import FORMAT, show

if TYPE_CHECKING:
    from ..api.gpus import GpuOrder

ORDERS = ("newest", "name", "sms", "memory")
MAX_ROWS = 30
"""GPUs without --all or a pattern."""


@command(
    click.Argument(["names"], metavar="[GPU]...", nargs=-1, shell_complete=complete_gpu),
    Option("-c", "--cc", "--gpu", "gpu", group="gpu", multiple=True, metavar="GPU,...", help="Same as GPU."),
    ALL_GPUS,
    LIMITS,
    Option("--sources", "with_sources", is_flag=True, help="Show the sources of each value."),
    FORMAT,
)
def limits(
    names: tuple[str, ...], gpu: tuple[str, ...], wants_all: bool, limits_file: str | None, with_sources: bool,
    output_format: str,
) -> None:  # fmt: skip
    """List the limits of an SM by compute capability.

    Without a GPU: the main limits of 7.5 and newer, with --all of every compute capability. With GPUs: every
    limit, side by side. A GPU is a compute capability, an architecture or a name.

    \b
    occupancy limits
    occupancy limits 8.0 hopper "RTX 5090"
    occupancy limits 10.3 --sources
    """
    from ..api.gpus import sources
    from ..report.limits import limits_report, sources_report
    from ..tables.gpus import Gpu, LimitsTable

    table = LimitsTable(limits_file)
    named = named_gpus("gpu", (*names, *gpu), table)
    rows = {each.cc: each.limits for each in named or map(Gpu, table.rows(every=wants_all))}
    labels: dict[str, list[str]] = {}
    for each in named:
        if each.name is not None:
            labels.setdefault(each.cc, []).append(each.name)
    if not with_sources:
        show(limits_report(list(rows.values()), labels, is_overview=not named), output_format)
        return
    if limits_file is not None:
        raise InputError("a table of your own has no sources", where="--sources", hint="Remove --limits.")
    show(sources_report(sources(rows.values())), output_format)


@command(
    click.Argument(["words"], metavar="[PATTERN]", nargs=-1, shell_complete=complete_gpu),
    Option("--sort", type=click.Choice(ORDERS), default="newest", metavar="ORDER",
           help=f"Sort by age or name, or by the most SMs or memory. [{'|'.join(ORDERS)}]"),
    Option("--all", "wants_all", is_flag=True, help="List every GPU."),
    FORMAT,
)  # fmt: skip
def gpus(words: tuple[str, ...], sort: GpuOrder, wants_all: bool, output_format: str) -> None:
    """List GPUs by name, with their compute capability and number of SMs.

    PATTERN is words of the name, the die, the market or the memory in any spelling. It can also be a compute
    capability or an architecture. Without it, the newest 30 are listed.

    \b
    occupancy gpus
    occupancy gpus rtx 4090
    occupancy gpus h100 sxm
    occupancy gpus hopper,l40s
    occupancy gpus --all --sort sms
    """
    from ..api.gpus import gpus as find
    from ..report.limits import gpus_report

    found = find(" ".join(words), sort=sort)
    shown = found if wants_all or words else found[:MAX_ROWS]
    show(gpus_report(shown, len(found) - len(shown)), output_format)


@command(
    click.Argument(["number"], metavar="[N]", type=click.IntRange(min=0), required=False),
    Option("--device", "option", metavar="N", type=click.IntRange(min=0), help="Same as N."),
    FORMAT,
)
def device(number: int | None, option: int | None, output_format: str) -> None:
    """List the GPUs of this machine, with their limits from the driver, otherwise from the table.

    N selects one GPU by its number.

    \b
    occupancy device
    occupancy device 1 --format json
    """
    from ..device import read_device, read_devices
    from ..report.device import device_report

    if number is not None and option is not None:
        raise InputError("both choose the GPU", where="N and --device", hint="Remove one of them.")
    index = option if number is None else number
    show(device_report(read_devices() if index is None else [read_device(index)]), output_format)


@command(
    Option("--device", "index", metavar="N", type=click.IntRange(min=0), default=0, show_default=True,
           help="The number of the GPU."),
    Option("--quick", is_flag=True, help="Make about 2% of the comparisons."),
    FORMAT,
)  # fmt: skip
def verify(index: int, quick: bool, output_format: str) -> None:
    """Compare the table and the engine with the driver of a GPU of this machine.

    Compiles kernels, launches none, and compares more than 200,000 results; that takes some minutes. The
    exit code is 1 if a result differs.

    \b
    occupancy verify
    occupancy verify --quick --format json
    """
    from ..device import verify as compare
    from ..report.device import verify_report

    verification = compare(index, quick=quick)
    show(verify_report(verification), output_format)
    if verification.different:
        click.get_current_context().exit(1)
