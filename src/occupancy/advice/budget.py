"""Maximum registers and shared memory for a number of resident blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import ceil
from typing import NamedTuple

from ..engine import Model, Result
from ..errors import InputError
from ..tables.gpus import Gpu
from ..values.kernel import Kernel
from ..values.numbers import join_and, size
from ..values.records import readable
from ..values.spellings import in_range
from .launch_requirements import needs_opt_in
from .search import VariedResource, max_keeping

TOLERANCE = 0.0005
"""Tolerance of a target occupancy, so that 66.7% matches two thirds."""

_CHANGES = {
    "barriers": "use fewer barriers",
    "virtual_resources": "pass `virtual_resources=0` (`--virtual-resources 0`) if the kernel relinquishes the permit",
    "tensor_memory": "use fewer columns of tensor memory",
}
"""Limiter that does not depend on the block size -> change that admits more blocks."""


@readable
class BudgetLevel(NamedTuple):
    """Number of resident blocks, with the maximum registers and shared memory for it."""

    active_blocks: int
    """Blocks per SM; of several GPUs, the smallest number. Launch bounds need the number of each GPU."""
    occupancy: float
    """Resident warps divided by the maximum per SM, 0 to 1."""
    regs: int
    """Maximum registers per thread."""
    smem: int
    """Maximum shared memory per block in bytes."""
    needs_opt_in: bool
    """True if this shared memory requires cudaFuncSetAttribute."""


class BudgetFields(NamedTuple):
    gpu: Gpu
    kernel: Kernel
    wanted: BudgetLevel | None
    """Lowest level that reaches the target; None without a target."""
    levels: tuple[BudgetLevel, ...]
    """All levels, most blocks first."""


def budgets(
    cases: Iterable[tuple[Gpu, Kernel, Model | None, int | None]], occupancy: float | None = None
) -> list[BudgetFields]:
    """Return the maximum registers and shared memory that reach the target of each case, or an occupancy."""
    found, missed = list[BudgetFields](), list[tuple[Gpu, Result, int]]()
    options, registers, sizes = dict[str, None](), list[int](), list[int]()  # that reach the missed targets
    for gpu, kernel, model, blocks in cases:
        given = Result(gpu.limits, kernel, model)
        target = _target(given, occupancy, blocks)
        least = Result(gpu.limits, kernel.replace(regs=0, smem=0), model)
        if least.active_blocks < target:
            resources = () if occupancy is None and "blocks" in least.limiters else least.limiters
            options |= dict.fromkeys(_CHANGES.get(each, "change the block size") for each in resources)
            missed.append((gpu, least, target))
            continue
        levels, has_target = tuple(_levels(least)), occupancy is not None or blocks is not None
        wanted = [level for level in levels if level.active_blocks >= target][-1]
        found.append(BudgetFields(gpu, kernel, wanted if has_target else None, levels))
        if has_target and given.active_blocks < target:
            missed.append((gpu, given, target))
            registers += [wanted.regs] if (kernel.regs or 0) > wanted.regs else []
            sizes += [wanted.smem] if kernel.shared_memory > wanted.smem else []
    if missed:
        changes = [f"registers to {min(registers)}"] if registers else []
        changes += [f"shared memory to {size(min(sizes))}"] if sizes else []
        options |= {f"reduce {' and '.join(changes)}": None} if changes else {}
        raise _unreachable(missed, occupancy, " and ".join(options))
    return found


def _target(given: Result, occupancy: float | None, blocks: int | None) -> int:
    if occupancy is not None and blocks is not None:
        hint = "Pass `blocks` (`--blocks`) or `occupancy` (`--occupancy`)."
        raise InputError("cannot be combined with a target occupancy", where="blocks", hint=hint)
    if blocks is not None:
        return in_range(blocks, "blocks")
    if occupancy is None:
        return 1
    if not 0 < occupancy <= 1:
        problem = f"{100 * occupancy:.6g}% is out of range"
        raise InputError(problem, where="occupancy", allowed="more than 0% and up to 100%")
    warps = (occupancy - TOLERANCE) * given.limits.max_warps_per_multiprocessor
    return max(1, ceil(warps / given.allocated.warps))


def _unreachable(cases: Sequence[tuple[Gpu, Result, int]], share: float | None, change: str) -> InputError:
    gpus, results, targets = zip(*cases, strict=True)
    gpu, least, _ = min(cases, key=lambda case: case[1].occupancy if share else case[1].active_blocks)
    if not least.active_blocks:
        hint = f"{change[:1].upper()}{change[1:]}." if change else ""
        return InputError(f"no block can be resident on {_named(gpu)}: {least.reason}", hint=hint)
    limiters = dict.fromkeys(each.replace("_", " ") for result in results for each in result.limiters)
    names, blocks = join_and([*map(_named, gpus)]), join_and([f"{each:,}" for each in sorted({*targets})])
    problem = f"{blocks} blocks do not fit on an SM of {names}, limited by {join_and([*limiters])}"
    allowed = f"up to {least.active_blocks}" if share is None else f"up to {100 * least.occupancy:.4g}%"
    hint = f"Lower the target{f', or {change}' if change else ''}."
    return InputError(problem, where="blocks" if share is None else "occupancy", allowed=allowed, hint=hint)


def _named(gpu: Gpu) -> str:
    return f"compute capability {gpu.cc}" if gpu.label == gpu.cc else gpu.label


def _levels(least: Result) -> Iterator[BudgetLevel]:
    limits, bare, most = least.limits, least.kernel, least.active_blocks
    by_registers = tuple(VariedResource(least, "regs").levels(0, most))
    by_shared_memory = tuple(VariedResource(least, "smem").levels(0, most))
    before = None
    for blocks in range(most, 0, -1):
        amounts = max_keeping(blocks, by_registers), max_keeping(blocks, by_shared_memory)
        if amounts != before:
            share = blocks * least.allocated.warps / limits.max_warps_per_multiprocessor
            yield BudgetLevel(blocks, share, *amounts, needs_opt_in(limits, bare.replace(smem=amounts[1])))
        before = amounts
