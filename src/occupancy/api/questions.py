"""The inverse questions and those of the CUDA runtime, with the arguments of `compute`.

Those about a kernel are methods of its `Occupancy` too; here only the input is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import TYPE_CHECKING, Any, cast

import occupancy  # in annotations: a public name brings its module when somebody reads the types

from ..advice import runtime
from ..errors import InputError
from ..tables.gpus import find_gpu, find_gpus
from ..values.spellings import parse_count
from .answer import Occupancy, SizeOfBlock, block_sizes_of, fits_of
from .answers import Answers
from .arguments import (
    ComputeCapabilityLike,
    CountLike,
    Function,
    KernelArguments,
    KernelLike,
    ShapeLike,
    SizeLike,
    UseArguments,
    kernel_with,
    takes_kernel,
    without_automatic,
)
from .chips import multiprocessors

if TYPE_CHECKING:
    from typing_extensions import Unpack

ANY_THREADS = 1
"""Where the block size is the answer, that of the kernel does not matter."""


@takes_kernel
def next_steps(
    cc: ComputeCapabilityLike, kernel: KernelLike | None = None, **arguments: Unpack[KernelArguments]
) -> occupancy.Answers[occupancy.NextStep]:
    """What to change for a higher occupancy.

    Every higher number of blocks that the kernel reaches by using less, nearest first, and then the nearest
    block sizes below and above with a higher occupancy. What was not given is not asked to shrink.

    >>> import occupancy
    >>> occupancy.next_steps("8.0", threads=256, regs=36)[0].requires
    {'regs': 32}

    Args:
        cc: As in `compute`.
        kernel: As in `compute`.
        {arguments}
    """
    return given(cc, kernel, **arguments).next_steps()


@takes_kernel
def slack(
    cc: ComputeCapabilityLike, kernel: KernelLike | None = None, **arguments: Unpack[KernelArguments]
) -> occupancy.Slack:
    """How far each resource may grow before a block is lost, and what is left of the SM.

    Args:
        cc: As in `compute`.
        kernel: As in `compute`.
        {arguments}
    """
    return given(cc, kernel, **arguments).slack()


@takes_kernel
def carveout(
    cc: ComputeCapabilityLike, kernel: KernelLike | None = None, **arguments: Unpack[KernelArguments]
) -> occupancy.CarveoutAdvice:
    """What each size of the SM's shared memory gives, and the smallest with as many blocks.

    Args:
        cc: As in `compute`.
        kernel: As in `compute`.
        {arguments}
    """
    return given(cc, kernel, **arguments).carveout()


@takes_kernel
def budget(
    cc: ComputeCapabilityLike,
    kernel: KernelLike | None = None,
    *,
    occupancy: float | str | None = None,
    blocks: CountLike | None = None,
    **arguments: Unpack[KernelArguments],
) -> occupancy.BudgetReport:
    """The most registers and shared memory with which an occupancy is reached.

    Using less than the most, of either or of both, never gives fewer blocks. What the
    kernel is said to use must allow the blocks, too.

    Args:
        cc: As in `compute`.
        kernel: As in `compute`.
        occupancy: A share of 1, or a percentage: ``0.75``, ``75``, ``"75%"``.
        blocks: Resident blocks, instead of the occupancy. Without either, only the levels are the answer.
        {arguments}

    Raises:
        InputError: Both were asked for, or more than a block of this size can reach.
    """
    return given(cc, kernel, **arguments).budget(occupancy=occupancy, blocks=blocks)


@takes_kernel
def launch_bounds(
    cc: ComputeCapabilityLike,
    kernel: KernelLike | None = None,
    *,
    min_blocks: CountLike | None = None,
    **arguments: Unpack[KernelArguments],
) -> occupancy.LaunchBounds:
    """What the compiler makes of ``__launch_bounds__(threads, min_blocks)``, and the occupancy of it.

    Args:
        cc: As in `compute`.
        kernel: As in `compute`.
        min_blocks: The second argument of the bounds.
        {arguments}
    """
    return given(cc, kernel, **arguments).launch_bounds(min_blocks=min_blocks)


_OF_ONE_SIZE = {
    "threads": ("every block size is tried", "Leave it out, or ask compute() for one."),
    "smem_per_thread": (
        "is an option of the command line",
        "Here dynamic_smem takes a function: lambda threads: 64 * threads.",
    ),
}


def tries_every_size(function: Function) -> Function:
    """Have a function refuse what is said of one block size: it tries all of them."""

    @wraps(function)
    def asked(*given: Any, **named: Any) -> Any:
        for name in _OF_ONE_SIZE.keys() & named.keys():
            problem, hint = _OF_ONE_SIZE[name]
            raise InputError(problem, where=name, hint=hint)
        return function(*given, **named)

    return cast(Function, asked)


@tries_every_size
@takes_kernel
def block_sizes(
    cc: ComputeCapabilityLike,
    *,
    dynamic_smem: SizeOfBlock = None,
    smem: SizeLike | None = None,
    **arguments: Unpack[UseArguments],
) -> occupancy.Answers[occupancy.BlockSize]:
    """Every block size, a multiple of the warp size, with its occupancy: best first.

    Args:
        cc: As in `compute`.
        dynamic_smem: As in `compute`, or a function from threads per block to bytes.
        smem: As in `compute`.
        {arguments}
    """
    about, of_size = of_any_size(cc, dynamic_smem, smem, arguments)
    report = block_sizes_of(about, of_size)
    return Answers(report.block_sizes, report, "block_sizes")


@takes_kernel
def fits(
    kernel: KernelLike | None = None,
    *,
    ccs: Iterable[ComputeCapabilityLike] | None = None,
    cluster: ShapeLike | None = None,
    **arguments: Unpack[KernelArguments],
) -> occupancy.Answers[occupancy.Fit]:
    """On which chips a kernel runs, and how well.

    A chip that does not offer what was asked for (a carveout, a caching mode, clusters, the model) does not
    run the kernel in that way, with the reason.

    Args:
        kernel: As in `compute`.
        ccs: Chips, each as in `compute`, or all of an architecture; by default all of the table.
        cluster: Blocks per cluster, or the cluster's shape; a chip without such clusters does not run it.
        {arguments}
    """
    needed = kernel_with(kernel, arguments)
    return fits_of(needed, None if ccs is None else find_gpus(ccs), arguments.get("model"), cluster=cluster)


@takes_kernel
def max_active_blocks_per_multiprocessor(
    cc: ComputeCapabilityLike, kernel: KernelLike | None = None, **arguments: Unpack[KernelArguments]
) -> int:
    """Blocks that can be resident on one SM: cudaOccupancyMaxActiveBlocksPerMultiprocessor.

    Args:
        cc: As in `compute`.
        kernel: As in `compute`.
        {arguments}
    """
    about = given(cc, kernel, **arguments)
    return runtime.max_active_blocks_per_multiprocessor(about.limits, about.kernel)


@tries_every_size
@takes_kernel
def max_potential_block_size(
    cc: ComputeCapabilityLike,
    *,
    multiprocessor_count: CountLike | None = None,
    block_size_limit: CountLike = 0,
    dynamic_smem: SizeOfBlock = None,
    smem: SizeLike | None = None,
    **arguments: Unpack[UseArguments],
) -> occupancy.LaunchConfiguration:
    """The block size with the most resident threads: cudaOccupancyMaxPotentialBlockSize.

    Args:
        cc: As in `compute`.
        multiprocessor_count: SMs of the device; not needed where ``cc`` names a product, such as
            ``"H100 SXM"``.
        block_size_limit: The largest block that the kernel works with; 0 is no limit.
        dynamic_smem: As in `compute`, or a function from threads per block to bytes.
        smem: As in `compute`.
        {arguments}
    """
    about, of_size = of_any_size(cc, dynamic_smem, smem, arguments)
    return runtime.max_potential_block_size(
        about.limits,
        about.kernel,
        multiprocessors(about.chip, multiprocessor_count),
        of_size,
        parse_count(block_size_limit, "block_size_limit"),
    )


@takes_kernel
def available_dynamic_shared_memory_per_block(
    cc: ComputeCapabilityLike,
    kernel: KernelLike | None = None,
    *,
    blocks: CountLike,
    **arguments: Unpack[KernelArguments],
) -> int:
    """The most dynamic shared memory with which so many blocks are resident on one SM, in bytes:
    cudaOccupancyAvailableDynamicSMemPerBlock.

    From 8.0 on, NVIDIA's driver 580 promises 1,024 bytes too many, with which one block fewer fits.

    Args:
        cc: As in `compute`.
        kernel: As in `compute`.
        blocks: Blocks on one SM, 1 and up.
        {arguments}
    """
    about = given(cc, kernel, **arguments)
    count = parse_count(blocks, "blocks")
    return runtime.available_dynamic_shared_memory_per_block(about.limits, about.kernel, count)


@takes_kernel
def max_active_clusters(
    cc: ComputeCapabilityLike,
    kernel: KernelLike | None = None,
    *,
    multiprocessor_count: CountLike | None = None,
    cluster_size: CountLike,
    **arguments: Unpack[KernelArguments],
) -> occupancy.ClusterBound:
    """An upper bound of the clusters resident on the device: see cudaOccupancyMaxActiveClusters.

    Args:
        cc: As in `compute`.
        kernel: As in `compute`.
        multiprocessor_count: SMs of the device; not needed where ``cc`` names a product, such as
            ``"H100 SXM"``.
        cluster_size: Blocks per cluster.
        {arguments}
    """
    about = given(cc, kernel, **arguments)
    return runtime.max_active_clusters(
        about.limits,
        about.kernel,
        multiprocessors(about.chip, multiprocessor_count),
        parse_count(cluster_size, "cluster_size"),
    )


def given(
    cc: ComputeCapabilityLike, kernel: KernelLike | None = None, **arguments: Unpack[KernelArguments]
) -> Occupancy:
    """The answer for the kernel that a question is about.

    An automatic carveout counts as the largest, because it would follow the kernel as that changes.
    """
    needed = kernel_with(kernel, without_automatic(arguments))
    return Occupancy.on(find_gpu(cc), needed, arguments.get("model"))


def of_any_size(
    cc: ComputeCapabilityLike,
    dynamic_smem: SizeOfBlock,
    smem: SizeLike | None,
    arguments: UseArguments,
) -> tuple[Occupancy, Callable[[int], int] | None]:
    """The answer for a kernel whose block size is asked for, and its dynamic shared memory by the size, where
    that is how it is given."""
    of_size = dynamic_smem if callable(dynamic_smem) else None
    fixed = None if callable(dynamic_smem) else dynamic_smem
    return given(cc, threads=ANY_THREADS, dynamic_smem=fixed, smem=smem, **arguments), of_size
