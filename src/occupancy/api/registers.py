"""The registers of a block, divided among its warpgroups."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from ..advice.registers import RegisterSplit, Warpgroups, split_registers
from ..errors import InputError, shown
from ..tables.gpus import find_gpu
from ..values.spellings import parse_count, parse_size
from .occupancy import GpuLike

UNKNOWN = "?"

Groups = str | Iterable[tuple[int, int | None]]


def register_split(
    groups: Groups,
    *,
    gpu: GpuLike = "9.0",
    threads: int | str | None = None,
    regs: int | str | None = None,
    blocks: int | str | None = None,
    smem: int | str | None = None,
) -> RegisterSplit:
    """Check or solve how warpgroups divide a block's registers with ``setmaxnreg``.

    >>> import occupancy
    >>> split = occupancy.register_split("1:40,2:?")
    >>> split.threads, split.groups[1].regs, split.launch_regs, split.suffices
    (384, 232, 168, True)

    Args:
        groups: Warpgroups with their registers: ``"1:40,2:232"``, ``[(1, 40), (2, 232)]``, or the registers of
            each, ``"40,232,232"``. ``?`` or None in place of one number finds the most that the others leave.
        gpu: As in `compute`; 9.0 or newer.
        threads: Threads per block, in warpgroups of 128; by default those of all groups.
        regs: Registers per thread of the compiled kernel, which the launch gives.
        blocks: The second launch bound; by default the most blocks with which the launch gives enough.
        smem: Shared memory per block, in bytes or as text such as ``"220k"``.

    Raises:
        InputError: A GPU without ``setmaxnreg``, threads that are not whole warpgroups, groups that are not
            all of them, or registers that ``setmaxnreg`` cannot name.
    """
    return split_registers(
        find_gpu(gpu).limits,
        None if threads is None else parse_count(threads, "threads"),
        _parse_groups(groups),
        launch_regs=None if regs is None else parse_count(regs, "regs"),
        min_blocks=None if blocks is None else parse_count(blocks, "blocks"),
        smem=None if smem is None else parse_size(smem, "smem"),
    )


def _parse_groups(value: Groups) -> list[Warpgroups]:
    if not isinstance(value, str):
        return [_group(pair, value) for pair in (value if isinstance(value, Iterable) else [None])]
    parts = [part.strip() for part in value.replace("/", ",").split(",")]
    pairs = [("1", part) if part.isdecimal() or part == UNKNOWN else part.split(":") for part in parts]
    each = [_group(pair, value) for pair in pairs]
    alike = groupby(each, key=lambda group: group.regs)
    return [Warpgroups(sum(group.warpgroups for group in groups), regs) for regs, groups in alike]


def _group(pair: object, value: object) -> Warpgroups:
    if not isinstance(pair, (list, tuple)) or len(pair) != 2:
        raise InputError(
            f"{shown(value)} is not a list of warpgroups",
            where="groups",
            hint="Write warpgroups and their registers as 1:40,2:232, or the registers of each as 40,232,232.",
        )
    number, regs = pair
    is_unknown = regs is None or (isinstance(regs, str) and regs.strip() == UNKNOWN)
    return Warpgroups(parse_count(number, "groups"), None if is_unknown else parse_count(regs, "groups"))
