"""The model `cuda`: NVIDIA's cuda_occupancy.h of CUDA 13.5, and the CUDA runtime.

Every function is one rule. The rules were derived from the results of that header and of an H200. Docstrings
explain surprising rules. Rounding is inlined, ``-(-amount // unit) * unit``, because a call takes as long as the
rest of a rule.
"""

from __future__ import annotations

from ..values.kernel import Kernel
from ..values.limits import Limits
from ..values.resources import QUANTITIES
from .common import (
    Allocation,
    BlockLimits,
    blocks_by_tensor_memory,
    check_modes,
    make,
    round_up,
    shared_memory_configuration,
    smallest_configuration,
)

FIRST_COMPUTE_CAPABILITY = (3, 0)
"""cuda_occupancy.h rejects older GPUs as unknown devices."""
FIRST_WITH_FLEXIBLE_CARVEOUT = (7, 0)
"""First compute capability on which a carveout too small for one block is only a hint. cuda_occupancy.h."""
FIRST_WITH_BARRIER_LIMIT = (9, 0)
"""First compute capability with barriers in cuda_occupancy.h; on 8.x they set no limit."""

UNKNOWN_BARRIERS = QUANTITIES["barriers"].default
"""Assumed barriers of a kernel: one, for ``__syncthreads()``."""


def supports(limits: Limits) -> bool:
    return limits.compute_capability >= FIRST_COMPUTE_CAPABILITY


def evaluate(limits: Limits, kernel: Kernel) -> tuple[int, BlockLimits, Allocation]:
    """Return the resident blocks, those that each resource allows, and the resources of one block."""
    tensor_memory, halves = None, False
    if kernel.tensor_memory is not None:
        tensor_memory = blocks_by_tensor_memory(limits, kernel.tensor_memory)
    warps = -(-kernel.threads // limits.warp_size)
    regs, unit = kernel.regs or 0, limits.register_allocation_unit
    registers = -(-regs * limits.warp_size // unit) * unit  # per warp
    needed = kernel.shared_memory + limits.reserved_shared_memory_per_block
    unit = limits.shared_memory_allocation_unit
    shared_memory = -(-needed // unit) * unit
    if kernel.caching is not None or kernel.shared_memory_mode is not None:
        check_modes(limits, kernel)
        halves = is_confined_to_half(limits, kernel, warps, registers)
    by_resource = (
        blocks_by_warps(limits, kernel, warps, halves),
        limits.max_blocks_per_multiprocessor,
        blocks_by_registers(limits, regs, warps, registers, halves),
        blocks_by_shared_memory(limits, kernel, shared_memory),
        blocks_by_barriers(limits, kernel),
        blocks_by_virtual_resources(limits, kernel),
        tensor_memory,
    )
    allocated = make(Allocation, (warps, registers * warps, shared_memory))
    return smallest(by_resource), make(BlockLimits, by_resource), allocated


def smallest(limits: tuple[int, int, int | None, int | None, int | None, int | None, int | None]) -> int:
    """Return the blocks that all resources together allow; a plain tuple is faster to unpack."""
    # Explicit comparisons, because min() over a filter takes five times as long.
    warps, blocks, registers, shared_memory, barriers, virtual_resources, tensor_memory = limits
    least = warps if warps < blocks else blocks
    if registers is not None and registers < least:
        least = registers
    if shared_memory is not None and shared_memory < least:
        least = shared_memory
    if barriers is not None and barriers < least:
        least = barriers
    if virtual_resources is not None and virtual_resources < least:
        least = virtual_resources
    if tensor_memory is not None and tensor_memory < least:
        least = tensor_memory
    return least


def blocks_by_warps(limits: Limits, kernel: Kernel, warps: int, halves: bool) -> int:
    """Return the blocks that the SM's warp slots allow; 0 if the block is too large."""
    if kernel.threads > limits.max_threads_per_block:
        return 0
    if kernel.max_threads is not None and kernel.threads > kernel.max_threads:
        return 0
    if kernel.block_dim is not None and exceeded_dimension(limits, kernel) is not None:
        return 0
    if halves:
        return 2 * (limits.max_warps_per_multiprocessor // 2 // warps)
    return limits.max_threads_per_multiprocessor // (limits.warp_size * warps)


def exceeded_dimension(limits: Limits, kernel: Kernel) -> int | None:
    """Return the first axis (0, 1, 2) on which the block is too long; None if it fits."""
    if kernel.block_dim is not None:
        for axis in range(3):
            if kernel.block_dim[axis] > limits.max_block_dim[axis]:
                return axis
    return None


def blocks_by_registers(limits: Limits, regs: int, warps: int, per_warp: int, halves: bool) -> int | None:
    """Return the blocks that the register files allow.

    Each sub-partition has its own register file, and each warp is in one sub-partition: free registers in two of
    them cannot hold a warp. The launch check assumes equal numbers of warps in all sub-partitions, so it rounds
    the warps up.
    """
    if not regs:
        return None
    if regs > limits.max_registers_per_thread:
        return 0
    checked = limits.launch_check_sub_partitions or limits.sub_partitions  # `checked_sub_partitions`, inlined
    if -(-warps // checked) * checked * per_warp > limits.max_registers_per_block:
        return 0
    fitting = warps_by_registers(limits, per_warp, limits.sub_partitions)
    if checked != limits.sub_partitions and warps_by_registers(limits, per_warp, checked) < warps:
        return 0
    return 2 * (fitting // 2 // warps) if halves else fitting // warps


def checked_sub_partitions(limits: Limits) -> int:
    """Return the sub-partitions in the launch check: those of the SM, except on 6.0.

    A 6.0 SM has two large sub-partitions, but the driver rejects blocks that could not run on the four
    sub-partitions of 6.1 and 6.2.
    """
    return limits.launch_check_sub_partitions or limits.sub_partitions


def warps_by_registers(limits: Limits, per_warp: int, sub_partitions: int) -> int:
    """Return the warps whose registers fit on one SM; a warp cannot span sub-partitions."""
    return limits.max_registers_per_multiprocessor // sub_partitions // per_warp * sub_partitions


def is_confined_to_half(limits: Limits, kernel: Kernel, warps: int, per_warp: int) -> bool:
    """Return True if caching global loads in L1 confines the block to one half of the SM.

    The hardware disables the caching if half of the SM has too few registers for one block. This does not apply
    to a block that exceeds the registers per block, because it does not launch.
    """
    if kernel.caching != "ca":
        return False
    if not kernel.regs:
        return True
    if round_up(warps, checked_sub_partitions(limits)) * per_warp > limits.max_registers_per_block:
        return True
    return warps_by_registers(limits, per_warp, limits.sub_partitions) // 2 >= warps


def max_shared_memory_allocation(limits: Limits, kernel: Kernel) -> int:
    """Return the most bytes of a block, including the reserved ones, with which the kernel launches.

    The oversized mode needs no separate opt-in (cuda.h of CUDA 13.5, CUsharedMemoryMode).
    """
    if limits.max_oversized_shared_memory_per_block is not None and kernel.shared_memory_mode == "oversized":
        return limits.max_oversized_shared_memory_per_block + limits.reserved_shared_memory_per_block
    if kernel.opt_in is False:
        return limits.max_shared_memory_per_block + limits.reserved_shared_memory_per_block
    return limits.max_shared_memory_per_block_optin + limits.reserved_shared_memory_per_block


def shared_memory_pool(limits: Limits, kernel: Kernel, per_block: int) -> int:
    """Return the bytes of shared memory that the SM selects for this kernel.

    The carveout is a hint: if it is too small for one block, the SM selects the smallest sufficient
    configuration (before 7.0, the largest).
    """
    pool = shared_memory_configuration(limits, kernel.carveout)
    if pool >= per_block:
        return pool
    if limits.compute_capability >= FIRST_WITH_FLEXIBLE_CARVEOUT:
        return smallest_configuration(limits, per_block)
    return limits.max_shared_memory_per_multiprocessor


def blocks_by_shared_memory(limits: Limits, kernel: Kernel, per_block: int) -> int | None:
    pool = limits.max_shared_memory_per_multiprocessor
    if kernel.carveout is not None:  # a call less for most kernels
        pool = shared_memory_pool(limits, kernel, per_block)
    may_exceed = per_block > limits.max_shared_memory_per_block  # few do: a call less for the others
    if may_exceed and per_block > max_shared_memory_allocation(limits, kernel):
        return 0
    return pool // per_block if per_block else None


def blocks_by_barriers(limits: Limits, kernel: Kernel) -> int | None:
    """Return the blocks that the SM's named barriers allow; they limit from 9.0."""
    barriers, available = kernel.barriers, limits.max_barriers_per_multiprocessor
    if barriers == 0 or available is None or limits.compute_capability < FIRST_WITH_BARRIER_LIMIT:
        return None
    return available // (UNKNOWN_BARRIERS if barriers is None else barriers)


def blocks_by_virtual_resources(limits: Limits, kernel: Kernel) -> int | None:
    """Return the blocks that the SM's virtual resources allow: one, for a kernel with tensor memory.

    The header counts virtual resources at the start of a block. Presumably, a block that returns them (``tcgen05``
    ``relinquish_alloc_permit``) admits another block; compute this case with 0 virtual resources.
    """
    available = limits.virtual_resources_per_multiprocessor
    if available is None or not kernel.virtual_resources_at_start:
        return None
    return available // kernel.virtual_resources_at_start
