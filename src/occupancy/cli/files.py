"""Commands that read kernels from files: scan, diff, check, init."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from .. import __version__
from ..errors import InputError, OccupancyError
from ..values.numbers import count
from ..values.untrusted import printable
from .command import Option, command, exit_with_1_if
from .options import LIMITS, SMS, chosen_gpu, gpu_options, option_of
from .printing import format_of, format_option, output_option, show, written_to

if TYPE_CHECKING:
    from ..api.builds import CheckResult, Diff
    from ..api.scan import Scan
    from ..report.scan import FindingKind

ORDERS = ("occupancy", "regs", "spills", "stack", "time")
"""Copy of the library's orders, so that help does not load it; a test compares."""


def _block_sizes(
    context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> dict[str, str] | None:
    """Return block sizes by patterns of kernels' names; one without a name is for all."""
    pairs = [text.rpartition("=") for text in texts]
    if sum(not name for name, _, _ in pairs) > 1:
        raise click.BadParameter("is given twice for all kernels.", context, parameter)
    return {name.strip() or "*": size for name, _, size in pairs} or None


SELECTION = (
    option_of("threads", multiple=True, callback=_block_sizes,
              help="Threads per block if the file does not record them. NAME=256 sets it for some kernels."),
    Option("--name", group="kernel", metavar="PART", multiple=True,
           help="Only kernels whose name contains PART; * matches anything. Repeatable."),
    Option("--arch", "archs", group="kernel", metavar="ARCH", multiple=True,
           help="Only kernels for this architecture: sm_90, sm_90a, hopper, all. Repeatable."),
    Option("--newest", "only_newest", group="kernel", is_flag=True,
           help="Only the newest architecture of each kernel."),
    Option("--runtime", "with_runtime", group="kernel", is_flag=True,
           help="Include kernels of the CUDA device runtime."),
)  # fmt: skip
"""The options that choose kernels and set their block sizes."""

KERNELS = (
    *SELECTION,
    *gpu_options("Use the limits of this compute capability instead of the code's.",
                 "Use the limits of this GPU, and the code that it loads."),
    LIMITS,
)  # fmt: skip

EXISTING = click.Path(exists=True, allow_dash=True)
IN_FULL = Option("--all", "in_full", is_flag=True, help="Show all kernels.")
REPORT_FILE = output_option("Write the report to a file: .csv, .html, .json, .jsonl, .md, .sarif or .txt.")


@command(
    click.Argument(["files"], metavar="FILE...", nargs=-1, required=True, type=EXISTING),
    *KERNELS,
    Option("--device", group="gpu", type=click.IntRange(min=0), metavar="N",
           help="Compute for a GPU of this machine."),
    SMS,
    Option("--below", metavar="PERCENT", help="Only kernels with an occupancy below 50, 50% or 0.5."),
    Option("--spilling", "only_spilling", is_flag=True, help="Only kernels that spill registers."),
    Option("--sort", type=click.Choice(ORDERS), metavar="ORDER",
           help=f"Sort by lowest occupancy, or by most regs, spills, stack or time. [{'|'.join(ORDERS)}]"),
    Option("--limit", type=click.IntRange(min=1), metavar="N",
           help="Show only the first N kernels in the order of --sort."),
    IN_FULL,
    Option("--columns", metavar="NAME,...",
           help="Columns to show, by their names in CSV: demangled,regs,occupancy."),
    REPORT_FILE,
    Option("--save-baseline", "baseline", metavar="FILE", help="Write a baseline for diff and check instead."),
    format_option("html", "sarif"),
)  # fmt: skip
def scan(
    files: tuple[str, ...], baseline: str | None, output: str | None, output_format: str | None,
    columns: str | None, in_full: bool, **options: Any,
) -> None:  # fmt: skip
    """List the kernels of files with their registers, shared memory and occupancy.

    FILE is a file, a folder, or - for standard input. Supported are cubins, executables, libraries, objects,
    PTX, and caches of Triton and Inductor. Logs of ptxas and nvcc, output of cuobjdump, Nsight Compute
    reports and PyTorch traces are supported, too.

    \b
    occupancy scan libkernels.so --newest --below 50
    occupancy scan report.ncu-rep --gpu "H200"
    nvcc -Xptxas -v ... 2>&1 | occupancy scan - --threads 256
    occupancy scan build/ -o report.html
    """
    if baseline is not None:
        from ..api.builds import SAVED_OPTIONS, save_baseline
        from ..report.diff import names_of

        for name in (name for name, value in options.items() if value and name not in SAVED_OPTIONS):
            raise InputError("is not used with --save-baseline", where=name, hint="Remove it.")
        saved = save_baseline(files, baseline, **{name: options[name] for name in SAVED_OPTIONS})
        click.echo(f"Wrote {printable(baseline)}: {count(len(names_of(saved.kernels)), 'kernel')}.")
        return
    from ..api.scan import scan as scan_files
    from ..report.scan import SCAN_FINDINGS, chosen_columns

    chosen = () if columns is None else chosen_columns(columns.split(","))
    output_format = format_of(output, output_format)
    found = scan_files(files, cc=chosen_gpu(options), multiprocessor_count=options.pop("sms"), **options)
    _write_report(found, SCAN_FINDINGS, output, output_format, files, columns=chosen, in_full=in_full)


@command(
    click.Argument(["old"]),
    click.Argument(["new"]),
    *KERNELS,
    Option("--with-same", is_flag=True, help="Include kernels that did not change."),
    IN_FULL,
    Option("--ignore-arch", is_flag=True,
           help="Compare a kernel with another architecture if the other build lacks its own."),
    Option("--threshold", type=float, default=0, metavar="N",
           help="Ignore changes of up to N percent, or N points of occupancy."),
    REPORT_FILE,
    format_option("html", "sarif"),
)  # fmt: skip
def diff(
    old: str, new: str, in_full: bool, output: str | None, output_format: str | None, **options: Any
) -> None:
    """List the differences between the kernels of two builds, the worst first.

    OLD and NEW are baselines, or anything that `occupancy scan` reads; - is standard input. Kernels are
    matched by name and architecture, then by the name without parameters and compiler-generated parts, then
    by their code.

    \b
    occupancy diff baseline.json build/
    occupancy diff build-sm80/ build-sm90/ --ignore-arch
    git show main:baseline.json | occupancy diff - baseline.json --format markdown
    """
    from ..api.builds import diff as compare
    from ..report.diff import DIFF_FINDINGS

    output_format = format_of(output, output_format)
    found = compare(old, new, cc=chosen_gpu(options), **options)
    _write_report(found, DIFF_FINDINGS, output, output_format, [new], old, in_full=in_full)


def _write_report(
    found: Scan | Diff, kinds: Mapping[str, FindingKind], output: str | None, output_format: str | None,
    files: Sequence[str], old: str | None = None, **settings: Any,
) -> None:  # fmt: skip
    """Write a report in any format; exit with 1 if some part of the files could not be read."""
    for problem in found.problems:
        click.echo(f"Warning: {printable(str(problem))}", err=True)
    with written_to(output):
        if output_format == "sarif":
            from ..render.ci import sarif

            click.echo(sarif(found.findings(), kinds, __version__))
        elif output_format == "html":
            from ..page.build import build_report

            report, problems = found.report(), list(map(str, found.problems))
            page = build_report(__version__, report.to_dict(), report.headline[:1], files, old, problems)
            click.echo(page)
        else:
            show(found.report(**settings), output_format)
    exit_with_1_if(found.problems)


@command(
    click.Argument(["build"], metavar="BUILD...", nargs=-1, required=True),
    Option("--rules", metavar="FILE",
           help="TOML with the rules. [default: occupancy.toml, else [tool.occupancy] of pyproject.toml]"),
    Option("--baseline", metavar="FILE", help="Baseline to compare with. [default: the one that the rules name]"),
    Option("--update", is_flag=True,
           help="Accept all kernels into the baseline, or only those of --name and --arch."),
    Option("-o", "--output", multiple=True, metavar="FILE",
           help="Also write a file: .csv, .html, .json, .jsonl, .md, .sarif, .txt or .xml (JUnit). Repeatable."),
    *KERNELS,
    format_option("html", "github", "junit", "sarif"),
)  # fmt: skip
def check(build: tuple[str, ...], output_format: str | None, output: tuple[str, ...], **options: Any) -> None:
    """Check the kernels of a build against rules; exit with 1 if one is broken.

    BUILD is anything that `occupancy scan` reads. A rule that matches no kernel is an error.

    \b
    occupancy check build/
    occupancy check build/ --rules ci/occupancy.toml --baseline baseline.json
    occupancy check build/ --update --name blur
    """
    from ..api.builds import check as check_builds

    files = {path: format_of(path) for path in output}
    try:
        result = check_builds(build, cc=chosen_gpu(options), **options)
    except OccupancyError as error:
        if output_format == "github":  # nobody reads the log of a job that has annotations
            from ..render.ci import github_error

            click.echo("\n".join(github_error("\n".join(each.lines())) for each in error.every))
        raise
    for path, file_format in files.items():
        with written_to(path):
            _print_checked(result, build, file_format)
    _print_checked(result, build, output_format)
    exit_with_1_if(not result.passed)


def _print_checked(result: CheckResult, build: tuple[str, ...], output_format: str | None) -> None:
    from ..render import ci
    from ..report.check import CHECK_FINDINGS, check_cases

    if output_format == "sarif":
        click.echo(ci.sarif(result.findings(), CHECK_FINDINGS, __version__))
    elif output_format == "github":
        click.echo(ci.github(result.findings(), result.report().headline))
    elif output_format == "junit":
        click.echo(ci.junit(", ".join(build), list(check_cases(result))))
    else:
        show(result.report(), output_format)


@command(
    click.Argument(["build"], metavar="BUILD...", nargs=-1, required=True),
    Option("--rules", metavar="FILE", default="occupancy.toml", show_default=True, help="File of rules to write."),
    Option("--baseline", metavar="FILE", default="occupancy-baseline.json", show_default=True,
           help="Baseline to write."),
    *SELECTION,
)  # fmt: skip
def init(build: tuple[str, ...], rules: str, baseline: str, **options: Any) -> None:
    """Write commented rules and a baseline of a build.

    BUILD is anything that `occupancy scan` reads. Existing files are not replaced.

    \b
    occupancy init build/
    """
    from ..api.builds import begin, check_command
    from ..report.diff import names_of

    saved = begin(build, rules, baseline, **options)
    kernels = count(len(names_of(saved.kernels)), "kernel")
    # A check of other kernels would find some added and some removed.
    selecting = [word for each in options["name"] for word in ("--name", each)]
    selecting += [word for each in options["archs"] for word in ("--arch", each)]
    selecting += ["--newest"] * options["only_newest"]
    click.echo(
        f"Wrote {printable(rules)}: first rules.\nWrote {printable(baseline)}: {kernels}.\n"
        "Commit both files. In CI, check exits with 1 if a rule is broken.\n"
        f"Next: {printable(check_command(build, rules, selecting))}"
    )
