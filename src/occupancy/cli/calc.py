"""``occupancy calc``: one kernel on one SM."""

from __future__ import annotations

from typing import Any

import click

from .options import chosen_sm, format_option, kernel_options, sm_options
from .output import print_report


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
    print_report("calc", result.report(explain=explain), output_format)
