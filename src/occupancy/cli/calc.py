"""``occupancy calc``: one kernel on one SM."""

from __future__ import annotations

from typing import Any

import click

from .options import chosen_sm, format_option, kernel_options, print_answer, sm_options, terminal


@click.command("calc")
@sm_options
@kernel_options
@click.option("--explain", is_flag=True, help="Show every step of the arithmetic.")
@format_option
def command(
    cc: str | None,
    limits_file: str | None,
    changes: tuple[str, ...],
    explain: bool,
    output_format: str,
    **kernel: Any,
) -> None:
    """How many blocks of a kernel fit on an SM, and what stops one more.

    \b
    occupancy calc --cc 7.0 --threads 128 --regs 37
    occupancy calc --cc sm_90a --threads 16x16 --regs 40 --dynamic-smem 96k
    """
    from ..api import compute

    result = compute(chosen_sm(cc, limits_file, changes), **kernel)
    report = result.report(explain=explain)
    if output_format == "text":
        from ..render.text import calc_text

        print_answer(calc_text(report, **terminal()))
    else:
        from ..render import records

        print_answer(getattr(records, f"calc_{output_format}")(report))
