"""Commands that read kernels from files: scan, diff, check, init."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from .. import __version__
from ..errors import FOR_COMMAND, InputError, OccupancyError
from ..values.untrusted import printable
from .command import Option, command
from .options import GPU, LIMITS, SMS, chosen_gpu, option_of
from .printing import CHECK_FORMATS, format_option, formats_of, output_option, show, written_to

if TYPE_CHECKING:
    from ..api.builds import CheckResult
    from ..report.check import FailedCheck
    from ..report.model import Report


def _sizes(_: click.Context, option: click.Parameter, texts: Sequence[str]) -> dict[str, str] | None:
    """Return sizes by patterns of kernels' names; one without a name is for all."""
    parts = (text.rpartition("=") for text in texts)
    return {name.strip() if equals else "*": size for name, equals, size in parts} or None


SELECTION = (
    option_of("threads", group="kernels", multiple=True, callback=_sizes, metavar="[NAME=]N",
              help="Threads per block if not recorded, of all kernels or of NAME: gemm or gemm*. Repeatable."),
    option_of("dynamic_smem", group="kernels", multiple=True, callback=_sizes, metavar="[NAME=]SIZE",
              help="Dynamic shared memory per block, if a file does not record it. Repeatable."),
    Option("--name", group="kernels", metavar="PART", multiple=True,
           help="Only kernels whose name contains PART; * matches any text. Repeatable."),
    Option("--arch", group="kernels", metavar="ARCH", multiple=True,
           help="Only code for ARCH: sm_90, sm_90a, hopper or all. Repeatable."),
    Option("--newest", "only_newest", group="kernels", is_flag=True, help="Only the newest code of each kernel."),
    Option("--runtime", "with_runtime", group="rare", is_flag=True, help="Include kernels of the CUDA device runtime."),
)  # fmt: skip
KERNELS = (
    *SELECTION, GPU[0], LIMITS,
    Option("--gpu", group="gpu", metavar="NAME", help="Compute for this GPU.  [default: the architecture of the code]"),
)  # fmt: skip
IN_FULL = Option("--all", "in_full", is_flag=True, help="Show all kernels.")


@command(
    click.Argument(["sources"], metavar="FILE...", nargs=-1, required=True),
    *KERNELS,
    Option("--device", group="gpu", type=int, metavar="N", help="Local GPU, by number: 0."),
    SMS,
    Option("--below", metavar="PERCENT", help="Only kernels below this occupancy: 50, 50% or 0.5."),
    Option("--spilling", "only_spilling", is_flag=True, help="Only kernels that spill registers."),
    Option("--sort", metavar="ORDER",
           help="Sort by lowest occupancy, or most regs, spills, stack or time.  [default: occupancy]"),
    Option("--limit", type=int, metavar="N", help="Only the first N rows, one per kernel and architecture."),
    IN_FULL,
    Option("--columns", metavar="NAME,...",
           help="Columns to show, by their titles or by their names in CSV: kernel,regs,spill_load_bytes."),
    output_option("Write to a .csv, .html, .json, .jsonl, .md, .sarif or .txt file."),
    Option("--save-baseline", "baseline", group="output", metavar="FILE", help="Write a baseline for diff and check."),
    format_option("html", "sarif"),
)  # fmt: skip
def scan(
    sources: tuple[str, ...], baseline: str | None, output: tuple[str, ...], output_format: str | None,
    columns: str | None, in_full: bool, **options: Any,
) -> None:  # fmt: skip
    """List the kernels of files with their registers, shared memory and occupancy.

    FILE is a file, a folder, or - for standard input. Reads cubins, executables, libraries, objects, wheels, PTX,
    ptxas and nvcc logs, cuobjdump output, Nsight Compute reports, PyTorch traces, Triton and Inductor caches.

    \b
    occupancy scan libkernels.so --newest --below 50
    occupancy scan report.ncu-rep --gpu "H200"
    nvcc -Xptxas -v ... 2>&1 | occupancy scan - --threads 256
    occupancy scan build/ -o report.html
    """
    if baseline is not None:
        from ..api.builds import save_baseline
        from ..api.scan import SelectionOptions

        options |= {"output": output, "output_format": output_format, "columns": columns, "in_full": in_full}
        given = {key: each for key, each in options.items() if each not in (None, ()) and each is not False}
        if unused := [name for name in given if name not in SelectionOptions.__annotations__]:
            raise InputError("is not used with --save-baseline", where=unused[0], hint="Remove it.")
        click.echo(f"Wrote {printable(baseline)}: {save_baseline(sources, baseline, **given).size}.")
        return
    from ..api.scan import scan as scan_files

    chosen = [] if columns is None else columns.split(",")
    formats = formats_of(output, output_format)
    result = scan_files(sources, gpu=chosen_gpu(options), **options)
    _write_report(result, result.report(chosen, in_full=in_full), formats, sources)


@command(
    click.Argument(["old"]),
    click.Argument(["new"]),
    *KERNELS,
    Option("--with-same", is_flag=True, help="Include kernels that did not change."),
    IN_FULL,
    Option("--ignore-arch", is_flag=True, help="Compare different architectures if a kernel's own is missing."),
    Option("--threshold", default="0", metavar="N",
           callback=lambda context, option, text: click.FLOAT.convert(text.removesuffix("%"), option, context),
           help="Ignore changes up to N percent, or N percentage points of occupancy."),
    output_option("Write to a .csv, .html, .json, .jsonl, .md or .txt file."),
    format_option("html"),
)  # fmt: skip
def diff(
    old: str, new: str, in_full: bool, with_same: bool, output: tuple[str, ...], output_format: str | None,
    **options: Any,
) -> None:  # fmt: skip
    """List the differences between the kernels of two builds, the worst first.

    OLD and NEW are baselines, or anything that `occupancy scan` reads, including -. Kernels are matched by name and
    architecture, then by the name without parameters and compiler-generated parts, then by their code.

    \b
    occupancy diff baseline.json build/
    occupancy diff build-sm80/ build-sm90/ --ignore-arch
    git show main:baseline.json | occupancy diff - baseline.json --format markdown
    """
    from ..api.builds import diff as compare

    formats = formats_of(output, output_format)
    has_same = with_same or "html" in formats.values()
    result = compare(old, new, gpu=chosen_gpu(options), with_same=has_same, **options)
    changed = tuple(row for row in result.kernels if with_same or row.verdict != "same")
    _write_report(result, replace(result, kernels=changed).report(in_full=in_full), formats, [new], old)


def _write_report(
    result: Any, report: Report, formats: Mapping[str, str | None], files: Sequence[str], old: str | None = None
) -> None:  # fmt: skip
    """Write a report in any format; exit with 1 if some part of the files could not be read."""
    for warning in report.warnings:
        click.echo(warning, err=True)
    for path, output_format in formats.items():
        with written_to(path, [*files, old]):
            if output_format == "sarif":
                from ..render.ci import sarif
                from ..report.scan import SCAN_FINDINGS

                click.echo(sarif(result.findings(), SCAN_FINDINGS, __version__))
            elif output_format == "html":
                from ..page.build import build_report

                whole = result.report(in_full=True).reworded(*FOR_COMMAND)
                click.echo(build_report(__version__, whole, files, old))
            else:
                show(report, output_format)
    if result.problems:
        sys.exit(1)


@command(
    click.Argument(["build"], metavar="BUILD...", nargs=-1, required=True),
    Option("--rules", metavar="FILE",
           help="Rules file.  [default: occupancy.toml, or [tool.occupancy] in pyproject.toml]"),
    Option("--baseline", metavar="FILE", help="Baseline file, or another build.  [default: from the rules file]"),
    Option("--update", is_flag=True, help="Update the baseline for the selected kernels, by default all."),
    output_option("Also write a .csv, .html, .json, .jsonl, .md, .sarif, .txt or .xml (JUnit) file."),
    *KERNELS,
    format_option(*CHECK_FORMATS),
)  # fmt: skip
def check(build: tuple[str, ...], output_format: str | None, output: tuple[str, ...], **options: Any) -> None:
    """Check a build against rules, and exit with 1 if a kernel breaks one.

    BUILD is a baseline, or anything that `occupancy scan` reads. Rules must match a kernel, but exemptions need not.

    \b
    occupancy check build/
    occupancy check build/ --rules ci/occupancy.toml --baseline baseline.json
    occupancy check build/ --update --name 'blur('
    """
    from ..api.builds import check as check_builds

    formats = formats_of(output, None) | {"-": output_format}
    try:
        result = check_builds(build, gpu=chosen_gpu(options), **options)
    except OccupancyError as error:
        from ..report.check import FailedCheck

        # Other formats are not written: their file may be the baseline of rules that cannot be read.
        formats = {path: each for path, each in formats.items() if each in (*CHECK_FORMATS, "markdown")}
        _write_checked(FailedCheck(error.every, check.messages(error)), build, formats)
        raise
    _write_checked(result, build, formats)
    if not result.passed:
        sys.exit(1)


def _write_checked(
    result: CheckResult | FailedCheck, build: Sequence[str], formats: Mapping[str, str | None]
) -> None:
    from ..render import ci
    from ..report.check import CHECK_FINDINGS, FailedCheck, remarks

    checked = None if isinstance(result, FailedCheck) else result
    settings = [checked.rules.source, checked.rules.baseline] if checked is not None else []
    for path, output_format in formats.items():
        with written_to(path, [*build, *settings]):
            if output_format == "sarif":
                click.echo(ci.sarif(result.findings(), CHECK_FINDINGS, __version__))
            elif output_format == "github":
                report = result.report().reworded(*FOR_COMMAND)
                notices = [] if checked is None else list(remarks(checked))
                lines = [*report.headline, *(each.text for each in report.notes)]
                click.echo(ci.github(result.findings(), lines, notices))
            elif output_format == "junit":
                kind = "error" if checked is None else "failure"
                click.echo(ci.junit(", ".join(build), result.findings(with_passed=True), kind))
            else:
                show(result.report(), output_format)


@command(
    click.Argument(["build"], metavar="BUILD...", nargs=-1, required=True),
    Option("--rules", metavar="FILE", default="occupancy.toml", show_default=True, help="Rules file."),
    Option("--baseline", metavar="FILE", default="occupancy-baseline.json", show_default=True, help="Baseline file."),
    *SELECTION,
)  # fmt: skip
def init(build: tuple[str, ...], rules: str, baseline: str, **options: Any) -> None:
    """Write commented rules and a baseline of a build.

    BUILD is a baseline, or anything that `occupancy scan` reads. Existing files are not replaced.

    \b
    occupancy init build/
    """
    from ..api import builds
    from ..api.scan import Reading, SelectionOptions
    from ..compare.rules import RULES_FILE

    saved = builds.init(build, rules, baseline, **options)
    # A check of other kernels would find some added and some removed. The rules contain the sizes.
    reading = Reading(options | {"threads": None, "dynamic_smem": None}, builds.init, SelectionOptions)
    click.echo(
        f"Wrote {printable(rules)}: rules against regressions.\n"
        f"Wrote {printable(baseline)}: {saved.size}.\n"
        "Commit both files. In CI, check exits with 1 if a rule is broken.\n"
        f"Next: {printable(builds.check_command(build, reading, '' if rules == RULES_FILE else rules))}"
    )
