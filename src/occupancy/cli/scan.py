"""``occupancy scan``: the kernels that files hold."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError
from .choose_sm import choose_sm, device_option, gpu_option
from .kernel_files import kernel_file_options, reading, warn_of
from .options import format_option_with
from .output import print_by_module, print_text
from .whole_gpu import count_of_sms, sms_option

if TYPE_CHECKING:
    from ..builds.scanner import ScanRow
    from ..readers import KernelRecord, ReadProblem

FOR_PEOPLE = ("text", "markdown")
SORT_KEYS = ("occupancy", "regs", "spills", "time")


@click.command("scan")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@kernel_file_options
@gpu_option
@device_option("device", help="Or on a GPU of this machine?")
@sms_option
@click.option("--sort", type=click.Choice(SORT_KEYS), help="Lowest occupancy, or most of the others, first.")
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
    sort: str | None,
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

        kernels = save_baseline(files, baseline, **reading(**options)).kernels
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
    sort: str | None,
    limit: int | None,
    output_format: str,
) -> None:
    from ..builds.scanner import Scanner
    from ..builds.selection import Selection
    from ..tables.table import Table
    from ..values.limits import ComputeCapability
    from ..values.spellings import parse_threads

    chosen = None
    if (cc, gpu, device) != (None, None, None):
        chosen = choose_sm(cc, gpu, device, limits_file)
    scanner = Scanner(
        Table(limits_file).limits,
        threads=None if threads is None else parse_threads(threads)[0],
        what_if=None if chosen is None else chosen.limits,
        multiprocessors=count_of_sms(chosen, sms),
    )
    selection = Selection(
        name,
        frozenset(map(ComputeCapability.parse, archs)),
        only_newest,
        with_runtime,
        group=output_format in FOR_PEOPLE,
        sort=sort,
        limit=limit,
    )
    found = _Found(files)
    _print(selection.rows(_watched(found.records(), output_format), scanner), found, output_format)
    if found.problems:
        click.get_current_context().exit(1)


class _Found:
    """What the files hold, file by file, and what could not be read of them."""

    def __init__(self, files: tuple[str, ...]) -> None:
        self.count = 0
        self.problems: list[ReadProblem] = []
        self._files = files

    def records(self) -> Iterator[KernelRecord]:
        from ..readers import KernelRecord, read

        for file in self._files:
            for found in read(file):
                if isinstance(found, KernelRecord):
                    self.count += 1
                    yield found
                else:
                    self.problems.append(found)
                    warn_of([found])


def _watched(records: Iterable[KernelRecord], output_format: str) -> Iterable[KernelRecord]:
    # Not where the bar would run through the answer.
    if not sys.stderr.isatty() or (sys.stdout.isatty() and output_format not in FOR_PEOPLE):
        return records
    from ..render.text.progress import with_progress

    return with_progress(records)


def _print(rows: Iterable[ScanRow], found: _Found, output_format: str) -> None:
    from ..render.records import scan as streams
    from ..report import SCHEMA_VERSION
    from ..report.scan import ScanReport

    def report(kernels: tuple[ScanRow, ...] = ()) -> ScanReport:
        return ScanReport(SCHEMA_VERSION, kernels, found.count, tuple(found.problems))

    if output_format in FOR_PEOPLE:
        kernels = tuple(rows)
        print_by_module("scan", report(kernels), output_format)
        return
    lines = streams.json(rows, report) if output_format == "json" else getattr(streams, output_format)(rows)
    for line in lines:
        print_text(line)
