"""What ``__launch_bounds__`` makes of a kernel on each chip.

The compiler's rules were read from ptxas 11.8, 12.9, 13.0 and 13.5, which were given kernels of every
kind of bounds for 3.5 to 12.1: for all of them it does what the engine's rule for registers says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..engine import Model, Result, evaluate
from ..errors import InputError, shown
from ..render.words import held
from ..tables.gpus import Gpu
from ..values.dataclass import dataclass
from ..values.kernel import Kernel
from ..values.limits import Limits
from ..values.listed import ToDict
from ..values.resources import Resource
from ..values.spellings import INT_MAX
from .next_steps import NextStep
from .search import Dial, most_keeping


@dataclass(frozen=True, slots=True)
class LaunchBounds(ToDict):
    """Launch bounds on one chip."""

    cc: str
    threads: int
    min_blocks: int | None
    legal: bool
    """Whether the SM can hold ``min_blocks``; if not, ptxas ignores them."""
    most_blocks: int
    """Blocks of so many threads that an SM holds where neither registers nor shared memory limit."""
    warning: str | None
    """What ptxas would complain about, where it does."""
    register_cap: int
    """Registers per thread that the compiler will not exceed; it spills instead."""
    regs: int
    """What the answer below counts with: the cap, or what the kernel uses if that is less."""
    active_blocks: int
    occupancy: float
    """Active warps by the most warps of an SM, 0 to 1."""
    limiters: tuple[Resource, ...]
    """What limits the blocks."""
    launch_bounds: str
    """What to write before the kernel's name."""
    maxnreg: str
    """The same cap without promising a block size; from CUDA 12.4, and not beside launch bounds."""
    maxrregcount: str
    """The same cap, as an option of nvcc, for every kernel of a file that has no launch bounds."""

    def __str__(self) -> str:
        """``__launch_bounds__(256, 4) on 9.0: up to 64 registers per thread; 4 blocks, 50%, with 64``."""
        reached = f"{held(self.active_blocks, self.occupancy)}, with {self.regs}"
        text = f"{self.launch_bounds} on {self.cc}: up to {self.register_cap} registers per thread; {reached}"
        return text if self.warning is None else f"{text}. {self.warning}"


@dataclass(frozen=True, slots=True)
class RegisterCap:
    """How the compiler is asked for fewer registers; it may have to spill."""

    regs: int
    launch_bounds: str | None
    """What to write before the kernel's name; null where no bounds ask for so few, and for Triton's."""
    maxnreg: str
    """The same cap without promising a block size; from CUDA 12.4, and not beside launch bounds. Of a kernel
    of Triton the option of its launch."""
    maxrregcount: str | None
    """The option of nvcc, for every kernel of a file that has no launch bounds; null for Triton's."""

    @property
    def in_source(self) -> str:
        """What to write before the kernel's name: the bounds, or the cap without."""
        return self.launch_bounds or self.maxnreg


def fewer_registers(now: Result, steps: Sequence[NextStep]) -> tuple[RegisterCap, ...]:
    """How the registers of the steps that ask for fewer are had, the most registers first.

    Args:
        now: What the steps lead up from.
        steps: As in `next_steps`.
    """
    blocks = {
        step.requires["regs"]: step.active_blocks
        for step in steps
        if "regs" in step.requires and "threads" not in step.requires
    }
    caps = (register_cap([now], registers, most) for registers, most in blocks.items())
    return tuple(cap for cap in caps if cap is not None)


def register_cap(now: Sequence[Result], registers: int, blocks: int) -> RegisterCap | None:
    """How the compiler is asked for so many registers and no more; None where the block is too large, or it
    is as many as a thread may have.

    Args:
        now: The answers for a kernel on one chip, or on each of several.
        registers: Per thread.
        blocks: So many of them are to be resident then.
    """
    kernel = now[0].kernel
    for answer in now:
        if kernel.threads > answer.limits.max_threads_per_block:
            return None
        if registers >= answer.limits.max_registers_per_thread:
            return None
    is_meant = all(_is_cap(answer.limits, kernel.threads, blocks, registers) for answer in now)
    text = bounds_in_source(kernel.threads, blocks if blocks > 1 else None) if is_meant else None
    return RegisterCap(registers, text, maxnreg_in_source(registers), nvcc_option(registers))


def register_cap_on_all(now: Sequence[Result], registers: int) -> RegisterCap | None:
    """The same with launch bounds that are legal and mean as many registers on every chip, if there are any.

    Args:
        now: As in `register_cap`.
        registers: Likewise.
    """
    blocks = min(_held_with(each.limits, each.kernel.threads, registers) for each in now)
    return register_cap(now, registers, blocks)  # if any number of blocks will do, the largest does


def _is_cap(limits: Limits, threads: int, blocks: int, registers: int) -> bool:
    """Whether bounds of so many blocks mean so many registers: one more, and fewer blocks would fit."""
    kept, with_one_more = (_held_with(limits, threads, each) for each in (registers, registers + 1))
    return kept >= blocks > with_one_more


def _held_with(limits: Limits, threads: int, registers: int) -> int:
    """The most blocks in bounds that leave a thread so many registers."""
    return evaluate(_as_the_compiler_sees_it(limits), Kernel(threads, registers)).active_blocks


def bounds_in_source(threads: int, min_blocks: int | None) -> str:
    """``__launch_bounds__(256, 4)``, as a kernel is written with it; ``(256)`` without a number of blocks."""
    return f"__launch_bounds__({threads}{'' if min_blocks is None else f', {min_blocks}'})"


def maxnreg_in_source(registers: int | str) -> str:
    """``__maxnreg__(64)``, as a kernel is written with it that has no launch bounds."""
    return f"__maxnreg__({registers})"


def nvcc_option(registers: int | str) -> str:
    """``-maxrregcount=64``, for every kernel of a file that has no launch bounds."""
    return f"-maxrregcount={registers}"


_OR_MORE_WARPS = " or more num_warps"

FEWER_IN_TRITON = f"maxnreg{_OR_MORE_WARPS} lower the registers per thread (maxnreg may spill)"
"""How a kernel of Triton, whose launch bounds are not its author's to write, is compiled with fewer."""


def cap_in_triton(registers: int, *, are_fewer: bool = True) -> str:
    """``maxnreg=64 or more num_warps``: how it is compiled with so many. More warps never need more."""
    return f"maxnreg={registers}{_OR_MORE_WARPS * are_fewer}"


def launch_bounds(
    chip: Gpu, kernel: Kernel, min_blocks: int | None = None, model: Model | None = None
) -> LaunchBounds:
    """What the compiler makes of ``__launch_bounds__(threads, min_blocks)``, and the occupancy of it.

    Args:
        chip: What the SM offers; errors call it by its name.
        kernel: Its threads are the bound. What it uses counts for the occupancy; registers that are
            not given, or are above the cap, count as the cap.
        min_blocks: The second argument of the bounds.
        model: Whose answer the occupancy is; by default that of `evaluate`.

    Raises:
        InputError: More threads than a block may have, or fewer than one block.
    """
    limits = chip.limits
    compiler = _as_the_compiler_sees_it(limits)
    threads = kernel.threads
    alone = evaluate(compiler, Kernel(threads))
    if threads > limits.max_threads_per_block or not alone.active_blocks:
        raise InputError(
            f"{threads} is more than a block may have on {chip.label}",
            where="threads",
            allowed=f"1 to {min(limits.max_threads_per_block, limits.max_threads_per_multiprocessor):,}",
        )
    if min_blocks is not None and not 1 <= min_blocks <= INT_MAX:
        raise InputError(
            f"{shown(min_blocks)} is out of range",
            where="min_blocks",
            allowed=f"1 to {INT_MAX:,}",
        )
    is_legal = min_blocks is None or min_blocks <= alone.active_blocks
    counted = min_blocks if min_blocks is not None and is_legal else 1
    dial = Dial(compiler, alone.kernel, alone.model, "regs")
    cap = most_keeping(counted, dial.levels(0, counted))
    registers = cap if kernel.regs is None else min(kernel.regs, cap)
    answer = evaluate(limits, kernel.replace(regs=registers), model)
    return LaunchBounds(
        str(limits.compute_capability),
        threads,
        min_blocks,
        is_legal,
        alone.active_blocks,
        None if min_blocks is None or is_legal else _warning(alone, min_blocks),
        cap,
        registers,
        answer.active_blocks,
        answer.occupancy,
        answer.limiters,
        launch_bounds=bounds_in_source(threads, min_blocks),
        maxnreg=maxnreg_in_source(cap),
        maxrregcount=nvcc_option(cap),
    )


def _warning(alone: Result, min_blocks: int) -> str:
    limits = alone.limits
    if min_blocks > limits.max_blocks_per_multiprocessor:
        why = f"an SM has places for {limits.max_blocks_per_multiprocessor} blocks"
    else:
        threads = min_blocks * alone.allocated.warps * limits.warp_size
        in_whole_warps = " in whole warps" if alone.kernel.threads % limits.warp_size else ""
        why = (
            f"{min_blocks} blocks of {alone.kernel.threads} take {threads:,} threads{in_whole_warps}, "
            f"and an SM holds {limits.max_threads_per_multiprocessor:,}"
        )
    return f"ptxas ignores minnctapersm: {why}"


def _as_the_compiler_sees_it(limits: Limits) -> Limits:
    """6.0 has two large sub-partitions, but ptxas divides its registers as for the rest of its family."""
    if limits.launch_check_sub_partitions is None:
        return limits
    return replace(limits, sub_partitions=limits.launch_check_sub_partitions)
