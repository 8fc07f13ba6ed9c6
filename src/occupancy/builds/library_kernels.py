"""Kernels of which a next step is no advice: those that libraries tuned for one chip.

A matrix multiplication keeps its tiles in registers and shared memory, and the shape of the tiles decides
how much it takes of both: what it lacks in warps it has in independent instructions of each.
"""

from __future__ import annotations

import re

from ..readers import KernelRecord

_NAMES = re.compile(r"nvjet_|cudnn|cublas|cutlass|_xmma_|^(?:volta|turing|ampere)_")
"""Of cuBLAS, of cuDNN, and of what is made with CUTLASS, as profiles of them have it."""

_SPLIT = 384, 168
"""Threads and registers of three warpgroups that pass registers to one another, as those of cuBLAS, cuDNN and
FlashAttention-3 have it; a profile does not say that they do."""

LIBRARY_NOTE = (
    "No next step: tiles that cuBLAS, cuDNN and CUTLASS keep in registers and shared memory are tuned; low "
    "occupancy can be right there."
)


def is_of_a_library(record: KernelRecord) -> bool:
    """Whether a kernel is tuned as a whole, as far as its name, or the shape of its launch, shows."""
    return bool(_NAMES.search(record.name)) or (
        record.grid_dim is not None and (record.threads, record.regs) == _SPLIT
    )
