"""``occupancy check``: whether the kernels of a build meet the rules."""

from __future__ import annotations

from typing import Any

import click

from ..errors import OccupancyError
from .choose_sm import gpu_option
from .help import Command, grouped_option
from .kernel_files import KernelFiles, kernel_file_options, with_what_if
from .options import format_option_with
from .output import print_report
from .printing import print_data


@click.command("check", cls=Command)
@click.argument("build", cls=KernelFiles, metavar="BUILD...", nargs=-1, required=True)
@grouped_option(
    "output",
    "--rules",
    is_common=True,
    metavar="FILE",
    help="TOML with the rules. [default: occupancy.toml of this folder, else tool.occupancy of its "
    "pyproject.toml]",
)
@grouped_option(
    "output",
    "--baseline",
    is_common=True,
    metavar="FILE",
    help="What to compare with. [default: what the rules name]",
)
@grouped_option(
    "output",
    "--update",
    is_common=True,
    is_flag=True,
    help="Accept all kernels into the baseline, or only those of --name and --arch; rules that compare are "
    "skipped.",
)
@kernel_file_options
@gpu_option
@format_option_with("github", "junit", "sarif")
def command(
    build: tuple[str, ...],
    rules: str | None,
    baseline: str | None,
    update: bool,
    output_format: str,
    gpu: str | None,
    **options: Any,
) -> None:
    """Whether the kernels of a build meet your rules: exit code 0 if all do, 1 if one does not.

    BUILD is anything that `occupancy scan` reads. A rule that looks at no kernel is an error, so that
    nothing passes because nothing was checked.

    \b
    occupancy check build/
    occupancy check build/ --rules ci/occupancy.toml --baseline baseline.json
    occupancy check build/ --update --name blur
    """
    from ..api.builds import check

    try:
        report = check(build, rules, baseline=baseline, update=update, **with_what_if(options, gpu))
    except OccupancyError as error:
        if output_format == "github":  # where nobody reads the log of a job that has annotations
            from ..render.ci import Case, github

            wrong = [Case("", "", "occupancy", "\n".join(each.lines())) for each in error.every]
            print_data(github(wrong, ()))
        raise
    if output_format == "github":
        from ..render.ci import github

        print_data(github(report.cases(), *report.said_to_github()))
    elif output_format == "junit":
        from ..render.ci import junit

        print_data(junit(report.build, list(report.cases())))
    elif output_format == "sarif":
        from .. import __version__
        from ..render.sarif import sarif

        print_data(sarif(report.findings(), report.asked(), __version__))
    else:
        print_report(report, output_format)
    if not report.passed:
        click.get_current_context().exit(1)
