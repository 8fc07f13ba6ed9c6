"""Effects of ``__launch_bounds__`` on a kernel, and register caps.

The rules were derived from kernels with every kind of bounds, compiled by ptxas 11.8, 12.9, 13.0 and 13.5 for
compute capabilities 3.5 to 12.1. In all cases, ptxas follows the engine's rule for registers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from ..engine import Model, Result, cuda, limiting
from ..errors import InputError
from ..tables.gpus import Gpu
from ..values.kernel import Kernel
from ..values.limits import Limits
from ..values.numbers import count
from ..values.resources import Resource
from ..values.spellings import in_range
from .search import VariedResource, max_keeping


class LaunchBoundsFields(NamedTuple):
    gpu: Gpu
    kernel: Kernel
    min_blocks: int | None
    """Second launch bound."""
    launch_bounds: str
    """Attribute of the kernel in the source."""
    legal: bool
    """False if an SM cannot hold the blocks. ptxas then ignores the second bound."""
    most_blocks: int
    """Largest second bound that ptxas honors."""
    warning: str | None
    """Reason why ptxas ignores the second bound; None if it honors it."""
    register_cap: int
    """Maximum registers per thread that ptxas allocates; the rest spills."""
    regs: int
    """Register cap, or registers of the kernel if fewer. The occupancy is computed for them."""
    active_blocks: int
    occupancy: float
    """Resident warps divided by the maximum per SM, 0 to 1."""
    limiters: tuple[Resource, ...]
    reason: str | None
    """Reason why the kernel does not launch at this register count; None if it launches."""


class RegisterCap(NamedTuple):
    """Attributes that cap the registers, which may cause spills."""

    launch_bounds: str | None
    """Attribute of the kernel in the source; None if no launch bounds set this cap."""
    maxnreg: str
    """``__maxnreg__`` with the same cap, from CUDA 12.4 on; mutually exclusive with launch bounds."""


def register_cap(now: Result, registers: int, blocks: int) -> RegisterCap | None:
    """Return attributes that cap the registers for a number of blocks; None at the maximum."""
    limits, threads = now.limits, now.kernel.launch_bound
    if registers >= limits.max_registers_per_thread:
        return None
    bounds = second_bounds(limits, threads, registers)
    least = min(blocks, bounds.stop - 1)  # a larger first bound makes fewer blocks of the same threads
    # Without a second bound, ptxas chooses fewer registers for a kernel that must spill.
    text = bounds_in_source(threads, least) if least in bounds else None
    return RegisterCap(text, maxnreg_in_source(registers))


def second_bounds(limits: Limits, threads: int, cap: int) -> range:
    """Return the second launch bounds for which ptxas computes a register cap."""
    compiled, most = _compiler_limits(limits), limits.max_registers_per_thread
    with_one_more = Result(compiled, Kernel(threads, cap + 1)).active_blocks if cap < most else 0
    return range(with_one_more + 1, Result(compiled, Kernel(threads, cap)).active_blocks + 1)


def bounds_in_source(threads: int, min_blocks: int | str | None) -> str:
    """Return ``__launch_bounds__(256, 4)``, or ``__launch_bounds__(256)`` without a number of blocks."""
    return f"__launch_bounds__({threads}{'' if min_blocks is None else f', {min_blocks}'})"


def maxnreg_in_source(registers: int) -> str:
    return f"__maxnreg__({registers})"


def launch_bounds(
    gpu: Gpu, kernel: Kernel, min_blocks: int | None = None, model: Model | None = None
) -> LaunchBoundsFields:
    limits, threads = gpu.limits, kernel.launch_bound
    alone = Result(_compiler_limits(limits), Kernel(threads))
    if threads > limits.max_threads_per_block or not alone.active_blocks:
        problem = f"{threads:,} is more than the maximum per block on {gpu.label}"
        most = min(limits.max_threads_per_block, limits.max_threads_per_multiprocessor)
        where = "threads" if threads == kernel.threads else "max_threads"
        raise InputError(problem, where=where, allowed=f"1 to {most:,}")
    is_legal = min_blocks is None or in_range(min_blocks, "blocks") <= alone.active_blocks
    blocks = min_blocks if min_blocks is not None and is_legal else 1
    cap = max_keeping(blocks, VariedResource(alone, "regs").levels(0, blocks))
    registers = cap if kernel.regs is None else min(kernel.regs, cap)
    result = Result(limits, kernel.replace(regs=registers), model)
    warning = None
    if not is_legal:
        resident = f"{count(alone.active_blocks, 'block')} of {threads:,} threads"
        warning = f"ptxas ignores the second bound (minnctapersm), because an SM holds at most {resident}"
    return LaunchBoundsFields(
        gpu, kernel, min_blocks, bounds_in_source(threads, min_blocks), is_legal, alone.active_blocks, warning,
        register_cap=cap, regs=registers, active_blocks=result.active_blocks * result.launchable,
        occupancy=result.occupancy * result.launchable, reason=result.reason, limiters=limiting(result),
    )  # fmt: skip


def loosest_bounds(gpu: Gpu, kernel: Kernel, caps: range, share: float) -> LaunchBoundsFields | None:
    """Return the bounds with the fewest blocks that keep an occupancy and a range of register caps."""
    kernel = kernel.replace(regs=None, max_threads=min(kernel.launch_bound, gpu.limits.max_threads_per_block))
    most = launch_bounds(gpu, kernel).most_blocks
    tried = (launch_bounds(gpu, kernel, blocks) for blocks in range(1, most + 1))
    return next((each for each in tried if each.register_cap in caps and each.occupancy >= share), None)


def _compiler_limits(limits: Limits) -> Limits:
    """Return the limits that ptxas uses: on 6.0, the sub-partitions are those of the launch check."""
    parts = cuda.checked_sub_partitions(limits)
    return limits if parts == limits.sub_partitions else replace(limits, sub_partitions=parts)
