"""Launch failures: the limits that a kernel exceeds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..values.kernel import Kernel
from ..values.limits import Limits
from ..values.records import readable
from . import cuda, spreadsheet
from .common import Allocation, BlockLimits, Model, round_up

# Results of cudaGetErrorString, measured on an H200 with driver 580 and the runtimes of CUDA 11.8 to 13.5
# (tests/data/device/launch_errors.csv).
OUT_OF_RESOURCES = "too many resources requested for launch"
INVALID_VALUE = "invalid argument"

OPT_IN = "To allow more, call cudaFuncSetAttribute with cudaFuncAttributeMaxDynamicSharedMemorySize."
OVERSIZED = (
    "The oversized mode allows {} bytes, with 8 KiB of L1 cache: cudaFuncSetAttribute with "
    "cudaFuncAttributeSharedMemoryMode. To use it here, set shared memory mode oversized."
)
"""cuda.h of CUDA 13.5, CUsharedMemoryMode."""
RAISE_BOUND = "A larger __launch_bounds__ allows more."
MAKE_DYNAMIC = "Use dynamic shared memory and cudaFuncSetAttribute."
INVALID_CLUSTER = "a kernel launch error has occurred due to cluster misconfiguration"
NO_CLUSTERS = "clusters require compute capability 9.0 or newer."
OTHER_TARGET = " Targets such as {}a allow more: set `opt_in` (`--opt-in`)."

FIRST_WITH_LARGE_STATIC_SMEM = (9, 0)
"""First compute capability with targets such as sm_90a, for which ptxas accepts more than 48 KiB."""

_TOO_LARGE = (INVALID_VALUE, "", "invalid configuration argument")
"""Error, hint, and error before CUDA 13 of a block that is too large."""
_REGISTER_LIMITS = ("max_registers_per_block", "max_registers_per_multiprocessor")
_SUBJECTS = {
    "max_threads": "the kernel was compiled for", "static_smem": "the compiler accepts",
    "carveout": "the carveout leaves", ".*cluster_size": "a cluster can have", ".*per_multiprocessor": "an SM has",
    ".*per_thread": "a thread can have", r"spreadsheet\..*": "in the spreadsheet, a block can have",
    ".*": "a block can have",
}  # fmt: skip
"""Pattern of a limit -> beginning of a sentence about it; the first that matches counts."""


@readable
class LaunchFailure(NamedTuple):
    """Limit that prevents the launch of a kernel."""

    limit: str
    """Exceeded field of `Limits`, or ``"max_threads"``, ``"carveout"`` or ``"static_smem"`` of the kernel."""
    needed: int
    allowed: int
    what: str
    """Excessive amount, with its unit."""
    error: str = OUT_OF_RESOURCES
    """Error of the CUDA runtime; empty if the kernel does not compile for the GPU."""
    hint: str = ""
    error_before_13: str | None = None
    """Error of the runtime of CUDA 12 and older; None if it is the same."""
    axis: str = ""
    """Axis on which the block is too long: x, y or z."""

    def __str__(self) -> str:
        report = ""
        # No compiler generates too many registers per thread, and no GPU exceeds the other limits first.
        if self.error and (self.error != OUT_OF_RESOURCES or self.limit in _REGISTER_LIMITS):
            older = "" if self.error_before_13 is None else f' ("{self.error_before_13}" before CUDA 13)'
            report = f'The runtime reports "{self.error}"{older}.'
        return self.text(report)

    def text(self, report: str = "") -> str:
        """Return the amount and its limit, the error of the runtime if given, and the hint."""
        subject = next(each for form, each in _SUBJECTS.items() if re.fullmatch(form, self.limit))
        most = f"{subject} at most {self.allowed:,}{self.axis and f' along {self.axis}'}."
        sentence = f"{self.what}, but {NO_CLUSTERS if self.limit == 'max_portable_cluster_size' else most}"
        return " ".join(filter(None, (sentence, report, self.hint)))


def failures(
    limits: Limits, kernel: Kernel, model: Model, block_limits: BlockLimits, allocated: Allocation
) -> Iterator[LaunchFailure]:
    """Yield the exceeded limits in the driver's order: block size, shared memory, registers, others."""
    threads, what = kernel.threads, f"{kernel.threads:,} threads in one block"
    is_too_large = threads > limits.max_threads_per_block
    if is_too_large:
        yield LaunchFailure("max_threads_per_block", threads, limits.max_threads_per_block, what, *_TOO_LARGE)
    if kernel.max_threads is not None and threads > kernel.max_threads:
        is_too_large = True
        yield LaunchFailure("max_threads", threads, kernel.max_threads, what, INVALID_VALUE, RAISE_BOUND)
    if (number := cuda.exceeded_dimension(limits, kernel)) is not None and kernel.block_dim is not None:
        is_too_large = True
        length, allowed, axis = kernel.block_dim[number], limits.max_block_dim[number], "xyz"[number]
        along = f"{length:,} threads along {axis}"
        yield LaunchFailure(f"max_block_dim[{number}]", length, allowed, along, *_TOO_LARGE, axis)
    if block_limits.warps == 0 and not is_too_large:
        what, allowed = f"{what} of {allocated.warps} warps", limits.max_threads_per_multiprocessor
        yield LaunchFailure("max_threads_per_multiprocessor", threads, allowed, what)
    lacks_registers = block_limits.registers == 0
    size, most, cc = kernel.static_smem or 0, max_static_smem(limits, kernel), limits.compute_capability
    if is_rejected := model == "cuda" and size > most:
        hint = MAKE_DYNAMIC + OTHER_TARGET.format(cc.sm) * (cc >= FIRST_WITH_LARGE_STATIC_SMEM)
        hint *= size <= limits.max_shared_memory_per_block_optin  # else less static memory is the only remedy
        yield LaunchFailure("static_smem", size, most, f"{size:,} bytes of static shared memory", "", hint)
    if block_limits.shared_memory == 0:
        shared = _shared_memory(limits, kernel, model, allocated)
        # The spreadsheet's carveout is only a hint to the driver. Static memory above this limit was named.
        is_minor = lacks_registers if shared.limit == "carveout" else is_rejected and shared.allowed == most
        if not is_minor:
            yield shared
    if lacks_registers:
        yield _registers(limits, kernel, model, allocated)
    if block_limits.barriers == 0:
        needed = cuda.UNKNOWN_BARRIERS if kernel.barriers is None else kernel.barriers
        what, allowed = f"{needed} barriers in one block", limits.max_barriers_per_multiprocessor or 0
        yield LaunchFailure("max_barriers_per_multiprocessor", needed, allowed, what)
    if block_limits.virtual_resources == 0:
        needed, allowed = kernel.virtual_resources_at_start, limits.virtual_resources_per_multiprocessor or 0
        what = f"{needed} virtual resources in one block"
        yield LaunchFailure("virtual_resources_per_multiprocessor", needed, allowed, what)
    blocks = kernel.cluster_size
    if blocks is not None and blocks > (most := limits.most_blocks_per_cluster):
        limit, error = "max_non_portable_cluster_size", INVALID_CLUSTER
        if limits.max_portable_cluster_size is None:
            limit, error = "max_portable_cluster_size", ""
        yield LaunchFailure(limit, blocks, most, f"{blocks} blocks in one cluster", error)


def _registers(limits: Limits, kernel: Kernel, model: Model, allocated: Allocation) -> LaunchFailure:
    registers = kernel.regs or 0
    if registers > limits.max_registers_per_thread:
        what, allowed = f"{registers} registers per thread", limits.max_registers_per_thread
        return LaunchFailure("max_registers_per_thread", registers, allowed, what)
    phrase = "in one block"
    if model == "spreadsheet":
        (limit, allowed), needed = _registers_bound(limits, kernel, allocated)
    else:
        limit, allowed = "max_registers_per_block", limits.max_registers_per_block
        parts = cuda.checked_sub_partitions(limits)
        counted = round_up(allocated.warps, parts)
        needed = counted * (allocated.registers // allocated.warps)
        if needed != allocated.registers:
            phrase += f" ({allocated.warps} warps count as {counted}, a multiple of {parts} sub-partitions)"
        if needed <= allowed:  # the total fits, but not the warps in the sub-partitions
            limit, allowed = "max_registers_per_multiprocessor", limits.max_registers_per_multiprocessor
            phrase = "in one block, whole warps in each sub-partition"
    rounded = allocated.registers // (allocated.warps * limits.warp_size)
    each = f"{registers} registers each" + (f", allocated as {rounded}," if rounded > registers else "")
    what = f"{kernel.threads:,} threads with {each} need {needed:,} registers {phrase}"
    return LaunchFailure(limit, needed, allowed, what)


def _registers_bound(limits: Limits, kernel: Kernel, allocated: Allocation) -> tuple[spreadsheet.Bound, int]:
    column = spreadsheet.column_of(limits)
    bound, needed = spreadsheet.max_registers_per_block(limits, column, kernel), allocated.registers
    if limits.register_allocation_granularity == "warp":
        # The spreadsheet rounds the fitting warps down, which equals rounding the block's warps up. A block
        # within the limit fails only if the SM has fewer registers.
        warps = round_up(allocated.warps, spreadsheet.warp_granularity(limits, column, kernel))
        needed = max(needed // allocated.warps * warps, bound.amount)
    if needed <= bound.amount:
        bound = spreadsheet.Bound("max_registers_per_multiprocessor", limits.max_registers_per_multiprocessor)
    return bound, needed


def _shared_memory(limits: Limits, kernel: Kernel, model: Model, allocated: Allocation) -> LaunchFailure:
    needed = kernel.shared_memory
    what = f"{needed:,} bytes of shared memory in one block"
    if model == "spreadsheet":
        column = spreadsheet.column_of(limits)
        limit, allowed = spreadsheet.max_shared_memory_allocation(limits, column, kernel)
        if allocated.shared_memory != needed:
            what = f"{needed:,} bytes of shared memory take {allocated.shared_memory:,} in one block"
        # The runtime treats the carveout as a hint and selects a larger configuration.
        error = OUT_OF_RESOURCES if limit == "carveout" else INVALID_VALUE
        return LaunchFailure(limit, allocated.shared_memory, allowed, what, error)
    rounded = allocated.shared_memory - limits.reserved_shared_memory_per_block
    limit, allowed = "max_shared_memory_per_block_optin", limits.max_shared_memory_per_block_optin
    hint, oversized = "", limits.max_oversized_shared_memory_per_block
    if oversized is not None and kernel.shared_memory_mode == "oversized":
        limit, allowed = "max_oversized_shared_memory_per_block", oversized
    elif oversized is not None and allowed < rounded <= oversized:
        hint = OVERSIZED.format(f"{oversized:,}")
    elif kernel.opt_in is False and rounded <= allowed:
        limit, allowed = "max_shared_memory_per_block", limits.max_shared_memory_per_block
        hint = OPT_IN
    if needed <= allowed:  # exceeded only after rounding, which happens on no real GPU
        needed, what = rounded, f"{needed:,} bytes of shared memory take {rounded:,} in one block"
    return LaunchFailure(limit, needed, allowed, what, INVALID_VALUE, hint)


def max_static_smem(limits: Limits, kernel: Kernel) -> int:
    """Return the most static shared memory that ptxas accepts.

    For sm_90a and later targets of its kind, it is all that the GPU supports (ptxas 13.0). `opt_in` states them.
    """
    is_for_all = kernel.opt_in and limits.compute_capability >= FIRST_WITH_LARGE_STATIC_SMEM
    return limits.max_shared_memory_per_block_optin if is_for_all else limits.max_shared_memory_per_block
