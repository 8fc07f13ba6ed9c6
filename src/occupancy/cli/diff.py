"""``occupancy diff``: how each kernel changed between two builds."""

from __future__ import annotations

from typing import Any

import click

from .choose_sm import gpu_option
from .help import Command, grouped_option
from .kernel_files import KernelFiles, kernel_file_options, warn_of, with_what_if
from .options import format_option_with, full_names_option
from .output import print_report
from .printing import print_data


@click.command("diff", cls=Command)
@click.argument("old", cls=KernelFiles)
@click.argument("new", cls=KernelFiles)
@kernel_file_options
@gpu_option
@grouped_option(
    "output", "--all", "with_same", is_common=True, is_flag=True, help="With the kernels that are the same."
)
@grouped_option(
    "output",
    "--ignore-arch",
    is_common=True,
    is_flag=True,
    help="Compare a kernel with that of another architecture where its own is not there.",
)
@grouped_option(
    "output", "--threshold", is_common=True, type=float, default=0, metavar="N",
    help="Ignore changes of up to N percent, or N points of occupancy.",
)  # fmt: skip
@full_names_option
@format_option_with("sarif")
def command(
    old: str,
    new: str,
    with_same: bool,
    ignore_arch: bool,
    threshold: float,
    full_names: bool,
    output_format: str,
    gpu: str | None,
    **options: Any,
) -> None:
    """How each kernel changed between two builds, the worst first.

    OLD and NEW are baselines, or anything that `occupancy scan` reads; - is standard input. A kernel is
    recognised by its name and architecture; one that was renamed, or has other template arguments or
    parameters, by what is left of its name. Where no file states the block size, both builds are
    shown at the launch bound, else at 256 threads; the worst drop of all sizes decides.

    \b
    occupancy diff baseline.json build/
    occupancy diff build-sm80/ build-sm90/ --ignore-arch
    git show main:baseline.json | occupancy diff - baseline.json --format markdown
    """
    from ..api.builds import diff

    options = with_what_if(options, gpu)
    report = diff(old, new, threshold=threshold, with_same=with_same, ignore_arch=ignore_arch, **options)
    if output_format == "sarif":
        from .. import __version__
        from ..render.sarif import sarif
        from ..report.compare.findings import COMPARED, diff_findings

        print_data(sarif(diff_findings(report), COMPARED, __version__))
    else:
        print_report(report, output_format, full_names=full_names)
    for problem in report.problems:
        warn_of(problem)
    if report.problems:
        click.get_current_context().exit(1)
