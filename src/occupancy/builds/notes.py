"""What someone who reads the answer for a kernel should know of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..engine import Result
from ..readers import KernelRecord
from ..tables.families import later_members
from ..values.asking import Asking

LEAST_DIFFERENCE = 0.006
"""PyTorch's profiler rounds to whole percents; a smaller difference is none."""

NOT_LINKED_NOTE = "Not linked yet: registers, shared memory and stack lack what its callees need."
SPLIT_NOTE = Asking.of(
    "The registers are those of the launch, which the warpgroups divide among themselves (setmaxnreg), so "
    "that fewer are no advice; ",
    Asking("occupancy registers", "occupancy.registers()"),
    " checks a split.",
)
TENSOR_MEMORY_NOTE = (
    "It allocates tensor memory: one block per SM by cuda_occupancy.h. If it relinquishes its permit, the "
    "next block comes in (inferred)."
)
NO_ADVICE_NOTE = Asking.of(
    "The next step is left out, as there are very many different kernels; ",
    Asking("calc", "answer.next_steps()", "occupancy calc"),
    " finds it.",
)
ONE_WAVE_NOTE = (
    "No next step where all blocks of a launch are resident at once: there is no further block to fit."
)
GRID_NOTE = "PyTorch's profiler counts no more blocks than the grid has for each SM."

_OF_LIBRARIES = re.compile(r"nvjet_|cudnn|cublas|cutlass|_xmma_|^(?:volta|turing|ampere)_")
"""Of cuBLAS, of cuDNN, and of what is made with CUTLASS, as profiles of them have it."""

_SPLIT = 384, 168
"""Threads and registers of three warpgroups that pass registers to one another, as those of cuBLAS, cuDNN and
FlashAttention-3 have it; a profile does not say that they do."""

LIBRARY_NOTE = (
    "No next step: tiles that cuBLAS, cuDNN and CUTLASS keep in registers and shared memory are tuned; low "
    "occupancy can be right there."
)


def notes_of(record: KernelRecord, answer: Result, *, what_if: bool) -> Iterator[str]:
    """What the answer rests on.

    Args:
        record: The kernel.
        answer: The engine's answer for it.
        what_if: Whether it is for another architecture than the one that the kernel was compiled for.
    """
    if record.linked is False:
        yield NOT_LINKED_NOTE
    if record.reallocates_registers:
        yield SPLIT_NOTE
    if elsewhere := later_members(record.arch):
        runs = f"{record.arch} is code of a family, and runs on {' and '.join(map(str, elsewhere))} too; "
        yield Asking.of(runs, Asking("--cc", "cc=", "occupancy scan --cc"), " answers for those.")
    if "virtual_resources" in answer.limiters:
        yield TENSOR_MEMORY_NOTE
    if (held := answer.block_limits.tensor_memory) is not None:
        blocks = "1 block holds its" if held == 1 else f"{held} blocks hold their"
        yield f"Tensor memory, {record.tensor_memory} columns: {blocks} columns at once on an SM."
    if not what_if and _is_less_for_the_grid(record, answer):
        yield GRID_NOTE


def _is_less_for_the_grid(record: KernelRecord, answer: Result) -> bool:
    # Its reader has said so already where PyTorch's profiler takes a kernel as not opted in.
    if record.format != "pytorch-trace" or record.reported_occupancy is None or record.notes:
        return False
    return record.reported_occupancy < answer.occupancy_by_threads - LEAST_DIFFERENCE


def is_of_a_library(record: KernelRecord) -> bool:
    """Whether a kernel is one that a library tuned as a whole for one chip, as far as its name, or the shape
    of its launch, shows. A next step is no advice there.

    A matrix multiplication keeps its tiles in registers and shared memory, and the shape of the tiles decides
    how much it takes of both: what it lacks in warps it has in independent instructions of each.
    """
    return bool(_OF_LIBRARIES.search(record.name)) or (
        record.grid_dim is not None and (record.threads, record.regs) == _SPLIT
    )
