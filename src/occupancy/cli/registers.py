"""``occupancy registers``: the registers of a warp-specialised kernel."""

from __future__ import annotations

import click

from .choose_sm import cc_option, choose_sm, gpu_option
from .help import Command, grouped_option
from .options import blocks_option, format_option
from .output import print_report


@click.command("registers", cls=Command)
@cc_option(
    "cc",
    metavar="CHIP",
    help="The chip; newer ones have the same registers.  [default: 9.0]",
)
@gpu_option
@grouped_option(
    "kernel",
    "-t",
    "--threads",
    is_common=True,
    metavar="N",
    help="Threads per block, in warpgroups of 128.  [default: those of all groups]",
)
@grouped_option(
    "kernel",
    "--groups",
    "--setmaxnreg",
    "groups",
    required=True,
    is_common=True,
    metavar="N:R,...",
    help="Registers of warpgroups: 1:40,2:232 or 40,232,232; those after setmaxnreg. A ? asks for the most: "
    "--groups '1:40,2:?'.",
)
@grouped_option(
    "kernel",
    "-r",
    "--regs",
    is_common=True,
    metavar="N",
    help="Registers of the compiled kernel, which the launch gives.",
)
@grouped_option("kernel", "-s", "--smem", is_common=True, metavar="SIZE", help="Shared memory per block.")
@blocks_option("min_blocks", "The second launch bound; also --min-blocks. [default: the most that fits]")
@format_option
def command(
    cc: str | None,
    gpu: str | None,
    threads: str | None,
    groups: str,
    regs: str | None,
    smem: str | None,
    min_blocks: str | None,
    output_format: str,
) -> None:
    """Check or solve how warpgroups divide a block's registers (setmaxnreg).

    The exit code is 1 if there are too few, so that the kernel waits for ever, or if it does not launch.
    The last example has the answer beside clusters, a grid and all else that calc takes.

    \b
    occupancy registers --threads 384 --groups 1:40,2:232
    occupancy registers --groups '24,?,?'
    occupancy calc --cc 9.0 -t 384 -s 220k --cluster 2 --setmaxnreg 24,240,240
    """
    from ..api.registers import DEFAULT_CC, registers
    from ..report.registers import RegistersReport

    chip = choose_sm(cc or (None if gpu else DEFAULT_CC), gpu, None, None)
    split = registers(groups, threads=threads, cc=chip.limits, regs=regs, min_blocks=min_blocks, smem=smem)
    print_report(RegistersReport(split), output_format)
    if not split.can_run:
        click.get_current_context().exit(1)
