"""What a check says beside the kernels that break a rule: how many there are, what the answer rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING

from ...builds.scan_row import ScanRow
from ...compare.diff import DiffSummary
from ...compare.measures import meets
from ...compare.rules import CRITERIA, Entry, Exemption, entry_in_words
from ...compare.same_sizes import is_ours
from ...compare.violations import Exempted, Renamed, Violation
from ...errors import line_in
from ...render import words
from ...values.asking import Asking
from ..arch_words import chosen_code
from ..name_words import of_names
from .assumptions import about_sizes, assumptions, left_out, not_launched
from .change_words import kinds, meaning_of_caps, meaning_of_kinds
from .missing import MOST_KERNELS, in_words, listing

if TYPE_CHECKING:
    from .check import CheckedRule, CheckReport


def summary_of(report: CheckReport) -> str:
    """``4 of 14 kernels break a rule (2 names).``"""
    kernels = len(report.violating) + len(report.holding)
    exempted = _exempted_in_words(report.exempted)
    after = "".join(f"; {each}" for each in (exempted, in_words(report.missing)) if each) + "."
    if not kernels:
        return f"No kernel to check: the build has none of these{after}"
    if not report.violating:
        asked = _asked_rules(report)
        them = "it" if kernels == 1 else "them"
        if not any(rule.matched for rule in report.rules):
            return f"{words.count(kernels, 'kernel')}, no check: no rule is for {them}."
        if not asked:
            of_them = f"every rule for {them} compares with the baseline"
            return f"{words.count(kernels, 'kernel')}, no check: {of_them}."
        verb = "meets" if kernels == 1 else "meet"
        text = f"{words.count(kernels, 'kernel')} {verb} {words.count(len(asked), 'rule')}"
        conditions = sum(len(_conditions(rule, report)) for rule in asked)
        of = f"{words.count(conditions, 'condition')}, " if conditions > len(asked) else ""
        return f"{text} ({of}{words.count(report.checks, 'check')}){after}"
    verb = "breaks" if len(report.violating) == 1 else "break"
    names = of_names([each.kernel.name for each in report.violating])
    return f"{len(report.violating):,} of {words.count(kernels, 'kernel')} {verb} a rule{names}{after}"


def _exempted_in_words(exempted: Sequence[Exempted]) -> str:
    """``2 are exempted until 2027-01-31``."""
    if not exempted:
        return ""
    days = sorted({each.until for each in exempted})
    later = " or later" if len(days) > 1 else ""
    return f"{len(exempted):,} {'is' if len(exempted) == 1 else 'are'} exempted until {days[0]}{later}"


def _asked_rules(report: CheckReport) -> list[CheckedRule]:
    """The rules that something was asked by: those for the kernels that were asked for, and of a new
    baseline those that do not only compare with it."""
    rules = [rule for rule in report.rules if rule.matched]
    return rules if report.updated is None else [rule for rule in rules if _conditions(rule, report)]


def _conditions(rule: CheckedRule, report: CheckReport) -> list[str]:
    """What a rule asks for: of a new baseline, what does not compare with it."""
    return [
        name
        for name, bound in rule.bounds.items()
        if bound is not None and (report.updated is None or not CRITERIA[name].compares)
    ]


def _update(report: CheckReport, change: DiffSummary) -> Iterator[str]:
    """What became of the baseline, and what that leaves to do."""
    compares = any(CRITERIA[name].compares for rule in report.rules if rule.matched for name in rule.bounds)
    if compares and (report.violating or report.holding):
        what = "this build is" if report.kept is None else "these kernels are in"
        yield f"What compares with the baseline was not checked: {what} the baseline now."
    if report.kept is None:
        yield f"{report.baseline} is written: {kinds(change)}."
    else:
        left = f", {report.kept:,} left as they were" if report.kept else "; it has no others"
        yield f"{report.baseline}: {words.count(change.total, 'kernel')} accepted ({kinds(change)}){left}."
    broken = list(dict.fromkeys(each.criterion for _, each in report.broken()))
    if broken:
        yield (
            f"The baseline is written although {words.listing(broken)} {'is' if len(broken) == 1 else 'are'} "
            "broken, which no baseline mends: change the kernel or the rule, or add an exemption."
        )
    yield from meaning_of_kinds(change)


def unfit_in_words(pattern: Entry, near: str) -> str:
    """That a pattern of an entry fits no kernel, while its others do.

    Args:
        pattern: The entry with that pattern alone.
        near: Names of kernels that there are.
    """
    (text,) = pattern.kernels
    return f"{pattern.file_and_line}: {text} of {pattern.title} fits no kernel; there are {near}"


def exemption_in_words(exemption: Exemption) -> str:
    return f"{exemption.title.capitalize()} ({', '.join(exemption.kernels)}, until {exemption.until})"


def _renamed(entry: Renamed) -> str:
    """That an entry is for kernels by a name that only the baseline has, and how these are called now."""
    names = words.listing(words.first_of(entry.now, MOST_KERNELS))
    said = f"{entry.place}: {entry_in_words(entry.table, entry.number)} ({', '.join(entry.kernels)})"
    if entry.is_likely:
        return (
            f"{said} names {'a kernel' if len(entry.now) == 1 else 'kernels'} that may be {names} now, and "
            "does not apply there, since it fits others. Add the new name where it should."
        )
    said += f" names {'a kernel that was' if len(entry.now) == 1 else 'kernels that were'} renamed to {names}"
    if entry.counts:
        return f"{said}; it still applies. Change it to the new name{'' if len(entry.now) == 1 else 's'}."
    return f"{said}, and no longer applies there, since it fits others. Add the new name where it should."


def entries_to_mend(report: CheckReport) -> Iterator[tuple[str, int]]:
    """What to change in the file of rules, each with the line of its entry, 0 where that is not known."""
    for entry in sorted(report.renamed, key=lambda each: line_in(each.place)):
        yield _renamed(entry), line_in(entry.place)
    for ended in report.ended:
        yield f"{ended} has ended.", 0
    for idle in report.idle:
        yield f"{idle}.", line_in(idle)
    for unused in report.unused:
        yield f"{unused} is not needed for this build.", 0


def _broken_before(report: CheckReport) -> Iterator[str]:
    """Which rules a kernel broke in the baseline already, and what would compare with that instead."""
    if report.updated is not None:
        return
    names = {
        each.criterion: None
        for _, each in report.broken()
        if not CRITERIA[each.criterion].compares and _is_no_better(each)
    }
    for name in names:
        measure = CRITERIA[name].measure
        instead = [each for each, other in CRITERIA.items() if other.compares and other.measure == measure]
        ask = f", or ask for {instead[0]} instead" if instead else ""
        yield f"{name} was broken in the baseline, too: exempt such kernels{ask}."


def _is_no_better(violation: Violation) -> bool:
    """Whether the value of the baseline breaks the rule as well."""
    was = violation.was
    return was is not None and not meets(CRITERIA[violation.criterion].measure, was, violation.bound)


def notes_of(report: CheckReport) -> Iterator[str]:
    """What came and went, what the numbers rest on, and how the baseline was changed."""
    gone = tuple(each for each in report.removed if each not in set(report.missing))
    for kernels, what in ((report.added, "Not in the baseline"), (gone, "Only in the baseline")):
        if kernels:
            yield f"{what}: {listing(kernels)}."
    if report.namesakes:
        names = listing(report.namesakes)
        yield (
            f"More kernels of a name than the baseline has: {names}. Each was compared with the most alike "
            "of its name."
        )
    if report.updated is not None:
        yield from _update(report, report.updated)
    elif any(CRITERIA[each.criterion].compares for _, each in report.broken()):
        yield Asking.of(
            "Where a change is meant: accept it with ",
            Asking("--update --name PART", 'update=True, name="PART"'),
            ", or all with ",
            Asking("--update", "update=True"),
            ".",
        )
    yield from _broken_before(report)
    may: dict[tuple[str, date, str], list[ScanRow]] = {}
    for each in report.exempted:
        names = words.listing([violation.criterion for violation in each.violating.violations])
        may.setdefault((names, each.until, each.reason), []).append(each.violating.kernel)
    for (names, until, reason), kernels_of_it in may.items():
        yield f"{listing(kernels_of_it)} may break {names} until {until}: {reason.rstrip('.')}."
    yield from (said for said, _ in entries_to_mend(report))
    yield from meaning_of_caps(
        (each.baseline, each.kernel) for each in report.violating if each.baseline is not None
    )
    rows = [each.kernel for each in report.violating]
    yield from assumptions([row for row in rows if not is_ours(row) or any(not_launched(row))])
    asked = {name for rule in report.rules for name, bound in rule.bounds.items() if bound is not None}
    yield from about_sizes(report.unsized, asked)
    yield from left_out(report.not_chosen)
    yield from filter(None, [chosen_code(report.runs_on)])
