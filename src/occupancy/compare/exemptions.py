"""Kernels that may break a rule for a while: each with the reason, and the day until which it holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from ..builds.kernel_names import Names
from ..readers.names import demangle
from ..readers.record import architecture_of
from ..values.dataclass import dataclass
from .near_names import names_like
from .rules_entry import Entry
from .violations import Checked, Holding, Violating, Violation, launched_with


@dataclass(frozen=True, slots=True)
class Exemption(Entry):
    """Kernels that may break a rule until a day."""

    criteria: tuple[str, ...]
    """What they need not meet; empty for all."""
    reason: str
    until: date
    """The last day on which it holds."""

    def covers(self, criterion: str) -> bool:
        """Whether it is about what a rule asks for, on whatever day."""
        return not self.criteria or criterion in self.criteria


@dataclass(frozen=True, slots=True)
class Exempted:
    """A kernel that breaks rules, and may."""

    violating: Violating
    reason: str
    until: date


@dataclass(frozen=True, slots=True)
class Applied:
    """A check, with what exemptions make of it."""

    done: Checked
    exempted: tuple[Exempted, ...] = ()
    ended: tuple[Exemption, ...] = ()
    """Exemptions that would have helped, had they not ended."""
    unused: tuple[Exemption, ...] = ()
    """Those that no kernel needs any more."""
    idle: tuple[tuple[Exemption, str], ...] = ()
    """Those that are for no kernel of the build, each with names that it has."""


def apply(done: Checked, exemptions: Sequence[Exemption], today: date) -> Applied:
    """Take out of the violations what may be until today or later."""
    if not exemptions:
        return Applied(done)
    violating: list[Violating] = []
    exempted: list[Exempted] = []
    used: set[int] = set()
    holding = list(done.holding)
    for each in done.violating:
        left: list[Violation] = []
        excused: list[Violation] = []
        by: Exemption | None = None
        row = each.kernel
        names = Names(row.name, demangle)
        about = [one for one in exemptions if one.is_for(names, row.compute_capability)]
        for violation in each.violations:
            covering = [one for one in about if one.covers(violation.criterion)]
            used.update(one.number for one in covering)
            current = [one for one in covering if one.until >= today]
            (excused if current else left).append(violation)
            by = current[0] if current else by
        if left:
            violating.append(replace(each, violations=tuple(left)))
        if excused and by is not None:
            exempted.append(Exempted(replace(each, violations=tuple(excused)), by.reason, by.until))
            if not left:
                holding.append(
                    Holding(row.name, row.arch, row.source, launched_with(row), len(each.violations))
                )
    ended = tuple(one for one in exemptions if one.number in used and one.until < today)
    left_over = [one for one in exemptions if one.number not in used]
    kernels = [(each.kernel.name, each.kernel.arch) for each in done.violating] if left_over else []
    kernels += [(each.name, each.arch) for each in done.holding] if left_over else []
    there = [(Names(name, demangle), architecture_of(arch)) for name, arch in kernels]
    idle = [one for one in left_over if not any(one.is_for(*each) for each in there)]
    return Applied(
        replace(done, violating=violating, holding=holding),
        tuple(exempted),
        ended,
        tuple(one for one in left_over if one not in idle),
        tuple((one, names_like(one.kernels[0], (name for name, _ in kernels))) for one in idle),
    )
