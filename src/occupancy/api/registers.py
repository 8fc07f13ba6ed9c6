"""How the warpgroups of a block divide its registers, with input as people write it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby

from ..advice.register_split import RegisterSplit
from ..advice.registers import Group, split_registers
from ..errors import InputError, shown
from ..values.spellings import parse_count, parse_size
from .answer import Occupancy
from .arguments import ComputeCapabilityLike, CountLike, SizeLike
from .chips import limits

DEFAULT_CC = "9.0"
"""Every chip with ``setmaxnreg`` has as many registers, in the same steps."""

ASKED = "?"

GroupsLike = str | Iterable[tuple[int, int | None]]


def registers(
    groups: GroupsLike,
    *,
    threads: CountLike | None = None,
    cc: ComputeCapabilityLike = DEFAULT_CC,
    regs: CountLike | None = None,
    min_blocks: CountLike | None = None,
    smem: SizeLike | None = None,
) -> RegisterSplit:
    """Whether a warp-specialised block has the registers that its warpgroups take with ``setmaxnreg``.

    >>> import occupancy
    >>> split = occupancy.registers("1:40,2:?")
    >>> split.threads, split.groups[1].regs, split.launch_regs, split.suffices
    (384, 232, 168, True)

    Args:
        groups: How many warpgroups take how many registers: ``"1:40,2:232"``, or ``[(1, 40), (2, 232)]``,
            or text with the registers of each, ``"40,232,232"`` or ``"40/232/232"``. ``?`` or None for one of
            the numbers asks for the most that the others leave.
        threads: Threads per block, in warpgroups of 128; by default those of all groups.
        cc: As in `compute`; 9.0 or newer.
        regs: Registers per thread of the compiled kernel, which the launch gives.
        min_blocks: The second launch bound. Without it, the most blocks with which the launch gives enough.
        smem: Shared memory per block, in bytes or as text such as ``"220k"``.

    Raises:
        InputError: A chip without ``setmaxnreg``, threads that are not whole warpgroups, groups that are not
            all of them, or registers that ``setmaxnreg`` cannot name.
    """
    return split_registers(
        limits(cc),
        None if threads is None else parse_count(threads, "threads"),
        parse_groups(groups),
        launch_regs=None if regs is None else parse_count(regs, "regs"),
        min_blocks=None if min_blocks is None else parse_count(min_blocks, "min_blocks"),
        smem=None if smem is None else parse_size(smem, "smem"),
    )


def with_split(answer: Occupancy, groups: GroupsLike) -> tuple[Occupancy, RegisterSplit]:
    """The answer for a block whose warpgroups divide its registers, and how.

    Args:
        answer: For the block; where no registers were given, those of the launch bounds are its own.
        groups: As in `registers`.

    Raises:
        InputError: As in `registers`.
    """
    kernel = answer.kernel
    smem = kernel.shared_memory if kernel.is_shared_memory_given else None
    split = registers(groups, threads=kernel.threads, cc=answer.limits, regs=kernel.regs, smem=smem)
    kernel = replace(kernel, regs=split.launch_regs, reallocates_registers=True)
    return Occupancy.on(answer.chip, kernel, answer.model), split


def parse_groups(value: GroupsLike) -> list[Group]:
    """Warpgroups and their registers: see `registers`.

    Raises:
        InputError: Something else.
    """
    if not isinstance(value, str):
        return [_group(pair, value) for pair in (value if isinstance(value, Iterable) else [None])]
    parts = [part.strip() for part in value.replace("/", ",").split(",")]
    is_one = [part.isdecimal() or part == ASKED for part in parts]
    pairs = [("1", part) if one else part.split(":") for part, one in zip(parts, is_one, strict=True)]
    each = [_group(pair, value) for pair in pairs]
    alike = groupby(each, key=lambda group: group.regs)
    return [Group(sum(group.warpgroups for group in groups), regs) for regs, groups in alike]


def _group(pair: object, value: object) -> Group:
    if not isinstance(pair, (list, tuple)) or len(pair) != 2:
        raise InputError(
            f"{shown(value)} is not a list of warpgroups",
            where="groups",
            hint="Write warpgroups and their registers as 1:40,2:232, or those of each as 40,232,232.",
        )
    count, taken = pair
    is_asked = taken is None or (isinstance(taken, str) and taken.strip() == ASKED)
    return Group(
        parse_count(count, "groups"),
        None if is_asked else parse_count(taken, "groups"),
    )
