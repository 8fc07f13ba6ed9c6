"""``occupancy block-sizes``: every block size of a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .choose_sm import chip_options
from .help import Command, grouped_option
from .options import format_option, use_options
from .output import print_report

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..api.arguments import SharedMemoryArguments
    from ..tables.chips import Chip


@click.command("block-sizes", cls=Command)
@chip_options
@use_options
@grouped_option(
    "kernel",
    "--smem-per-thread",
    is_common=True,
    metavar="SIZE",
    help="Dynamic shared memory that each thread adds.",
)
@format_option
def command(
    chip: Chip,
    smem_per_thread: str | None,
    output_format: str,
    **use: Unpack[SharedMemoryArguments],
) -> None:
    """Every block size with its occupancy, best first.

    \b
    occupancy block-sizes --cc 8.6 --regs 40
    occupancy block-sizes --cc 9.0 --regs 64 --static-smem 1k --smem-per-thread 32
    """
    from ..api.questions import ANY_THREADS, given
    from ..report.block_sizes import block_sizes_report
    from ..values.spellings import parse_size

    result = given(chip.limits, threads=ANY_THREADS, **use)
    if smem_per_thread is None:
        per_thread, answers = None, result.block_sizes()
    else:
        per_thread = parse_size(smem_per_thread, "smem_per_thread")
        fixed = result.kernel.dynamic_smem or 0
        answers = result.block_sizes(dynamic_smem=lambda threads: fixed + per_thread * threads)
    print_report(block_sizes_report(result, tuple(answers), per_thread, chip.name), output_format)
