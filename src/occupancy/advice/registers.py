"""Split of a block's registers among its warpgroups with ``setmaxnreg``.

A block launches with the same number of registers for each thread. A producer warpgroup then releases most of
its registers (``setmaxnreg.dec``), and consumer warpgroups request them (``setmaxnreg.inc``). The pool belongs
to the block. On an H200, 73 splits of 2 to 5 warpgroups finished if and only if their total was within the
allocation at launch, regardless of free registers elsewhere on the SM (``h200_setmaxnreg.csv``).
A kernel that requests more compiles without a warning and then hangs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from ..engine import Result
from ..engine.common import divide_up, round_up
from ..errors import InputError, shown
from ..tables.gpus import Gpu
from ..values.kernel import Kernel
from ..values.limits import Limits
from ..values.records import readable
from ..values.resources import Resource
from ..values.spellings import in_range
from .launch_bounds import bounds_in_source, launch_bounds, maxnreg_in_source, second_bounds
from .launch_requirements import needs_opt_in
from .next_steps import FIRST_WITH_SETMAXNREG, THREADS_PER_WARPGROUP

LEAST, MOST, STEP = 24, 256, 8
"""Register counts of ``setmaxnreg``. PTX ISA; ptxas rejects all others."""


class Warpgroups(NamedTuple):
    """Warpgroups with the same number of registers; None: computed."""

    warpgroups: int
    regs: int | None


@readable
class WarpgroupShare(NamedTuple):
    """Registers of a group of warpgroups."""

    warpgroups: int
    regs: int
    """Registers per thread after ``setmaxnreg``."""
    instruction: Literal["setmaxnreg.dec", "setmaxnreg.inc"] | None
    """Required instruction; None if the registers do not change."""
    most: int | None
    """Maximum registers per thread with the other groups unchanged; None if below the minimum."""


class RegisterSplitFields(NamedTuple):
    cc: str
    threads: int
    groups: tuple[WarpgroupShare, ...]
    launch_regs: int
    """Registers per thread at launch."""
    needed_regs: int
    """Minimum registers per thread at launch for the split, a multiple of the allocation granularity."""
    pool: int
    """Registers of the block."""
    taken: int
    """Registers of all warpgroups after ``setmaxnreg``."""
    suffices: bool
    """False if the pool is too small. The kernel then hangs."""
    min_blocks: int | None
    """Second launch bound with which ptxas allocates ``launch_regs``; None if there is none."""
    launch_bounds: str | None
    """Launch bounds with which ptxas honors ``setmaxnreg``."""
    maxnreg: str
    """``__maxnreg__`` with the same registers; mutually exclusive with launch bounds."""
    smem: int | None
    needs_opt_in: bool
    active_blocks: int
    """Resident blocks per SM, by the registers at launch."""
    occupancy: float
    """Resident warps divided by the maximum per SM, 0 to 1."""
    launch_regs_if_fitting: int | None
    """Registers at launch with a second bound of ``active_blocks``; None if ``min_blocks`` fit, or it gives no more."""
    limiters: tuple[Resource, ...]
    reason: str | None
    """Reason why the block does not launch, why it hangs, or why ptxas ignores the split; None if it runs."""
    enough_at_launch: str | None
    """Launch bounds or ``__maxnreg__`` for ``needed_regs`` at launch; None if sufficient or impossible."""

    @property
    def can_run(self) -> bool:
        """True if the block launches and does not hang."""
        return self.reason is None


def split_registers(
    limits: Limits, threads: int | None, groups: Sequence[Warpgroups], *, launch_regs: int | None = None,
    min_blocks: int | None = None, smem: int | None = None,
) -> RegisterSplitFields:  # fmt: skip
    """Check a split of a block's registers, or compute the registers of one group that are None."""
    if limits.compute_capability < FIRST_WITH_SETMAXNREG:
        problem = f"compute capability {limits.compute_capability} has no setmaxnreg"
        raise InputError(problem, hint="Choose 9.0 or newer, and compile for a target such as sm_90a.")
    threads = _checked_threads(limits, threads, groups)
    kernel = Kernel(threads, smem=smem)
    launch, min_blocks = _registers_at_launch(limits, kernel, groups, launch_regs, min_blocks)
    pool = threads * round_up(launch, STEP)
    solved = [group._replace(regs=group.regs or _max_registers(group, groups, pool)) for group in groups]
    if any(group.regs is None for group in solved):
        problem = f"the other warpgroups leave fewer than {LEAST} registers"
        raise InputError(problem, where="groups", hint=f"Leave {LEAST} or more to each of the others.")
    taken, needed = THREADS_PER_WARPGROUP * _total(solved), _needed_at_launch(solved)
    result = Result(limits, kernel.replace(regs=launch))
    if_fitting, hang = None, f"the warpgroups need {taken:,} registers, but the block has {pool:,}"
    ignored = launch_bounds(Gpu(limits), Kernel(threads), min_blocks).warning  # and setmaxnreg with the bound
    if min_blocks is not None and 0 < result.active_blocks < min_blocks:
        registers = _registers_by_bounds(limits, threads, result.active_blocks)
        if_fitting = registers if registers > launch else None
    return RegisterSplitFields(
        cc=str(limits.compute_capability), threads=threads,
        groups=tuple(_share(group, solved, launch, pool) for group in solved), launch_regs=launch,
        needed_regs=needed, pool=pool, taken=taken, suffices=taken <= pool, min_blocks=min_blocks,
        launch_bounds=None if min_blocks is None else bounds_in_source(threads, min_blocks),
        maxnreg=maxnreg_in_source(launch), smem=smem, needs_opt_in=needs_opt_in(limits, result.kernel),
        active_blocks=result.active_blocks, occupancy=result.occupancy, launch_regs_if_fitting=if_fitting,
        limiters=result.limiters, reason=result.reason or (ignored if taken <= pool else hang),
        enough_at_launch=None if taken <= pool else _sufficient_attribute(limits, threads, needed),
    )  # fmt: skip


def _checked_threads(limits: Limits, threads: int | None, groups: Sequence[Warpgroups]) -> int:
    number = sum(group.warpgroups for group in groups)
    most = limits.max_threads_per_block // THREADS_PER_WARPGROUP
    if not 1 <= number <= most or any(group.warpgroups < 1 for group in groups):
        raise InputError(f"a block has 1 to {most} warpgroups, and each group 1 or more", where="groups")
    total = number * THREADS_PER_WARPGROUP
    if threads not in (None, total):
        problem = f"the groups have {total:,} threads, not {shown(threads)}"
        raise InputError(problem, where="groups", hint=f"A warpgroup has {THREADS_PER_WARPGROUP} threads.")
    known = [group.regs for group in groups if group.regs is not None]
    for regs in known:
        if regs not in range(LEAST, MOST + 1, STEP):
            problem = f"setmaxnreg does not accept {shown(regs)} registers"
            raise InputError(problem, where="groups", allowed=f"{LEAST} to {MOST} in steps of {STEP}")
    if len(groups) - len(known) > 1:
        problem = "more than one group has ? registers"
        raise InputError(problem, where="groups", hint="Write ? for one of the groups.")
    return total


def _registers_at_launch(
    limits: Limits, kernel: Kernel, groups: Sequence[Warpgroups], regs: int | None, min_blocks: int | None
) -> tuple[int, int | None]:
    """Return the registers per thread at launch, and the second launch bound; most blocks by default."""
    threads = kernel.threads
    if regs is None:
        if min_blocks is None and all(group.regs is not None for group in groups):
            needed = min(_needed_at_launch(groups), limits.max_registers_per_thread)
            min_blocks = max(1, Result(limits, kernel.replace(regs=needed)).active_blocks)
        min_blocks = 1 if min_blocks is None else min_blocks
        if (launch := _registers_by_bounds(limits, threads, min_blocks)) < LEAST:
            problem = f"{min_blocks} blocks leave {launch} registers per thread"
            raise InputError(problem, where="blocks", hint=f"Use fewer blocks, to leave {LEAST} or more.")
        return launch, min_blocks
    in_range(regs, "regs", LEAST, _registers_by_bounds(limits, threads, 1))
    if min_blocks is None:
        return regs, max(second_bounds(limits, threads, regs), default=None)
    if (given := _registers_by_bounds(limits, threads, min_blocks)) != regs:
        problem = f"{regs} contradicts {bounds_in_source(threads, min_blocks)}, which gives {given}"
        raise InputError(problem, where="regs", hint=f"Set {given}, or remove `blocks` (`--blocks`).")
    return regs, min_blocks


def _registers_by_bounds(limits: Limits, threads: int, min_blocks: int) -> int:
    """Return the registers per thread that ptxas allocates with ``setmaxnreg`` and both launch bounds."""
    return launch_bounds(Gpu(limits), Kernel(threads), min_blocks).register_cap


def _sufficient_attribute(limits: Limits, threads: int, needed: int) -> str | None:
    """Return the attribute for a number of registers; None if the block cannot launch with them."""
    if needed > _registers_by_bounds(limits, threads, 1):
        return None
    bounds = second_bounds(limits, threads, needed)
    return bounds_in_source(threads, bounds[-1]) if bounds else maxnreg_in_source(needed)


def _needed_at_launch(groups: Sequence[Warpgroups]) -> int:
    # Registers are allocated in units of 256 per warp, which is 8 per thread.
    return round_up(divide_up(_total(groups), sum(group.warpgroups for group in groups)), STEP)


def _total(groups: Sequence[Warpgroups]) -> int:
    return sum(group.warpgroups * (group.regs or 0) for group in groups)


def _max_registers(group: Warpgroups, groups: Sequence[Warpgroups], pool: int) -> int | None:
    """Return the maximum registers of one group with the others unchanged; None if below the minimum."""
    others = _total(groups) - _total([group])
    most = min((pool // THREADS_PER_WARPGROUP - others) // group.warpgroups // STEP * STEP, MOST)
    return most if most >= LEAST else None


def _share(group: Warpgroups, groups: Sequence[Warpgroups], launch: int, pool: int) -> WarpgroupShare:
    registers = group.regs or 0
    instruction: Literal["setmaxnreg.dec", "setmaxnreg.inc"] | None = None
    if registers != launch:
        instruction = "setmaxnreg.dec" if registers < launch else "setmaxnreg.inc"
    return WarpgroupShare(group.warpgroups, registers, instruction, _max_registers(group, groups, pool))
