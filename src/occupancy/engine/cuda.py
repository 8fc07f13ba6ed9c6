"""The model `cuda`: the answer of NVIDIA's cuda_occupancy.h of CUDA 13.5, and of the CUDA runtime.

Every function is one rule. The rules were read from what that header and an H200 answer; where one
surprises, its docstring says why it is so. They round in place, ``-(-amount // unit) * unit``, because a
call takes as long as the rest of a rule.
"""

from __future__ import annotations

from ..values.kernel import Kernel
from ..values.limits import Limits
from ..values.resources import QUANTITIES
from .common import (
    blocks_by_tensor_memory,
    check_caching,
    check_shared_memory_mode,
    registers_per_warp,
    shared_memory_configuration,
    smallest_configuration,
    warps_per_block,
)
from .parts import Allocation, BlockLimits, make

FIRST_COMPUTE_CAPABILITY = (3, 0)
"""cuda_occupancy.h knows no older chip: it refuses them as unknown devices."""
FIRST_WITH_FLEXIBLE_CARVEOUT = (7, 0)
"""From there on a carveout that is too small for one block is only a hint. cuda_occupancy.h, as above."""
FIRST_WITH_BARRIER_LIMIT = (9, 0)
"""cuda_occupancy.h compares barriers from there on; on an 8.x they set no limit."""

UNKNOWN_BARRIERS = QUANTITIES["barriers"].not_given
"""A kernel whose barriers are not known counts as one with ``__syncthreads()``."""


def supports(limits: Limits) -> bool:
    """Whether this model knows the compute capability."""
    return limits.compute_capability >= FIRST_COMPUTE_CAPABILITY


def evaluate(limits: Limits, kernel: Kernel) -> tuple[BlockLimits, Allocation]:
    """The blocks that each resource allows, and what one block takes.

    Raises:
        InputError: A carveout, a mode of caching or of shared memory, or tensor memory, that the chip does
            not have.
    """
    if kernel.caching is not None:
        check_caching(limits, kernel)
    if kernel.shared_memory_mode is not None:
        check_shared_memory_mode(limits)
    tensor_memory = None
    if kernel.tensor_memory is not None:
        tensor_memory = blocks_by_tensor_memory(limits, kernel.tensor_memory)
    warps = warps_per_block(limits, kernel)
    registers = registers_per_warp(limits, kernel.regs or 0)
    shared_memory = shared_memory_per_block(limits, kernel)
    halves = limits.partitioned_global_caching and is_confined_to_half(limits, kernel, warps, registers)
    block_limits = make(
        BlockLimits,
        (
            blocks_by_warps(limits, kernel, warps, halves),
            limits.max_blocks_per_multiprocessor,
            blocks_by_registers(limits, kernel, warps, registers, halves),
            blocks_by_shared_memory(limits, kernel, shared_memory),
            blocks_by_barriers(limits, kernel),
            blocks_by_virtual_resources(limits, kernel),
            tensor_memory,
        ),
    )
    return block_limits, make(Allocation, (warps, registers * warps, shared_memory))


def blocks_by_warps(limits: Limits, kernel: Kernel, warps: int, halves: bool) -> int:
    """Blocks that the SM's warp slots allow; none if the block is larger than a block may be."""
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
    """The first of the block's dimensions (0, 1, 2) that is longer than the chip allows, if any."""
    if kernel.block_dim is not None:
        for axis in range(3):
            if kernel.block_dim[axis] > limits.max_block_dim[axis]:
                return axis
    return None


def blocks_by_registers(
    limits: Limits, kernel: Kernel, warps: int, per_warp: int, halves: bool
) -> int | None:
    """Blocks that the register files allow.

    Each sub-partition has a register file of its own, and a warp lives in one of them: what is left
    in two of them does not add up to a warp.
    """
    if not kernel.regs:
        return None
    if kernel.regs > limits.max_registers_per_thread:
        return 0
    checked = checked_sub_partitions(limits)
    if registers_checked(per_warp, warps, checked) > limits.max_registers_per_block:
        return 0
    fitting = warps_by_registers(limits, per_warp, limits.sub_partitions)
    if checked != limits.sub_partitions and warps_by_registers(limits, per_warp, checked) < warps:
        return 0
    if halves:
        return 2 * (fitting // 2 // warps)
    return fitting // warps


def checked_sub_partitions(limits: Limits) -> int:
    """Sub-partitions that a launch is checked with: those of the SM, but for 6.0.

    There, where the SM has two large ones, the driver refuses what the other chips of the family, with
    four, could not run.
    """
    return limits.launch_check_sub_partitions or limits.sub_partitions


def registers_checked(per_warp: int, warps: int, sub_partitions: int) -> int:
    """Registers that the launch check compares with the most that one block may have.

    It counts as if all sub-partitions got the same number of warps, so it rounds the warps up.
    """
    return -(-warps // sub_partitions) * sub_partitions * per_warp


def warps_by_registers(limits: Limits, per_warp: int, sub_partitions: int) -> int:
    """Warps whose registers fit on one SM, each whole in one sub-partition."""
    return limits.max_registers_per_multiprocessor // sub_partitions // per_warp * sub_partitions


def is_confined_to_half(limits: Limits, kernel: Kernel, warps: int, per_warp: int) -> bool:
    """Whether caching global loads in L1 confines the block to one half of the SM.

    The hardware gives the caching up when a half has too few registers for one block. A block with more
    registers than one may have gives up nothing, because it does not come to run.
    """
    if kernel.caching != "ca":
        return False
    if not kernel.regs:
        return True
    if registers_checked(per_warp, warps, checked_sub_partitions(limits)) > limits.max_registers_per_block:
        return True
    return warps_by_registers(limits, per_warp, limits.sub_partitions) // 2 >= warps


def shared_memory_per_block(limits: Limits, kernel: Kernel) -> int:
    """Bytes that one block takes: its own and the system's reservation, in whole allocation units."""
    unit = limits.shared_memory_allocation_unit
    needed = kernel.shared_memory + limits.reserved_shared_memory_per_block
    return -(-needed // unit) * unit


def max_shared_memory_allocation(limits: Limits, kernel: Kernel) -> int:
    """The largest `shared_memory_per_block`, in bytes, with which the kernel launches.

    The oversized mode needs no opt-in besides (cuda.h of CUDA 13.5, CUsharedMemoryMode).
    """
    if limits.max_oversized_shared_memory_per_block is not None and kernel.shared_memory_mode == "oversized":
        return limits.max_oversized_shared_memory_per_block + limits.reserved_shared_memory_per_block
    if kernel.opt_in is False:
        return limits.max_shared_memory_per_block + limits.reserved_shared_memory_per_block
    return limits.max_shared_memory_per_block_optin + limits.reserved_shared_memory_per_block


def shared_memory_pool(limits: Limits, kernel: Kernel, per_block: int) -> int:
    """Bytes of shared memory that the SM is set to for this kernel.

    The carveout is a wish: where it is too small for one block, the SM takes the smallest
    configuration that is large enough (before 7.0, the largest that there is).
    """
    if kernel.carveout is None:
        return limits.max_shared_memory_per_multiprocessor
    pool = shared_memory_configuration(limits, kernel.carveout)
    if pool >= per_block:
        return pool
    if limits.compute_capability >= FIRST_WITH_FLEXIBLE_CARVEOUT:
        return smallest_configuration(limits, per_block)
    return limits.max_shared_memory_per_multiprocessor


def blocks_by_shared_memory(limits: Limits, kernel: Kernel, per_block: int) -> int | None:
    """Blocks that the SM's shared memory allows."""
    pool = shared_memory_pool(limits, kernel, per_block)  # first: it refuses a carveout that the chip lacks
    if per_block > max_shared_memory_allocation(limits, kernel):
        return 0
    return pool // per_block if per_block else None


def blocks_by_barriers(limits: Limits, kernel: Kernel) -> int | None:
    """Blocks that the SM's named barriers allow; they set a limit from 9.0 only."""
    barriers = UNKNOWN_BARRIERS if kernel.barriers is None else kernel.barriers
    available = limits.max_barriers_per_multiprocessor
    if not barriers or available is None or limits.compute_capability < FIRST_WITH_BARRIER_LIMIT:
        return None
    return available // barriers


def blocks_by_virtual_resources(limits: Limits, kernel: Kernel) -> int | None:
    """Blocks that the SM's virtual resources allow: one, of a kernel that allocates tensor memory.

    The header counts what a block holds when it starts. One that gives them back (``tcgen05``
    ``relinquish_alloc_permit``) lets another in, which is inferred: such a kernel is asked about with none.
    """
    available = limits.virtual_resources_per_multiprocessor
    if available is None or not kernel.virtual_resources_at_start:
        return None
    return available // kernel.virtual_resources_at_start
