"""Commands about GPUs (limits, gpus, device, verify)."""

from __future__ import annotations

import sys

import click

from ..errors import InputError
from .command import Option, command
from .options import LIMITS, OLD, named_gpus
from .printing import FORMAT, show

MOST_WITHOUT_PATTERN = 30


@command(
    click.Argument(["gpu"], metavar="[GPU]...", nargs=-1),
    OLD, LIMITS,
    Option("--sources", "with_sources", is_flag=True, help="Show the sources of each value."),
    FORMAT,
)  # fmt: skip
def limits(
    gpu: tuple[str, ...], wants_all: bool, limits_file: str | None, with_sources: bool, output_format: str | None,
) -> None:  # fmt: skip
    """List the limits of an SM by compute capability.

    GPU is a compute capability, an architecture or a name. With arguments, every limit is listed side by side.
    Without them, the main limits of compute capability 7.5 and newer are listed.

    \b
    occupancy limits
    occupancy limits 8.0 hopper "RTX 5090"
    occupancy limits 10.3 --sources
    """
    from ..api.gpus import sources
    from ..report.limits import limits_report, sources_report
    from ..tables.gpus import Gpu, LimitsTable

    table = LimitsTable(limits_file)
    named = list(dict.fromkeys(named_gpus("gpu", gpu, table)))
    chosen = named or [Gpu(each) for each in table.rows(every=wants_all)]
    if with_sources and limits_file is not None:
        raise InputError("a custom table has no sources", where="--sources", hint="Remove --limits.")
    report = sources_report(sources(chosen)) if with_sources else limits_report(chosen, is_overview=not named)
    show(report, output_format)


@command(
    click.Argument(["gpu"], metavar="[PATTERN]", nargs=-1),
    Option("--all", "wants_all", is_flag=True, help="List every GPU."),
    FORMAT,
)  # fmt: skip
def gpus(gpu: tuple[str, ...], wants_all: bool, output_format: str | None) -> None:
    """List GPUs with their compute capability and number of SMs, highest compute capability first.

    PATTERN is a compute capability, or words of the name, architecture, die, market or memory size. Commas
    separate alternatives. Without PATTERN, the first 30 GPUs are listed.

    \b
    occupancy gpus
    occupancy gpus rtx 4090
    occupancy gpus hopper datacenter
    occupancy gpus hopper,l40s
    """
    from ..api.gpus import gpus as find
    from ..report.limits import gpus_report

    matching = find(" ".join(gpu))
    shown = matching if wants_all or gpu else matching[:MOST_WITHOUT_PATTERN]
    show(gpus_report(shown, len(matching) - len(shown)), output_format)


@command(click.Argument(["device"], metavar="[N]", type=int, required=False), FORMAT)
def device(device: int | None, output_format: str | None) -> None:
    """List the local GPUs, with limits from the driver and the table.

    N is the number of one GPU. The command needs an NVIDIA GPU and the cuda-bindings package.

    \b
    occupancy device
    occupancy device 1 --format json
    """
    from ..device import read_device, read_devices
    from ..report.device import device_report

    show(device_report(read_devices() if device is None else [read_device(device)]), output_format)


@command(
    Option("--device", type=int, metavar="N", default=0, show_default=True, help="Local GPU, by number: 0."),
    Option("--quick", is_flag=True, help="Make only 2% of the comparisons."),
    FORMAT,
)  # fmt: skip
def verify(device: int, quick: bool, output_format: str | None) -> None:
    """Compare limits and results with the driver of a local GPU.

    The command needs an NVIDIA GPU and the cuda-bindings package. It compiles kernels without launching them, and
    compares more than 200,000 results in a few minutes. It exits with 1 if a result differs.

    \b
    occupancy verify
    occupancy verify --quick --format json
    """
    from ..device import verify as compare
    from ..report.device import verify_report

    verification = compare(device, quick=quick)
    show(verify_report(verification), output_format)
    if verification.different:
        sys.exit(1)
