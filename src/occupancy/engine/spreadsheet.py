"""The model `spreadsheet`: NVIDIA's CUDA_Occupancy_Calculator.xls.

Version 11.1 covers 2.0 to 8.6, version 2.4 covers 1.0 to 1.3. The spreadsheet is reproduced with its deviations
from the hardware, because papers and courses quote it.
"""

from __future__ import annotations

from typing import NamedTuple

from ..errors import InputError
from ..values.kernel import Kernel
from ..values.limits import Limits, SpreadsheetColumn
from .common import Allocation, BlockLimits, check_modes, divide_up, round_up, shared_memory_configuration


class Bound(NamedTuple):
    """Maximum amount of a resource per block, and the limit that determines it."""

    name: str
    """Field of `Limits`, or ``"carveout"``."""
    amount: int


def supports(limits: Limits) -> bool:
    return limits.spreadsheet is not None


def column_of(limits: Limits) -> SpreadsheetColumn:
    if limits.spreadsheet is None:
        problem = f"compute capability {limits.compute_capability} needs it: no other rules apply before 3.0"
        raise InputError(problem, where="spreadsheet", hint="Set the spreadsheet's numbers in the limits.")
    return limits.spreadsheet


def evaluate(limits: Limits, kernel: Kernel) -> tuple[int, BlockLimits, Allocation]:
    # The spreadsheet does not check the maximum block size, and ignores barriers and virtual resources.
    column = column_of(limits)
    check_modes(limits, kernel)
    warps = divide_up(kernel.threads, limits.warp_size)
    registers = allocated_registers(limits, column, kernel, warps)
    needed = kernel.shared_memory + column.reserved_shared_memory_per_block  # reserved only on 8.0
    shared_memory = round_up(needed, limits.shared_memory_allocation_unit)
    block_limits = BlockLimits(
        limits.max_warps_per_multiprocessor // warps,
        limits.max_blocks_per_multiprocessor,
        blocks_by_registers(limits, column, kernel, warps),
        blocks_by_shared_memory(limits, column, kernel, shared_memory),
    )
    blocks = min(each for each in block_limits if each is not None)
    return blocks, block_limits, Allocation(warps, registers, shared_memory)


def allocated_registers(limits: Limits, column: SpreadsheetColumn, kernel: Kernel, warps: int) -> int:
    """Return the registers of one block; on 1.x, of its warps rounded up to pairs."""
    registers = kernel.regs or 0
    if limits.register_allocation_granularity == "block":
        counted = round_up(warps, limits.warp_allocation_granularity)
        return round_up(counted * limits.warp_size * registers, limits.register_allocation_unit)
    return allocated_registers_per_warp(limits, column, registers) * warps


def allocated_registers_per_warp(limits: Limits, column: SpreadsheetColumn, registers: int) -> int:
    unit = limits.register_allocation_unit * (2 if is_doubled_unit(column, registers) else 1)
    return round_up(registers * limits.warp_size, unit)


def is_doubled_unit(column: SpreadsheetColumn, registers: int) -> bool:
    # The spreadsheet searches its list as text for "R,", so that 1 matches in "21,".
    return f"{registers}," in "".join(f"{unit}," for unit in column.doubled_register_units)


def max_registers_per_block(limits: Limits, column: SpreadsheetColumn, kernel: Kernel) -> Bound:
    if kernel.caching == "ca" and column.max_registers_per_block_ca is not None:
        return Bound("spreadsheet.max_registers_per_block_ca", column.max_registers_per_block_ca)
    if column.max_registers_per_block is not None:
        return Bound("spreadsheet.max_registers_per_block", column.max_registers_per_block)
    return Bound("max_registers_per_block", limits.max_registers_per_block)


def warp_granularity(limits: Limits, column: SpreadsheetColumn, kernel: Kernel) -> int:
    """Return the multiple to which the warps that fit in the registers of a block are rounded down."""
    if kernel.caching == "ca" and column.warp_allocation_granularity_ca is not None:
        return column.warp_allocation_granularity_ca
    return limits.warp_allocation_granularity


def blocks_by_registers(limits: Limits, column: SpreadsheetColumn, kernel: Kernel, warps: int) -> int | None:
    """Return the blocks that the registers allow, in multiples of the limit per block."""
    if not kernel.regs:
        return None
    if kernel.regs > limits.max_registers_per_thread:
        return 0
    if limits.register_allocation_granularity == "block":
        return limits.max_registers_per_multiprocessor // allocated_registers(limits, column, kernel, warps)
    share = max_registers_per_block(limits, column, kernel).amount
    fitting = warps_by_registers(limits, column, kernel)
    return fitting // warps * (limits.max_registers_per_multiprocessor // share)


def warps_by_registers(limits: Limits, column: SpreadsheetColumn, kernel: Kernel) -> int:
    """Return the warps whose registers fit in the limit per block; the kernel must have registers."""
    per_warp = allocated_registers_per_warp(limits, column, kernel.regs or 0)
    granularity = warp_granularity(limits, column, kernel)
    return max_registers_per_block(limits, column, kernel).amount // per_warp // granularity * granularity


def shared_memory_pool(limits: Limits, kernel: Kernel, per_block: int) -> int:
    """Return the bytes of shared memory that the carveout requests, regardless of the block."""
    return shared_memory_configuration(limits, kernel.carveout)


def blocks_by_shared_memory(
    limits: Limits, column: SpreadsheetColumn, kernel: Kernel, per_block: int
) -> int | None:
    pool = shared_memory_configuration(limits, kernel.carveout)  # rejects unsupported carveouts
    if not per_block:
        return None
    most = max_shared_memory_allocation(limits, column, kernel).amount
    return 0 if per_block > most else pool // per_block


def max_shared_memory_allocation(limits: Limits, column: SpreadsheetColumn, kernel: Kernel) -> Bound:
    """Return the most bytes of a block, including the reserved ones, with which the kernel launches."""
    pool = shared_memory_configuration(limits, kernel.carveout)
    most = Bound("max_shared_memory_per_block", limits.max_shared_memory_per_block)
    if column.max_shared_memory_per_block is not None:
        most = Bound("spreadsheet.max_shared_memory_per_block", column.max_shared_memory_per_block)
    return most if most.amount <= pool else Bound("carveout", pool)
