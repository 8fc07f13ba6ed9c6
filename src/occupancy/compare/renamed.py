"""Which entries of a file of rules are for which kernels, also where a kernel has another name than then."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Generic, TypeVar

from ..builds.kernel_names import Names, without_parameters
from ..errors import Mistakes
from ..readers import KernelRecord
from ..readers.names import demangle
from ..values.dataclass import dataclass
from .launches import ByOtherName
from .matching import match
from .measures import compared
from .no_kernel import NoKernel
from .rules import Entry, Exemption, Launches, Rules, Table, about, idle
from .violations import Renamed

E = TypeVar("E", bound=Entry)


@dataclass(frozen=True, slots=True)
class Fit(Generic[E]):
    """An entry that fits a kernel by the name that it had alone."""

    entry: E
    kernel: KernelRecord
    patterns: tuple[str, ...]
    """Those of the entry's that fit; of an entry that counts, those for which it does."""
    counts: bool
    """See `Renamed`."""


def fits_by_old_name(
    entries: Sequence[E],
    kernels: Iterable[KernelRecord],
    before: Mapping[int, KernelRecord],
    build: Sequence[KernelRecord],
) -> Iterator[Fit[E]]:
    """Which entries fit kernels by the name that they had alone.

    A kernel is known by its name of now. Only a pattern that fits none like that counts for those that had
    such a name: else a pattern for what is old would also be for what was made new. That one of several
    kernels which it fits has got another name is told, since only people know what they mean.

    Args:
        entries: The entries.
        kernels: The kernels that are asked for.
        before: The identity of a kernel -> what it was in the baseline.
        build: All kernels of the build.
    """
    known: dict[tuple[int, str], bool] = {}

    def is_idle(entry: E, pattern: str) -> bool:
        if (entry.number, pattern) not in known:
            known[entry.number, pattern] = bool(idle([replace(entry, kernels=(pattern,))], build))
        return known[entry.number, pattern]

    for kernel in kernels:
        old = before.get(id(kernel))
        if old is None or old.name == kernel.name:
            continue
        by_new_name = about(kernel, entries)
        names = Names(old.name, demangle)
        for entry in about(kernel, [each for each in entries if each not in by_new_name], old.name):
            fitting = tuple(pattern for pattern in entry.kernels if names.match(pattern))
            only_then = tuple(pattern for pattern in fitting if is_idle(entry, pattern))
            yield Fit(entry, kernel, only_then or fitting, counts=bool(only_then))


def by_old_name(fits: Iterable[Fit[E]]) -> dict[int, tuple[E, ...]]:
    """The identity of a kernel -> the entries that count for it by the name that it had."""
    found: dict[int, tuple[E, ...]] = {}
    for fit in fits:
        if fit.counts:
            found[id(fit.kernel)] = (*found.get(id(fit.kernel), ()), fit.entry)
    return found


def told(table: Table, fits: Iterable[Fit[E]], *, is_likely: bool = False) -> tuple[Renamed, ...]:
    """What to tell people of entries that fit kernels by the names that they had.

    Args:
        table: Which entries of the file these are.
        fits: Which fit which kernels.
        is_likely: See `Renamed`.
    """
    of_entries: dict[tuple[int, bool], list[Fit[E]]] = {}
    for fit in fits:
        of_entries.setdefault((fit.entry.number, fit.counts), []).append(fit)
    return tuple(
        Renamed(
            table,
            number,
            tuple(dict.fromkeys(pattern for fit in of_one for pattern in fit.patterns)),
            tuple(dict.fromkeys(without_parameters(demangle(fit.kernel.name)) for fit in of_one)),
            counts,
            is_likely,
            of_one[0].entry.file_and_line,
        )
        for (number, counts), of_one in sorted(of_entries.items(), key=lambda each: each[0])
    )


def assign(
    entries: Sequence[E],
    kernels: Sequence[KernelRecord],
    before: Mapping[int, KernelRecord],
    build: Sequence[KernelRecord],
) -> tuple[list[tuple[E, ...]], list[Fit[E]]]:
    """Which entries are for which kernels.

    Args:
        entries: As for `fits_by_old_name`, like the others.

    Returns:
        The entries for each kernel, in the order of the file; and those that fit names of the baseline.
    """
    fits = list(fits_by_old_name(entries, kernels, before, build))
    more = by_old_name(fits)
    return [about(each, entries, also=more.get(id(each), ())) for each in kernels], fits


def launches_of_renamed(
    launches: Sequence[Launches],
    kernels: Sequence[KernelRecord],
    baseline: Sequence[KernelRecord],
    *,
    ignore_arch: bool = False,
) -> tuple[ByOtherName, list[Fit[Launches]]]:
    """What a file of rules states of kernels that have other names than in the baseline.

    Args:
        launches: What the file states of some kernels.
        kernels: All kernels of the build.
        baseline: All kernels of the baseline; none without one.
        ignore_arch: Whether a kernel without a counterpart of its architecture is compared with another.

    Returns:
        What counts for kernels of either build by the names that they have in the other one; and the entries
        that fit names of the baseline.
    """
    names, names_before = ({kernel.name for kernel in each} for each in (kernels, baseline))
    gone = [kernel for kernel in baseline if kernel.name not in names]
    came = [kernel for kernel in kernels if kernel.name not in names_before]
    if len(idle(launches, [*gone, *came])) == len(launches):
        return {}, []
    pairs = match(gone, came, compared, ignore_arch=ignore_arch).pairs
    before = {id(new): old for old, new, _ in pairs}
    fits = list(fits_by_old_name(launches, came, before, kernels))
    # An entry with the new name is for what the kernel was, too: a size is stated for both builds.
    by_new_name = {id(old): about(new, launches) for old, new, _ in pairs if not about(old, launches)}
    return {**by_old_name(fits), **by_new_name}, fits


def no_longer_for(
    asked: Rules,
    kernels: Sequence[KernelRecord],
    build: Sequence[KernelRecord],
    no_kernel: NoKernel,
    *,
    is_update: bool,
) -> tuple[Renamed, ...]:
    """What to tell of entries that fit others, too, and so do not follow a kernel that has got another name.

    Args:
        asked: A file of rules.
        kernels: The kernels that are asked for.
        build: All kernels of the build.
        no_kernel: What knows the names that they had, or may have had.
        is_update: Whether the baseline is written, and so no other part of the check tells of what is known
            to have been renamed.
    """
    tables: tuple[tuple[Table, Sequence[Entry]], ...] = (
        ("rules", asked.rules),
        ("launches", asked.launches),
        ("exemptions", _current(asked)),
    )
    names = [(no_kernel.before, False)] * is_update + [(no_kernel.perhaps_before, True)]
    return tuple(
        each
        for before, is_likely in names
        for table, entries in tables
        for each in told(
            table,
            [fit for fit in fits_by_old_name(entries, kernels, before, build) if not fit.counts],
            is_likely=is_likely,
        )
    )


def refuse_idle(
    asked: Rules,
    kernels: Sequence[KernelRecord],
    following: Iterable[Fit[Launches]] | None,
    no_kernel: NoKernel,
) -> tuple[Entry, ...]:
    """Raise the errors of all launches that are for no kernel, since a block size that nobody uses would go
    unnoticed; of all exemptions for none where what they are for may have been renamed; and so of each
    pattern beside others that fit. One for what has gone for good does no harm.

    Args:
        asked: A file of rules.
        kernels: All kernels of the build.
        following: Which of its launches fit kernels by the names that these had. None: no entry follows a
            kernel that was renamed, and each that names one as it was is refused.
        no_kernel: What makes the errors.

    Returns:
        Each pattern that does no harm and fits none, beside others that do, as an entry with that one alone.

    Raises:
        RulesError: There are such entries.
    """
    follows = following is not None
    counting = {fit.entry.number for fit in following or () if fit.counts}
    current = _current(asked)
    unfit: list[Entry] = []
    with Mistakes() as found:
        for entry in idle(asked.launches, kernels):
            if entry.number not in counting:
                hint = "Write the name of one that there is, or remove the entry."
                found.keep(no_kernel.error(entry, hint=hint))
        for one in idle(current, kernels):
            if no_kernel.may_be_renamed(one) and not (follows and no_kernel.now(one)):
                found.keep(no_kernel.error(one, hint=""))
        entries = (*asked.rules, *asked.launches, *current)
        for pattern in _unfit_patterns(entries, kernels, lambda each: follows and bool(no_kernel.now(each))):
            if no_kernel.may_be_renamed(pattern):
                found.keep(no_kernel.error(pattern, hint=""))
            else:
                unfit.append(pattern)
    return tuple(unfit)


def _current(asked: Rules) -> list[Exemption]:
    """The exemptions that have not ended."""
    today = date.today()
    return [one for one in asked.exemptions if one.until >= today]


def _unfit_patterns(
    entries: Iterable[Entry], kernels: Sequence[KernelRecord], is_followed: Callable[[Entry], bool]
) -> Iterator[Entry]:
    """Each pattern of no kernel, as an entry with that one alone; none of an entry that has no others, of
    which all is said."""
    parts = [
        [replace(entry, kernels=(pattern,)) for pattern in entry.kernels]
        for entry in entries
        if len(entry.kernels) > 1
    ]
    of_none = idle(list(itertools.chain(*parts)), kernels)
    for patterns in parts:
        unfit = [each for each in patterns if each in of_none and not is_followed(each)]
        yield from unfit if len(unfit) < len(patterns) else ()
