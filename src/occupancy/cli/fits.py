"""``occupancy fits``: one kernel on many chips."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .choose_sm import chips_options
from .help import Command, grouped_option
from .options import cluster_option, exit_code_option, format_option, kernel_options
from .output import print_report

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..api.arguments import KernelArguments
    from ..tables.gpus import Gpu


@click.command("fits", cls=Command)
@chips_options("current")
@kernel_options
@grouped_option(
    "launch", "--occupancy", is_common=True, metavar="SHARE",
    help="Only chips with at least so much, the best first: 75%, 75 or 0.75.",
)  # fmt: skip
@cluster_option
@exit_code_option
@format_option
def command(
    chips: list[Gpu],
    occupancy: str | None,
    cluster: str | None,
    exit_code: bool,
    output_format: str,
    **kernel: Unpack[KernelArguments],
) -> None:
    """On which chips a kernel runs, and how well.

    Without --cc: on 7.5 and newer, with --all on older ones too.

    \b
    occupancy fits --threads 256 --regs 64 --smem 96k
    occupancy fits --threads 256 --regs 64 --smem 96k --gpu "RTX 4090,A100"
    """
    from ..api.questions import fits
    from ..report.fits import FitsReport
    from ..values.spellings import parse_share

    answers = fits(ccs=chips, cluster=cluster, **kernel)
    report = answers.report
    assert isinstance(report, FitsReport)
    can_run = report.can_run
    if occupancy is not None:
        report = report.reaching(parse_share(occupancy, "occupancy"))
    print_report(report, output_format)
    if exit_code and not can_run:
        click.get_current_context().exit(1)
