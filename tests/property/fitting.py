"""Check that a number of blocks fits on an SM, without the engine's divisions.

The engine computes the blocks that a resource allows. Here the number of blocks is given. The sum of their
allocations is compared with the limit. One block must also be launchable.
"""

from collections.abc import Callable

from occupancy.engine import Model, Result, cuda, spreadsheet
from occupancy.engine.common import divide_up, round_up
from occupancy.values.limits import Limits
from occupancy.values.resources import Resource


def fits(result: Result, resource: Resource, blocks: int) -> bool:
    """Return True if a number of blocks fits in a resource of the SM; 0 blocks always fit."""
    return blocks == 0 or RULES[result.model][resource](result, blocks)


def blocks_fit(result: Result, blocks: int) -> bool:
    return blocks <= result.limits.max_blocks_per_multiprocessor


def warps_fit(result: Result, blocks: int) -> bool:
    if result.kernel.threads > result.limits.max_threads_per_block:
        return False
    most = result.limits.max_warps_per_multiprocessor
    if is_in_halves(result):
        return divide_up(blocks, 2) * result.allocated.warps <= most // 2
    return blocks * result.allocated.warps <= most


def registers_fit(result: Result, blocks: int) -> bool:
    """Check the sub-partition with the most warps, because a warp cannot span sub-partitions."""
    limits, registers = result.limits, result.kernel.regs
    if not registers:
        return True
    if registers > limits.max_registers_per_thread or not may_have_registers(result):
        return False
    if is_in_halves(result):
        warps = divide_up(blocks, 2) * result.allocated.warps
        return is_room_in_sub_partitions(result, warps, limits.sub_partitions // 2)
    return is_room_in_sub_partitions(result, blocks * result.allocated.warps, limits.sub_partitions)


def is_room_in_sub_partitions(result: Result, warps: int, sub_partitions: int) -> bool:
    in_the_fullest = divide_up(warps, sub_partitions)
    registers = result.limits.max_registers_per_multiprocessor // result.limits.sub_partitions
    return in_the_fullest * registers_per_warp(result) <= registers


def may_have_registers(result: Result) -> bool:
    """Check the launch limits; on 6.0, also those of an SM with four sub-partitions."""
    limits, warps = result.limits, result.allocated.warps
    others = limits.launch_check_sub_partitions
    if others is not None:
        in_the_fullest = divide_up(warps, others) * registers_per_warp(result)
        if in_the_fullest > limits.max_registers_per_multiprocessor // others:
            return False
    return passes_check(result, limits.sub_partitions) and passes_check(result, others or 1)


def passes_check(result: Result, sub_partitions: int) -> bool:
    warps = round_up(result.allocated.warps, sub_partitions)
    return warps * registers_per_warp(result) <= result.limits.max_registers_per_block


def is_in_halves(result: Result) -> bool:
    """Return True if blocks are confined to halves of the SM: with cached loads, if one fits in a half."""
    if result.kernel.caching != "ca":
        return False
    sub_partitions = result.limits.sub_partitions
    has_room = is_room_in_sub_partitions(result, result.allocated.warps, sub_partitions // 2)
    return has_room or not passes_check(result, sub_partitions)


def registers_per_warp(result: Result) -> int:
    return result.allocated.registers // result.allocated.warps


def shared_memory_fits(result: Result, blocks: int) -> bool:
    limits, kernel, per_block = result.limits, result.kernel, result.allocated.shared_memory
    if per_block > cuda.max_shared_memory_allocation(limits, kernel):
        return False
    return blocks * per_block <= cuda.shared_memory_pool(limits, kernel, per_block)


def barriers_fit(result: Result, blocks: int) -> bool:
    limits, barriers = result.limits, result.kernel.barriers
    if limits.compute_capability < (9, 0) or limits.max_barriers_per_multiprocessor is None:
        return True
    return blocks * (1 if barriers is None else barriers) <= limits.max_barriers_per_multiprocessor


def warps_fit_in_the_spreadsheet(result: Result, blocks: int) -> bool:
    return blocks * result.allocated.warps <= result.limits.max_warps_per_multiprocessor


def registers_fit_in_the_spreadsheet(result: Result, blocks: int) -> bool:
    """Check registers: on 1.x the sum, later whole groups of warps in each share of the registers."""
    limits, kernel = result.limits, result.kernel
    if not kernel.regs:
        return True
    if kernel.regs > limits.max_registers_per_thread:
        return False
    if limits.register_allocation_granularity == "block":
        return blocks * result.allocated.registers <= limits.max_registers_per_multiprocessor
    assert limits.spreadsheet is not None
    share = spreadsheet.max_registers_per_block(limits, limits.spreadsheet, kernel).amount
    in_one_share = divide_up(blocks, limits.max_registers_per_multiprocessor // share)
    granularity = spreadsheet.warp_granularity(limits, limits.spreadsheet, kernel)
    return round_up(in_one_share * result.allocated.warps, granularity) * registers_per_warp(result) <= share


def shared_memory_fits_in_the_spreadsheet(result: Result, blocks: int) -> bool:
    limits, per_block = result.limits, result.allocated.shared_memory
    assert limits.spreadsheet is not None
    most = limits.spreadsheet.max_shared_memory_per_block or limits.max_shared_memory_per_block
    return per_block <= most and blocks * per_block <= configuration(limits, result)


def configuration(limits: Limits, result: Result) -> int:
    """Return the configuration that the carveout requests: the smallest sufficient one."""
    carveout = result.kernel.carveout
    largest = limits.max_shared_memory_per_multiprocessor
    if carveout is None:
        return largest
    wanted = carveout.amount if carveout.unit == "bytes" else carveout.amount * largest // 100
    return min(size for size in limits.shared_memory_configurations if size >= wanted)


def always(result: Result, blocks: int) -> bool:
    return True


def virtual_resources_fit(result: Result, blocks: int) -> bool:
    """Check that the sum over all blocks is within the limit of the SM, from 10.0 on."""
    available = result.limits.virtual_resources_per_multiprocessor
    return available is None or blocks * result.kernel.virtual_resources_at_start <= available


def tensor_memory_fits(result: Result, blocks: int) -> bool:
    """Check that the columns of all blocks, in units of 32, are within the limit of the SM."""
    columns = result.kernel.tensor_memory or 0
    return blocks * divide_up(columns, 32) * 32 <= (result.limits.tensor_memory_per_multiprocessor or 0)


RULES: dict[Model, dict[Resource, Callable[[Result, int], bool]]] = {
    "cuda": {
        "warps": warps_fit, "blocks": blocks_fit, "registers": registers_fit,
        "shared_memory": shared_memory_fits, "barriers": barriers_fit,
        "virtual_resources": virtual_resources_fit, "tensor_memory": tensor_memory_fits,
    },
    "spreadsheet": {
        "warps": warps_fit_in_the_spreadsheet, "blocks": blocks_fit,
        "registers": registers_fit_in_the_spreadsheet,
        "shared_memory": shared_memory_fits_in_the_spreadsheet, "barriers": always,
        "virtual_resources": always, "tensor_memory": always,
    },
}  # fmt: skip
