"""One resource of a kernel as a dial: how the blocks fall as it is turned up.

Every threshold of the advice comes from here, and is found by asking the engine: by bisection between
two amounts whose answers differ.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from itertools import takewhile
from typing import Any, NamedTuple, TypeVar

from ..engine import Model, Result, evaluate
from ..engine.common import divide_up
from ..values.fields import TENSOR_MEMORY_UNIT
from ..values.kernel import Kernel
from ..values.limits import Limits
from ..values.resources import ADJUSTABLE, QUANTITIES, RESOURCE_OF, Adjustable, Changeable, amount_of

Key = TypeVar("Key", bound=Hashable)


class Level(NamedTuple):
    """Neighbouring amounts of a resource that allow the same number of blocks."""

    amount: int
    """The largest of the amounts."""
    blocks: int


class Dial:
    """One resource of a kernel, turned to other amounts while all else stays."""

    def __init__(self, limits: Limits, kernel: Kernel, model: Model, resource: Adjustable) -> None:
        self.limits = limits
        self.kernel = kernel
        self.model = model
        self.resource = resource

    @property
    def amount(self) -> int:
        """What the kernel uses now; barriers that are not known count as they do in the engine."""
        amount = amount_of(self.resource, self.kernel)
        return QUANTITIES[self.resource].not_given if amount is None else amount

    @property
    def highest(self) -> int:
        """An amount that no kernel can exceed."""
        most: int = getattr(self.limits, QUANTITIES[self.resource].most or "")
        return most

    def answer(self, amount: int) -> Result:
        """The engine's answer for another amount."""
        return evaluate(self.limits, changed(self.kernel, {self.resource: amount}), self.model)

    def blocks(self, answer: Result) -> int:
        """Blocks that the resource alone allows, or that the SM holds, whichever is less."""
        allowed = getattr(answer.block_limits, RESOURCE_OF[self.resource])
        most = answer.block_limits.blocks if allowed is None else min(allowed, answer.block_limits.blocks)
        # Registers decide whether a block that caches in L1 is confined to half of the SM's warps.
        return min(most, answer.block_limits.warps) if self.resource == "regs" else most

    def levels(self, low: int, most: int, high: int | None = None) -> Iterator[Level]:
        """The amounts from low up in runs that allow the same blocks, ascending; of columns of tensor memory
        single amounts.

        Args:
            low: Where to begin.
            most: Blocks above which no difference matters; the runs with more count as one.
            high: Where to end; by default where no kernel can have more.
        """
        for amount, blocks in self._runs(low, high, lambda answer: min(self.blocks(answer), most)):
            yield Level(amount, blocks)

    def answers(self, low: int) -> Iterator[tuple[int, Result]]:
        """The last of the amounts from low up that have the same limits, with its answer, ascending."""
        for amount, _ in self._runs(low, None, lambda answer: answer.block_limits):
            yield amount, self.answer(amount)

    def _runs(self, low: int, high: int | None, key: Callable[[Result], Key]) -> Iterator[tuple[int, Key]]:
        high = self.highest if high is None else high
        if self.resource == "tensor_memory":
            for amount in _columns(low, high):
                yield amount, key(self.answer(amount))
            return
        unit, first = self._unit(low)

        def amount_at(index: int) -> int:
            return min(first + index * unit, high)

        def key_at(index: int) -> tuple[int, Key]:
            answer = self.answer(amount_at(index))
            return self._stretch(answer), key(answer)

        count = divide_up(max(high - first, 0), unit)
        for index, (_, found) in _runs(key_at, 0, count):
            yield amount_at(index), found

    def _unit(self, low: int) -> tuple[int, int]:
        """The step in which the allocation grows, and the last amount of the step that holds ``low``."""
        if self.resource != "smem":
            return 1, low
        unit = self.limits.shared_memory_allocation_unit

        def allocated(amount: int) -> int:
            return self.answer(amount).allocated.shared_memory

        end, _ = next(_runs(allocated, low, low + unit - 1))
        return unit, end

    def _stretch(self, answer: Result) -> int:
        """A number that only grows with the amount, and grows wherever the blocks could rise again.

        As long as it stays the same, the blocks never rise as the amount grows.
        """
        if self.resource == "regs":
            column = self.limits.spreadsheet
            if self.model == "spreadsheet" and column is not None and column.doubled_register_units:
                return answer.kernel.regs or 0  # 9 take more than 10
            # Where a block that caches in L1 has too many registers for half an SM, it gets the whole.
            return answer.allocated.registers if self.kernel.caching == "ca" else 0
        if self.resource == "smem" and self.kernel.carveout is not None:
            # A carveout too small for one block is raised, so the pool depends on the block's size.
            allocated = answer.allocated.shared_memory
            return sum(size < allocated for size in self.limits.shared_memory_configurations)
        return 0


def _columns(low: int, high: int) -> list[int]:
    """The columns from low to high that one ``tcgen05.alloc`` takes, powers of two, and both ends: a block
    that allocates several times has another sum."""
    amounts, power = [low], TENSOR_MEMORY_UNIT
    while power < high:
        if power > low:
            amounts.append(power)
        power *= 2
    if low < high:
        amounts.append(high)
    return amounts


def most_keeping(blocks: int, levels: Iterable[Level]) -> int:
    """How far an amount may grow from the first of ascending levels and still allow so many blocks.

    A carveout too small for one block is raised to the next configuration, which may hold more blocks
    again. An amount beyond such a gap does not count, because those in the gap do not fit.
    """
    *_, last = takewhile(lambda level: level.blocks >= blocks, levels)
    return last.amount


def used(kernel: Kernel) -> tuple[Adjustable, ...]:
    """The resources of which the kernel is known to use some, and may be asked to use less.

    Not the registers that its warpgroups pass to one another: fewer at the launch are fewer for all of them.
    """
    return tuple(
        resource
        for resource in ADJUSTABLE
        if amount_of(resource, kernel) and not (resource == "regs" and kernel.reallocates_registers)
    )


def changed(kernel: Kernel, amounts: Mapping[Changeable, int]) -> Kernel:
    """The kernel with other amounts of some resources, or with another block size."""
    changes: dict[str, Any] = {}
    for resource, amount in amounts.items():
        if resource == "smem":
            changes.update(smem=amount)
        elif resource == "threads":
            changes.update(threads=amount)
        else:
            changes[resource] = amount
    return kernel.replace(**changes)


def _runs(key: Callable[[int], Key], low: int, high: int) -> Iterator[tuple[int, Key]]:
    """Cut low to high into runs of equal keys: the last number of each with its key, ascending.

    A key must not come back after another one, so between two equal keys there is no other, and nothing
    needs to be asked there.
    """

    def cut(low: int, low_key: Key, high: int, high_key: Key) -> Iterator[tuple[int, Key]]:
        if low_key == high_key:
            return
        if high - low == 1:
            yield low, low_key
            return
        middle = (low + high) // 2
        middle_key = key(middle)
        yield from cut(low, low_key, middle, middle_key)
        yield from cut(middle, middle_key, high, high_key)

    low_key, high_key = key(low), key(high)
    yield from cut(low, low_key, high, high_key)
    yield high, high_key
