"""``occupancy scan``: the kernels that files hold."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ..errors import InputError, ReadError
from ..values.spellings import parse_count
from .answer_file import written_to
from .choose_sm import choose_sm, device_option, gpu_option
from .help import Command, grouped_option
from .kernel_files import KernelFiles, kernel_file_options, warn_of
from .options import format_option_with, full_names_option, limit_option, output_option, sms_option
from .output import FOR_PEOPLE, file_of, format_for, print_document
from .printing import print_data, print_text
from .written import CHOOSING, end, page_of_kernels, say_written, warn_of_failing

if TYPE_CHECKING:
    from ..api.scanning import Scanning
    from ..readers import KernelRecord
    from ..report.scan.columns import Asked

ORDERS = ("occupancy", "regs", "spills", "stack", "time", "worst")
"""Those of the library, whose module a command that is not run need not load; a test compares."""


@click.command("scan", cls=Command)
@click.argument("files", cls=KernelFiles, metavar="FILE...", nargs=-1, required=True)
@kernel_file_options
@gpu_option
@device_option("device", help="Or on a GPU of this machine?")
@sms_option
@grouped_option(
    "output",
    "--below",
    is_common=True,
    metavar="PERCENT",
    help="Only kernels of a lower occupancy than this: 50, 50%, 0.5.",
)
@grouped_option(
    "output",
    "--spilling",
    "only_spilling",
    is_common=True,
    is_flag=True,
    help="Only kernels that spill registers, the most first.",
)
@grouped_option(
    "output",
    "--sort",
    is_common=True,
    type=click.Choice(ORDERS),
    metavar="ORDER",
    help=f"Lowest occupancy, or most of the others, first; worst: what most deserves a look. "
    f"[{'|'.join(ORDERS)}]",
)
@grouped_option("output", "--reverse", is_flag=True, help="The other end of that order first.")
@limit_option
@grouped_option("output", "--all", "in_full", is_flag=True, help="Show all kernels, however many.")
@grouped_option(
    "output",
    "--columns",
    is_common=True,
    metavar="NAME,...",
    help="The columns, such as demangled,regs,occupancy: by their titles, or by the names in the CSV, where "
    "name is the compiler's and demangled the readable one.",
)
@full_names_option
@output_option("Write the answer to a file; .csv, .json, .jsonl, .md or .html says how.")
@grouped_option(
    "output",
    "--save-baseline",
    "baseline",
    is_common=True,
    metavar="FILE",
    help="Write a baseline for diff and check instead.",
)
@format_option_with(
    "jsonl",
    "html",
    "sarif",
    note="; jsonl is one JSON object for each kernel, html a page to open (-o FILE.html), sarif what "
    "services that scan code read.",
)
def command(
    files: tuple[str, ...],
    baseline: str | None,
    output: str | None,
    **options: Any,
) -> None:
    """The kernels that files hold, with their registers, shared memory and occupancy.

    FILE is anything that holds compiled kernels or launches, or a folder of such, or - for standard
    input: cubins, executables, libraries, objects; what ptxas -v, nvcc --resource-usage or
    cuobjdump -res-usage printed, alone or in a build log; Triton's and Inductor's caches; reports and
    CSV of Nsight Compute; traces of PyTorch's profiler; PTX.

    \b
    occupancy scan libkernels.so --newest --below 50
    occupancy scan report.ncu-rep --gpu "H200"
    nvcc -Xptxas -v ... 2>&1 | occupancy scan - --threads 256
    occupancy scan build/ --save-baseline baseline.json
    """
    output = file_of(output)
    options["output_format"] = format_for(output, options["output_format"])
    _refuse_absent(files)
    if baseline is not None:
        _save_baseline(files, baseline, output, options)
        return
    with written_to(output, options["output_format"], files):
        scanning, fields = _scan(files, **options)
    if output is None:
        warn_of_failing(scanning, fields)
    else:
        given = options["only_newest"], options["only_spilling"], options["below"], options["limit"]
        is_whole_page = options["output_format"] == "html" and not any(given)
        say_written(output, scanning, CHOOSING if is_whole_page else "")
    end(scanning)


def _refuse_absent(files: tuple[str, ...]) -> None:
    """Where there is one of them, what is wrong with the others is a problem among its answers."""
    if not any(file == "-" or os.path.lexists(file) for file in files):
        raise ReadError("cannot be read: No such file or directory", where=files[0])


_OF_THE_ANSWER = {
    "limit": ("--limit", None),
    "below": ("--below", None),
    "only_spilling": ("--spilling", False),
    "columns": ("--columns", None),
    "full_names": ("--full-names", False),
    "sort": ("--sort", None),
    "reverse": ("--reverse", False),
    "in_full": ("--all", False),
    "output_format": ("--format", "text"),
}
"""What says how kernels are shown, with its default; a baseline holds them all."""


def _save_baseline(
    files: tuple[str, ...], baseline: str, output: str | None, options: dict[str, Any]
) -> None:
    if output is not None:
        raise InputError("a baseline is a file of its own", where="--output", hint="Leave it out.")
    for name, (option, default) in _OF_THE_ANSWER.items():
        if options.pop(name) != default:
            raise InputError("a baseline holds every kernel", where=option, hint="Leave it out.")
    if [options.pop(name) for name in ("gpu", "device", "sms")] != [None, None, None]:
        raise InputError(
            "a baseline is not about one GPU", where="--gpu, --device and --sms", hint="Use --cc instead."
        )
    from ..api.builds import save_baseline

    kernels = save_baseline(files, baseline, **options).kernels
    print_text(f"{baseline}: a baseline of {len(kernels):,} kernels.")


def _scan(
    files: tuple[str, ...],
    *,
    columns: str | None,
    full_names: bool,
    output_format: str,
    **options: Any,
) -> tuple[Scanning, tuple[str, ...]]:
    """Print what was found. What answered, and the fields that were chosen for programs."""
    asked: tuple[Asked, ...] = ()
    fields: tuple[str, ...] = ()
    if columns is not None:
        from ..report.scan.asked import columns_named

        asked = columns_named(columns.split(","))
    scanning = _scanning(files, **options)
    records = _watched(scanning.records(warn_of), output_format)
    if output_format in FOR_PEOPLE:
        document = scanning.for_people(records).document(asked)
        print_document(document, output_format, full_names=full_names)
    elif output_format == "html":
        _print_page(files, scanning, records)
    elif output_format == "sarif":
        _print_findings(scanning, records)
    else:
        fields = _print_rows(scanning, records, asked, output_format)
        if scanning.missing:
            click.echo(f"Warning: not sorted by {options['sort']}: {scanning.missing}.", err=True)
    return scanning, fields


def _scanning(
    files: tuple[str, ...],
    *,
    threads: str | dict[str, str] | None,
    cc: str | None,
    gpu: str | None,
    device: int | None,
    sms: str | None,
    limits_file: str | None,
    name: tuple[str, ...],
    archs: tuple[str, ...],
    only_newest: bool,
    with_runtime: bool,
    **shown: Any,
) -> Scanning:
    """What reads the files; the rest of the options are those of `Scanning`."""
    from ..api.reading import Reading
    from ..api.scanning import Scanning

    chosen = None
    if (cc, gpu, device) != (None, None, None):
        chosen = choose_sm(cc, gpu, device, limits_file)
    reading = Reading(threads, chosen, limits_file, name, archs, only_newest, with_runtime)
    count = None if sms is None else parse_count(sms, "sms")
    return Scanning(files, reading, multiprocessor_count=count, **shown)


def _watched(records: Iterable[KernelRecord], output_format: str) -> Iterable[KernelRecord]:
    # Not where the bar would run through the answer.
    if not sys.stderr.isatty() or (sys.stdout.isatty() and output_format not in FOR_PEOPLE):
        return records
    from ..render.text.screen import with_progress

    return with_progress(records)


def _print_page(files: tuple[str, ...], scanning: Scanning, records: Iterable[KernelRecord]) -> None:
    print_data(page_of_kernels(files, scanning.page_report(records)))


def _print_findings(scanning: Scanning, records: Iterable[KernelRecord]) -> None:
    """For services that scan code."""
    from .. import __version__
    from ..render.sarif import sarif
    from ..report.compare.findings import SCANNED, scan_findings

    print_data(sarif(scan_findings(scanning.rows(records)), SCANNED, __version__))


def _print_rows(
    scanning: Scanning, records: Iterable[KernelRecord], asked: tuple[Asked, ...], output_format: str
) -> tuple[str, ...]:
    """For programs: each row as soon as it is known. The fields that were chosen."""
    from ..builds.scan_row import ROW_FIELDS
    from ..render.csv_json import csv_lines, json_document, json_lines
    from ..report.scan.asked import fields_of
    from ..report.scan.report import csv_row

    rows, fields = scanning.rows(records), fields_of(asked)
    wanted = fields or ROW_FIELDS
    if output_format == "csv":
        lines = csv_lines(wanted, map(csv_row, rows))
    else:
        objects: Iterable[dict[str, Any]] = (row.to_dict() for row in rows)
        if fields:
            objects = ({field: row[field] for field in fields} for row in objects)
        if output_format == "jsonl":
            lines = json_lines(objects)
        else:
            lines = json_document(lambda: scanning.report().to_dict(), "kernels", objects)
    for line in lines:
        print_data(line)
    return fields


def _typed_options(without: Collection[str]) -> str:
    """Those of the command that runs, in the order of its help: ``--arch sm_90 --below 50``.

    Args:
        without: The names of the parameters that are left out.
    """
    context = click.get_current_context()
    typed = (
        word
        for each in context.command.params
        if isinstance(each, click.Option) and each.name not in without
        if context.get_parameter_source(each.name or "") is not ParameterSource.DEFAULT
        for word in _words(max(each.opts, key=len), context.params[each.name or ""])
    )
    return shlex.join(typed)


def _words(option: str, value: Any) -> Iterator[str]:
    if isinstance(value, bool):
        yield option
    elif isinstance(value, Mapping):  # sizes by the names of kernels
        for name, each in value.items():
            yield from (option, each if name == "*" else f"{name}={each}")
    else:
        for each in value if isinstance(value, tuple) else (value,):
            yield from (option, str(each))
