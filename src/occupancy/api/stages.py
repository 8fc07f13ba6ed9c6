"""How many stages of a software pipeline fit into shared memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import InputError
from ..values.spellings import parse_count, parse_size
from .arguments import ComputeCapabilityLike, CountLike, KernelArguments, KernelLike, SizeLike, takes_kernel
from .compute import compute

if TYPE_CHECKING:
    from typing_extensions import Unpack


@takes_kernel
def max_stages(
    cc: ComputeCapabilityLike,
    kernel: KernelLike | None = None,
    *,
    stage_smem: SizeLike,
    blocks: CountLike = 1,
    **arguments: Unpack[KernelArguments],
) -> int:
    """The most stages of a software pipeline with which so many blocks are resident on one SM.

    Each resident block takes the system's reservation and whole allocation units, so a share such as
    ``232448 // blocks`` is too much for two blocks or more. What the kernel is said to use is taken off
    first: an epilogue, barriers in memory.

    Args:
        cc: As in `compute`.
        kernel: As in `compute`.
        stage_smem: Shared memory of one stage: bytes, 1 and up, or text with a unit.
        blocks: Blocks that must be resident on one SM, 1 and up.
        {arguments}

    Returns:
        The stages; 0 where not even one fits.

    Raises:
        InputError: As `budget`; or a stage without a byte.
    """
    stage = parse_size(stage_smem, "stage_smem")
    if stage < 1:
        raise InputError(f"{stage} is out of range", where="stage_smem", allowed="1 and up")
    asked = compute(cc, kernel, **arguments)
    level = asked.budget(blocks=parse_count(blocks, "blocks")).wanted
    most = 0 if level is None else level.smem
    return max(0, most - asked.kernel.shared_memory) // stage
