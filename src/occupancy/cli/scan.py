"""``occupancy scan``: the kernels of files, with their occupancy."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError, ReadError
from ..values.untrusted import printable
from .command import Command, Option
from .files import KernelFiles, chosen_gpu, kernel_file_options, output_option, warn_about, written_to
from .printing import format_of_file, format_option, print_data, print_text, show

if TYPE_CHECKING:
    from ..api.scan import Scan

ORDERS = ("occupancy", "regs", "spills", "stack", "time")
"""Copy of the library's orders, so that help does not load it; a test compares."""


@click.command("scan", cls=Command)
@click.argument("files", cls=KernelFiles, metavar="FILE...", nargs=-1, required=True)
@kernel_file_options
@click.option("--device", cls=Option, group="gpu", type=click.IntRange(min=0), metavar="N",
              help="Compute for a GPU of this machine.")  # fmt: skip
@click.option("--sms", cls=Option, group="gpu", metavar="N", help="SMs, in place of those of the GPU.")
@click.option("--below", cls=Option, is_common=True, metavar="PERCENT",
    help="Only kernels of a lower occupancy: 50, 50%, 0.5.")  # fmt: skip
@click.option("--spilling", "only_spilling", cls=Option, is_common=True, is_flag=True,
    help="Only kernels that spill registers.")  # fmt: skip
@click.option("--sort", cls=Option, is_common=True, type=click.Choice(ORDERS), metavar="ORDER",
    help=f"Lowest occupancy, or most of the others, first. [{'|'.join(ORDERS)}]")  # fmt: skip
@click.option("--reverse", cls=Option, is_flag=True, help="Reverse the order of --sort.")
@click.option("--limit", cls=Option, is_common=True, type=click.IntRange(min=1), metavar="N",
              help="Show N kernels, lowest occupancy first, in every format.")  # fmt: skip
@click.option("--all", "in_full", cls=Option, is_flag=True, help="Show all kernels, however many.")
@click.option("--columns", cls=Option, is_common=True, metavar="NAME,...",
    help="Columns by their names in CSV, such as demangled,regs,occupancy.")  # fmt: skip
@output_option("Write the report to a file; .csv, .json, .jsonl, .md or .html sets the format.")
@click.option("--save-baseline", "baseline", cls=Option, is_common=True, metavar="FILE",
    help="Write a baseline for diff and check instead.")  # fmt: skip
@format_option("html", "sarif")
def command(
    files: tuple[str, ...],
    baseline: str | None,
    output: str | None,
    output_format: str,
    columns: str | None,
    in_full: bool,
    **options: Any,
) -> None:
    """List the kernels of files with their registers, shared memory and occupancy.

    FILE is a file or a folder, or - for standard input. It can hold cubins, executables, libraries,
    objects, PTX, or caches of Triton and Inductor. It can also be the output of ptxas -v, nvcc
    --resource-usage or cuobjdump -res-usage. Nsight Compute reports and PyTorch traces hold launches.

    \b
    occupancy scan libkernels.so --newest --below 50
    occupancy scan report.ncu-rep --gpu "H200"
    nvcc -Xptxas -v ... 2>&1 | occupancy scan - --threads 256
    occupancy scan build/ -o report.html
    """
    if not any(file == "-" or os.path.lexists(file) for file in files):
        raise ReadError("cannot be read: No such file or directory", where=files[0])
    if baseline is not None:
        _save_baseline(files, baseline, options)
        return
    from ..api.scan import scan
    from ..report.scan import chosen_columns

    chosen = () if columns is None else chosen_columns(columns.split(","))
    file = None if output == "-" else output
    if file is not None:
        output_format = format_of_file(file, output_format)
    try:
        found = scan(files, **_arguments(options))
    except ReadError as error:  # files without kernels are no wrong usage
        for each in (error, *error.others):
            click.echo(f"Error: {printable(' '.join(each.lines()))}", err=True)
        click.get_current_context().exit(1)
    for problem in found.problems:
        warn_about(problem)
    with written_to(file, files):
        if output_format == "sarif":
            from .. import __version__
            from ..render.ci import sarif
            from ..report.scan import SCAN_FINDINGS

            print_data(sarif(found.findings(), SCAN_FINDINGS, __version__))
        elif output_format == "html":
            print_data(page_of_kernels(files, found))
        else:
            show(found.report(chosen, in_full=in_full), output_format)
    if file is not None:
        click.echo(f"Wrote {printable(file)}: {len(found):,} kernels.", err=True)
    if found.problems:
        click.get_current_context().exit(1)


def page_of_kernels(files: tuple[str, ...], found: Scan) -> str:
    """Return the page that lists kernels."""
    from .. import __version__
    from ..page.build import build_page
    from ..page.report import report_data, report_heading

    report = found.report()
    data = report_data(report.to_dict(), report.headline[:1], [str(each) for each in found.problems])
    return build_page(__version__, "", data, report_heading(files, __version__))


def _arguments(options: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of `scan` for the options."""
    device, sms = options.pop("device"), options.pop("sms")
    return {**chosen_gpu(options, device), "multiprocessor_count": sms}


def _save_baseline(files: tuple[str, ...], baseline: str, options: dict[str, Any]) -> None:
    names = ("threads", "name", "archs", "only_newest", "with_runtime")
    others = [name for name, value in options.items() if value and name not in names]
    if others:
        option = f"--{others[0].replace('_', '-')}"
        raise InputError(
            "cannot be used with --save-baseline", where=option, hint="A baseline has all kernels."
        )
    from ..api.builds import save_baseline

    saved = save_baseline(files, baseline, **{name: options[name] for name in names})
    print_text(f"Wrote {printable(baseline)}: {len(saved):,} kernels.")
