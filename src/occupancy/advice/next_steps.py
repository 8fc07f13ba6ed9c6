"""What to change for more resident blocks, or for another block size with more warps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..engine import Result, evaluate
from ..render.words import amount, held, listing
from ..values.dataclass import dataclass
from ..values.kernel import Kernel
from ..values.limits import Limits
from ..values.listed import ToDict
from ..values.resources import QUANTITIES, Changeable, amount_of
from .search import Dial, changed, used

FIRST_WITH_SETMAXNREG = (9, 0)
"""PTX ISA, ``setmaxnreg``: sm_90a, and from 10.0 on the suffixes a and f. ptxas 13.5 takes it for all."""

THREADS_PER_WARPGROUP = 128
"""Four warps. PTX ISA, ``wgmma``."""

NEARLY_ALL = 0.9
"""Of the registers of an SM: a block with as many is sized to be alone there."""

WORTH_DIVIDING = 96
"""Registers per thread: cuBLAS, cuDNN and FlashAttention launch with 168; 1,024 threads of 64 are usual."""


@dataclass(frozen=True, slots=True)
class NextStep(ToDict):
    """A higher occupancy, and all that must change to reach it."""

    active_blocks: int
    occupancy: float
    """Active warps by the most warps of an SM, 0 to 1."""
    requires: dict[Changeable, int]
    """What must change, all of it together, and the value nearest to the present one that suffices.

    Registers per thread, bytes of the kernel's own shared memory per block, barriers per block, columns of
    tensor memory per block (a power of two); or threads per block, with everything else as it is, unless
    less of something helps with another size alone. Of a kernel of Triton threads stand for num_warps, and
    the registers beside them are the most with which it helps.
    """

    def __str__(self) -> str:
        """``8 blocks, 100%: registers 32 and shared memory 27.5 KiB``."""
        what = [f"{QUANTITIES[each].label} {amount(each, value)}" for each, value in self.requires.items()]
        return f"{held(self.active_blocks, self.occupancy)}: {listing(what)}"


def next_steps(now: Result) -> Iterator[NextStep]:
    """Every higher number of blocks that a kernel reaches by using less, nearest first, and then two block
    sizes: the nearest that has a higher occupancy, and the one with the highest; for these every block size
    is looked at.

    What was not given, or is not used, is not asked to shrink. Where the warps or the blocks of the SM
    stop the next block, only another block size can help, and only that is named. Nothing is named at
    full occupancy.
    """
    yield from using_less(now)
    yield from _with_other_block_sizes(now)


COMMON_SIZES = (256, 128, 512, 1024)
"""Threads per block that kernels are mostly launched with, the most usual first."""
USUAL_SIZE = COMMON_SIZES[0]
"""What is assumed where nothing better is known, for answers that must be of one size."""


def at_other_sizes(limits: Limits, kernel: Kernel) -> Iterator[NextStep]:
    """The step to a higher occupancy that changes the least, with a common block size: for a kernel whose
    size is not known, and was taken as the best one, with which less of something does not help."""
    now = evaluate(limits, kernel)
    found = []
    for threads in (each for each in COMMON_SIZES if each <= limits.max_threads_per_block):
        sized = evaluate(limits, changed(kernel, {"threads": threads}))
        step = next((step for step in using_less(sized) if step.occupancy > now.occupancy), None)
        if step is not None:
            found.append(replace(step, requires={**step.requires, "threads": threads}))
    if found:
        yield min(found, key=lambda step: (len(step.requires), -_kept(kernel, step)))


def _kept(kernel: Kernel, step: NextStep) -> float:
    """The share that is left, 0 to 1, of what must shrink the most."""
    less = {resource: amount for resource, amount in step.requires.items() if resource != "threads"}
    return min(amount / (amount_of(resource, kernel) or 1) for resource, amount in less.items())


def using_less(now: Result) -> Iterator[NextStep]:
    """Every higher number of blocks that a kernel reaches by using less, nearest first."""
    most = now.block_limits.blocks
    if now.kernel.caching != "ca":  # else the warps depend on the registers
        most = min(most, now.block_limits.warps)
    if now.active_blocks == most:
        return
    dials = [Dial(now.limits, now.kernel, now.model, resource) for resource in used(now.kernel)]
    levels = [tuple(dial.levels(QUANTITIES[dial.resource].least, most, dial.amount)) for dial in dials]
    blocks = now.active_blocks + 1
    while blocks <= most:
        requires: dict[Changeable, int] = {}
        for dial, staircase in zip(dials, levels, strict=True):
            if dial.blocks(now) < blocks:
                enough = [level.amount for level in staircase if level.blocks >= blocks]
                if not enough:
                    return
                requires[dial.resource] = enough[-1]
        reached = evaluate(now.limits, changed(now.kernel, requires), now.model)
        if reached.active_blocks < blocks:
            return  # what would have to shrink was not given
        yield NextStep(reached.active_blocks, reached.occupancy, requires)
        blocks = reached.active_blocks + 1


def holds_all_virtual_resources(now: Result) -> bool:
    """Whether the resident block holds all virtual resources of the SM, whatever its size."""
    by_size = [each for each in now.limiters if each not in ("virtual_resources", "tensor_memory")]
    return "virtual_resources" in now.limiters and not by_size and now.active_blocks > 0


def _with_other_block_sizes(now: Result) -> Iterator[NextStep]:
    """The nearest size with more warps, and the one with the most; of equals the nearest."""
    if holds_all_virtual_resources(now):
        return
    warp, threads, most = now.limits.warp_size, now.kernel.threads, now.limits.max_threads_per_block
    better = []  # among them the present size in another shape, where the shape is what the chip refuses
    for size in range(warp, most + 1, warp):
        answer = evaluate(now.limits, changed(now.kernel, {"threads": size}), now.model)
        if answer.active_warps > now.active_warps:
            better.append(NextStep(answer.active_blocks, answer.occupancy, {"threads": size}))
    better = sorted(better, key=lambda step: abs(step.requires["threads"] - threads))
    best = sorted(better, key=lambda step: -step.occupancy)
    yield from better[:1]
    yield from (step for step in best[:1] if step != better[0])


def may_be_divided(now: Result) -> bool:
    """Whether a block looks like one whose warpgroups divide its registers, for which fewer are no advice:
    several whole warpgroups that have nearly all registers of an SM."""
    limits, warpgroups = now.limits, now.kernel.threads // THREADS_PER_WARPGROUP
    return (
        limits.compute_capability >= FIRST_WITH_SETMAXNREG
        and warpgroups > 1
        and now.kernel.threads == warpgroups * THREADS_PER_WARPGROUP
        and now.launchable
        and (now.kernel.regs or 0) >= WORTH_DIVIDING
        and now.allocated.registers >= NEARLY_ALL * limits.max_registers_per_multiprocessor
    )
