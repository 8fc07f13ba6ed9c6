"""Changes for more resident blocks, or for another block size with more warps."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from heapq import merge
from itertools import chain, islice
from math import prod
from typing import NamedTuple, TypedDict

from ..engine import Model, Result
from ..values.fields import Carveout
from ..values.kernel import Kernel
from ..values.limits import Limits
from ..values.records import FrozenDict, readable
from ..values.resources import QUANTITIES, Adjustable
from ..values.spellings import INT_MAX
from .search import Level, VariedResource

FIRST_WITH_SETMAXNREG = (9, 0)
"""PTX ISA, ``setmaxnreg``: sm_90a, and from 10.0 on the suffixes a and f. ptxas 13.5 accepts it for all."""

THREADS_PER_WARPGROUP = 128
"""Four warps. PTX ISA, ``wgmma``."""

NEARLY_ALL = 0.9
"""Share of an SM's registers above which a kernel is designed for one block per SM."""

WORTH_DIVIDING = 96
"""Minimum registers per thread. cuBLAS, cuDNN and FlashAttention launch with 168; 1,024 x 64 is common."""


class Changes(TypedDict, total=False):
    """Inputs of a kernel with their nearest sufficient values; ``carveout`` is in bytes."""

    threads: int
    regs: int
    smem: int
    barriers: int
    tensor_memory: int
    carveout: int
    cluster: tuple[int, int, int]
    opt_in: bool


@readable
class NextStep(NamedTuple):
    """Higher level of occupancy, with all required changes."""

    active_blocks: int
    occupancy: float
    """Resident warps divided by the maximum per SM, 0 to 1."""
    requires: Changes
    """Required changes, in the units of `compute`: ``result.replace(**step.requires)``."""


def next_steps(now: Result) -> Iterator[NextStep]:
    """Yield every higher occupancy with the required changes, ascending, and two other block sizes."""
    if repair := _repair(now):
        changed = _changed(now, repair)
        if changed.launchable:
            yield step_with(now, repair, changed)
        for step in next_steps(changed):
            requires: Changes = {**repair, **step.requires}
            if step.requires.get("smem", INT_MAX) <= now.limits.max_shared_memory_per_block:
                requires.pop("opt_in", None)
            yield step_with(now, requires)
        return
    steps = using_less(now)
    if now.kernel.carveout is not None:
        steps = merge(_with_larger_carveouts(now), steps, key=lambda step: step.active_blocks)
    steps = chain(steps, _with_other_block_sizes(now))
    if not now.launchable:  # the spreadsheet counts blocks that cannot launch
        launching = [step for step in steps if _changed(now, step.requires).launchable]
        steps = iter(launching or _with_less_in_another_size(now))  # both changes at once
    yield from steps


def _repair(now: Result) -> Changes:
    """Return changes besides smaller amounts: dynamic shared memory, the opt-in and a smaller cluster."""
    limits, kernel, changes = now.limits, now.kernel, Changes()
    if not now.compiles:
        changes["smem"] = kernel.shared_memory
    most, may_opt_in = limits.max_shared_memory_per_block, now.model == "cuda" and kernel.opt_in is False
    if may_opt_in and kernel.shared_memory > most and limits.max_shared_memory_per_block_optin > most:
        changes["opt_in"] = True
    if kernel.cluster is not None and (cluster := _cluster_up_to(limits, kernel.cluster)) != kernel.cluster:
        changes["cluster"] = cluster
    return changes


def _cluster_up_to(limits: Limits, cluster: tuple[int, int, int]) -> tuple[int, int, int]:
    """Return the shape, or a smaller one: sides that divide the same grids, or else the longest ones."""
    sides = list(cluster)
    for axis in (2, 1, 0):
        side, most = sides[axis], limits.most_blocks_per_cluster // (prod(sides) // sides[axis])
        most = max(1, min(most, side))
        sides[axis] = next((n for n in range(most, 1, -1) if side % n == 0), most)
    return sides[0], sides[1], sides[2]


def _with_less_in_another_size(now: Result) -> list[NextStep]:
    """Return the first step of the nearest block size that the GPU and the launch bound allow."""
    threads = min(now.kernel.threads, now.kernel.launch_bound, now.limits.max_threads_per_block)
    steps = using_less(_changed(now, {"threads": threads}))
    return [step_with(now, {"threads": threads, **step.requires}) for step in islice(steps, 1)]


def _with_larger_carveouts(now: Result) -> Iterator[NextStep]:
    """Yield the smallest carveout for each higher number of blocks, with smaller amounts if it needs them."""
    blocks, largest = now.active_blocks, Result(now.limits, now.kernel.replace(carveout=None), now.model)
    for level in chain([step_with(largest, {})], using_less(largest)):
        kept = _changed(now, level.requires)
        blocks = max(blocks, kept.active_blocks)  # `using_less` yields these
        for size in now.limits.shared_memory_configurations if blocks < level.active_blocks else ():
            reached = Result(now.limits, kept.kernel.replace(carveout=Carveout(size, "bytes")), now.model)
            if reached.active_blocks > blocks and reached.shared_memory_pool == size:
                blocks = reached.active_blocks
                yield step_with(now, {**level.requires, "carveout": size}, reached)


def step_with(now: Result, requires: Changes, reached: Result | None = None) -> NextStep:
    """Return the occupancy after some changes, which can be lower."""
    reached = reached or Result(now.limits, now.kernel.replace(**requires), now.model)
    return NextStep(reached.active_blocks, reached.occupancy, FrozenDict(requires))  # type: ignore[arg-type]


def _changed(now: Result, requires: Changes) -> Result:
    return Result(now.limits, now.kernel.replace(**requires), now.model)


def using_less(now: Result) -> Iterator[NextStep]:
    """Yield every higher number of blocks that smaller amounts allow, nearest first."""
    most = now.block_limits.blocks
    if now.kernel.caching != "ca":  # with "ca", the warps depend on the registers
        most = min(most, now.block_limits.warps)
    if now.active_blocks == most:
        return
    names = [name for name, of in QUANTITIES.items() if getattr(now.kernel, of.field)]
    if now.kernel.reallocates_registers:  # fewer at launch means a smaller pool for all warpgroups
        names = [name for name in names if name != "regs"]
    resources = [VariedResource(now, name) for name in names]
    empty = now.kernel.replace(**dict.fromkeys(QUANTITIES))  # the blocks of one resource depend on no other
    highest = blocks = now.active_blocks + 1  # some callers need only the first step, and so only one level
    while blocks <= most:
        requires: Changes = {}
        for varied in resources:
            if varied.blocks(now) < blocks:
                levels = _levels(now.limits, empty, now.model, varied.resource, highest, now.active_blocks)
                enough = [run.amount for run in levels if run.blocks >= blocks and run.amount < varied.amount]
                if not enough:
                    return
                requires[varied.resource] = enough[-1]
        step = step_with(now, requires)
        if step.active_blocks < blocks:
            return  # the limiter is an unknown amount
        yield step
        blocks, highest = step.active_blocks + 1, most


@lru_cache(maxsize=1 << 10)  # hundreds of kernels of a library share their block size
def _levels(
    limits: Limits, kernel: Kernel, model: Model, resource: Adjustable, most: int, least: int
) -> list[Level]:
    varied = VariedResource(Result(limits, kernel, model), resource)
    return list(varied.levels(QUANTITIES[resource].least, most, least))


def _with_other_block_sizes(now: Result) -> Iterator[NextStep]:
    """Yield the nearest size with more warps, and the nearest size with the most warps."""
    warps = now.active_warps if now.launchable else 0  # the spreadsheet counts blocks that cannot launch
    by_size = [name for name in now.limiters if name not in ("virtual_resources", "tensor_memory")]
    # A resident block of any size uses all virtual resources of the SM.
    is_alone = "virtual_resources" in now.limiters and not by_size and now.active_blocks > 0
    if is_alone or warps >= now.limits.max_warps_per_multiprocessor:
        return
    warp, threads, most = now.limits.warp_size, now.kernel.threads, now.limits.max_threads_per_block
    linear = now.kernel.replace(threads=warp)
    sizes = sorted(range(warp, most + 1, warp), key=lambda size: abs(size - threads))
    # The current size is among them if the GPU rejects its shape.
    results = (Result(now.limits, linear._replace(threads=size), now.model) for size in sizes)
    better = (result for result in results if result.active_warps > warps and result.launchable)
    if nearest := next(better, None):
        yield step_with(now, {"threads": nearest.kernel.threads}, nearest)  # many callers need no more
        best = max(better, key=lambda result: result.occupancy, default=nearest)
        if best.occupancy > nearest.occupancy:
            yield step_with(now, {"threads": best.kernel.threads}, best)


def probably_uses_setmaxnreg(result: Result | None) -> bool:
    """Return True for a block of whole warpgroups that holds nearly all registers of an SM."""
    if result is None or not result.launchable:
        return False
    limits, threads = result.limits, result.kernel.threads
    return (
        limits.compute_capability >= FIRST_WITH_SETMAXNREG
        and threads > THREADS_PER_WARPGROUP
        and threads % THREADS_PER_WARPGROUP == 0
        and (result.kernel.regs or 0) >= WORTH_DIVIDING
        and result.allocated.registers >= NEARLY_ALL * limits.max_registers_per_multiprocessor
    )
