"""How builds are read and answered for, by `scan`, `diff`, `check` and `save_baseline` alike."""

from __future__ import annotations

import inspect
import os
from collections.abc import Collection, Mapping, Sequence
from typing import TypedDict

from ..builds.scanner import Scanner
from ..builds.selection import ORDERS, WORST, Order, Selection, unknown_architecture, unknown_name
from ..compare.rules import Launches
from ..errors import InputError, shown
from ..readers import KernelRecord
from ..readers.limits import ReadLimits
from ..tables.gpus import Gpu, find_gpu, find_gpus
from ..tables.table import Table
from ..values.limits import ComputeCapability, Limits
from ..values.spellings import did_you_mean, parse_share
from .arguments import ComputeCapabilityLike, Function, ThreadsLike, make_kernel, refuses_others, shows

Path = str | os.PathLike[str]
Paths = Path | Sequence[Path]

ArchitectureLike = str | int | tuple[int, int] | ComputeCapability


ALL_ARCHS = "all"
"""What ``archs`` says to have kernels for every architecture answered for the chip that is asked about."""

EVERY = "*"
"""The pattern of the kernels that no other one fits."""


class ReadingArguments(TypedDict, total=False):
    """Which kernels are looked at, and how they are answered for."""

    threads: ThreadsLike | Mapping[str, ThreadsLike] | None
    cc: ComputeCapabilityLike | None
    limits_file: Path | None
    name: str | Sequence[str] | None
    archs: Sequence[ArchitectureLike]
    only_newest: bool
    with_runtime: bool


MEANINGS = {
    "threads": "Threads per block, for kernels whose source does not state them; or those of some kernels "
    'by patterns of their names: ``{"blur": 256, "*": 128}``. The last that fits counts; ``*`` is for the '
    "kernels that no other fits.",
    "cc": "What if the kernels ran on this compute capability?",
    "limits_file": "A table of your own (YAML or TOML), whose rows go before the shipped ones.",
    "name": "Only kernels with this in their name, mangled or readable; ``*`` stands for anything. Of a list "
    "any may fit.",
    "archs": "Only kernels for these architectures: ``sm_90``, ``sm_90a`` (only its code), ``hopper``; "
    "``all``: with ``cc`` also what that chip does not run, which is left out else.",
    "only_newest": "Of each kernel only the newest architecture.",
    "with_runtime": "With kernels of CUDA's own device runtime, too.",
}
"""Argument -> what it means, in the order in which they are shown."""


class Reading:
    """Which kernels are looked at, and how they are answered for; `MEANINGS` says what the arguments mean.

    Raises:
        InputError: Not a block size, or not a chip.
        TableError: The user's table cannot be read.
    """

    def __init__(
        self,
        threads: ThreadsLike | Mapping[str, ThreadsLike] | None = None,
        cc: ComputeCapabilityLike | Gpu | None = None,
        limits_file: Path | None = None,
        name: str | Sequence[str] | None = None,
        archs: Sequence[ArchitectureLike] = (),
        only_newest: bool = False,
        with_runtime: bool = False,
    ) -> None:
        table = Table(limits_file)
        by_name: Mapping[str, ThreadsLike] = threads if isinstance(threads, Mapping) else {}
        for_all = by_name.get(EVERY) if isinstance(threads, Mapping) else threads
        self.threads = None if for_all is None else make_kernel(for_all).threads
        self.launches = tuple(
            Launches(number, (pattern,), (), (make_kernel(size).threads,), None)
            for number, (pattern, size) in enumerate(by_name.items(), 1)
            if pattern != EVERY
        )
        self.chip = None if cc is None else find_gpu(cc, table)
        """The chip that is answered for, in place of that which each kernel was compiled for."""
        if isinstance(archs, (str, ComputeCapability)) or not isinstance(archs, Collection):
            one = shown(archs if isinstance(archs, (str, int)) else "sm_90")
            raise InputError(f"got {shown(archs)}", where="archs", hint=f"Give a list: archs=[{one}].")
        self._has_all = any(isinstance(each, str) and each.strip().lower() == ALL_ARCHS for each in archs)
        if self._has_all:
            archs = ()
        self.variants = frozenset(filter(None, map(_variant, archs)))
        plain = frozenset(cc for each in archs if not _variant(each) for cc in _architectures(each, table))
        self._plain = plain
        self.archs = plain | frozenset(map(ComputeCapability.parse, self.variants))
        self._limits_of = table.limits
        self.names = _parts(name)
        """Parts of the names of the kernels that are looked at; empty for all."""
        self._only_newest = only_newest
        self._with_runtime = with_runtime

    @property
    def what_if(self) -> Limits | None:
        """What an SM of that chip offers."""
        return None if self.chip is None else self.chip.limits

    def selection(
        self,
        *,
        group: bool,
        below: object = None,
        only_spilling: bool = False,
        sort: Order | None = None,
        limit: int | None = None,
        reverse: bool = False,
    ) -> Selection:
        """Which kernels are shown, and in which order; see `Selection`.

        Raises:
            InputError: There is no such order, no such share, or less than one kernel is asked for.
        """
        if sort is not None and sort not in ORDERS:
            problem = f"got {shown(sort)}"
            raise InputError(problem, where="sort", allowed=did_you_mean(str(sort), ORDERS))
        if reverse and sort in (None, WORST):
            raise InputError(
                "is for an order with two ends",
                where="reverse",
                hint="Sort by occupancy, regs, spills or time.",
            )
        if limit is not None and limit < 1:
            raise InputError(f"got {limit}", where="limit", allowed="1 and up")
        return Selection(
            self.names,
            self._plain,
            self.variants,
            self._only_newest,
            self._with_runtime,
            group=group,
            below=None if below is None else _share(below),
            only_spilling=only_spilling,
            sort=sort,
            limit=limit,
            reverse=reverse,
            chip=self.chip_of_code,
        )

    def everything(self) -> Selection:
        """All kernels, whichever are asked for."""
        return Selection(with_runtime=self._with_runtime, group=True)

    @property
    def chip_of_code(self) -> ComputeCapability | None:
        """The chip whose code alone counts; None where no chip is asked about, or the architectures were
        chosen."""
        is_chosen = self._has_all or bool(self.archs)
        return None if self.what_if is None or is_chosen else self.what_if.compute_capability

    @property
    def chooses_kernels(self) -> bool:
        """Whether only kernels of some names or architectures are wanted."""
        return bool(any(self.names) or self.archs or self._only_newest)

    def missing(self, records: Sequence[KernelRecord]) -> str:
        """What to say where none of some kernels is what was asked for by name or architecture: which there
        are; empty where that is not why."""
        said = unknown_name(self.names, records)
        if said or not self.archs:
            return said
        has_arch = self.selection(group=False).is_for_architecture
        return "" if any(map(has_arch, records)) else unknown_architecture(records)

    def scanner(
        self,
        threads: int | None,
        *,
        multiprocessor_count: int | None = None,
        with_advice: bool,
        common: ReadLimits | None = None,
    ) -> Scanner:
        """What answers for the kernels; see `Scanner`."""
        return Scanner(self._limits_of, threads, self.chip, multiprocessor_count, with_advice, common)


def takes_reading(function: Function) -> Function:
    """Have a function show by name, and with their meanings, what it takes as ``**reading``."""
    defaults = {name: each.default for name, each in inspect.signature(Reading).parameters.items()}
    return refuses_others(shows(function, "reading", ReadingArguments, MEANINGS, defaults))


def _variant(arch: ArchitectureLike) -> str | None:
    """``sm_90a`` of any spelling of it; None for what means all code of a compute capability."""
    text = arch.strip().lower() if isinstance(arch, str) else ""
    if not text.endswith(("a", "f")) or not text[:-1].endswith(tuple("0123456789")):
        return None
    return f"{ComputeCapability.parse(text).sm}{text[-1]}"


def _parts(name: object) -> tuple[str, ...]:
    """The parts of names that are asked for."""
    parts = () if name is None else (name,) if isinstance(name, str) else name
    if not isinstance(parts, Collection) or not all(isinstance(part, str) for part in parts):
        allowed = "a part of a kernel's name, or a list of parts"
        raise InputError(f"got {shown(name)}", where="name", allowed=allowed)
    return tuple(parts)


def _architectures(arch: ArchitectureLike, table: Table) -> list[ComputeCapability]:
    """The compute capabilities of a number, or of a chip's or an architecture's name."""
    try:
        return [ComputeCapability.parse(arch)]
    except InputError:
        return [chip.limits.compute_capability for chip in find_gpus(arch, table)]


def _share(below: object) -> float:
    share = parse_share(below, "below")
    if not 0 < share <= 1:
        raise InputError(f"{shown(below)} is out of range", where="below", hint="Give up to 100, in percent.")
    return share
