"""``occupancy block-sizes``: every block size of a kernel."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from .choose_sm import chips_options
from .help import Command, grouped_option
from .options import format_option, limit_option, use_options
from .output import print_report

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..api.arguments import SharedMemoryArguments
    from ..report.block_sizes import BlockSizesReport
    from ..tables.gpus import Gpu


@click.command("block-sizes", cls=Command)
@chips_options("one")
@use_options
@grouped_option(
    "kernel",
    "--smem-per-thread",
    is_common=True,
    metavar="SIZE",
    help="Dynamic shared memory that each thread adds.",
)
@limit_option
@format_option
def command(
    chips: list[Gpu],
    smem_per_thread: str | None,
    limit: int | None,
    output_format: str,
    **use: Unpack[SharedMemoryArguments],
) -> None:
    """Every block size with its occupancy, best first.

    For several chips: the occupancy on each, and first the size whose lowest is the highest.

    \b
    occupancy block-sizes --cc 8.6 --regs 40 --limit 8
    occupancy block-sizes --cc 9.0 --regs 64 --static-smem 1k --smem-per-thread 32
    occupancy block-sizes --gpu "H100,RTX 4090" --regs 72 --smem 40k
    """
    from ..api.answer import block_sizes_of
    from ..api.questions import ANY_THREADS, given
    from ..values.spellings import parse_size

    per_thread = None if smem_per_thread is None else parse_size(smem_per_thread, "smem_per_thread")

    def on(chip: Gpu) -> BlockSizesReport:
        result = given(chip, threads=ANY_THREADS, **use)
        of_size = None
        if per_thread is not None:
            fixed = result.kernel.dynamic_smem or 0
            of_size = lambda threads: fixed + per_thread * threads  # noqa: E731, a function of the block size
        return block_sizes_of(result, of_size, per_thread)

    reports = [on(chip) for chip in chips]
    if len(chips) == 1:
        (report,) = reports
        print_report(replace(report, block_sizes=report.block_sizes[:limit]), output_format)
    else:
        from ..report.on_all.block_sizes import block_sizes_on_all_report

        on_all = block_sizes_on_all_report(chips, reports)
        print_report(replace(on_all, block_sizes=on_all.block_sizes[:limit]), output_format)
