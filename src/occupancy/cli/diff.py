"""``occupancy diff``: differences between two builds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..values.untrusted import printable
from .answer_file import written_to
from .choose_sm import gpu_option
from .help import Command, grouped_option
from .kernel_files import KernelFiles, kernel_file_options, warn_of, with_what_if
from .options import output_option
from .output import file_of
from .printing import format_of_file, format_option, print_data, show

if TYPE_CHECKING:
    from ..api.builds import Diff


@click.command("diff", cls=Command)
@click.argument("old", cls=KernelFiles)
@click.argument("new", cls=KernelFiles)
@kernel_file_options
@gpu_option
@grouped_option(
    "output", "--with-same", is_common=True, is_flag=True, help="Include kernels that did not change."
)
@grouped_option("output", "--all", "in_full", is_flag=True, help="Show all kernels, however many.")
@grouped_option(
    "output", "--ignore-arch", is_common=True, is_flag=True,
    help="Compare a kernel with that of another architecture if its own has none.",
)  # fmt: skip
@grouped_option(
    "output", "--threshold", is_common=True, type=float, default=0, metavar="N",
    help="Ignore changes of up to N percent, or N points of occupancy.",
)  # fmt: skip
@output_option("Write the report to a file; .csv, .json, .jsonl, .md or .html sets the format.")
@format_option("html", "sarif")
def command(
    old: str,
    new: str,
    in_full: bool,
    output: str | None,
    output_format: str,
    gpu: str | None,
    **options: Any,
) -> None:
    """List the differences between the kernels of two builds, the worst first.

    OLD and NEW are baselines, or anything that `occupancy scan` reads; - is standard input. Kernels are
    matched by name and architecture, then by the name without parameters and compiler-made parts, then
    by their code.

    \b
    occupancy diff baseline.json build/
    occupancy diff build-sm80/ build-sm90/ --ignore-arch
    git show main:baseline.json | occupancy diff - baseline.json --format markdown
    """
    from ..api.builds import diff

    file = file_of(output)
    if file is not None:
        output_format = format_of_file(file, output_format)
    found = diff(old, new, **with_what_if(options, gpu))
    for problem in found.problems:
        warn_of(problem)
    with written_to(file, output_format, (old, new)):
        if output_format == "sarif":
            from .. import __version__
            from ..render.ci import sarif
            from ..report.diff import DIFF_FINDINGS

            print_data(sarif(found.findings(), DIFF_FINDINGS, __version__))
        elif output_format == "html":
            print_data(_page(old, new, found))
        else:
            show(found.report(in_full=in_full), output_format)
    if file is not None:
        click.echo(f"Wrote {printable(file)}.", err=True)
    if found.problems:
        click.get_current_context().exit(1)


def _page(old: str, new: str, found: Diff) -> str:
    """Return the page that lists the differences."""
    from .. import __version__
    from ..page.build import build_page
    from ..page.report import report_data, report_heading

    report = found.report()
    data = report_data(report.to_dict(), report.headline[:1], [str(each) for each in found.problems])
    return build_page(__version__, "", data, report_heading([new], __version__, old))
