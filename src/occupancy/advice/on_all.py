"""One kernel on several chips at once: the change that helps on all of them, the use that all allow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..engine import Answer, Model, evaluate
from ..values.dataclass import dataclass
from ..values.kernel import Kernel
from ..values.limits import Limits
from ..values.resources import Changeable
from .budget import Budget, BudgetLevel, budget
from .carveout import needs_opt_in
from .next_steps import NextStep, using_less
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


def steps_on_all(
    chips: Sequence[Limits], kernel: Kernel, model: Model | None = None
) -> tuple[StepOnAll, ...]:
    """What helps on all chips at once: the smallest change by using less, the next ones, and the nearest
    block sizes below and above.

    A chip is helped by a higher occupancy. One that is at full occupancy keeps it; one on which no smaller
    use helps, because its warps or its blocks are the limit, is helped by another block size alone, and a
    change by using less leaves it as it is. Where there is such a chip, the block sizes stand first.

    Raises:
        InputError: The model does not know a chip, or a chip lacks the carveout or caching mode.
    """
    now = [evaluate(limits, kernel, model) for limits in chips]
    less = tuple(_by_using_less(now))
    sizes = tuple(_by_block_size(now))
    helps_all = bool(less) and all(
        after > before.occupancy or before.occupancy == 1
        for after, before in zip(less[0].occupancy, now, strict=True)
    )
    return (*less, *sizes) if helps_all else (*sizes, *less)


def _by_using_less(now: Sequence[Answer]) -> Iterator[StepOnAll]:
    requires: dict[Changeable, int] = {}
    helped = [place for place, answer in enumerate(now) if _nearest(answer) is not None]
    while helped:
        # The least that each chip asks for its next block is enough for it, and so is any smaller amount.
        steps = [step for place in helped if (step := _nearest(now[place])) is not None]
        if len(steps) < len(helped):
            return  # more would help some of them alone
        for step in steps:
            for resource, amount in step.requires.items():
                requires[resource] = min(amount, requires.get(resource, amount))
        after = [evaluate(each.limits, changed(each.kernel, requires), each.model) for each in now]
        if any(one.active_blocks < other.active_blocks for one, other in zip(after, now, strict=True)):
            return  # a smaller size can mean a smaller carveout
        yield _step(requires, after)
        now = after
        helped = [place for place in helped if now[place].occupancy < 1]


def _nearest(answer: Answer) -> NextStep | None:
    return None if answer.occupancy == 1 else next(using_less(answer), None)


def _by_block_size(now: Sequence[Answer]) -> Iterator[StepOnAll]:
    """The nearest sizes below and above with more warps on each chip that is not full."""
    if all(answer.occupancy == 1 for answer in now):
        return
    threads = now[0].kernel.threads
    warp = now[0].limits.warp_size
    most = min(answer.limits.max_threads_per_block for answer in now)
    below = range((min(threads, most + 1) - 1) // warp * warp, 0, -warp)
    above = range((threads // warp + 1) * warp, most + 1, warp)
    found = [step for sizes in (below, above) if (step := _first_better(now, sizes)) is not None]
    yield from sorted(found, key=lambda step: abs(step.requires["threads"] - threads))


def _first_better(now: Sequence[Answer], sizes: range) -> StepOnAll | None:
    for threads in sizes:
        after = [
            evaluate(each.limits, changed(each.kernel, {"threads": threads}), each.model) for each in now
        ]
        if all(
            one.active_warps > other.active_warps or one.occupancy == 1
            for one, other in zip(after, now, strict=True)
        ):
            return _step({"threads": threads}, after)
    return None


def _step(requires: dict[Changeable, int], after: Sequence[Answer]) -> StepOnAll:
    return StepOnAll(
        dict(requires),
        tuple(answer.active_blocks for answer in after),
        tuple(answer.occupancy for answer in after),
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
    chips: Sequence[Limits],
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
    budgets = [budget(limits, kernel, occupancy=occupancy, blocks=blocks, model=model) for limits in chips]
    on_each = tuple(each.wanted for each in budgets if each.wanted is not None)
    wanted = _what_all_allow(on_each, chips, kernel) if on_each else None
    return BudgetOnAll(wanted, on_each, tuple(_levels(budgets, chips, kernel)))


def _levels(budgets: Sequence[Budget], chips: Sequence[Limits], kernel: Kernel) -> Iterator[BudgetLevel]:
    before: BudgetLevel | None = None
    for blocks in range(min(each.levels[0].active_blocks for each in budgets), 0, -1):
        level = _what_all_allow([_reaching(each, blocks) for each in budgets], chips, kernel)
        if before is None or _amounts(level) != _amounts(before):
            yield level
        before = level


def _reaching(each: Budget, blocks: int) -> BudgetLevel:
    return [level for level in each.levels if level.active_blocks >= blocks][-1]


def _what_all_allow(levels: Sequence[BudgetLevel], chips: Sequence[Limits], kernel: Kernel) -> BudgetLevel:
    most = min(level.smem for level in levels)
    with_most = changed(kernel, {"smem": most})
    return BudgetLevel(
        min(level.active_blocks for level in levels),
        min(level.occupancy for level in levels),
        min(level.regs for level in levels),
        most,
        any(needs_opt_in(limits, with_most) for limits in chips),
    )


def _amounts(level: BudgetLevel) -> tuple[int, int]:
    return level.regs, level.smem
