"""Every block size of a kernel on one chip, for the command line and for Python alike."""

from __future__ import annotations

from ..advice.block_sizes import SharedMemoryOfSize, block_sizes
from ..advice.runtime import max_potential_block_size
from ..report.block_sizes import BlockSizesReport, block_sizes_report
from .answer import Occupancy


def block_sizes_of(
    about: Occupancy, of_size: SharedMemoryOfSize | None, smem_per_thread: int | None = None
) -> BlockSizesReport:
    """The block sizes, best first, with what the runtime answers where the SMs of the GPU are known.

    Args:
        about: The answer for the kernel with any block size.
        of_size: How many bytes of dynamic shared memory a block of so many threads uses, where that depends
            on the size.
        smem_per_thread: The bytes that each thread adds, where that is how.

    Raises:
        InputError: The function gives no size in bytes, or the total was given as well.
    """
    chip, launch = about.chip, None
    if chip.multiprocessor_count is not None and about.model == "cuda":
        launch = max_potential_block_size(about.limits, about.kernel, chip.multiprocessor_count, of_size)
    sizes = block_sizes(about.limits, about.kernel, of_size, about.model)
    return block_sizes_report(about, sizes, smem_per_thread, chip.name, launch)
