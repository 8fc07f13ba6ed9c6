"""The inverse questions, and the CUDA runtime's, with the arguments of `compute`.

The answers are those of the package `advice`; here only the input is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypedDict

from .. import engine
from ..advice.block_sizes import BlockSize
from ..advice.block_sizes import block_sizes as _block_sizes
from ..advice.budget import Budget
from ..advice.budget import budget as _budget
from ..advice.carveout import CarveoutAdvice
from ..advice.carveout import carveout as _carveout
from ..advice.launch_bounds import LaunchBounds
from ..advice.launch_bounds import launch_bounds as _launch_bounds
from ..advice.next_steps import NextStep
from ..advice.next_steps import next_steps as _next_steps
from ..advice.portability import Fit
from ..advice.portability import fits_everywhere as _fits_everywhere
from ..advice.runtime import ClusterBound, LaunchConfiguration
from ..advice.runtime import (
    available_dynamic_shared_memory_per_block as _available_dynamic_shared_memory_per_block,
)
from ..advice.runtime import max_active_blocks_per_multiprocessor as _max_active_blocks_per_multiprocessor
from ..advice.runtime import max_active_clusters as _max_active_clusters
from ..advice.runtime import max_potential_block_size as _max_potential_block_size
from ..advice.slack import Slack
from ..advice.slack import slack as _slack
from ..values.kernel import Caching, Kernel
from ..values.limits import Limits
from ..values.spellings import is_automatic, parse_count, parse_share
from .compute import (
    CarveoutLike,
    ComputeCapabilityLike,
    Result,
    SizeLike,
    ThreadsLike,
    compute,
    compute_capabilities,
    limits,
    make_kernel,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

SizeOfBlock = SizeLike | Callable[[int], int] | None
"""Bytes of dynamic shared memory per block, or a function from threads per block to them."""

ANY_THREADS = 1
"""Where the block size is the answer, that of the kernel does not matter."""


class UseArguments(TypedDict, total=False):
    """The arguments of `compute` but for the threads and the dynamic shared memory."""

    regs: int | None
    static_smem: SizeLike | None
    carveout: CarveoutLike
    barriers: int | None
    caching: Caching | None
    opt_in: bool | None
    model: engine.Model | None


class SharedMemoryArguments(UseArguments, total=False):
    """The arguments of `compute` but for the threads."""

    dynamic_smem: SizeLike | None
    smem: SizeLike | None


class _Threads(TypedDict):
    threads: ThreadsLike


class KernelArguments(SharedMemoryArguments, _Threads):
    """The arguments of `compute`."""


def next_steps(cc: ComputeCapabilityLike, **kernel: Unpack[KernelArguments]) -> tuple[NextStep, ...]:
    """What to change for a higher occupancy: see `advice.next_steps`.

    >>> import occupancy
    >>> occupancy.next_steps("8.0", threads=256, regs=36)[0].requires
    {'registers': 32}
    """
    return _next_steps(*_asked(cc, **kernel))


def slack(cc: ComputeCapabilityLike, **kernel: Unpack[KernelArguments]) -> Slack:
    """How far each resource may grow before a block is lost, and what is left: see `advice.slack`."""
    return _slack(*_asked(cc, **kernel))


def carveout(cc: ComputeCapabilityLike, **kernel: Unpack[KernelArguments]) -> CarveoutAdvice:
    """What each size of the SM's shared memory gives: see `advice.carveout`."""
    return _carveout(*_asked(cc, **kernel))


def budget(
    cc: ComputeCapabilityLike,
    *,
    occupancy: float | str | None = None,
    blocks: int | None = None,
    **kernel: Unpack[KernelArguments],
) -> Budget:
    """The most registers and shared memory with which an occupancy is reached: see `advice.budget`.

    Args:
        cc: As in `compute`.
        occupancy: A share of 1, or text such as ``"75%"``.
        blocks: Resident blocks, instead of the occupancy.
        kernel: As in `compute`.
    """
    sm, asked, model = _asked(cc, **kernel)
    share = None if occupancy is None else parse_share(occupancy, "occupancy")
    count = None if blocks is None else parse_count(blocks, "blocks")
    return _budget(sm, asked, occupancy=share, blocks=count, model=model)


def launch_bounds(
    cc: ComputeCapabilityLike, *, min_blocks: int | None = None, **kernel: Unpack[KernelArguments]
) -> LaunchBounds:
    """What the compiler makes of ``__launch_bounds__(threads, min_blocks)``: see `advice.launch_bounds`."""
    sm, asked, model = _asked(cc, **kernel)
    count = None if min_blocks is None else parse_count(min_blocks, "blocks of the launch bounds")
    return _launch_bounds(sm, asked, count, model)


def block_sizes(
    cc: ComputeCapabilityLike,
    *,
    dynamic_smem: SizeOfBlock = None,
    smem: SizeLike | None = None,
    **use: Unpack[UseArguments],
) -> tuple[BlockSize, ...]:
    """Every block size with its occupancy, best first: see `advice.block_sizes`.

    Args:
        cc: As in `compute`.
        dynamic_smem: As in `compute`, or a function from threads per block to bytes.
        smem: As in `compute`.
        use: As in `compute`.
    """
    of_size, fixed = _split(dynamic_smem)
    asked = _asked(cc, threads=ANY_THREADS, dynamic_smem=fixed, smem=smem, **use)
    return _block_sizes(*asked[:2], of_size, asked[2])


def fits_everywhere(
    ccs: Iterable[ComputeCapabilityLike] | None = None, **kernel: Unpack[KernelArguments]
) -> tuple[Fit, ...]:
    """Whether a kernel runs on each of some chips: see `advice.fits_everywhere`.

    Args:
        ccs: Compute capabilities, each as in `compute`, or a single text; by default all of the table.
        kernel: As in `compute`.
    """
    arguments: dict[str, Any] = {**kernel}
    model = arguments.pop("model", None)
    if isinstance(ccs, str):  # not its characters
        ccs = (ccs,)
    chips = [limits(cc) for cc in (compute_capabilities() if ccs is None else ccs)]
    return _fits_everywhere(chips, make_kernel(**arguments), model)


def max_active_blocks_per_multiprocessor(cc: ComputeCapabilityLike, **kernel: Unpack[KernelArguments]) -> int:
    """Blocks that can be resident on one SM: cudaOccupancyMaxActiveBlocksPerMultiprocessor."""
    return _max_active_blocks_per_multiprocessor(*_asked(cc, **kernel)[:2])


def max_potential_block_size(
    cc: ComputeCapabilityLike,
    *,
    multiprocessors: int,
    block_size_limit: int = 0,
    dynamic_smem: SizeOfBlock = None,
    smem: SizeLike | None = None,
    **use: Unpack[UseArguments],
) -> LaunchConfiguration:
    """The block size with the most resident threads: see `advice.max_potential_block_size`.

    Args:
        cc: As in `compute`.
        multiprocessors: SMs of the device.
        block_size_limit: The largest block that the kernel works with; 0 is no limit.
        dynamic_smem: As in `compute`, or a function from threads per block to bytes.
        smem: As in `compute`.
        use: As in `compute`.
    """
    of_size, fixed = _split(dynamic_smem)
    sm, kernel, _ = _asked(cc, threads=ANY_THREADS, dynamic_smem=fixed, smem=smem, **use)
    return _max_potential_block_size(
        sm,
        kernel,
        parse_count(multiprocessors, "multiprocessors"),
        of_size,
        parse_count(block_size_limit, "block size limit"),
    )


def available_dynamic_shared_memory_per_block(
    cc: ComputeCapabilityLike, *, blocks: int, **kernel: Unpack[KernelArguments]
) -> int:
    """The most dynamic shared memory with which so many blocks are resident on one SM, in bytes: see
    `advice.available_dynamic_shared_memory_per_block`.

    NVIDIA's driver 580 and older promise 1024 bytes too many from 8.0 on, with which one block fewer fits.
    """
    sm, asked, _ = _asked(cc, **kernel)
    return _available_dynamic_shared_memory_per_block(sm, asked, parse_count(blocks, "blocks"))


def max_active_clusters(
    cc: ComputeCapabilityLike,
    *,
    multiprocessors: int,
    cluster_size: int,
    **kernel: Unpack[KernelArguments],
) -> ClusterBound:
    """An upper bound of the clusters resident on the device: see `advice.max_active_clusters`."""
    sm, asked, _ = _asked(cc, **kernel)
    return _max_active_clusters(
        sm,
        asked,
        parse_count(multiprocessors, "multiprocessors"),
        parse_count(cluster_size, "cluster size"),
    )


def given(cc: ComputeCapabilityLike, **kernel: Unpack[KernelArguments]) -> Result:
    """The answer for the kernel that a question is about.

    An automatic carveout counts as the largest, because it would follow the kernel as that changes.
    """
    if is_automatic(kernel.get("carveout")):
        kernel["carveout"] = None
    return compute(cc, **kernel)


def _asked(
    cc: ComputeCapabilityLike, **kernel: Unpack[KernelArguments]
) -> tuple[Limits, Kernel, engine.Model]:
    result = given(cc, **kernel)
    return result.limits, result.kernel, result.model


def _split(dynamic_smem: SizeOfBlock) -> tuple[Callable[[int], int] | None, SizeLike | None]:
    """Shared memory as a function of the block size, and as a fixed size; one of them is None."""
    return (dynamic_smem, None) if callable(dynamic_smem) else (None, dynamic_smem)
