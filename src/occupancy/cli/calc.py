"""``occupancy calc``: one kernel on one SM."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..errors import InputError
from .choose_sm import ChosenSm, sm_options
from .options import format_option, kernel_options
from .output import print_report, print_text
from .whole_gpu import grid_options, whole_gpu

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..api.arguments import KernelArguments


@click.command("calc")
@sm_options
@kernel_options
@grid_options
@click.option("--explain", is_flag=True, help="Show every step of the arithmetic.")
@click.option("--charts", is_flag=True, help="Show the curves over block size, registers, shared memory.")
@click.option("--open", "is_opened", is_flag=True, help="Open the question in the browser, too.")
@format_option
def command(
    sm: ChosenSm,
    grid: str | None,
    cluster: str | None,
    sms: str | None,
    explain: bool,
    charts: bool,
    is_opened: bool,
    output_format: str,
    **kernel: Unpack[KernelArguments],
) -> None:
    """How many blocks of a kernel fit on an SM, and what stops one more.

    \b
    occupancy calc --cc 7.0 --threads 128 --regs 37
    occupancy calc --cc sm_90a --threads 16x16 --regs 40 --dynamic-smem 96k
    occupancy calc --gpu "RTX 4090" --threads 256 --regs 40 --grid 4096
    """
    from ..api.compute import compute

    if charts and output_format != "text":
        raise InputError(
            f"there are none in {output_format}",
            where="--charts",
            cure="`occupancy sweep` with the same options gives their numbers in every format.",
        )
    result = compute(sm.limits, **kernel)
    whole = whole_gpu(result, sm, grid, cluster, sms)
    print_report(result.report(explain=explain, whole=whole), output_format)
    if charts:
        from ..api.sweep import curves_of

        print_text("")
        print_report(curves_of(sm.limits, kernel), output_format)
    if is_opened:
        from .page import open_page, question_for

        open_page(question_for(result, sm, grid=grid, cluster=cluster, sms=sms))
