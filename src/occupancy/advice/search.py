"""Search for the thresholds of one resource.

All thresholds are found by bisection between two amounts with different results of the engine, so that no rule
is duplicated.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, NamedTuple, TypeVar

from ..engine import Result
from ..values.fields import TENSOR_MEMORY_UNIT
from ..values.resources import QUANTITIES, Adjustable

Key = TypeVar("Key", bound=Hashable)


class Level(NamedTuple):
    """Range of amounts of a resource that allow the same number of blocks."""

    amount: int
    """Largest amount."""
    blocks: int


@dataclass(eq=False)
class VariedResource:
    """One variable resource of a kernel; the others are fixed."""

    now: Result
    resource: Adjustable

    @property
    def amount(self) -> int:
        """Current use of the kernel; unknown barriers count as in the engine."""
        quantity = QUANTITIES[self.resource]
        amount: int | None = getattr(self.now.kernel, quantity.field)
        return quantity.default if amount is None else amount

    def result(self, amount: int) -> Result:
        # Without the checks of Kernel.replace(), which take as long as the result itself.
        total: dict[str, Any] = {"static_smem": None, "dynamic_smem": None} if self.resource == "smem" else {}
        kernel = self.now.kernel._replace(**{self.resource: amount, **total})
        return Result(self.now.limits, kernel, self.now.model)

    def blocks(self, result: Result) -> int:
        """Return the blocks that this resource alone allows, up to the block slots of an SM."""
        allowed = getattr(result.block_limits, QUANTITIES[self.resource].resource)
        most = result.block_limits.blocks if allowed is None else min(allowed, result.block_limits.blocks)
        # Registers determine whether caching in L1 confines a block to half of the SM's warps.
        return min(most, result.block_limits.warps) if self.resource == "regs" else most

    def levels(self, low: int, most: int, least: int = 0) -> Iterator[Level]:
        """Return the ranges of amounts from low on that allow the same blocks, ascending.

        Ranges with ``most`` blocks or more are merged, and ranges with ``least`` or fewer. Columns of tensor
        memory are single amounts.
        """
        return map(Level._make, self._runs(low, lambda result: max(least, min(self.blocks(result), most))))

    def results(self, low: int) -> Iterator[tuple[int, Result]]:
        """Return the last amount of each range with the same limits, and its result, ascending."""
        ranges = self._runs(low, lambda result: result.block_limits)
        return ((amount, self.result(amount)) for amount, _ in ranges)

    def _runs(self, low: int, key: Callable[[Result], Key]) -> Iterator[tuple[int, Key]]:
        """Yield the last amount of each range whose results have the same key, and the key, ascending."""
        high: int = getattr(self.now.limits, QUANTITIES[self.resource].most)
        if self.resource == "tensor_memory":
            # The powers of two are the sizes that ``tcgen05.alloc`` accepts.
            powers = (TENSOR_MEMORY_UNIT << doublings for doublings in range(high.bit_length()))
            for amount in sorted({low, max(low, high), *(power for power in powers if low < power < high)}):
                yield amount, key(self.result(amount))
            return
        unit, first = 1, low
        if self.resource == "smem":  # from the last amount with the allocation of `low`
            unit = self.now.limits.shared_memory_allocation_unit
            ends = _equal_runs(lambda size: self.result(size).allocated.shared_memory, low, low + unit - 1)
            first, _ = next(ends)

        def key_at(index: int) -> tuple[int, Key]:
            result = self.result(min(first + index * unit, high))
            return self._segment(result), key(result)

        for index, (_, same) in _equal_runs(key_at, 0, len(range(first, high, unit))):
            yield min(first + index * unit, high), same

    def _segment(self, result: Result) -> int:
        """Return the number, ascending, of a segment in which more never allows more blocks."""
        if self.resource == "regs":
            column = self.now.limits.spreadsheet
            if self.now.model == "spreadsheet" and column is not None and column.doubled_register_units:
                return result.kernel.regs or 0  # 9 registers take more than 10
            # A block that caches in L1 can use the whole SM if half of it has too few registers.
            return result.allocated.registers if self.now.kernel.caching == "ca" else 0
        if self.resource == "smem" and self.now.kernel.carveout is not None:
            # A carveout too small for one block is raised, so the pool depends on the amount.
            allocated = result.allocated.shared_memory
            return sum(size < allocated for size in self.now.limits.shared_memory_configurations)
        return 0


def max_keeping(blocks: int, levels: Iterable[Level]) -> int:
    """Return the largest amount in ascending levels up to which all amounts keep a number of blocks.

    A carveout too small for one block is raised to the next configuration, which can hold more blocks
    again. Amounts beyond such a gap do not count, because the amounts in the gap do not fit.
    """
    *_, last = takewhile(lambda level: level.blocks >= blocks, levels)
    return last.amount


def _equal_runs(key: Callable[[int], Key], low: int, high: int) -> Iterator[tuple[int, Key]]:
    """Yield the last number and the key of each run of equal keys from low to high, ascending.

    Equal keys must be contiguous, so that keys between two equal ones need not be computed.
    """
    last, known = (low, key(low)), [(high, key(high))]
    while known:
        number, its_key = known[-1]
        if last[1] != its_key and number - last[0] > 1:
            middle = (last[0] + number) // 2
            known.append((middle, key(middle)))
            continue
        if last[1] != its_key:
            yield last
        last = known.pop()
    yield last
