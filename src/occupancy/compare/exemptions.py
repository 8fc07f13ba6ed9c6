"""Kernels that may break a rule for a while: each with the reason, and the day until which it holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

from .near_names import names_like
from .rules import Exemption
from .violations import Checked, Exempted, Holding, Violating, Violation, launched_with


def excuse(
    done: Checked,
    exemptions: Sequence[Exemption],
    about: Mapping[int, Sequence[Exemption]],
    today: date,
) -> None:
    """Take out of the violations what may be until today or later, and say which exemptions are of no use.

    Args:
        done: The result of a check, which is changed.
        exemptions: All of the file.
        about: The identity of what is violating or holding -> the exemptions about that kernel.
        today: The day of the check.
    """
    if not exemptions:
        return
    names = [each.kernel.name for each in done.violating] + [each.name for each in done.holding]
    violating: list[Violating] = []
    used: set[int] = set()
    for each in done.violating:
        left: list[Violation] = []
        excused: list[Violation] = []
        by: Exemption | None = None
        for violation in each.violations:
            covering = [one for one in about[id(each)] if one.covers(violation.criterion)]
            used.update(one.number for one in covering)
            current = [one for one in covering if one.until >= today]
            (excused if current else left).append(violation)
            by = current[0] if current else by
        if left:
            violating.append(replace(each, violations=tuple(left)))
        if excused and by is not None:
            done.exempted.append(Exempted(replace(each, violations=tuple(excused)), by.reason, by.until))
            if not left:
                row = each.kernel
                done.holding.append(
                    Holding(row.name, row.arch, row.source, launched_with(row), len(each.violations))
                )
    done.violating = violating
    done.ended = tuple(one for one in exemptions if one.number in used and one.until < today)
    in_use = used | {one.number for those in about.values() for one in those}
    done.unused = tuple(one for one in exemptions if one.number in in_use - used)
    done.idle = tuple(
        (one, names_like(one.kernels[0], names)) for one in exemptions if one.number not in in_use
    )
