"""``occupancy calc``: one kernel on one SM."""

from __future__ import annotations

from typing import Any

import click

from ..errors import InputError
from .options import chosen_sm, format_option, kernel_options, sm_options
from .output import print_report, print_text


@click.command("calc")
@sm_options
@kernel_options
@click.option("--explain", is_flag=True, help="Show every step of the arithmetic.")
@click.option("--charts", is_flag=True, help="Show the curves over block size, registers, shared memory.")
@format_option
def command(
    cc: str | None,
    limits_file: str | None,
    changes: tuple[str, ...],
    explain: bool,
    charts: bool,
    output_format: str,
    **kernel: Any,
) -> None:
    """How many blocks of a kernel fit on an SM, and what stops one more.

    \b
    occupancy calc --cc 7.0 --threads 128 --regs 37
    occupancy calc --cc sm_90a --threads 16x16 --regs 40 --dynamic-smem 96k
    """
    from ..api import compute

    if charts and output_format != "text":
        raise InputError(
            f"there are none in {output_format}",
            where="--charts",
            cure="`occupancy sweep` with the same options gives their numbers in every format.",
        )
    result = compute(chosen_sm(cc, limits_file, changes), **kernel)
    print_report("calc", result.report(explain=explain), output_format)
    if charts:
        from ..report.curves import curves_report

        print_text("")
        print_report("curves", curves_report(result), output_format)
