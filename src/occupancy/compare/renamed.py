"""Which entries of a file of rules are for which kernels, also where a kernel has another name than then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from ..builds.kernel_names import Names, without_parameters
from ..errors import RulesError
from ..readers import KernelRecord
from ..readers.names import demangle
from .diff import compared
from .launches import OfRenamed
from .matching import match
from .rules import Entry, Launches, about, idle, names_like
from .violations import Renamed, Table

E = TypeVar("E", bound=Entry)


def assign(
    table: Table, entries: Sequence[E], kernels: Sequence[KernelRecord], before: Mapping[int, KernelRecord]
) -> tuple[list[tuple[E, ...]], tuple[Renamed, ...]]:
    """Which entries are for which kernels.

    A kernel is known by its name of now. Only a pattern that fits none like that fits those that had such a
    name: else a pattern for what is old would also be for what was made new. That one of several kernels
    which it fits has got another name is told, since only people know what they mean.

    Args:
        table: Which entries of the file these are.
        entries: The entries.
        kernels: The kernels of the build.
        before: The identity of a kernel -> what it was in the baseline.

    Returns:
        The entries for each kernel, in the order of the file; and those that fit names of the baseline.
    """

    known: dict[tuple[int, str], bool] = {}

    def is_idle(entry: E, pattern: str) -> bool:
        if (entry.number, pattern) not in known:
            known[entry.number, pattern] = bool(idle([replace(entry, kernels=(pattern,))], kernels))
        return known[entry.number, pattern]

    of_kernels: list[tuple[E, ...]] = []
    found: dict[tuple[int, bool], tuple[dict[str, None], dict[str, None]]] = {}
    for kernel in kernels:
        of_it = about(kernel, entries)
        old = before.get(id(kernel))
        if old is not None and old.name != kernel.name:
            for entry in about(kernel, [each for each in entries if each not in of_it], old.name):
                names = Names(old.name, demangle)
                fitting = [pattern for pattern in entry.kernels if names.match(pattern)]
                only_then = [pattern for pattern in fitting if is_idle(entry, pattern)]
                patterns, now = found.setdefault((entry.number, bool(only_then)), ({}, {}))
                patterns |= dict.fromkeys(only_then or fitting)
                now[without_parameters(demangle(kernel.name))] = None
                if only_then:
                    of_it = tuple(sorted((*of_it, entry), key=lambda each: each.number))
        of_kernels.append(of_it)
    renamed = (
        Renamed(table, number, tuple(patterns), tuple(now), counts)
        for (number, counts), (patterns, now) in sorted(found.items(), key=lambda each: each[0])
    )
    return of_kernels, tuple(renamed)


def launches_of_renamed(
    launches: Sequence[Launches],
    kernels: Sequence[KernelRecord],
    baseline: Sequence[KernelRecord],
    build: str,
    *,
    ignore_arch: bool = False,
) -> tuple[OfRenamed, tuple[Renamed, ...]]:
    """What a file of rules states of kernels that have other names than in the baseline, see `assign`.

    Args:
        launches: What the file states of some kernels.
        kernels: All kernels of the build.
        baseline: All kernels of the baseline; none without one.
        build: What the build is called.
        ignore_arch: Whether a kernel without a counterpart of its architecture is compared with another.

    Raises:
        RulesError: An entry is about no kernel: a block size that nobody uses would go unnoticed.
    """
    names, names_before = ({kernel.name for kernel in each} for each in (kernels, baseline))
    gone = [kernel for kernel in baseline if kernel.name not in names]
    came = [kernel for kernel in kernels if kernel.name not in names_before]
    of_renamed: OfRenamed = {}
    renamed: tuple[Renamed, ...] = ()
    if len(idle(launches, gone)) < len(launches):
        pairs = match(gone, came, compared, ignore_arch=ignore_arch).pairs
        of_kernels, renamed = assign("launches", launches, kernels, {id(new): old for old, new, _ in pairs})
        of_renamed = dict(zip(map(id, kernels), of_kernels, strict=True))
    following = {each.number for each in renamed if each.counts}
    for entry in idle(launches, kernels):
        if entry.number not in following:
            raise RulesError(
                f"{entry} is for no kernel of {build}",
                allowed=names_like(entry.kernels[0], (kernel.name for kernel in kernels)),
                cure="Write the name of one that there is, or remove the entry.",
            )
    return of_renamed, renamed
