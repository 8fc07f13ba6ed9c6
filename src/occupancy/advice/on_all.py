"""One kernel on several chips at once: the change that helps on all of them, the use that all allow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..engine import Answer, Model, evaluate
from ..tables.gpus import Gpu
from ..values.dataclass import dataclass
from ..values.kernel import Kernel
from ..values.resources import ADJUSTABLE, Changeable, amount_of
from .budget import Budget, BudgetLevel, budget
from .carveout import needs_opt_in
from .launch_bounds import RegisterCap, register_cap_on_all
from .next_steps import NextStep, holds_all_virtual_resources, using_less
from .search import changed


@dataclass(frozen=True, slots=True)
class StepOnAll:
    """A change, and what each of the chips gives then."""

    requires: dict[Changeable, int]
    """What must change, all of it together, and the value nearest to the present one that suffices.

    Registers per thread, bytes of the kernel's own shared memory per block, and so on; or threads per block,
    with everything else as it is.
    """
    active_blocks: tuple[int, ...]
    """On each chip, in their order."""
    occupancy: tuple[float, ...]
    """Active warps by the most warps of an SM, 0 to 1, on each chip."""
    fewer_registers: RegisterCap | None
    """How its registers are told to the compiler; null where it asks for no fewer."""


def steps_on_all(now: Sequence[Answer]) -> tuple[StepOnAll, ...]:
    """What helps a kernel on several chips: using less, step by step, and other block sizes.

    The first step by using less helps every chip that it can help; each further one gives the chip with the
    lowest occupancy one more block, if that can be, and none of them loses one. So nothing is asked to become
    smaller than the chip that is worst off needs. They end where no smaller use helps any.
    Of the block sizes that help every chip these are the nearest, and the one whose lowest occupancy is the
    highest.

    A chip is helped by a higher occupancy. One that is at full occupancy keeps it; one on which no smaller
    use helps, because its warps or its blocks are the limit, is helped by another block size alone, and a
    change by using less leaves it as it is.

    Args:
        now: The answers for the kernel, one for each chip.
    """
    if now[0].kernel.triton_warps:  # which is compiled for powers of two of warps, with other registers
        return tuple(_by_using_less(now))
    return *_by_using_less(now), *_by_block_size(now)


def _by_using_less(now: Sequence[Answer]) -> Iterator[StepOnAll]:
    requires: dict[Changeable, int] = {}
    while nearest := [(answer, step.requires) for answer in now if (step := _nearest(answer)) is not None]:
        # What a chip asks for its next block is enough for it, and so is any smaller amount.
        ways = [way for _, way in sorted(nearest, key=lambda each: (each[0].occupancy, _size_of(*each)))]
        if not requires:
            ways.insert(0, _least(ways))
        tried = ((way, _with(now, way)) for way in ways)
        found = next(((way, after) for way, after in tried if _none_loses(now, after)), None)
        if found is None:
            return  # a smaller size can mean a smaller carveout
        way, now = found
        requires = {each: (requires | way)[each] for each in ADJUSTABLE if each in requires | way}
        yield _step(requires, now)


def _size_of(answer: Answer, change: dict[Changeable, int]) -> float:
    """How large a change by using less is, in parts of what is used."""
    return sum(1 - amount / (amount_of(each, answer.kernel) or 1) for each, amount in change.items())


def _nearest(answer: Answer) -> NextStep | None:
    return None if answer.occupancy == 1 else next(using_less(answer), None)


def _least(changes: Sequence[dict[Changeable, int]]) -> dict[Changeable, int]:
    """All of some changes by using less at once."""
    resources = dict.fromkeys(resource for change in changes for resource in change)
    return {
        resource: min(change[resource] for change in changes if resource in change) for resource in resources
    }


def _with(now: Sequence[Answer], change: dict[Changeable, int]) -> list[Answer]:
    return [evaluate(each.limits, changed(each.kernel, change), each.model) for each in now]


def _none_loses(now: Sequence[Answer], after: Sequence[Answer]) -> bool:
    return all(one.active_blocks >= other.active_blocks for one, other in zip(after, now, strict=True))


def _by_block_size(now: Sequence[Answer]) -> Iterator[StepOnAll]:
    """The nearest size with more warps on each chip that is not full, and the best."""
    if all(answer.occupancy == 1 for answer in now) or any(map(holds_all_virtual_resources, now)):
        return
    threads, warp = now[0].kernel.threads, now[0].limits.warp_size
    most = min(answer.limits.max_threads_per_block for answer in now)

    def distance(step: StepOnAll) -> int:
        return abs(step.requires["threads"] - threads)

    def gain(step: StepOnAll) -> tuple[float, float, int]:
        return min(step.occupancy), sum(step.occupancy), -distance(step)

    better = [step for size in range(warp, most + 1, warp) if (step := _if_better(now, size)) is not None]
    nearest = sorted(better, key=distance)[:1]
    yield from nearest
    yield from (step for step in sorted(better, key=gain)[-1:] if step not in nearest)


def _if_better(now: Sequence[Answer], threads: int) -> StepOnAll | None:
    after = _with(now, {"threads": threads})
    is_better = all(
        one.active_warps > other.active_warps or one.occupancy == 1
        for one, other in zip(after, now, strict=True)
    )
    return _step({"threads": threads}, after) if is_better else None


def _step(requires: dict[Changeable, int], after: Sequence[Answer]) -> StepOnAll:
    return StepOnAll(
        dict(requires),
        tuple(answer.active_blocks for answer in after),
        tuple(answer.occupancy for answer in after),
        register_cap_on_all(after, requires["regs"]) if "regs" in requires else None,
    )


@dataclass(frozen=True, slots=True)
class BudgetOnAll:
    """What a kernel may use with blocks of one size, so that it holds on every one of some chips."""

    wanted: BudgetLevel | None
    """The least that all chips allow where they reach what was asked for; None where nothing was."""
    on_each: tuple[BudgetLevel, ...]
    """What each chip allows by itself, in their order; empty where nothing was asked for."""
    levels: tuple[BudgetLevel, ...]
    """For each number of blocks that all hold, the most first: what all allow, and the least occupancy."""


def budget_on_all(
    chips: Sequence[Gpu],
    kernel: Kernel,
    *,
    occupancy: float | None = None,
    blocks: int | None = None,
    model: Model | None = None,
) -> BudgetOnAll:
    """The most registers and shared memory with which every one of the chips reaches what is asked for.

    Args:
        chips: The chips.
        kernel: As in `budget`.
        occupancy: The least occupancy on each chip, above 0 and up to 1.
        blocks: Or the least number of resident blocks on each chip.
        model: Whose rules; by default those of `evaluate`.

    Raises:
        InputError: Both were asked for, or more than a block of this size can reach on one of the chips.
    """
    budgets = [budget(chip, kernel, occupancy=occupancy, blocks=blocks, model=model) for chip in chips]
    on_each = tuple(each.wanted for each in budgets if each.wanted is not None)
    wanted = _what_all_allow(on_each, chips, kernel) if on_each else None
    return BudgetOnAll(wanted, on_each, tuple(_levels(budgets, chips, kernel)))


def _levels(budgets: Sequence[Budget], chips: Sequence[Gpu], kernel: Kernel) -> Iterator[BudgetLevel]:
    before: BudgetLevel | None = None
    for blocks in range(min(each.levels[0].active_blocks for each in budgets), 0, -1):
        level = _what_all_allow([_reaching(each, blocks) for each in budgets], chips, kernel)
        if before is None or _amounts(level) != _amounts(before):
            yield level
        before = level


def _reaching(each: Budget, blocks: int) -> BudgetLevel:
    return [level for level in each.levels if level.active_blocks >= blocks][-1]


def _what_all_allow(levels: Sequence[BudgetLevel], chips: Sequence[Gpu], kernel: Kernel) -> BudgetLevel:
    most = min(level.smem for level in levels)
    with_most = changed(kernel, {"smem": most})
    return BudgetLevel(
        min(level.active_blocks for level in levels),
        min(level.occupancy for level in levels),
        min(level.regs for level in levels),
        most,
        any(needs_opt_in(chip.limits, with_most) for chip in chips),
    )


def _amounts(level: BudgetLevel) -> tuple[int, int]:
    return level.regs, level.smem
