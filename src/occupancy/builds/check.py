"""Checking the kernels of a build against rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..readers.names import demangle
from .diff import compared
from .kernel_names import Names
from .matching import match
from .question import Question
from .rules import Rule, bounds_of
from .scanner import Scanner, ScanRow
from .unanswered import Gaps
from .violations import Checked, Holding, Violating, launched_with


def check(
    rows: Sequence[ScanRow],
    rules: Sequence[Rule],
    scanner: Scanner,
    baseline: Sequence[ScanRow] | None,
    names: tuple[str, str],
) -> Checked:
    """Check kernels against rules.

    Args:
        rows: The kernels of the build.
        rules: What they must satisfy.
        scanner: What they were answered by.
        baseline: The kernels to compare with; None without a baseline.
        names: What the build and the baseline are called.

    Raises:
        RulesError: A rule is for none of the kernels, asks for what is not known of one, or compares
            where there is no baseline; it would hold because nothing was looked at.
        BaselineError: The baseline lacks an architecture, or all kernels of a rule that compares.
    """
    gaps = Gaps(rows, baseline, names)
    gaps.refuse_comparisons(rules)
    done = Checked()
    before = {id(new): old for old, new, _ in match(baseline or (), rows, compared).pairs}
    for row in rows:
        names_of_it = Names(row.name, demangle)
        rules_for_it = [rule for rule in rules if rule.is_for(names_of_it, row.compute_capability)]
        done.matched.update(rule.number for rule in rules_for_it)
        old = before.get(id(row))
        questions = list(_answerable(row, rules_for_it, old, gaps))
        done.checks += len(questions)
        broken = [each for each in questions if not each.holds]
        if broken:
            done.violating.append(Violating(row, old, tuple(each.violation(scanner) for each in broken)))
        else:
            done.holding.append(Holding(row.name, row.arch, row.source, launched_with(row), len(questions)))
    gaps.refuse(rules, done.matched)
    done.violating.sort(key=lambda each: (each.kernel.name, each.kernel.arch or "", each.kernel.source))
    return done


def _answerable(row: ScanRow, rules: Sequence[Rule], old: ScanRow | None, gaps: Gaps) -> Iterator[Question]:
    for name, (rule, bound) in bounds_of(rules).items():
        question = Question.of(name, rule, bound, row, old)
        if not gaps.has(question):
            yield question
