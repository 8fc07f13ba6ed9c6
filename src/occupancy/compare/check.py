"""Check a build against rules: a diff with thresholds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import NamedTuple

from ..advice.budget import TOLERANCE
from ..advice.next_steps import NextStep
from ..builds.names import base_name, matches
from ..builds.rows import Evaluator, ScannedKernel
from ..builds.select import names_there
from ..engine import evaluate
from ..errors import BaselineError, ErrorCollector, OccupancyError, RulesError
from ..readers import KernelRecord
from .diff import MEASURES, Change, Measure, diff_row, step_to, step_with_registers
from .match import by_name, match
from .rules import CRITERIA, Exemption, Rule, Rules


class Violation(NamedTuple):
    """One broken demand."""

    rule: int
    """The number of the rule, from 1."""
    criterion: str
    """Its name in the rules, such as ``min_occupancy``."""
    bound: float
    """The bound in the rule; an occupancy, and a drop of it, from 0 to 1."""
    was: float | None
    """Value in the baseline."""
    value: float
    limit: float
    """The worst value that is allowed."""

    @property
    def measure(self) -> Measure:
        """The value that is compared."""
        return CRITERIA[self.criterion].measure


@dataclass(frozen=True)
class BrokenKernel:
    """One kernel of one architecture that breaks rules."""

    kernel: ScannedKernel
    baseline: ScannedKernel | None
    """The kernel in the baseline; None where it is new, or without a baseline."""
    violations: tuple[Violation, ...]
    causes: tuple[Change, ...] = ()
    """Values that changed since the baseline."""

    @cached_property
    def fix(self) -> NextStep | None:
        """The smallest change that satisfies the first broken rule, where one is known."""
        return _fix(self.kernel, self.violations[0])


class ExemptKernel(NamedTuple):
    """A kernel that breaks rules, and may."""

    broken: BrokenKernel
    exemption: Exemption


@dataclass(frozen=True)
class Checked:
    """The result of a check."""

    broken: tuple[BrokenKernel, ...] = ()
    """Kernels that break rules."""
    exempt: tuple[ExemptKernel, ...] = ()
    kernels: tuple[KernelRecord, ...] = ()
    """All kernels that were checked."""
    rules: int = 0
    """Rules that were for some kernel."""
    added: tuple[KernelRecord, ...] = ()
    """Kernels that the baseline does not have."""
    removed: tuple[KernelRecord, ...] = ()
    """Kernels that only the baseline has and that may not be removed."""
    may_be_removed: tuple[KernelRecord, ...] = ()
    ended: tuple[Exemption, ...] = ()
    """Exemptions that would have helped, had they not ended."""
    unused: tuple[tuple[Rule | Exemption, str], ...] = field(default=())
    """Rules that demand nothing, and exemptions, with a pattern for no kernel; or that nothing needs."""
    assumed: int = 0
    """Kernels with an occupancy demanded and an assumed block size."""

    @property
    def passed(self) -> bool:
        """True if no rule is broken and no kernel is gone."""
        return not self.broken and not self.removed


def check_kernels(
    kernels: Sequence[KernelRecord],
    rules: Rules,
    evaluator: Evaluator,
    baseline: Sequence[KernelRecord] | None,
    *,
    every: Sequence[KernelRecord] | None = None,
    ignore_arch: bool = False,
    today: date | None = None,
) -> Checked:
    """Check kernels against rules.

    Args:
        kernels: The kernels to check.
        rules: The rules.
        evaluator: Engine for both builds.
        baseline: The kernels to compare with; None without a baseline.
        every: All kernels of the build and the baseline, if some were selected: their names count as known.
        ignore_arch: Compare a kernel with that of another architecture if its own has none.
        today: The day of the check.

    Raises:
        RulesError: A rule with a demand is for no kernel, compares without a baseline, or demands a value
            that is not known; it would hold because nothing was checked. It has all such rules.
        BaselineError: No kernel of a rule that compares is in the baseline.
    """
    today = today or date.today()
    run = _Run(rules, evaluator, baseline is not None)
    matching = match(baseline or (), kernels, ignore_arch=ignore_arch)
    before = {id(pair.new): pair for pair in matching.pairs}
    broken: list[BrokenKernel] = []
    exempt: list[ExemptKernel] = []
    helpful: set[int] = set()
    ended: list[Exemption] = []
    for kernel in kernels:
        bounds = run.bounds(kernel)
        pair = before.get(id(kernel))
        violations, new, old = run.violations(kernel, None if pair is None else pair.old, bounds)
        if not violations:
            continue
        causes: tuple[Change, ...] = ()
        if pair is not None and old is not None:
            causes = diff_row(pair.old, kernel, pair.matched_by, evaluator).causes
        fitting = [each for each in rules.exemptions if each.matching(kernel)]
        left: list[Violation] = []
        excused: dict[int, list[Violation]] = {}
        for violation in violations:
            concerned = [each for each in fitting if each.concerns(violation.criterion)]
            helpful.update(map(id, concerned))
            current = next((each for each in concerned if not each.has_ended(today)), None)
            if current is None:
                left.append(violation)
                ended += [each for each in concerned if each not in ended]
            else:
                excused.setdefault(rules.exemptions.index(current), []).append(violation)
        if left:
            broken.append(BrokenKernel(new, old, tuple(left), causes))
        for number, some in excused.items():
            exempt.append(ExemptKernel(BrokenKernel(new, old, tuple(some), causes), rules.exemptions[number]))
    known = kernels if every is None else every
    unused = run.refuse(known, is_partial=every is not None)
    unused += [
        (each, "no violation needs it")
        for each in rules.exemptions
        if id(each) not in helpful and not any(each is one for one, _ in unused) and every is None
    ]
    may_go = [
        each for each in matching.removed if any(matches(one, each.name) for one in rules.allow_removed)
    ]
    allowed = set(map(id, may_go))
    return Checked(
        broken=tuple(sorted(broken, key=lambda each: by_name(each.kernel.record))),
        exempt=tuple(sorted(exempt, key=lambda each: by_name(each.broken.kernel.record))),
        kernels=tuple(kernels),
        rules=run.used,
        added=() if baseline is None else tuple(sorted(matching.added, key=by_name)),
        removed=tuple(sorted((each for each in matching.removed if id(each) not in allowed), key=by_name)),
        may_be_removed=tuple(sorted(may_go, key=by_name)),
        ended=tuple(ended),
        unused=tuple(unused),
        assumed=run.assumed,
    )


Bound = tuple[str, int, Rule, float]
"""Criterion, number of its rule, the rule, and the bound."""


class _Run:
    """One check: which rules are for which kernels, and the values that are not known."""

    def __init__(self, rules: Rules, evaluator: Evaluator, has_baseline: bool) -> None:
        self._rules = rules
        self._evaluator = evaluator
        self._bounds: dict[tuple[str, object], tuple[Bound, ...]] = {}
        self.used = 0  # rules for some kernel
        self._compared: set[tuple[int, str]] = set()
        self._new: dict[tuple[int, str], KernelRecord] = {}
        self._unknown: dict[tuple[int, str], list[KernelRecord]] = {}
        self.assumed = 0
        with ErrorCollector() as found:
            for number, rule in enumerate(rules.rules, 1) if not has_baseline else ():
                for name, bound in rule.bounds.items():
                    if bound is not None and CRITERIA[name].compares:
                        found.add(
                            RulesError(
                                f"rule {number} ({rule.about}) demands {name}, and there is no baseline",
                                where=rule.place,
                                hint="Write one with --update, and name it with `baseline` (`--baseline`).",
                            )
                        )

    def bounds(self, kernel: KernelRecord) -> tuple[Bound, ...]:
        """Return the demands on a kernel; of two rules with the same criterion the later counts."""
        key = kernel.name, kernel.compute_capability
        if key not in self._bounds:
            latest: dict[str, Bound | None] = {}
            for number, rule in enumerate(self._rules.rules, 1):
                if rule.matching(kernel):
                    for name, bound in rule.bounds.items():
                        latest[name] = None if bound is None else (name, number, rule, bound)
            some = [each for each in latest.values() if each is not None]
            self._bounds[key] = tuple(sorted(some, key=lambda each: not CRITERIA[each[0]].compares))
        return self._bounds[key]

    def violations(
        self, kernel: KernelRecord, old: KernelRecord | None, bounds: Iterable[Bound]
    ) -> tuple[tuple[Violation, ...], ScannedKernel, ScannedKernel | None]:
        """Return the broken demands on a kernel, with its rows."""
        row = self._evaluator.row(kernel, None if old is None else old.threads)
        before = None if old is None else self._evaluator.row(old, kernel.threads)
        broken = []
        is_assumed = False
        for name, number, _, bound in bounds:
            criterion = CRITERIA[name]
            is_assumed = is_assumed or (criterion.measure == "occupancy" and row.threads_assumed)
            value = MEASURES[criterion.measure](row)
            was = None if before is None else MEASURES[criterion.measure](before)
            if criterion.compares and before is None:
                if criterion.measure != "spill_bytes":
                    self._new.setdefault((number, name), kernel)
                    continue
                was = 0  # a new kernel brings all of its spills
            elif criterion.compares:
                self._compared.add((number, name))
            if value is None or (criterion.compares and was is None):
                self._unknown.setdefault((number, name), []).append(kernel)
                continue
            sign = -1 if criterion.measure == "occupancy" else 1  # the only value that may not fall
            limit = was + sign * bound if criterion.compares and was is not None else bound
            if sign * (value - limit) > TOLERANCE:
                shown = None if before is None else was
                broken.append(Violation(number, name, bound, shown, value, limit))
        self.assumed += is_assumed
        return tuple(broken), row, before

    def refuse(
        self, known: Sequence[KernelRecord], *, is_partial: bool
    ) -> list[tuple[Rule | Exemption, str]]:
        """Raise the errors of rules that checked nothing; return entries without a demand for no kernel."""
        names: dict[tuple[str, object], KernelRecord] = {}
        for kernel in known:
            names.setdefault((kernel.name, kernel.compute_capability), kernel)
        unused: list[tuple[Rule | Exemption, str]] = []
        with ErrorCollector() as found:
            for number, rule in enumerate(self._rules.rules, 1):
                idle = _idle_patterns(rule, names.values())
                self.used += len(idle) < len(rule.patterns)
                if idle and not rule.demands:
                    unused.append((rule, f"no kernel matches {', '.join(idle)}"))
                elif idle:
                    found.add(_idle_error(number, rule, idle, {name for name, _ in names}))
            for exemption in self._rules.exemptions:
                if idle := _idle_patterns(exemption, names.values()):
                    unused.append((exemption, f"no kernel matches {', '.join(idle)}"))
            for (number, name), kernels in self._unknown.items():
                found.add(self._unknown_error(number, name, kernels))
            for (number, name), kernel in self._new.items():
                if (number, name) not in self._compared and not is_partial:
                    found.add(self._new_error(number, name, kernel))
        return unused

    def _unknown_error(self, number: int, name: str, kernels: Sequence[KernelRecord]) -> RulesError:
        rule = self._rules.rules[number - 1]
        more = f" and {len(kernels) - 1:,} more" if len(kernels) > 1 else ""
        measure = CRITERIA[name].measure
        return RulesError(
            f"rule {number} ({rule.about}) demands {name}, but the files do not state the "
            f"{measure.replace('_', ' ')} of {base_name(kernels[0].name)} for {kernels[0].arch}{more}",
            where=rule.place or kernels[0].source,
            hint=_SOURCES.get(measure, ""),
        )

    def _new_error(self, number: int, name: str, kernel: KernelRecord) -> OccupancyError:
        rule = self._rules.rules[number - 1]
        return BaselineError(
            f"no kernel of rule {number} ({rule.about}) is in the baseline, so {name} compares nothing; "
            f"{base_name(kernel.name)} for {kernel.arch} is new",
            hint="Accept new kernels with --update, or compare with the right baseline.",
        )


_SOURCES: dict[Measure, str] = {
    "spill_bytes": "Keep the output of ptxas -v beside the files, or exempt these kernels with false.",
    "stack_bytes": "Cubins, libraries and the output of ptxas -v contain it.",
    "spill_smem": "Cubins and libraries contain it, logs do not.",
    "smem": "Cubins and libraries contain it.",
    "barriers": "Cubins, libraries and the output of ptxas -v contain them.",
    "occupancy": "It takes the registers and a known compute capability.",
}


def _idle_patterns(entry: Rule | Exemption, kernels: Iterable[KernelRecord]) -> list[str]:
    """Return the patterns of an entry that no kernel matches."""
    left = dict.fromkeys(entry.patterns)
    for kernel in kernels:
        for pattern in entry.matching(kernel):
            left.pop(pattern, None)
        if not left:
            break
    return list(left)


def _idle_error(number: int, rule: Rule, idle: Sequence[str], names: Collection[str]) -> RulesError:
    archs = f" on {', '.join(arch.sm for arch in rule.arch)}" if rule.arch else ""
    return RulesError(
        f"rule {number} matches no kernel: {', '.join(idle)}{archs}",
        where=rule.place,
        hint=f"Correct or remove it. {names_there(idle[0].strip('*'), names)}",
    )


def _fix(row: ScannedKernel, violation: Violation) -> NextStep | None:
    """Return the change with which a kernel satisfies a rule, where a single one is known."""
    answer, measure = row.answer, violation.measure
    if answer is None:
        return None
    if measure == "occupancy":
        return step_to(row, violation.limit)
    if measure in ("spill_bytes", "spill_smem"):
        return step_with_registers(row)
    if measure not in ("regs", "smem", "barriers"):
        return None
    kernel = answer.kernel.replace(**{measure: int(violation.limit)})
    reached = evaluate(answer.limits, kernel, answer.model)
    return NextStep(reached.active_blocks, reached.occupancy, {measure: int(violation.limit)})
