"""The arithmetic of a result, step by step, with the reason where a rule surprises.

Each number comes from the engine's own function for that step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..engine import Result, cuda, spreadsheet
from ..engine.common import registers_per_warp, round_up, shared_memory_configuration
from ..values.fields import TENSOR_MEMORY_UNIT
from ..values.numbers import count, grouped
from ..values.resources import RESOURCES, Resource

NO_BLOCKS = "0 blocks"


class Explanation(NamedTuple):
    """The arithmetic of one resource."""

    resource: Resource
    steps: tuple[str, ...]
    why: str | None
    """The reason for a step that surprises."""


Steps = tuple[Sequence[str], str | None]
"""The steps of a resource, and the reason for one that surprises."""


def explain(result: Result) -> tuple[Explanation, ...]:
    """Return the steps of every resource that plays a part in the result."""
    if result.model == "cuda":
        explainers: tuple[Callable[[Result], Steps], ...] = (
            _warps, _blocks, _cuda_registers, _shared_memory, _barriers, _virtual_resources,
            _tensor_memory,
        )  # fmt: skip
    else:
        explainers = (_warps, _blocks, _spreadsheet_registers, _shared_memory)
    # The spreadsheet has the first four resources.
    found = ((name, explainer(result)) for name, explainer in zip(RESOURCES, explainers, strict=False))
    return tuple(
        Explanation(name, tuple(map(grouped, steps)), why and grouped(why))
        for name, (steps, why) in found
        if steps
    )


def _warps(result: Result) -> Steps:
    limits, kernel, warps = result.limits, result.kernel, result.allocated.warps
    threads = count(kernel.threads, "thread")
    rounded = ", rounded up" if kernel.threads % limits.warp_size else ""
    steps = []
    if kernel.block_dim is not None:
        x, y, z = kernel.block_dim
        steps.append(f"{x} x {y} x {z} = {threads}")
    steps.append(f"{threads} / {limits.warp_size}{rounded} = {count(warps, 'warp')}")
    why = None
    most = limits.max_warps_per_multiprocessor
    is_too_many = kernel.threads > limits.max_threads_per_block
    if result.model == "cuda" and (is_too_many or cuda.exceeded_dimension(limits, kernel) is not None):
        steps.append(f"larger than a block may be: {NO_BLOCKS}")
    elif result.model == "cuda" and is_limited_to_half(result):
        half = most // 2
        steps.append(f"{most} warps per SM / 2 = {half} in each half")
        steps.append(f"{half} // {count(warps, 'warp')} = {half // warps}, x 2 = {_limit(result, 'warps')}")
        why = "Caching global loads in L1 confines a block to one half of the SM."
    else:
        steps.append(f"{most} warps per SM // {count(warps, 'warp')} = {_limit(result, 'warps')}")
        if result.model == "cuda" and kernel.caching == "ca":
            why = "Half of the SM has too few registers for the block, which does without caching in L1."
    if kernel.threads % limits.warp_size and why is None:
        why = "Warps are allocated whole, so the last warp's idle lanes take up their slots."
    return steps, why


def _blocks(result: Result) -> Steps:
    return [f"at most {_limit(result, 'blocks')} per SM"], None


def _cuda_registers(result: Result) -> Steps:
    limits, kernel, warps = result.limits, result.kernel, result.allocated.warps
    if not kernel.regs:
        return _no_limit(is_given=kernel.regs is not None)
    per_warp = result.allocated.registers // warps
    steps = [_per_warp_step(result, per_warp)]
    if kernel.regs > limits.max_registers_per_thread:
        return [*steps, _too_many_per_thread(result)], None
    block_warps = count(warps, "warp")
    parts = cuda.checked_sub_partitions(limits)
    counted = round_up(warps, parts)
    why = None
    if counted != warps:
        why = f"The check counts as if all {parts} sub-partitions got the same number of warps."
        if parts != limits.sub_partitions:
            why += " This SM is checked as the others of its family are."
    passes = counted * per_warp <= limits.max_registers_per_block
    steps.append(
        f"launch check: {block_warps}{'' if counted == warps else f', counted as {counted},'} x {per_warp} = "
        f"{counted * per_warp} {'<=' if passes else '>'} {limits.max_registers_per_block} per block: "
        f"{'launches' if passes else NO_BLOCKS}"
    )
    checked = cuda.warps_by_registers(limits, per_warp, parts)
    if passes and parts != limits.sub_partitions and checked < warps:
        passes = False
        steps.append(f"launch check: {count(checked, 'warp')} fit in {parts} sub-partitions: {NO_BLOCKS}")
    if not passes:
        return steps, why
    parts = limits.sub_partitions
    share = limits.max_registers_per_multiprocessor // parts
    fitting = cuda.warps_by_registers(limits, per_warp, parts)
    steps += [
        f"{limits.max_registers_per_multiprocessor} per SM / {parts} sub-partitions = {share}",
        f"{share} per sub-partition // {per_warp} = {count(fitting // parts, 'warp')}, x {parts} = {fitting}",
    ]
    if is_limited_to_half(result):
        half = fitting // 2
        in_each = f"{half} // {block_warps} = {half // warps}, x 2 = {_limit(result, 'registers')}"
        steps.append(f"{fitting} / 2 = {half} in each half; {in_each}")
    else:
        steps.append(f"{fitting} // {block_warps} = {_limit(result, 'registers')}")
    if fitting < limits.max_registers_per_multiprocessor // per_warp:
        why = "A warp's registers come from one sub-partition; leftovers of several cannot be combined."
    return steps, why


def _shared_memory(result: Result) -> Steps:
    limits, kernel, per_block = result.limits, result.kernel, result.allocated.shared_memory
    if not per_block:
        return _no_limit(is_given=kernel.has_shared_memory)
    requested = pool = shared_memory_configuration(limits, kernel.carveout)
    if result.model == "cuda":
        reserved = limits.reserved_shared_memory_per_block
        most = cuda.max_shared_memory_allocation(limits, kernel)
        why = (
            f"From 8.0 on, the system reserves {reserved} bytes for each resident block."
            if reserved
            else None
        )
        if per_block <= most:
            pool = cuda.shared_memory_pool(limits, kernel, per_block)
    else:
        column = spreadsheet.column_of(limits)
        reserved = column.reserved_shared_memory_per_block
        most = spreadsheet.max_shared_memory_allocation(limits, column, kernel).amount
        why = reserved_memory_ignored(result)
    steps = [_shared_memory_step(result, reserved)]
    if per_block > most:
        steps.append(f"{per_block} > {most}, the most for one block: {NO_BLOCKS}")
        return steps, why
    steps.append(_pool_step(result, requested))
    if pool != requested:
        steps.append(f"{requested} is too small for one block: {pool}")
    steps.append(f"{pool} // {per_block} = {_limit(result, 'shared_memory')}")
    return steps, why


def _barriers(result: Result) -> Steps:
    available = result.limits.max_barriers_per_multiprocessor
    given = result.kernel.barriers
    if result.block_limits.barriers is None:
        return [f"no limit{': the kernel uses none' if given == 0 else ' before 9.0'}"], None
    counted = f"{cuda.UNKNOWN_BARRIERS} (not given: counted as one)" if given is None else f"{given}"
    return [f"{available} per SM // {counted} = {_limit(result, 'barriers')}"], None


def _virtual_resources(result: Result) -> Steps:
    """Return no steps for the many kernels that are not known to use any."""
    columns = result.kernel.tensor_memory
    if result.kernel.virtual_resources is None and columns is None:
        return (), None
    count = result.kernel.virtual_resources_at_start
    available = result.limits.virtual_resources_per_multiprocessor
    if available is None:
        return ["no limit: the kernel uses none" if not count else "no limit before 10.0"], None
    if not count:
        since = "" if columns is None else " once it has relinquished its permit"
        return [f"no limit: the kernel uses none{since}"], None
    why = (
        "cuda_occupancy.h counts the permit to allocate tensor memory, which a block has when it starts. "
        "A block that relinquishes it lets the next one start (inferred, not measured)."
    )
    return [f"{available} per SM // {count} = {_limit(result, 'virtual_resources')}"], why


def _tensor_memory(result: Result) -> Steps:
    """Return no steps for a kernel that is not known to allocate any."""
    columns = result.kernel.tensor_memory
    if columns is None:
        return (), None
    rounded, most = round_up(columns, TENSOR_MEMORY_UNIT), result.limits.tensor_memory_per_multiprocessor
    steps = [f"{most} columns per SM // {rounded} = {_limit(result, 'tensor_memory')}"]
    if rounded != columns:
        steps.insert(0, f"{columns} columns, rounded up to {TENSOR_MEMORY_UNIT}s: {rounded}")
    why = "Further blocks start, and wait in tcgen05.alloc until enough columns are free."
    return steps, why


def _spreadsheet_registers(result: Result) -> Steps:
    limits, kernel, warps = result.limits, result.kernel, result.allocated.warps
    column = spreadsheet.column_of(limits)
    if not kernel.regs:
        return _no_limit(is_given=kernel.regs is not None)
    if kernel.regs > limits.max_registers_per_thread:
        return [_too_many_per_thread(result)], None
    if limits.register_allocation_granularity == "block":
        counted = round_up(warps, limits.warp_allocation_granularity)
        need = counted * limits.warp_size * kernel.regs
        steps = (
            f"{count(warps, 'warp')}, rounded up to {limits.warp_allocation_granularity}s: {counted}",
            f"{counted} x {limits.warp_size} threads x {count(kernel.regs, 'register')} = {need}, "
            f"rounded up to {limits.register_allocation_unit}s: {result.allocated.registers} per block",
            f"{limits.max_registers_per_multiprocessor} per SM // {result.allocated.registers} = "
            f"{_limit(result, 'registers')}",
        )
        return steps, "On 1.x registers are allocated to the block as a whole."
    per_warp = spreadsheet.allocated_registers_per_warp(limits, column, kernel.regs)
    share = spreadsheet.max_registers_per_block(limits, column, kernel).amount
    granularity = spreadsheet.warp_granularity(limits, column, kernel)
    unrounded = share // per_warp
    fitting = unrounded // granularity * granularity
    shares = limits.max_registers_per_multiprocessor // share
    steps = (
        _per_warp_step(result, per_warp),
        f"{share} per block // {per_warp} = {count(unrounded, 'warp')}, "
        f"rounded down to {granularity}s: {fitting}",
        f"{fitting} // {count(warps, 'warp')} = "
        + (f"{fitting // warps}, x {shares} shares per SM = " if shares != 1 else "")
        + _limit(result, "registers"),
    )
    why = None
    if spreadsheet.is_doubled_unit(column, kernel.regs):
        why = "For this number of registers the spreadsheet allocates in units of twice the size."
    return steps, why


def _no_limit(*, is_given: bool) -> Steps:
    return [f"no limit: {'the kernel uses none' if is_given else 'not given'}"], None


def _too_many_per_thread(result: Result) -> str:
    registers = count(result.kernel.regs or 0, "register")
    return f"{registers} per thread > {result.limits.max_registers_per_thread}: {NO_BLOCKS}"


def _per_warp_step(result: Result, per_warp: int) -> str:
    limits, registers = result.limits, result.kernel.regs or 0
    unit = limits.register_allocation_unit
    if result.model == "spreadsheet":
        unit *= 2 if spreadsheet.is_doubled_unit(spreadsheet.column_of(limits), registers) else 1
    return (
        f"{count(registers, 'register')} x {limits.warp_size} threads = {registers * limits.warp_size}, "
        f"rounded up to {unit}s: {per_warp} per warp{_same_allocation(result, per_warp)}"
    )


def _shared_memory_step(result: Result, reserved: int) -> str:
    kernel, unit = result.kernel, result.limits.shared_memory_allocation_unit
    if kernel.smem is None and kernel.static_smem is not None and kernel.dynamic_smem is not None:
        terms = [f"{kernel.static_smem} static", f"{kernel.dynamic_smem} dynamic"]
    else:
        terms = [f"{kernel.shared_memory} bytes"]
    terms += [f"{reserved} reserved"] if reserved else []
    total = f" = {kernel.shared_memory + reserved}" if len(terms) > 1 else ""
    return f"{' + '.join(terms)}{total}, rounded up to {unit}s: {result.allocated.shared_memory} per block"


def _pool_step(result: Result, requested: int) -> str:
    limits, carveout = result.limits, result.kernel.carveout
    most = limits.max_shared_memory_per_multiprocessor
    if carveout is None:
        return f"configuration of the SM: the largest, {requested}"
    if carveout.unit == "bytes":
        return f"configuration of the SM: {requested}, as requested"
    wanted = most * carveout.amount // 100
    return (
        f"configuration of the SM: {carveout.amount}% of {most} = {wanted}, up to the next one: {requested}"
    )


def _limit(result: Result, resource: Resource) -> str:
    blocks = getattr(result.block_limits, resource)
    return count(blocks, "block")


def _same_allocation(result: Result, per_warp: int) -> str:
    """Return the other register counts with the same allocation: ``the same for 33 to 40``."""
    limits = result.limits
    if result.model != "cuda" or not per_warp:
        return ""
    most = per_warp // limits.warp_size
    least = max(1, (per_warp - limits.register_allocation_unit) // limits.warp_size + 1)
    assert registers_per_warp(limits, least) == registers_per_warp(limits, most) == per_warp
    most = min(most, limits.max_registers_per_thread)
    return f", the same for {least} to {most} registers" if least < most else ""


def is_limited_to_half(result: Result) -> bool:
    """Return True if caching global loads in L1 confines a block to half of the SM."""
    warps, registers = result.allocated.warps, result.allocated.registers
    return cuda.is_confined_to_half(result.limits, result.kernel, warps, registers // warps)


def reserved_memory_ignored(result: Result) -> str | None:
    """Return the sentence on reserved memory that the spreadsheet leaves out; None if it counts all."""
    column = result.limits.spreadsheet
    if column is None:
        return None
    missing = result.limits.reserved_shared_memory_per_block - column.reserved_shared_memory_per_block
    if missing <= 0:
        return None
    return f"The spreadsheet ignores {missing:,} bytes that the system reserves for each resident block."
