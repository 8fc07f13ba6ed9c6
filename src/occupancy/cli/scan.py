"""``occupancy scan``: the kernels that files hold."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError
from .choose_sm import choose_sm, device_option, gpu_option
from .kernel_files import kernel_file_options, warn_of
from .options import format_option_with
from .output import print_report, print_text
from .whole_gpu import count_of_sms, sms_option

if TYPE_CHECKING:
    from ..api.scan import Scanning
    from ..builds.scanner import ScanRow
    from ..builds.selection import Order
    from ..readers import KernelRecord

FOR_PEOPLE = ("text", "markdown")
ORDERS = ("occupancy", "regs", "spills", "time")
"""Those of the library, whose module a command that is not run need not load; a test compares."""


@click.command("scan")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@kernel_file_options
@gpu_option
@device_option("device", help="Or on a GPU of this machine?")
@sms_option
@click.option("--sort", type=click.Choice(ORDERS), help="Lowest occupancy, or most of the others, first.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Show at most so many.")
@click.option(
    "-o", "--baseline", metavar="FILE", help="Show nothing, but write a baseline for diff and check."
)
@format_option_with("jsonl", note="; jsonl is one JSON object for each kernel.")
def command(
    files: tuple[str, ...],
    gpu: str | None,
    device: int | None,
    sms: str | None,
    sort: Order | None,
    limit: int | None,
    baseline: str | None,
    output_format: str,
    **options: Any,
) -> None:
    """The kernels that files hold, with their registers, shared memory and occupancy.

    FILE is anything that holds compiled kernels or launches, or a folder of such, or - for standard
    input: cubins, executables, libraries, objects; what ptxas -v, nvcc --resource-usage or
    cuobjdump -res-usage printed, alone or in a build log; Triton's and Inductor's caches; reports and
    CSV of Nsight Compute; traces of PyTorch's profiler; PTX.

    \b
    occupancy scan libkernels.so --newest --sort occupancy --limit 20
    occupancy scan report.ncu-rep --gpu "H200"
    nvcc -Xptxas -v ... 2>&1 | occupancy scan - --threads 256
    occupancy scan build/ -o baseline.json
    """
    if baseline is None:
        _scan(
            files,
            gpu=gpu,
            device=device,
            sms=sms,
            sort=sort,
            limit=limit,
            output_format=output_format,
            **options,
        )
    elif limit is not None:
        raise InputError("a baseline holds every kernel", where="--limit", cure="Leave it out.")
    elif (gpu, device, sms) != (None, None, None):
        raise InputError(
            "a baseline is not about one GPU", where="--gpu, --device and --sms", cure="Use --cc instead."
        )
    else:
        from ..api.builds import save_baseline

        kernels = save_baseline(files, baseline, **options).kernels
        print_text(f"{baseline}: a baseline of {len(kernels):,} kernels.")


def _scan(
    files: tuple[str, ...],
    *,
    threads: str | None,
    cc: str | None,
    gpu: str | None,
    device: int | None,
    sms: str | None,
    limits_file: str | None,
    name: str | None,
    archs: tuple[str, ...],
    only_newest: bool,
    with_runtime: bool,
    sort: Order | None,
    limit: int | None,
    output_format: str,
) -> None:
    from ..api.reading import Reading
    from ..api.scan import Scanning

    chosen = None
    if (cc, gpu, device) != (None, None, None):
        chosen = choose_sm(cc, gpu, device, limits_file)
    what_if = None if chosen is None else chosen.limits
    reading = Reading(threads, what_if, limits_file, name, archs, only_newest, with_runtime)
    scanning = Scanning(files, reading, sort, limit, count_of_sms(chosen, sms))
    records = _watched(scanning.records(warn_of), output_format)
    _print(scanning.rows(records, group=output_format in FOR_PEOPLE), scanning, output_format)
    if scanning.problems:
        click.get_current_context().exit(1)


def _watched(records: Iterable[KernelRecord], output_format: str) -> Iterable[KernelRecord]:
    # Not where the bar would run through the answer.
    if not sys.stderr.isatty() or (sys.stdout.isatty() and output_format not in FOR_PEOPLE):
        return records
    from ..render.text.screen import with_progress

    return with_progress(records)


def _print(rows: Iterable[ScanRow], scanning: Scanning, output_format: str) -> None:
    if output_format in FOR_PEOPLE:
        print_report(scanning.report(rows), output_format)
        return
    # Not before the last kernel is read, as the others, but each as soon as it is there.
    from ..builds.scanner import ROW_FIELDS
    from ..render.csv_json import csv_lines, json_document, json_lines
    from ..report.scan import csv_row

    if output_format == "csv":
        lines = csv_lines(ROW_FIELDS, map(csv_row, rows))
    elif output_format == "jsonl":
        lines = json_lines(row.to_dict() for row in rows)
    else:
        lines = json_document(lambda: scanning.report().to_dict(), "kernels", (row.to_dict() for row in rows))
    for line in lines:
        print_text(line)
