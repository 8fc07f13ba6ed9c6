"""The arithmetic of a result, step by step, with the reason where a rule surprises.

Each number comes from the engine's own function for that step. The page's ``explain`` has the same steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..engine import Result, cuda, spreadsheet
from ..engine.common import round_up, shared_memory_configuration
from ..values.fields import TENSOR_MEMORY_UNIT
from ..values.numbers import count, grouped
from ..values.resources import Resource

NO_BLOCKS = "0 blocks"
USES_NONE = "no limit: the kernel uses none"


class Explanation(NamedTuple):
    """The arithmetic of one resource."""

    resource: Resource
    steps: tuple[str, ...]
    why: str | None
    """The reason for a step that surprises."""


Steps = tuple[list[str], str | None]


def explain(result: Result) -> tuple[Explanation, ...]:
    """Return the steps of every resource that plays a part in the result."""
    return tuple(
        Explanation(name, tuple(map(grouped, steps)), why and grouped(why))
        for name, (steps, why) in _explanations(result)
    )


def _explanations(result: Result) -> Iterator[tuple[Resource, Steps]]:
    kernel, is_cuda = result.kernel, result.model == "cuda"
    yield "warps", _warps(result)
    yield "blocks", ([f"at most {_blocks(result, 'blocks')} per SM"], None)
    most = result.limits.max_registers_per_thread
    if not kernel.regs:
        yield "registers", _no_limit(is_given=kernel.regs is not None)
    elif kernel.regs > most:
        yield "registers", ([f"{count(kernel.regs, 'register')} per thread > {most}: {NO_BLOCKS}"], None)
    else:
        yield "registers", (_registers if is_cuda else _spreadsheet_registers)(result, kernel.regs)
    if result.allocated.shared_memory:
        yield "shared_memory", _shared_memory(result)
    else:
        yield "shared_memory", _no_limit(is_given=kernel.has_shared_memory)
    if not is_cuda:
        return
    yield "barriers", _counted(result, "barriers", "9.0")
    if kernel.virtual_resources is not None or kernel.tensor_memory is not None:
        yield "virtual_resources", _counted(result, "virtual_resources", "10.0")
    if kernel.tensor_memory is not None:
        yield "tensor_memory", _tensor_memory(result, kernel.tensor_memory)


def _blocks(result: Result, resource: Resource) -> str:
    return count(getattr(result.block_limits, resource), "block")


def _no_limit(*, is_given: bool) -> Steps:
    return [USES_NONE if is_given else "no limit: not given"], None


def _share(result: Result, resource: Resource, unit: str = "", note: str = "") -> str:
    """Return ``64 per SM // 16 = 4 blocks``."""
    use = result.uses[resource]
    return f"{use.per_multiprocessor}{unit} per SM // {use.per_block}{note} = {_blocks(result, resource)}"


def _warp_steps(result: Result, resource: Resource, available: int, unit: str = "") -> list[str]:
    """Return the division of warps among blocks, on the whole SM or twice on one half of it."""
    each, blocks = result.allocated.warps, _blocks(result, resource)
    if result.model != "cuda" or not _is_limited_to_half(result):
        return [f"{available}{unit} // {count(each, 'warp')} = {blocks}"]
    half = available // 2
    in_each = f"{half} // {count(each, 'warp')} = {half // each}, x 2 = {blocks}"
    return [f"{available}{unit} / 2 = {half} in each half", in_each]


def _is_limited_to_half(result: Result) -> bool:
    """Return True if caching global loads in L1 confines a block to half of the SM."""
    warps, registers = result.allocated.warps, result.allocated.registers
    return cuda.is_confined_to_half(result.limits, result.kernel, warps, registers // warps)


def _warps(result: Result) -> Steps:
    limits, kernel, is_cuda = result.limits, result.kernel, result.model == "cuda"
    threads, why = count(kernel.threads, "thread"), None
    steps = [] if kernel.block_dim is None else [f"{' x '.join(map(str, kernel.block_dim))} = {threads}"]
    rounded = ", rounded up" if kernel.threads % limits.warp_size else ""
    steps.append(f"{threads} / {limits.warp_size}{rounded} = {count(result.allocated.warps, 'warp')}")
    if rounded:
        why = "Warps are allocated whole, so the last warp's idle lanes take up their slots."
    is_too_many = kernel.threads > limits.max_threads_per_block
    if is_cuda and (is_too_many or cuda.exceeded_dimension(limits, kernel) is not None):
        return [*steps, f"larger than a block may be: {NO_BLOCKS}"], why
    if is_cuda and _is_limited_to_half(result):
        why = "Caching global loads in L1 confines a block to one half of the SM."
    elif is_cuda and kernel.caching == "ca":
        why = "Half of the SM has too few registers for the block, which does without caching in L1."
    return [*steps, *_warp_steps(result, "warps", limits.max_warps_per_multiprocessor, " warps per SM")], why


def _per_warp_step(result: Result, regs: int, unit: int) -> str:
    size, per_warp = result.limits.warp_size, result.allocated.registers // result.allocated.warps
    rounded = f"{regs * size}, rounded up to {unit}s: {per_warp} per warp"
    return f"{count(regs, 'register')} x {size} threads = {rounded}"


def _registers(result: Result, regs: int) -> Steps:
    limits, warps, unit = result.limits, result.allocated.warps, result.limits.register_allocation_unit
    per_warp, parts = result.allocated.registers // warps, cuda.checked_sub_partitions(limits)
    highest = per_warp // limits.warp_size
    lowest, most = highest - unit // limits.warp_size + 1, min(highest, limits.max_registers_per_thread)
    steps = [f"{_per_warp_step(result, regs, unit)}, the same for {lowest} to {most} registers"]
    counted = round_up(warps, parts)
    why, counted_as = None, ""
    if counted != warps:
        why = f"The check counts as if all {parts} sub-partitions got the same number of warps."
        counted_as = f", counted as {counted},"
    passes = counted * per_warp <= limits.max_registers_per_block
    outcome = (
        f"{counted * per_warp} {'<=' if passes else '>'} {limits.max_registers_per_block} per block: "
        f"{'launches' if passes else NO_BLOCKS}"
    )
    steps.append(f"launch check: {count(warps, 'warp')}{counted_as} x {per_warp} = {outcome}")
    if not passes:
        return steps, why
    checked = cuda.warps_by_registers(limits, per_warp, parts)
    if parts != limits.sub_partitions and checked < warps:
        return [
            *steps,
            f"launch check: {count(checked, 'warp')} fit in {parts} sub-partitions: {NO_BLOCKS}",
        ], why
    parts, everything = limits.sub_partitions, limits.max_registers_per_multiprocessor
    fitting = cuda.warps_by_registers(limits, per_warp, parts)
    in_part = f"{count(fitting // parts, 'warp')}, x {parts} = {fitting}"
    steps += [
        f"{everything} per SM / {parts} sub-partitions = {everything // parts}",
        f"{everything // parts} per sub-partition // {per_warp} = {in_part}",
        *_warp_steps(result, "registers", fitting),
    ]
    if fitting < everything // per_warp:
        why = "A warp's registers come from one sub-partition; leftovers of several cannot be combined."
    return steps, why


def _spreadsheet_registers(result: Result, regs: int) -> Steps:
    limits, kernel, warps = result.limits, result.kernel, result.allocated.warps
    column, unit = spreadsheet.column_of(limits), limits.register_allocation_unit
    granularity = spreadsheet.warp_granularity(limits, column, kernel)
    if limits.register_allocation_granularity == "block":
        counted = round_up(warps, granularity)
        need = f"{counted * limits.warp_size * regs}, rounded up to {unit}s"
        steps = [
            f"{count(warps, 'warp')}, rounded up to {granularity}s: {counted}",
            f"{counted} x {limits.warp_size} threads x {count(regs, 'register')} = {need}: "
            f"{result.allocated.registers} per block",
            _share(result, "registers"),
        ]
        return steps, "On 1.x registers are allocated to the block as a whole."
    is_doubled, per_warp = spreadsheet.is_doubled_unit(column, regs), result.allocated.registers // warps
    share = spreadsheet.max_registers_per_block(limits, column, kernel).amount
    fitting = spreadsheet.warps_by_registers(limits, column, kernel)
    shares = limits.max_registers_per_multiprocessor // share
    in_shares = f"{fitting // warps}, x {shares} shares per SM = " if shares != 1 else ""
    steps = [
        _per_warp_step(result, regs, 2 * unit if is_doubled else unit),
        f"{share} per block // {per_warp} = {count(share // per_warp, 'warp')}, "
        f"rounded down to {granularity}s: {fitting}",
        f"{fitting} // {count(warps, 'warp')} = {in_shares}{_blocks(result, 'registers')}",
    ]
    doubled = "For this number of registers the spreadsheet allocates in units of twice the size."
    return steps, doubled if is_doubled else None


def _shared_memory(result: Result) -> Steps:
    limits, kernel, per_block = result.limits, result.kernel, result.allocated.shared_memory
    reserved, why = limits.reserved_shared_memory_per_block, None
    if result.model == "cuda":
        most = cuda.max_shared_memory_allocation(limits, kernel)
        if reserved:
            why = f"From 8.0 on, the system reserves {reserved} bytes for each resident block."
    else:
        column = spreadsheet.column_of(limits)
        most = spreadsheet.max_shared_memory_allocation(limits, column, kernel).amount
        if reserved > column.reserved_shared_memory_per_block:
            why = (
                f"The spreadsheet ignores {reserved} bytes that the system reserves for each resident block."
            )
        reserved = column.reserved_shared_memory_per_block
    terms = [f"{kernel.shared_memory} bytes"]
    if kernel.smem is None and kernel.static_smem is not None and kernel.dynamic_smem is not None:
        terms = [f"{kernel.static_smem} static", f"{kernel.dynamic_smem} dynamic"]
    terms += [f"{reserved} reserved"] if reserved else []
    total = f" = {kernel.shared_memory + reserved}" if len(terms) > 1 else ""
    rounded = f"rounded up to {limits.shared_memory_allocation_unit}s: {per_block} per block"
    steps = [f"{' + '.join(terms)}{total}, {rounded}"]
    if per_block > most:
        return [*steps, f"{per_block} > {most}, the most for one block: {NO_BLOCKS}"], why
    requested, pool = shared_memory_configuration(limits, kernel.carveout), result.shared_memory_pool
    carveout, configuration = kernel.carveout, f"the largest, {requested}"
    if carveout is not None:
        configuration = f"{requested}, as requested"
        if carveout.unit == "percent":
            largest = limits.max_shared_memory_per_multiprocessor
            share = f"{carveout.amount}% of {largest} = {largest * carveout.amount // 100}"
            configuration = f"{share}, up to the next one: {requested}"
    steps.append(f"configuration of the SM: {configuration}")
    if pool != requested:
        steps.append(f"{requested} is too small for one block: {pool}")
    return [*steps, f"{pool} // {per_block} = {_blocks(result, 'shared_memory')}"], why


def _counted(result: Result, resource: Resource, since: str) -> Steps:
    """Return the steps of a resource that is counted from a compute capability on."""
    if not result.uses[resource].per_block:
        return [USES_NONE], None
    if getattr(result.block_limits, resource) is None:
        return [f"no limit before {since}"], None
    if resource == "virtual_resources":
        why = "A block that allocates tensor memory starts with all virtual resources of the SM."
        return [_share(result, resource)], why
    note = " (not given: counted as one)" if result.kernel.barriers is None else ""
    return [_share(result, resource, note=note)], None


def _tensor_memory(result: Result, columns: int) -> Steps:
    rounded = round_up(columns, TENSOR_MEMORY_UNIT)
    steps = (
        [] if rounded == columns else [f"{columns} columns, rounded up to {TENSOR_MEMORY_UNIT}s: {rounded}"]
    )
    why = "Further blocks start, and wait in tcgen05.alloc until enough columns are free."
    return [*steps, _share(result, "tensor_memory", " columns")], why
