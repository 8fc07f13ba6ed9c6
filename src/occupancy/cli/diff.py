"""``occupancy diff``: differences between two builds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..values.untrusted import printable
from .command import Command, Option
from .files import KernelFiles, chosen_gpu, kernel_file_options, output_option, warn_about, written_to
from .printing import format_of_file, format_option, print_data, show

if TYPE_CHECKING:
    from ..api.builds import Diff


@click.command("diff", cls=Command)
@click.argument("old", cls=KernelFiles)
@click.argument("new", cls=KernelFiles)
@kernel_file_options
@click.option(
    "--with-same",
    cls=Option,
    is_common=True,
    is_flag=True,
    help="Include kernels that did not change.",
)
@click.option("--all", "in_full", cls=Option, is_flag=True, help="Show all kernels, however many.")
@click.option("--ignore-arch", cls=Option, is_common=True, is_flag=True,
    help="Compare a kernel with that of another architecture if its own has none.")  # fmt: skip
@click.option("--threshold", cls=Option, is_common=True, type=float, default=0, metavar="N",
    help="Ignore changes of up to N percent, or N points of occupancy.")  # fmt: skip
@output_option("Write the report to a file; .csv, .json, .jsonl, .md or .html sets the format.")
@format_option("html", "sarif")
def command(
    old: str,
    new: str,
    in_full: bool,
    output: str | None,
    output_format: str,
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

    file = None if output == "-" else output
    if file is not None:
        output_format = format_of_file(file, output_format)
    found = diff(old, new, **chosen_gpu(options))
    for problem in found.problems:
        warn_about(problem)
    with written_to(file, (old, new)):
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
