"""Occupancy of a kernel at every block size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import NamedTuple

from ..engine import Model, Result, limiting
from ..errors import InputError, shown
from ..values.kernel import Kernel
from ..values.limits import Limits
from ..values.records import readable
from ..values.resources import Resource
from ..values.spellings import parse_size

SharedMemoryFunction = Callable[[int], int]
"""Function of threads per block that returns bytes of dynamic shared memory per block."""


@readable
class BlockSize(NamedTuple):
    """Occupancy at one block size."""

    threads: int
    dynamic_smem: int | None
    """Dynamic shared memory per block in bytes; None if not given."""
    active_blocks: int
    active_warps: int
    occupancy: float
    """Resident warps divided by the maximum per SM, 0 to 1."""
    limiters: tuple[Resource, ...]


def block_sizes(
    limits: Limits, kernel: Kernel, smem_of_threads: SharedMemoryFunction | None = None,
    model: Model | None = None,
) -> tuple[BlockSize, ...]:  # fmt: skip
    """Return every block size, best first; larger ones win ties, as in the CUDA runtime."""
    warp = limits.warp_size
    sizes = range(limits.max_threads_per_block // warp * warp, 0, -warp)
    results = results_by_size(limits, kernel, sizes, smem_of_threads, model)
    values = attrgetter("kernel.threads", "kernel.dynamic_smem", *BlockSize._fields[2:])
    found = (BlockSize(*values(each)) if each.launchable else _failing(each) for each in results)
    return tuple(sorted(found, key=lambda each: -each.active_warps))


def _failing(result: Result) -> BlockSize:
    return BlockSize(result.kernel.threads, result.kernel.dynamic_smem, 0, 0, 0.0, limiting(result))


def results_by_size(
    limits: Limits, kernel: Kernel, sizes: Iterable[int], smem_of_threads: SharedMemoryFunction | None,
    model: Model | None,
) -> Iterator[Result]:  # fmt: skip
    if not (smem_of_threads is None or callable(smem_of_threads)):
        hint = "Write smem_of_threads=lambda threads: 16 * threads, or pass a constant size to compute()."
        raise InputError(f"{shown(smem_of_threads)} is not a function", where="smem_of_threads", hint=hint)
    for threads in sizes:
        sized = kernel.replace(threads=threads)
        if smem_of_threads is not None:
            sized = sized.replace(dynamic_smem=parse_size(smem_of_threads(threads), "smem_of_threads"))
        yield Result(limits, sized, model)
