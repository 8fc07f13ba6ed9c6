"""How a broken rule is shown to a person, for every kind of text."""

from __future__ import annotations

from collections.abc import Iterator

from ..advice.next_steps import NextStep
from ..builds.rules import CRITERIA, Measure
from ..builds.scanner import ScanRow
from ..builds.violations import Violating, Violation
from ..report.check import CheckReport
from ..values.resources import amount_of
from . import diff_cells, scan_cells, words

_REPORTED = ("Limited by", "Regs", "Spills", "Stack", "Shared", "Bar", "Threads")


def kernel(row: ScanRow) -> str:
    """The kernel with its architecture: ``img::blur (sm_80)``."""
    return f"{scan_cells.short_name(row)} ({row.arch or 'unknown architecture'})"


def broken(violation: Violation) -> str:
    """What was asked for, and what is: ``min_occupancy = 75% (rule 1): is 50%, was 100%``."""
    measure = CRITERIA[violation.criterion].measure
    was = "" if violation.was is None else f", was {amount(measure, violation.was)}"
    is_now = f"is {amount(measure, violation.value)}{was}"
    return f"{violation.criterion} = {_bound(violation)} (rule {violation.rule}): {is_now}"


def _bound(violation: Violation) -> str:
    criterion = CRITERIA[violation.criterion]
    if violation.criterion.startswith("no_"):
        return "true"
    if criterion.measure == "occupancy" and criterion.compares:
        return words.percent(violation.bound).replace("%", " points")
    return amount(criterion.measure, violation.bound)


def amount(measure: Measure, value: float) -> str:
    """A value with its unit: ``62.5%``, ``36 KiB``, ``72``."""
    if measure == "occupancy":
        return words.percent(value)
    return f"{value:,.0f}" if measure in ("registers", "barriers") else words.size(int(value))


def since(violating: Violating) -> str:
    """What else changed since the baseline: ``Regs 64 -> 72, Stack 0 -> 416 B``."""
    if violating.baseline is None:
        return ""
    changes = []
    for column in diff_cells.COLUMNS:
        old, new = column.value(violating.baseline), column.value(violating.kernel)
        if old != new and column.title in _REPORTED:
            changes.append(f"{column.title.lower()} {old or '?'} -> {new or '?'}")
    return ", ".join(changes)


def mending(row: ScanRow, violation: Violation) -> str:
    """What would mend it, as a sentence."""
    measure = CRITERIA[violation.criterion].measure
    step = violation.next_step
    if step is None:
        return _NO_STEP.get(measure, "Neither using less nor another block size is known to reach it.")
    changes = [
        words.change(resource, amount_of(resource, row), value) for resource, value in step.requires.items()
    ]
    result = "need fewer spills, at" if measure in ("spill_bytes", "stack_bytes") else "give"
    return (
        f"{words.listing(changes)} would {result} {words.percent(step.occupancy)} occupancy{_how(row, step)}."
    )


_NO_STEP: dict[Measure, str] = {
    "spill_bytes": "More registers are not to be had: keep fewer values alive.",
    "stack_bytes": "More registers would not help: it holds arrays indexed by variables, or frames of calls.",
    "shared_memory": "Use less of it.",
    "registers": "Use fewer of them.",
    "barriers": "Use fewer of them.",
}


def _how(row: ScanRow, step: NextStep) -> str:
    """How to have the compiler use fewer registers."""
    if set(step.requires) != {"registers"} or row.threads is None or not step.active_blocks:
        return ""
    return f"; __launch_bounds__({row.threads}, {step.active_blocks}) asks the compiler for that"


def summary(report: CheckReport) -> str:
    """``2 of 14 kernels break a rule.``"""
    kernels = len(report.violating) + len(report.holding)
    if report.passed:
        verb = "holds" if kernels == 1 else "hold"
        text = f"{words.count(kernels, 'kernel')} {verb} {words.count(len(report.rules), 'rule')}"
        return f"{text} ({words.count(report.checks, 'check')})."
    verb = "breaks" if len(report.violating) == 1 else "break"
    return f"{len(report.violating):,} of {words.count(kernels, 'kernel')} {verb} a rule."


def notes(report: CheckReport) -> Iterator[str]:
    """What became of the baseline."""
    if report.updated is not None:
        yield f"{report.baseline} is written: {diff_cells.kinds(report.updated)}."
    yield from diff_cells.assumptions([each.kernel for each in report.violating])
