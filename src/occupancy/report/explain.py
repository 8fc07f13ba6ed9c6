"""The arithmetic of a result, step by step.

Each number comes from the engine's own function for that step. The page's ``explain`` has the same steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..engine import Result, cuda, spreadsheet
from ..engine.common import round_up, shared_memory_configuration
from ..values.numbers import count, grouped
from ..values.records import readable
from ..values.resources import Resource

NO_BLOCKS = "0 blocks"
USES_NONE, NOT_GIVEN = "no limit: the kernel uses none", "no limit, because no value is given"


@readable
class Explanation(NamedTuple):
    """The arithmetic of one resource."""

    resource: Resource
    steps: tuple[str, ...]


def explain(result: Result) -> tuple[Explanation, ...]:
    return tuple(Explanation(name, tuple(map(grouped, steps))) for name, steps in _explanations(result))


def _explanations(result: Result) -> Iterator[tuple[Resource, list[str]]]:
    kernel, is_cuda = result.kernel, result.model == "cuda"
    yield "warps", _warps(result)
    yield "blocks", [f"at most {_blocks(result, 'blocks')} per SM"]
    most = result.limits.max_registers_per_thread
    if not kernel.regs:
        yield "registers", [NOT_GIVEN if kernel.regs is None else USES_NONE]
    elif kernel.regs > most:
        yield "registers", [f"{count(kernel.regs, 'register')} per thread > {most}: {NO_BLOCKS}"]
    else:
        yield "registers", (_registers if is_cuda else _spreadsheet_registers)(result, kernel.regs)
    yield "shared_memory", _shared_memory(result)
    if not is_cuda:
        return
    if kernel.barriers is not None or "barriers" in result.limiters:
        yield "barriers", _counted(result, "barriers", "9.0")
    if kernel.virtual_resources is not None or kernel.tensor_memory is not None:
        yield "virtual_resources", _counted(result, "virtual_resources", "10.0")
    if kernel.tensor_memory is not None:
        yield "tensor_memory", [_share(result, "tensor_memory", " columns")]


def _blocks(result: Result, resource: Resource) -> str:
    return count(getattr(result.block_limits, resource), "block")


def _share(result: Result, resource: Resource, unit: str = "", note: str = "") -> str:
    use = result.resources[resource]
    return f"{use.per_multiprocessor}{unit} per SM // {use.per_block}{note} = {_blocks(result, resource)}"


def _warp_steps(result: Result, resource: Resource, available: int, unit: str = "") -> list[str]:
    """Return the division of warps among blocks, on the whole SM or on each half of it."""
    warps, blocks = result.allocated.warps, _blocks(result, resource)
    each, per_warp = count(warps, "warp"), result.allocated.registers // warps
    if result.model != "cuda" or not cuda.is_confined_to_half(result.limits, result.kernel, warps, per_warp):
        return [f"{available}{unit} // {each} = {blocks}"]
    half = available // 2
    in_half = f"{half} // {each} = {half // warps}, x 2 = {blocks}"
    return [f"{available}{unit} / 2 = {half} in each half", in_half]


def _warps(result: Result) -> list[str]:
    limits, kernel = result.limits, result.kernel
    threads = count(kernel.threads, "thread")
    steps = [] if kernel.block_dim is None else [f"{' x '.join(map(str, kernel.block_dim))} = {threads}"]
    rounded = ", rounded up to whole warps" if kernel.threads % limits.warp_size else ""
    steps.append(f"{threads} / {limits.warp_size}{rounded} = {count(result.allocated.warps, 'warp')}")
    if result.model == "cuda" and not result.block_limits.warps and (failure := result.failure):
        maximum = f"the maximum{failure.axis and f' along {failure.axis}'}"
        return [*steps, f"{failure.needed} > {failure.allowed}, {maximum}: {NO_BLOCKS}"]
    return [*steps, *_warp_steps(result, "warps", limits.max_warps_per_multiprocessor, " warps per SM")]


def _per_warp_step(result: Result, regs: int, unit: int) -> str:
    size, per_warp = result.limits.warp_size, result.allocated.registers // result.allocated.warps
    rounded = f"{regs * size}, rounded up to a multiple of {unit}: {per_warp} per warp"
    return f"{count(regs, 'register')} x {size} threads = {rounded}"


def _registers(result: Result, regs: int) -> list[str]:
    limits, warps, unit = result.limits, result.allocated.warps, result.limits.register_allocation_unit
    per_warp, parts = result.allocated.registers // warps, cuda.checked_sub_partitions(limits)
    highest = per_warp // limits.warp_size
    lowest, most = highest - unit // limits.warp_size + 1, min(highest, limits.max_registers_per_thread)
    steps = [f"{_per_warp_step(result, regs, unit)}, the same for {lowest} to {most} registers"]
    counted, largest = round_up(warps, parts), limits.max_registers_per_block
    counted_as = "" if counted == warps else f", rounded up to {counted} for {parts} sub-partitions,"
    check = f"launch check: {count(warps, 'warp')}{counted_as} x {per_warp} = {counted * per_warp}"
    if counted * per_warp > largest:
        return [*steps, f"{check} > {largest} per block: {NO_BLOCKS}"]
    steps.append(f"{check} <= {largest} per block: passes")
    checked = cuda.warps_by_registers(limits, per_warp, parts)
    if parts != limits.sub_partitions and checked < warps:
        return [*steps, f"launch check: {count(checked, 'warp')} fit in {parts} sub-partitions: {NO_BLOCKS}"]
    parts, everything = limits.sub_partitions, limits.max_registers_per_multiprocessor
    fitting, share = cuda.warps_by_registers(limits, per_warp, parts), everything // parts
    return [
        *steps,
        f"{everything} per SM / {parts} sub-partitions = {share}",
        f"{share} per sub-partition // {per_warp} = {count(fitting // parts, 'warp')}, x {parts} = {fitting}",
        *_warp_steps(result, "registers", fitting),
    ]


def _spreadsheet_registers(result: Result, regs: int) -> list[str]:
    limits, kernel, warps = result.limits, result.kernel, result.allocated.warps
    column, unit = spreadsheet.column_of(limits), limits.register_allocation_unit
    granularity, registers = spreadsheet.warp_granularity(limits, column, kernel), result.allocated.registers
    if limits.register_allocation_granularity == "block":
        counted, size = round_up(warps, granularity), limits.warp_size
        rounded = f"{count(warps, 'warp')}, rounded up to a multiple of {granularity}: {counted}"
        threads = f"{rounded}, x {size} threads"
        need = f"{counted * size * regs}, rounded up to a multiple of {unit}: {registers} per block"
        return [f"{threads} x {count(regs, 'register')} = {need}", _share(result, "registers")]
    share, per_warp = spreadsheet.max_registers_per_block(limits, column, kernel).amount, registers // warps
    fitting = spreadsheet.warps_by_registers(limits, column, kernel)
    shares = limits.max_registers_per_multiprocessor // share
    in_shares = f"{fitting // warps}, x {shares} shares per SM = " if shares != 1 else ""
    rounded = f"{count(share // per_warp, 'warp')}, rounded down to a multiple of {granularity}: {fitting}"
    return [
        _per_warp_step(result, regs, 2 * unit if spreadsheet.is_doubled_unit(column, regs) else unit),
        f"{share} per block // {per_warp} = {rounded}",
        f"{fitting} // {count(warps, 'warp')} = {in_shares}{_blocks(result, 'registers')}",
    ]


def _shared_memory(result: Result) -> list[str]:
    limits, kernel, per_block = result.limits, result.kernel, result.allocated.shared_memory
    if not per_block:
        return [USES_NONE if kernel.has_shared_memory else NOT_GIVEN]
    if result.model == "cuda":
        reserved = limits.reserved_shared_memory_per_block
        most = cuda.max_shared_memory_allocation(limits, kernel)
    else:
        column = spreadsheet.column_of(limits)
        reserved = column.reserved_shared_memory_per_block
        most = spreadsheet.max_shared_memory_allocation(limits, column, kernel).amount
    terms = [f"{kernel.shared_memory} bytes"]
    if kernel.smem is None and kernel.static_smem is not None and kernel.dynamic_smem is not None:
        terms = [f"{kernel.static_smem} static", f"{kernel.dynamic_smem} dynamic"]
    terms += [f"{reserved} reserved by CUDA"] if reserved else []
    with_reserved = f" with the {reserved} reserved" if reserved else ""
    total = f" = {kernel.shared_memory + reserved}" if len(terms) > 1 else ""
    rounded = f"rounded up to a multiple of {limits.shared_memory_allocation_unit}: {per_block} per block"
    steps = [f"{' + '.join(terms)}{total}, {rounded}"]
    if per_block > most:
        return [*steps, f"{per_block} > {most}, the maximum per block{with_reserved}: {NO_BLOCKS}"]
    requested, pool = shared_memory_configuration(limits, kernel.carveout), result.shared_memory_pool
    carveout, largest = kernel.carveout, limits.max_shared_memory_per_multiprocessor
    chosen = f"{'the largest' if carveout is None else 'as set'}, {requested}"
    if carveout is not None and carveout.unit == "percent":
        share = f"{carveout.amount}% of {largest} = {largest * carveout.amount // 100}"
        chosen = f"{share}, rounded up to the next size: {requested}"
    steps.append(f"shared memory configuration: {chosen}")
    if pool != requested:
        steps.append(f"{requested} is too small for one block: {pool}")
    return [*steps, f"{pool} // {per_block} = {_blocks(result, 'shared_memory')}"]


def _counted(result: Result, resource: Resource, since: str) -> list[str]:
    if not result.resources[resource].per_block:
        return [USES_NONE]
    if getattr(result.block_limits, resource) is None:
        return [f"no limit before {since}"]
    is_assumed = resource == "barriers" and result.kernel.barriers is None
    return [_share(result, resource, note=" (not given: counted as one)" if is_assumed else "")]
