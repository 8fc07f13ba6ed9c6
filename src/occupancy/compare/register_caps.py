"""What caps the registers of a compiled kernel, as far as the kernel's own data tells.

Asked of ptxas and nvcc 13.0: for a kernel with launch bounds, with or without a number of blocks, ptxas
ignores ``-maxrregcount``, as for one with ``.maxnreg`` or ``.reqntid``. nvcc refuses ``__maxnreg__`` beside
launch bounds; other compilers write ``.maxnreg`` beside ``.maxntid`` or ``.reqntid``, and then it counts.
"""

from __future__ import annotations

from typing import Literal

from ..advice.launch_bounds import LaunchBounds, launch_bounds
from ..engine import evaluate
from ..errors import OccupancyError
from ..readers import KernelRecord
from ..tables.gpus import Gpu
from ..tables.shipped import limits
from ..values.dataclass import dataclass
from ..values.fields import MAX_REGISTERS_PER_THREAD
from ..values.kernel import Kernel

CappedBy = Literal["nothing", "launch bounds", "maxnreg", "-maxrregcount or maxnreg"]


@dataclass(frozen=True, slots=True)
class CapOrigin:
    """Where the register cap of a kernel comes from."""

    by: CappedBy
    bounds: tuple[int, int] | None = None
    """Threads per block and blocks per SM of launch bounds that mean this cap, the fewest blocks if those are
    one; None where it is not theirs, or their chip is not known."""


def cap_origin(record: KernelRecord) -> CapOrigin | None:
    """What set the register cap of a kernel; None where the cap is not known."""
    cap, chip = record.register_cap, record.compute_capability
    if cap is None:
        return None
    if record.format == "triton":  # which writes it where the kernel's configuration has it
        return CapOrigin("maxnreg")
    threads = bound_of(record)
    if threads is None:
        return CapOrigin("nothing" if cap >= MAX_REGISTERS_PER_THREAD else "-maxrregcount or maxnreg")
    try:
        if chip is None:
            return CapOrigin("launch bounds")
        compiled_for = Gpu(limits(chip))
        fitting = evaluate(compiled_for.limits, Kernel(threads, cap)).active_blocks
        for blocks in (1, fitting):
            if blocks and launch_bounds(compiled_for, Kernel(threads), blocks).register_cap == cap:
                return CapOrigin("launch bounds", (threads, blocks))
    except OccupancyError:  # a chip that only a user's table has
        return CapOrigin("launch bounds")
    return CapOrigin("maxnreg")


def bounds_within(record: KernelRecord, registers: int) -> LaunchBounds | None:
    """The launch bounds of a kernel with the fewest blocks per SM that cap its registers at so many or fewer.

    Args:
        record: The kernel; its block size stays as it is bounded.
        registers: The most per thread, 1 and up.

    Returns:
        None where no bounds do, or its chip or its bound is not known.
    """
    threads, chip = bound_of(record), record.compute_capability
    if threads is None or chip is None:
        return None
    try:
        compiled_for = Gpu(limits(chip))
        fitting = evaluate(compiled_for.limits, Kernel(threads, registers)).active_blocks
        each_bounds = (
            launch_bounds(compiled_for, Kernel(threads), blocks) for blocks in (fitting, fitting + 1)
        )
        return next((each for each in each_bounds if each.legal and each.register_cap <= registers), None)
    except OccupancyError:  # a chip that only a user's table has, or no block fits
        return None


def bound_of(record: KernelRecord) -> int | None:
    """The most threads per block that it was compiled for; with such a bound ``-maxrregcount`` is nothing to
    it. None without one."""
    return record.max_threads if record.required_threads is None else record.required_threads
