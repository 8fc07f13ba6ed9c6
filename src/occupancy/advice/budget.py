"""The most that a kernel may use and still have a number of resident blocks."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from ..engine import Model, Result, evaluate
from ..errors import InputError
from ..render.words import held, size
from ..tables.gpus import Gpu
from ..values.dataclass import dataclass
from ..values.kernel import Kernel
from ..values.listed import ToDict
from .carveout import needs_opt_in
from .search import Dial, changed, most_keeping, used

TOLERANCE = 0.0005
"""People give an occupancy as they read it off: 66.7% stands for two thirds."""


@dataclass(frozen=True, slots=True)
class BudgetLevel(ToDict):
    """A number of resident blocks, and the most that a kernel may use, of both at once, to have it."""

    active_blocks: int
    occupancy: float
    """Active warps by the most warps of an SM, 0 to 1."""
    regs: int
    """Registers per thread."""
    smem: int
    """Bytes of the kernel's own shared memory per block."""
    needs_opt_in: bool
    """Whether so much shared memory must be opted in to with cudaFuncSetAttribute."""

    def __str__(self) -> str:
        """``8 blocks, 100%: up to 32 registers per thread and 27.5 KiB of shared memory per block``."""
        most = f"{self.regs} registers per thread and {size(self.smem)} of shared memory"
        return f"{held(self.active_blocks, self.occupancy)}: up to {most} per block"


@dataclass(frozen=True, slots=True)
class Budget:
    """What a kernel with blocks of one size may use."""

    wanted: BudgetLevel | None
    """The level that reaches what was asked for; it can be higher, where less would not allow more.

    None where nothing was asked for.
    """
    levels: tuple[BudgetLevel, ...]
    """Every level of the block size, from the most blocks down."""


def budget(
    chip: Gpu,
    kernel: Kernel,
    *,
    occupancy: float | None = None,
    blocks: int | None = None,
    model: Model | None = None,
) -> Budget:
    """The most registers per thread and shared memory per block with which an occupancy is reached.

    Using less than the most, of either or of both, never gives fewer blocks.

    Args:
        chip: What the SM offers; errors call it by its name.
        kernel: Its threads and settings. What it is said to use must allow the blocks, too.
        occupancy: The least share of the SM's warps, above 0 and up to 1.
        blocks: Or the least number of resident blocks. Without either, all levels are the answer.
        model: Whose rules; by default those of `evaluate`.

    Raises:
        InputError: Both were asked for, or more than a block of this size can reach.
    """
    given = evaluate(chip.limits, kernel, model)
    target = _target(given, occupancy, blocks)
    bare = changed(kernel, {"regs": 0, "smem": 0})
    least = evaluate(chip.limits, bare, model)
    for answer in (least, given):
        if answer.active_blocks < target:
            raise _unreachable(chip, answer, target, occupancy)
    levels = tuple(_levels(least))
    if occupancy is None and blocks is None:
        return Budget(None, levels)
    return Budget([level for level in levels if level.active_blocks >= target][-1], levels)


def check_share(occupancy: float) -> None:
    """Refuse an occupancy that no kernel can have.

    Raises:
        InputError: It is not above 0 and up to 1.
    """
    if not 0 < occupancy <= 1:
        raise InputError(
            f"{occupancy:.4g} ({100 * occupancy:.6g}%) is out of range",
            where="occupancy",
            hint="Give more than 0 and up to 100%, such as 75%, 75 or 0.75.",
        )


def _target(given: Result, occupancy: float | None, blocks: int | None) -> int:
    if occupancy is not None and blocks is not None:
        raise InputError("both say what is wanted", where="occupancy and blocks", hint="Leave one out.")
    if blocks is not None:
        if blocks < 1:
            raise InputError(f"{blocks} is out of range", where="blocks", allowed="1 and up")
        return blocks
    if occupancy is None:
        return 1
    check_share(occupancy)
    warps = (occupancy - TOLERANCE) * given.limits.max_warps_per_multiprocessor
    return max(1, ceil(warps / given.allocated.warps))


def _unreachable(chip: Gpu, given: Result, target: int, occupancy: float | None) -> InputError:
    """The error for more blocks than are possible; it names the most, and what limits them."""
    threads, most = given.kernel.threads, given.active_blocks
    if not most:
        return InputError(f"no block of {threads} threads can be resident: {given.reason}", where="kernel")
    limiters = " and ".join(given.limiters).replace("_", " ")
    with_use = "with what the kernel uses " if used(given.kernel) else ""
    possible = f"{with_use}the most is {most} ({100 * given.occupancy:.4g}%), limited by {limiters}"
    held = "virtual_resources" in given.limiters
    more = "0 virtual resources answer for a kernel that relinquishes its permit." if held else ""
    if "tensor_memory" in given.limiters and not held:
        more = "Fewer columns of tensor memory per block allow more."
    if occupancy is None:
        return InputError(
            f"{target} blocks of {threads} threads cannot be resident on {chip.label}; {possible}",
            where="blocks",
            allowed="1" if most == 1 else f"1 to {most}",
            hint=more,
        )
    return InputError(
        f"{100 * occupancy:.4g}% takes {target} blocks of {threads} threads on {chip.label}; {possible}",
        where="occupancy",
        allowed=f"up to {100 * given.occupancy:.4g}%",
        hint=f"Another block size may reach more. {more}".strip(),
    )


def _levels(least: Result) -> Iterator[BudgetLevel]:
    """The levels of a kernel that uses nothing yet."""
    limits, bare, model, most = least.limits, least.kernel, least.model, least.active_blocks
    by_registers = tuple(Dial(limits, bare, model, "regs").levels(0, most))
    by_shared_memory = tuple(Dial(limits, bare, model, "smem").levels(0, most))
    before = None
    for blocks in range(most, 0, -1):
        amounts = most_keeping(blocks, by_registers), most_keeping(blocks, by_shared_memory)
        if amounts != before:
            with_most = changed(bare, {"smem": amounts[1]})
            yield BudgetLevel(blocks, least.occupancy_of(blocks), *amounts, needs_opt_in(limits, with_most))
        before = amounts
