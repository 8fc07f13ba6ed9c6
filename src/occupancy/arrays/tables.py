"""Small tables of what each resource allows on one chip, made by asking the engine."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..engine import Answer, Model, evaluate
from ..engine.common import divide_up
from ..errors import InputError
from ..values.kernel import (
    MAX_REGISTERS_PER_THREAD,
    Caching,
    Carveout,
    Kernel,
    SharedMemoryMode,
)
from ..values.limits import Limits
from ..values.resources import Counted, Limiter
from .values import RANGE_OF, Integers

REGISTER_COUNTS = MAX_REGISTERS_PER_THREAD + 1

MOST_ROWS = 1 << 14
"""Rows of a table; the chips need up to 2626. It bounds what an imaginary chip can cost."""


class WarpRows(NamedTuple):
    """Columns of a `WarpTable`: rows of `REGISTER_COUNTS` entries, one after the other."""

    blocks: Integers
    """Blocks that warps, block slots and registers allow."""
    limiters: Integers
    """The bits of those of the three that allow no more."""
    warps: Integers
    """Warps of one block; 0 where none is resident, and it does not matter."""

    def named(self, names: Sequence[str]) -> list[Integers]:
        """The columns of these names."""
        return [getattr(self, name) for name in names]

    @property
    def last(self) -> int:
        """Number of the last row."""
        return self.blocks.size // REGISTER_COUNTS - 1


class WarpTable:
    """What warps, block slots and registers allow, over (warps per block, registers per thread)."""

    def __init__(self, limits: Limits, model: Model, caching: Caching | None) -> None:
        self.warp_size = limits.warp_size
        self.largest_block = limits.max_threads_per_block
        self._limits = limits
        self._model: Model = model
        self._caching: Caching | None = caching
        rows = divide_up(self.largest_block, self.warp_size)
        largest_of_row = [min(warps * self.warp_size, self.largest_block) for warps in range(1, rows + 1)]
        self._entries = [
            [self._entry(threads, registers) for registers in range(REGISTER_COUNTS)]
            for threads in largest_of_row
        ]

    @cached_property
    def rows(self) -> WarpRows:
        """Row i is for a block of i + 1 warps, up to the largest block."""
        return self._columns(self._entries)

    @cached_property
    def extended_rows(self) -> WarpRows:
        """`rows`, and rows for blocks larger than the largest; of those row i is for i warps.

        The last row holds for all blocks that are larger still.
        """
        # At the end there are too many warps for the SM, and for its registers if the kernel uses any.
        no_registers, registers = Limiter.WARPS, Limiter.WARPS | Limiter.REGISTERS
        end = [(0, int(no_registers), 0)] + [(0, int(registers), 0)] * MAX_REGISTERS_PER_THREAD
        rows = list(self._entries)
        while rows[-1] != end:
            _check_rows(len(rows), self._limits, "max_registers_per_multiprocessor")
            threads = len(rows) * self.warp_size
            rows.append(
                [
                    last if before == last else self._entry(threads, registers)
                    for registers, (before, last) in enumerate(zip(rows[-1], end, strict=True))
                ]
            )
        return self._columns(rows)

    def _entry(self, threads: int, registers: int) -> tuple[int, int, int]:
        answer = evaluate(self._limits, Kernel(threads, registers, caching=self._caching), self._model)
        found = answer.block_limits
        blocks = min(found.warps, found.blocks)
        if found.registers is not None:
            blocks = min(blocks, found.registers)
        limiters = (
            Limiter.WARPS * (found.warps == blocks)
            + Limiter.BLOCKS * (found.blocks == blocks)
            + Limiter.REGISTERS * (found.registers == blocks)
        )
        return blocks, limiters, answer.allocated.warps if blocks else 0

    def _columns(self, rows: list[list[tuple[int, int, int]]]) -> WarpRows:
        limits = self._limits
        blocks, limiters, warps = np.array(rows).reshape(-1, 3).T
        return WarpRows(
            blocks.astype(smallest_type(no_limit(limits))),
            limiters.astype(smallest_type(max(Limiter))),
            warps.astype(smallest_type(limits.max_warps_per_multiprocessor)),
        )


class SharedMemoryTable:
    """What shared memory allows, over the steps in which it is allocated.

    ``(bytes + offset) // unit`` is the step of a block with so many bytes. The last step stands for
    all larger ones.
    """

    def __init__(
        self,
        limits: Limits,
        model: Model,
        carveout: Carveout | None,
        opt_in: bool | None,
        mode: SharedMemoryMode | None,
    ) -> None:
        def answer(size: int) -> Answer:
            kernel = Kernel(1, smem=size, carveout=carveout, opt_in=opt_in, shared_memory_mode=mode)
            return evaluate(limits, kernel, model)

        self.unit = limits.shared_memory_allocation_unit
        # The first step is short where the system's reservation fills a part of its unit.
        first = answer(0).allocated.shared_memory
        sizes = range(self.unit + 1)
        length = bisect_right(sizes, first, key=lambda size: answer(size).allocated.shared_memory)
        self.offset = self.unit - length
        blocks = [answer(0).block_limits.shared_memory]
        while blocks[-1] != 0:
            _check_rows(len(blocks), limits, "max_shared_memory_per_multiprocessor")
            blocks.append(answer(len(blocks) * self.unit - self.offset).block_limits.shared_memory)
        self.blocks = _caps(limits, blocks)

    @property
    def last_size(self) -> int:
        """The fewest bytes of the last step."""
        return max(0, (len(self.blocks) - 1) * self.unit - self.offset)


class CountTable:
    """What a resource that is merely counted allows, over its count per block, up to `most`."""

    def __init__(self, limits: Limits, model: Model, resource: Counted) -> None:
        def blocks(count: int) -> int | None:
            given: dict[str, Any] = {resource: count}
            allowed: int | None = getattr(evaluate(limits, Kernel(1, **given), model).block_limits, resource)
            return allowed

        least, self.most = RANGE_OF[resource]
        if resource == "tensor_memory":  # of which no chip answers for more than it has
            self.most = limits.tensor_memory_per_multiprocessor or 0
        unasked = [None] * least
        self.blocks = _caps(limits, [*unasked, *(blocks(count) for count in range(least, self.most + 1))])


# A sweep asks for the same few kilobytes as the one before it.
_remember = lru_cache(maxsize=64)
warp_table = _remember(WarpTable)
shared_memory_table = _remember(SharedMemoryTable)
count_table = _remember(CountTable)


def no_limit(limits: Limits) -> int:
    """A number of blocks that never is the answer: more than the SM holds."""
    return limits.max_blocks_per_multiprocessor + 1


def smallest_type(largest: int) -> np.dtype[Any]:
    """The smallest type of integers that holds 0 to the largest."""
    return np.min_scalar_type(largest)


def not_given(limits: Limits, model: Model, resource: Counted, kernel: Kernel) -> Integers | None:
    """Blocks that a resource allows of which nothing is given but what the kernel says; None: no limit."""
    allowed: int | None = getattr(evaluate(limits, kernel, model).block_limits, resource)
    return None if allowed is None else _caps(limits, [allowed]).reshape(())


def _caps(limits: Limits, blocks: list[int | None]) -> Integers:
    most = no_limit(limits)
    return np.array([most if each is None else min(each, most) for each in blocks], smallest_type(most))


def _check_rows(rows: int, limits: Limits, name: str) -> None:
    if rows > MOST_ROWS:
        raise InputError(
            f"{name} of {getattr(limits, name)} is too large for a sweep",
            where=f"limits of {limits.compute_capability}",
            hint="Ask compute() for one kernel at a time.",
        )
