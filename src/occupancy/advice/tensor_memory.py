"""The tensor memory of a kernel, and what there is once its permit to allocate is relinquished."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from ..engine import Answer, evaluate
from ..engine.common import round_up
from ..values.dataclass import dataclass
from ..values.kernel import TENSOR_MEMORY_UNIT
from ..values.resources import Changeable, Resource
from .carveout import carveout
from .next_steps import NextStep, using_less
from .slack import most_with

LimiterOrColumns = Resource | Literal["tensor_memory"]
"""What allows no more blocks at work."""


@dataclass(frozen=True, slots=True)
class TensorMemory:
    """Tensor memory, which limits no launch: a block that finds too few columns free waits for them."""

    per_block: int
    """Columns of a block, in whole allocation units."""
    per_multiprocessor: int
    """Columns of an SM."""
    blocks: int
    """Blocks whose columns the SM has at once."""
    blocks_without_permit: int
    """Blocks at work, with their columns, once each has relinquished its permit to allocate, and with it its
    virtual resources (tcgen05.relinquish_alloc_permit): inferred, tried on no such GPU. One more may be
    resident, where there is room for it: it has the permit, and waits for columns.
    """
    occupancy_without_permit: float
    """The occupancy with so many, 0 to 1."""
    limiters_without_permit: tuple[LimiterOrColumns, ...]
    """Everything that allows no more than so many."""
    regs_without_permit: int | None
    """Registers per thread up to which so many fit; None where no block does."""
    smem_without_permit: int | None
    """Bytes of shared memory per block up to which so many fit; None where no block does."""
    carveout_without_permit: int | None
    """Bytes of the smallest configuration of the SM's shared memory that holds so many; None likewise."""
    next_steps_without_permit: tuple[NextStep, ...]
    """Every higher number of blocks by fewer columns and less of the rest, nearest first."""


def tensor_memory(result: Answer) -> TensorMemory | None:
    """The columns of a kernel that was said to allocate some, on a chip that has them."""
    blocks, columns = result.blocks_by_tensor_memory, result.limits.tensor_memory_per_multiprocessor
    if blocks is None or columns is None:
        return None
    free = evaluate(result.limits, replace(result.kernel, virtual_resources=0), result.model)
    later = min(blocks, free.active_blocks)
    enough = carveout(free.limits, free.kernel, free.model).configurations if later else ()
    return TensorMemory(
        per_block=round_up(result.kernel.tensor_memory or 0, TENSOR_MEMORY_UNIT),
        per_multiprocessor=columns,
        blocks=blocks,
        blocks_without_permit=later,
        occupancy_without_permit=free.occupancy_of(later),
        limiters_without_permit=(
            *(free.limiters if free.active_blocks == later else ()),
            *(("tensor_memory",) if blocks == later else ()),
        ),
        regs_without_permit=most_with(free, "regs", later),
        smem_without_permit=most_with(free, "smem", later),
        carveout_without_permit=next(
            (each.shared_memory for each in enough if each.active_blocks >= later), None
        ),
        next_steps_without_permit=tuple(_steps(free, later, columns)),
    )


def waits_for_columns(result: Answer) -> bool:
    """Whether more blocks count as resident than have their columns at once: where none holds its permit."""
    blocks = result.blocks_by_tensor_memory
    return blocks is not None and blocks < result.active_blocks


def _steps(free: Answer, now: int, columns: int) -> Iterator[NextStep]:
    """Every higher number of blocks than now, by as many columns as it leaves to each, and by using less.

    Args:
        free: The answer for the kernel without the permit, as if it had no tensor memory.
        now: Blocks that fit with the tensor memory it has.
        columns: Of the SM.
    """
    used = round_up(free.kernel.tensor_memory or 0, TENSOR_MEMORY_UNIT)
    levels = [(free.active_blocks, {}), *((step.active_blocks, step.requires) for step in using_less(free))]
    for each in (used, *_powers_below(used)):
        fewer: dict[Changeable, int] = {} if each == used else {"tensor_memory": each}
        for blocks, requires in levels:
            reached = min(blocks, columns // each)
            if reached > now:
                now = reached
                yield NextStep(now, free.occupancy_of(now), {**fewer, **requires})


def _powers_below(columns: int) -> Iterator[int]:
    """What ``tcgen05.alloc`` takes besides: powers of two from the unit on, the largest first."""
    power = TENSOR_MEMORY_UNIT
    while 2 * power < columns:
        power *= 2
    while TENSOR_MEMORY_UNIT <= power < columns:
        yield power
        power //= 2
