"""A kernel that allocates tensor memory, once its permit to allocate is relinquished."""

from __future__ import annotations

from dataclasses import replace

from ..engine import Answer, evaluate
from ..values.dataclass import dataclass
from ..values.resources import Resource
from .carveout import carveout
from .next_steps import NextStep, using_less
from .slack import most_with


@dataclass(frozen=True, slots=True)
class TensorMemory:
    """What cuda_occupancy.h answers, and what there is once a block has relinquished its permit to allocate
    (tcgen05.relinquish_alloc_permit), and with it its virtual resources. The second is inferred: it was tried
    on no such GPU. Of a kernel that is asked about with no virtual resources it is the answer itself.
    """

    resident_blocks: int
    """Blocks that cuda_occupancy.h counts, which knows no tensor memory."""
    blocks_without_permit: int
    """Blocks at work, with their columns. One more may be resident, where there is room for it: it has the
    permit, and waits for columns.
    """
    occupancy_without_permit: float
    """The occupancy with so many, 0 to 1."""
    limiters_without_permit: tuple[Resource, ...]
    """Everything that allows no more than so many."""
    regs_without_permit: int | None
    """Registers per thread up to which so many fit; None where no block does."""
    smem_without_permit: int | None
    """Bytes of shared memory per block up to which so many fit; None where no block does."""
    carveout_without_permit: int | None
    """Bytes of the smallest configuration of the SM's shared memory that holds so many; None likewise."""
    next_steps_without_permit: tuple[NextStep, ...]
    """Every higher number of blocks by fewer columns and less of the rest, nearest first."""


def without_permit(held: Answer) -> Answer:
    """The answer for the same kernel once each block has relinquished its permit to allocate."""
    return evaluate(held.limits, replace(held.kernel, virtual_resources=0), held.model)


def tensor_memory(result: Answer) -> TensorMemory | None:
    """The columns of a kernel that was said to allocate some; None of any other."""
    if result.kernel.tensor_memory is None:
        return None
    free = without_permit(result)
    smallest = carveout(free).smallest
    return TensorMemory(
        resident_blocks=result.resident_blocks,
        blocks_without_permit=free.active_blocks,
        occupancy_without_permit=free.occupancy,
        limiters_without_permit=free.limiters,
        regs_without_permit=most_with(free, "regs", free.active_blocks),
        smem_without_permit=most_with(free, "smem", free.active_blocks),
        carveout_without_permit=None if smallest is None else smallest.shared_memory,
        next_steps_without_permit=tuple(using_less(free)),
    )
