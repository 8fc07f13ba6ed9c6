"""``occupancy calc``: one kernel on one SM."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..errors import InputError
from .choose_sm import chips_options
from .help import Command, grouped_option
from .options import exit_code_option, format_option, grid_options, kernel_options
from .output import print_report, print_text

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..api.arguments import KernelArguments
    from ..tables.gpus import Gpu


@click.command("calc", cls=Command)
@chips_options("one")
@kernel_options
@grouped_option(
    "kernel", "--setmaxnreg", "--groups", "setmaxnreg", metavar="N:R,...",
    help="Registers of warpgroups after setmaxnreg: 24,240,240 or 1:24,2:240; a ? asks for the most.",
)  # fmt: skip
@grid_options
@grouped_option(
    "output", "--explain", is_flag=True, is_common=True, help="Show every step of the arithmetic."
)
@grouped_option(
    "output", "--charts", is_flag=True, is_common=True, help="Curves over block size, registers, memory."
)
@grouped_option("output", "--open", "is_opened", is_flag=True, help="Open the question in the browser, too.")
@exit_code_option
@format_option
def command(
    chips: list[Gpu],
    setmaxnreg: str | None,
    grid: str | None,
    cluster: str | None,
    sms: str | None,
    explain: bool,
    charts: bool,
    is_opened: bool,
    exit_code: bool,
    output_format: str,
    **kernel: Unpack[KernelArguments],
) -> None:
    """How many blocks of a kernel fit on an SM, and what stops one more.

    For several chips: a row for each, and the smallest change that helps on all of them at once.

    \b
    occupancy calc --cc 7.0 --threads 128 --regs 37
    occupancy calc --gpu "H100,RTX 4090" -t 192 -r 72 -s 40k
    occupancy calc --gpu "RTX 4090" --threads 256 --regs 40 --grid 4096
    occupancy calc --cc sm_90a --threads 16x16 --regs 40 --dynamic-smem 96k
    """
    from ..api.compute import compute
    from ..api.waves import whole_gpu

    if charts and output_format != "text":
        raise InputError(
            f"there are none in {output_format}",
            where="--charts",
            hint="`occupancy sweep` with the same options gives their numbers in every format.",
        )
    if len(chips) == 1:
        (chip,) = chips
        result, split = compute(chip, **kernel), None
        if setmaxnreg is not None:
            from ..api.registers import with_split

            result, split = with_split(result, setmaxnreg)
        whole = whole_gpu(result.chip, result, grid, cluster, sms)
        answer = result.report(explain=explain, whole=whole, split=split)
        print_report(answer, output_format)
        can_run = answer.can_run
        if charts:
            from ..api.sweep import curves_of

            print_text("")
            print_report(curves_of(chip, kernel), output_format)
        if is_opened:
            from .page import open_page, question_for

            open_page(question_for(result, grid=grid, cluster=cluster, sms=sms))
    else:
        from ..api.on_all import on_all

        _refuse_for_several(len(chips), charts=charts, open=is_opened, setmaxnreg=setmaxnreg)
        if sms is not None and grid is None and cluster is None:
            raise InputError(
                "says nothing of several chips alone", where="--sms", hint="Give --grid or --cluster, too."
            )
        report = on_all(chips, grid=grid, cluster=cluster, sms=sms, explain=explain, **kernel)
        print_report(report, output_format)
        can_run = report.can_run
    if exit_code and not can_run:
        click.get_current_context().exit(1)


def _refuse_for_several(chips: int, **options: object) -> None:
    for name, value in options.items():
        if value:
            raise InputError(
                f"answers for one chip, and {chips} are named",
                where=f"--{name}",
                hint="Name one, or leave it out.",
            )
