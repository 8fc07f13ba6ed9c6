"""Warp-specialised kernels: how the warpgroups of a block divide its registers with ``setmaxnreg``.

A block is launched with the same number of registers for each of its threads. Then a warpgroup that only
moves data gives most of its own back (``setmaxnreg.dec``), and those that compute take them
(``setmaxnreg.inc``). The pool is the block's own: on an H200, 73 splits of 2 to 5 warpgroups ended exactly
where all of them together took no more than the launch gave, whatever was free elsewhere on the SM
(``h200_setmaxnreg.csv``). One that asks for more compiles without a word, and waits for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from ..engine import evaluate
from ..engine.common import divide_up
from ..errors import InputError, shown
from ..tables.gpus import Gpu
from ..values.kernel import Kernel
from ..values.limits import Limits
from .carveout import needs_opt_in
from .launch_bounds import bounds_in_source, launch_bounds, maxnreg_in_source
from .next_steps import FIRST_WITH_SETMAXNREG, THREADS_PER_WARPGROUP
from .register_split import RegisterSplit, Share

LEAST, MOST, STEP = 24, 256, 8
"""The registers that ``setmaxnreg`` can name. PTX ISA; ptxas refuses any other."""


class Group(NamedTuple):
    """Warpgroups that take the same number of registers; how many is asked where it is None."""

    warpgroups: int
    regs: int | None


def split_registers(
    limits: Limits,
    threads: int | None,
    groups: Sequence[Group],
    *,
    launch_regs: int | None = None,
    min_blocks: int | None = None,
    smem: int | None = None,
) -> RegisterSplit:
    """Check a split of a block's registers among its warpgroups, or solve it.

    Args:
        limits: What the SM offers.
        threads: Threads per block, in whole warpgroups; None: those of all groups.
        groups: The warpgroups with their registers after ``setmaxnreg``; of one group they may be asked.
        launch_regs: Registers per thread of the compiled kernel.
        min_blocks: The second launch bound. Without it, the most blocks with which the launch still gives
            enough, or one.
        smem: Bytes of shared memory per block.

    Raises:
        InputError: A chip without ``setmaxnreg``, threads that are not whole warpgroups, groups that are not
            all of them, registers that ``setmaxnreg`` cannot name, or a launch bound that gives the launch
            another number of registers.
    """
    if limits.compute_capability < FIRST_WITH_SETMAXNREG:
        raise InputError(
            f"compute capability {limits.compute_capability} has no setmaxnreg",
            where="cc",
            hint="9.0 and newer have it, compiled for sm_90a or the like.",
        )
    threads = _checked_threads(limits, threads, groups)
    if launch_regs is None:
        min_blocks = min_blocks or _most_blocks(limits, Kernel(threads, smem=smem), groups)
        launch = _of_bounds(limits, threads, min_blocks)
        if launch < LEAST:
            raise InputError(
                f"{min_blocks} blocks leave {launch} registers to each thread",
                where="min_blocks",
                hint=f"Give so few that {LEAST} are left.",
            )
    else:
        launch = _checked_launch(limits, threads, launch_regs)
        min_blocks = _agreeing(limits, threads, launch, min_blocks)
    pool = threads * _allocated(launch)
    solved = _solve(groups, pool)
    taken = THREADS_PER_WARPGROUP * _sum(solved)
    answer = evaluate(limits, Kernel(threads, launch, smem=smem))
    return RegisterSplit(
        cc=str(limits.compute_capability),
        threads=threads,
        warpgroups=threads // THREADS_PER_WARPGROUP,
        groups=tuple(_share(solved, number, launch, pool) for number in range(len(solved))),
        launch_regs=launch,
        needed_regs=_needed(solved),
        pool=pool,
        taken=taken,
        suffices=taken <= pool,
        min_blocks=min_blocks,
        launch_bounds=None if min_blocks is None else bounds_in_source(threads, min_blocks),
        maxnreg=maxnreg_in_source(launch),
        smem=smem,
        needs_opt_in=needs_opt_in(limits, answer.kernel),
        active_blocks=answer.active_blocks,
        occupancy=answer.occupancy,
        launch_regs_if_fitting=_if_fitting(limits, threads, answer.active_blocks, min_blocks, launch),
        limiters=answer.limiters,
        reason=answer.reason,
        enough_at_launch=None if taken <= pool else _enough(limits, threads, _needed(solved)),
        registers_per_multiprocessor=limits.max_registers_per_multiprocessor,
    )


def _enough(limits: Limits, threads: int, needed: int) -> str | None:
    """What gives the launch so many registers; None where a block of so many does not launch."""
    if needed > limits.max_registers_per_thread or not evaluate(limits, Kernel(threads, needed)).launchable:
        return None
    blocks = _agreeing(limits, threads, needed, None)
    return maxnreg_in_source(needed) if blocks is None else bounds_in_source(threads, blocks)


def _of_bounds(limits: Limits, threads: int, min_blocks: int) -> int:
    """Registers per thread that ptxas gives with both launch bounds, where the kernel has ``setmaxnreg``."""
    return launch_bounds(Gpu(limits), Kernel(threads), min_blocks).register_cap


def _if_fitting(limits: Limits, threads: int, fitting: int, promised: int | None, launch: int) -> int | None:
    """Registers at the launch with a bound of the blocks that fit; None where it would give no more."""
    if promised is None or not 0 < fitting < promised:
        return None
    registers = _of_bounds(limits, threads, fitting)
    return registers if registers > launch else None


def _agreeing(limits: Limits, threads: int, launch: int, min_blocks: int | None) -> int | None:
    """The second launch bound that gives so many registers; None where none does.

    Raises:
        InputError: A bound is given that gives another number.
    """
    if min_blocks is not None:
        given = _of_bounds(limits, threads, min_blocks)
        if given == launch:
            return min_blocks
        raise InputError(
            f"{bounds_in_source(threads, min_blocks)} gives {given} registers at the launch, not {launch}",
            where="regs and min_blocks",
            hint="Leave one out.",
        )
    blocks = evaluate(limits, Kernel(threads, launch)).active_blocks
    return blocks if blocks and _of_bounds(limits, threads, blocks) == launch else None


def _checked_threads(limits: Limits, threads: int | None, groups: Sequence[Group]) -> int:
    """Threads per block, after a look whether they are those of the groups; no other block has this split."""
    if any(group.warpgroups < 1 for group in groups):
        raise InputError("a group of no warpgroups takes nothing", where="groups", hint="Leave it out.")
    named = sum(group.warpgroups for group in groups)
    most = limits.max_threads_per_block // THREADS_PER_WARPGROUP
    if threads is None:
        threads = named * THREADS_PER_WARPGROUP
        if not 1 <= named <= most:
            raise InputError(
                f"{named} warpgroups are {threads:,} threads",
                where="groups",
                allowed=f"1 to {most} warpgroups of {THREADS_PER_WARPGROUP} threads",
            )
    if threads < 1 or threads % THREADS_PER_WARPGROUP or threads > limits.max_threads_per_block:
        raise InputError(
            f"{shown(threads)} threads are no whole warpgroups of a block",
            where="threads",
            allowed=f"a multiple of {THREADS_PER_WARPGROUP} up to {limits.max_threads_per_block}",
        )
    warpgroups = threads // THREADS_PER_WARPGROUP
    if named != warpgroups:
        raise InputError(
            f"{named} warpgroups are named, and {threads} threads are {warpgroups}",
            where="groups",
            hint=f"Name {warpgroups} in all, as {_example(warpgroups)} does.",
        )
    for group in groups:
        if group.regs is not None and group.regs not in range(LEAST, MOST + 1, STEP):
            raise InputError(
                f"setmaxnreg cannot name {shown(group.regs)} registers",
                where="groups",
                allowed=f"{LEAST} to {MOST} in steps of {STEP}",
            )
    if sum(group.regs is None for group in groups) > 1:
        raise InputError(
            "more than one number is asked", where="groups", hint="Give ? for one of the groups."
        )
    return threads


def _example(warpgroups: int) -> str:
    return "1:40" if warpgroups == 1 else f"1:40,{warpgroups - 1}:?"


def _checked_launch(limits: Limits, threads: int, registers: int) -> int:
    if not LEAST <= registers <= limits.max_registers_per_thread:
        raise InputError(
            f"{shown(registers)} is out of range",
            where="regs",
            allowed=f"{LEAST} to {limits.max_registers_per_thread}",
        )
    if not evaluate(limits, Kernel(threads, registers)).active_blocks:
        raise InputError(
            f"{threads} threads of {registers} registers do not launch",
            where="regs",
            allowed=f"{LEAST} to {_of_bounds(limits, threads, 1)}",
        )
    return registers


def _most_blocks(limits: Limits, kernel: Kernel, groups: Sequence[Group]) -> int:
    """Blocks per SM for which the launch gives the split enough; one where it never does, or it is asked."""
    if any(group.regs is None for group in groups):
        return 1
    needed = kernel.replace(regs=min(_needed(groups), limits.max_registers_per_thread))
    return max(1, evaluate(limits, needed).active_blocks)


def _needed(groups: Sequence[Group]) -> int:
    warpgroups = sum(group.warpgroups for group in groups)
    return _allocated(divide_up(_sum(groups), warpgroups))


def _sum(groups: Sequence[Group]) -> int:
    return sum(group.warpgroups * (group.regs or 0) for group in groups)


def _allocated(registers: int) -> int:
    """What a thread's registers take of the block's: a warp gets them in steps of 256."""
    return divide_up(registers, STEP) * STEP


def _solve(groups: Sequence[Group], pool: int) -> list[Group]:
    """The groups with the number that was asked: the most that the others leave."""
    solved = list(groups)
    for number, group in enumerate(groups):
        if group.regs is None:
            most = _most(groups, number, pool)
            if most is None:
                raise InputError(
                    f"the other warpgroups leave fewer than {LEAST} registers",
                    where="groups",
                    hint=f"Leave {LEAST} to each of the rest.",
                )
            solved[number] = group._replace(regs=most)
    return solved


def _most(groups: Sequence[Group], number: int, pool: int) -> int | None:
    """The most registers of one group that the others leave of the pool."""
    group = groups[number]
    others = _sum(groups) - group.warpgroups * (group.regs or 0)
    most = min((pool // THREADS_PER_WARPGROUP - others) // group.warpgroups // STEP * STEP, MOST)
    return most if most >= LEAST else None


def _share(groups: Sequence[Group], number: int, launch: int, pool: int) -> Share:
    group = groups[number]
    registers = group.regs or 0
    instruction: Literal["setmaxnreg.dec", "setmaxnreg.inc"] | None = None
    if registers != launch:
        instruction = "setmaxnreg.dec" if registers < launch else "setmaxnreg.inc"
    return Share(group.warpgroups, registers, instruction, _most(groups, number, pool))
