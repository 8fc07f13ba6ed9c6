"""One kernel with blocks of every size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from ..engine import Model, Result, evaluate
from ..errors import InputError
from ..render.words import count, held, listing, name
from ..values.dataclass import dataclass
from ..values.kernel import Kernel
from ..values.limits import Limits
from ..values.listed import ToDict
from ..values.resources import Changeable, Resource
from .carveout import needs_opt_in
from .next_steps import using_less
from .search import changed

SharedMemoryOfSize = Callable[[int], int]
"""From threads per block to bytes of dynamic shared memory per block."""


@dataclass(frozen=True, slots=True)
class BlockSize(ToDict):
    """What one block size comes to."""

    threads: int
    dynamic_smem: int | None
    """Bytes of dynamic shared memory with this size; None where none was given."""
    active_blocks: int
    active_warps: int
    occupancy: float
    """Active warps by the most warps of an SM, 0 to 1."""
    limiters: tuple[Resource, ...]
    needs_opt_in: bool
    """Whether a launch needs `cudaFuncSetAttribute` before it, for its shared memory."""

    def __str__(self) -> str:
        """``768 threads: 2 blocks, 75%, limited by warps and registers``."""
        text = f"{count(self.threads, 'thread')}: {held(self.active_blocks, self.occupancy)}"
        return f"{text}, limited by {listing([*map(name, self.limiters)])}"


def block_sizes(
    limits: Limits,
    kernel: Kernel,
    dynamic_smem: SharedMemoryOfSize | None = None,
    model: Model | None = None,
) -> tuple[BlockSize, ...]:
    """Every block size, a multiple of the warp size up to the largest that the chip allows, best first.

    Best is the highest occupancy. Among equals the larger block stands first, as the runtime's
    cudaOccupancyMaxPotentialBlockSize chooses it.

    Args:
        limits: What the SM offers.
        kernel: What a block uses; its own size does not matter.
        dynamic_smem: How many bytes of dynamic shared memory a block of so many threads uses, where that
            depends on the size.
        model: Whose answer; by default that of `evaluate`.

    Raises:
        InputError: The function gives no size in bytes, or the total was given as well.
    """
    answers = sorted(
        answers_by_size(limits, kernel, _sizes(limits), dynamic_smem, model),
        key=lambda answer: -answer.active_warps,
    )
    return tuple(
        BlockSize(
            answer.kernel.threads,
            answer.kernel.dynamic_smem,
            answer.active_blocks,
            answer.active_warps,
            answer.occupancy,
            answer.limiters,
            bool(answer.kernel.shared_memory) and needs_opt_in(limits, answer.kernel),
        )
        for answer in answers
    )


@dataclass(frozen=True, slots=True)
class FullOccupancy:
    """A change of one resource with which some block sizes fill the SM."""

    requires: dict[Changeable, int]
    """Registers per thread, or bytes of shared memory per block, and so on."""
    threads: tuple[int, ...]
    """The block sizes that have it then, ascending."""


def with_full_occupancy(given: Result, sizes: Sequence[BlockSize]) -> FullOccupancy | None:
    """What one resource must shrink to for full occupancy, where no block size has it; the nearest amount
    that suffices for one of the best sizes, and all sizes for which it does.

    Args:
        given: The answer for the kernel, with any block size.
        sizes: That for each, best first, as in `block_sizes`.
    """

    def sized(size: BlockSize) -> Kernel:
        kernel = changed(given.kernel, {"threads": size.threads})
        return kernel if size.dynamic_smem is None else kernel.replace(dynamic_smem=size.dynamic_smem)

    most = given.limits.max_warps_per_multiprocessor
    for size in sizes:
        if size.occupancy == 1 or size.occupancy < sizes[0].occupancy or not size.occupancy:
            return None
        if most % (size.threads // given.limits.warp_size) == 0:
            steps = using_less(evaluate(given.limits, sized(size), given.model))
            full = next((step for step in steps if step.occupancy == 1), None)
            if full is None or len(full.requires) > 1 or ("smem" in full.requires and size.dynamic_smem):
                return None
            changes = ((each, changed(sized(each), full.requires)) for each in sizes)
            answers = ((each, evaluate(given.limits, kernel, given.model)) for each, kernel in changes)
            threads = sorted(each.threads for each, answer in answers if answer.occupancy == 1)
            return FullOccupancy(full.requires, tuple(threads))
    return None


def best_block_size(limits: Limits, kernel: Kernel, model: Model | None = None) -> int:
    """Threads of the first of `block_sizes`, usually found after trying a few. Where not even
    one warp is allowed: as many threads as are.

    Args:
        limits: What the SM offers.
        kernel: What a block uses; its own size does not matter.
        model: Whose answer; by default that of `evaluate`.
    """
    one_warp = evaluate(limits, changed(kernel, {"threads": limits.warp_size}), model)
    if one_warp.model != "cuda" or kernel.caching == "ca":
        sizes = block_sizes(limits, kernel, model=model)
        return sizes[0].threads if sizes else limits.max_threads_per_block
    # Registers are given to warps, and blocks of one warp leave the fewest unused; what else a block
    # takes, it takes at any size. So much is known of every size, and most need not be asked for.
    allowed = one_warp.block_limits
    most_warps = min(_known(allowed.warps, allowed.registers))
    most_blocks = min(_known(allowed.blocks, allowed.shared_memory, allowed.barriers))
    best_threads, best_warps = max(_sizes(limits), default=limits.max_threads_per_block), 0
    for threads in _sizes(limits):
        warps = threads // limits.warp_size
        if min(most_warps // warps, most_blocks) * warps > best_warps:
            answer = evaluate(limits, changed(kernel, {"threads": threads}), model)
            if answer.active_warps > best_warps:
                best_threads, best_warps = threads, answer.active_warps
    return best_threads


def _known(*limits: int | None) -> list[int]:
    return [each for each in limits if each is not None]


def _sizes(limits: Limits) -> range:
    """The multiples of the warp size that the chip allows, the largest first."""
    warp = limits.warp_size
    return range(limits.max_threads_per_block // warp * warp, 0, -warp)


def answers_by_size(
    limits: Limits,
    kernel: Kernel,
    sizes: Iterable[int],
    dynamic_smem: SharedMemoryOfSize | None,
    model: Model | None,
) -> Iterator[Result]:
    """The engine's answer for each block size.

    Raises:
        InputError: The function gives no size in bytes, or the total was given as well.
    """
    for threads in sizes:
        sized = changed(kernel, {"threads": threads})
        if dynamic_smem is not None:
            amount = dynamic_smem(threads)
            if amount is None:  # a function that forgets to return it
                raise InputError(
                    f"the function gives None for {threads} threads",
                    where="dynamic_smem",
                    hint="Give a number of bytes.",
                )
            sized = sized.replace(dynamic_smem=amount)
        yield evaluate(limits, sized, model)
