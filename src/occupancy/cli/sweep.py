"""``occupancy sweep``: the occupancy over one or two inputs of a kernel, or on several SMs."""

from __future__ import annotations

from typing import Any

import click

from .choose_sm import ChosenSms, sms_options
from .options import format_option_with, kernel_options
from .output import print_report


@click.command("sweep")
@sms_options
@kernel_options
@click.option("-o", "--output", metavar="FILE", help="Draw a chart, fit for a slide: .svg, .png or .pdf.")
@format_option_with("jsonl", note="; jsonl: one JSON object for each row.")
def command(
    sms: ChosenSms,
    output: str | None,
    output_format: str,
    **kernel: Any,
) -> None:
    """The occupancy over one or two inputs: a chart, a heat map, or rows for a program.

    The compute capability, threads, registers, shared memory and carveout may be lists (128,256) and
    ranges (FIRST:LAST:STEP). If none of them is, the answer is the three curves of NVIDIA's spreadsheet.

    \b
    occupancy sweep --cc 7.0 --threads 128 --regs 37
    occupancy sweep --cc 9.0 --threads 128 --regs 16:128:8
    occupancy sweep --cc 9.0 --threads 32:1024:32 --regs 16:128:8 -o map.svg
    """
    from ..api.sweep import sweep_grid

    report = sweep_grid(sms.limits, kernel)
    if output is None:
        print_report(report, output_format)
        return
    from ..render.plot import save

    save(report.picture(), output)
    click.echo(f"Wrote {output}.", err=True)
