"""The tensor memory of a kernel, and what there is once its permit to allocate is relinquished."""

from __future__ import annotations

from ..advice.slack import most_with
from ..engine import Answer
from ..engine.common import round_up
from ..values.dataclass import dataclass
from ..values.kernel import TENSOR_MEMORY_UNIT


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
    """Blocks that may be resident once each has relinquished its permit to allocate, and with it its virtual
    resources (tcgen05.relinquish_alloc_permit): inferred, tried on no such GPU.
    """
    occupancy_without_permit: float
    """The occupancy with so many, 0 to 1."""
    regs_without_permit: int | None
    """Registers per thread up to which so many fit; None where no block does."""
    smem_without_permit: int | None
    """Bytes of shared memory per block up to which so many fit; None where no block does."""


def tensor_memory(result: Answer) -> TensorMemory | None:
    """The columns of a kernel that was said to allocate some, on a chip that has them."""
    blocks, columns = result.blocks_by_tensor_memory, result.limits.tensor_memory_per_multiprocessor
    if blocks is None or columns is None:
        return None
    others = result.block_limits._replace(virtual_resources=None)
    later = min(blocks, *(limit for limit in others if limit is not None))
    return TensorMemory(
        round_up(result.kernel.tensor_memory or 0, TENSOR_MEMORY_UNIT),
        columns,
        blocks,
        later,
        later * result.allocated.warps / result.limits.max_warps_per_multiprocessor,
        most_with(result, "regs", later),
        most_with(result, "smem", later),
    )
