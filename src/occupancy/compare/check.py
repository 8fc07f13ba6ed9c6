"""Check a build against rules: a diff with thresholds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from typing import Any, NamedTuple

from ..advice.budget import TOLERANCE
from ..builds.names import base_name, matches, stable_name
from ..builds.rows import Evaluator, ScannedKernel
from ..builds.select import UNKNOWN_ARCHITECTURE, age
from ..errors import BaselineError, ErrorCollector, RulesError
from ..readers import KernelRecord
from ..values.numbers import listed
from ..values.records import documented, readable
from .diff import MEASURES, Change, Fix, Measure, causes, explaining, find_fix
from .match import by_name, match
from .rules import CRITERIA, Exemption, Rule, RuleEntry, Rules, idle_error

LAUNCH_VALUES = ("name", "launch_bounds", "cluster_dim")
"""Values on which the code that launches a kernel may depend."""


class Demand(NamedTuple):
    number: int
    rule: Rule
    criterion: str

    def __str__(self) -> str:
        return f"rule {self.number} ({self.rule.about}) sets {self.criterion}"


@readable
class Violation(NamedTuple):
    """Broken criterion of a rule."""

    rule: int
    """Number of the rule in the file, from 1."""
    criterion: str
    """Name in the rules, such as ``min_occupancy``."""
    bound: float
    """Limit in the rule; occupancy as 0 to 1."""
    was: float | None
    """Value in the baseline."""
    value: float
    limit: float
    """Allowed value, from the rule and the baseline."""


@documented
@dataclass(frozen=True)
class BrokenKernel:
    """Kernel of one architecture that breaks rules."""

    kernel: ScannedKernel
    baseline: ScannedKernel | None
    """Kernel in the baseline; None if it is new, or without a baseline."""
    violations: tuple[Violation, ...]
    baseline_passes: bool = True
    """True if the values of the baseline satisfy all rules."""
    kept: tuple[tuple[Measure, float], ...] = ()
    """Limits that the kernel keeps."""
    exemption: Exemption | None = None
    """Exemption that permits it."""
    launches_alone: bool = True
    """True if it launches at the block size of a kernel without a baseline."""

    @property
    def is_refused(self) -> bool:
        """True if no update of the baseline accepts it: it breaks a rule because it does not launch."""
        return "occupancy" in self.tightest and not self.launches_alone

    @property
    def criteria(self) -> list[str]:
        """Names of the broken rules."""
        return [each.criterion for each in self.violations]

    @cached_property
    def causes(self) -> list[Change]:
        """Changes since the baseline that explain values that got worse."""
        return explaining(self.baseline, self.kernel, self.tightest) if self.baseline else []

    @property
    def others(self) -> list[Change]:
        """Changes since the baseline that do not explain these values."""
        found, explained = causes(self.baseline, self.kernel) if self.baseline else (), self.causes
        broken = {"spills" if name == "spill_bytes" else name for name in self.tightest}
        return [each for each in found if each not in explained and each.name not in broken]

    @cached_property
    def tightest(self) -> dict[Measure, Violation]:
        """Violation of the tightest limit of each measure."""
        # The first occurrence sets the order, the last one the value.
        tightest_last = sorted(self.violations, key=lambda each: abs(each.value - each.limit))
        return {CRITERIA[each.criterion].measure: each for each in (*self.violations, *tightest_last)}

    @cached_property
    def fix(self) -> Fix:
        """Change that satisfies all broken rules."""
        limits = {measure: each.limit for measure, each in self.tightest.items()}
        return find_fix(self.baseline, self.kernel, limits, self.causes, self.kept, self.baseline_passes)


@dataclass(frozen=True)
class Checked:
    """Result of a check."""

    rules: Rules
    broken: tuple[BrokenKernel, ...]
    """Kernels that break rules."""
    exempt: tuple[BrokenKernel, ...]
    """Kernels that break rules with an exemption."""
    kernels: tuple[ScannedKernel, ...]
    """Kernels to which a rule applies."""
    added: tuple[ScannedKernel, ...]
    """Kernels that only the build contains."""
    removed: tuple[ScannedKernel, ...]
    """Kernels that only the baseline contains and that may not be removed."""
    permitted: tuple[ScannedKernel, ...]
    """Kernels that only the baseline contains and that ``allow_removed`` permits to remove."""
    changed: tuple[tuple[KernelRecord, Change], ...]
    """New names, launch bounds and cluster sizes that explain no broken rule."""
    ended: tuple[Exemption, ...]
    """Ended exemptions."""
    unused: tuple[tuple[RuleEntry | None, list[str]], ...] = field(hash=False)
    """Exemptions, rules without demands, and ``allow_removed`` (None), with patterns that match no kernel."""
    code: frozenset[tuple[str, str | None]]
    """Stable name and architecture of each kernel of the whole build, also under its name in the baseline."""

    @property
    def passed(self) -> bool:
        """True if no rule is broken and no kernel is missing."""
        return not self.broken and not self.removed


def check_kernels(
    kernels: Sequence[KernelRecord], rules: Rules, evaluator: Evaluator,
    baseline: Sequence[KernelRecord] | None, *,
    whole: tuple[Sequence[KernelRecord], Sequence[KernelRecord]] | None = None, ignore_arch: bool = False,
    today: date | None = None,
) -> Checked:  # fmt: skip
    """Check kernels against rules, and compare them with a baseline; rules that check nothing are errors.

    If only some kernels were selected, ``whole`` contains all kernels of both, which patterns may match.
    """
    today = today or date.today()
    current = [each for each in rules.exemptions if not (isinstance(each.until, date) and each.until < today)]
    run = _Run(rules, baseline)
    matching = match(baseline or (), kernels, ignore_arch=ignore_arch)
    before = {id(pair.new): pair.old for pair in matching.pairs}
    broken, exempt, changed = list[BrokenKernel](), list[BrokenKernel](), list[tuple[KernelRecord, Change]]()
    pairs = [(kernel, before.get(id(kernel))) for kernel in sorted(kernels, key=by_name)]
    rows = [evaluator.row(*pair) for pair in pairs]
    for row, (kernel, pair) in zip(rows, pairs, strict=True):
        old = evaluator.row(pair, kernel) if pair else None
        exempting = [each for each in reversed(current) if each.matching(kernel)]
        exemptions = {name: each for each in exempting for name in each.rules or CRITERIA}  # the first counts
        checked = run.check(row, old, exemptions)
        parts = defaultdict[Exemption | None, list[Violation]](list)
        for violation in checked.violations:
            parts[exemptions.get(violation.criterion)].append(violation)
        for exemption, found in parts.items():
            alone = row.launchable is not False or evaluator.row(kernel).launchable is not False
            part = replace(checked, violations=tuple(found), exemption=exemption, launches_alone=alone)
            (exempt if exemption else broken).append(part)
        changed += ((kernel, change) for change in checked.others if change.name in LAUNCH_VALUES)
    removed = matching.removed
    permitted = {old.name for old in removed if any(matches(each, old.name) for each in rules.allow_removed)}
    build, old_build = whole or (kernels, baseline or ())
    unused = run.reject_unchecked([*build, *old_build] if whole else build, is_partial=whole is not None)
    names = {record.name for record in (*build, *old_build)}
    if idle := [each for each in rules.allow_removed if not any(matches(each, name) for name in names)]:
        unused.append((None, idle))
    return Checked(
        rules=rules,
        broken=tuple(broken),
        exempt=tuple(exempt),
        kernels=tuple(run.checked),
        added=() if baseline is None else tuple(map(evaluator.row, matching.added)),
        removed=tuple(evaluator.row(record) for record in removed if record.name not in permitted),
        permitted=tuple(evaluator.row(record) for record in removed if record.name in permitted),
        changed=tuple(changed),
        ended=tuple(each for each in rules.exemptions if each not in current),
        unused=tuple(unused),
        code=frozenset((stable_name(each.name), each.arch) for each in (*build, *before.values())),
    )


@dataclass
class _Run:
    """State of one check: the kernels of each rule, and the unknown values."""

    rules: Rules
    baseline: Sequence[KernelRecord] | None
    checked: list[ScannedKernel] = field(default_factory=list)
    compared: set[tuple[int, str]] = field(default_factory=set)
    new: dict[Demand, KernelRecord] = field(default_factory=dict)
    unknown: dict[Demand, list[ScannedKernel]] = field(default_factory=lambda: defaultdict(list))

    def demands_on(self, kernel: KernelRecord) -> list[Demand]:
        """Return the demands on a kernel; later rules override earlier ones with the same criterion."""
        matching = [each for each in enumerate(self.rules.rules, 1) if each[1].matching(kernel)]
        latest = {name: Demand(number, rule, name) for number, rule in matching for name in rule.bounds}
        demands = [each for each in latest.values() if each.criterion in each.rule.demands]
        return sorted(demands, key=lambda each: not CRITERIA[each.criterion].compares)

    def check(self, row: ScannedKernel, old: ScannedKernel | None, exempt: Collection[str]) -> BrokenKernel:
        baseline_passes, violations, kept = True, list[Violation](), list[tuple[Measure, float]]()
        demands = self.demands_on(row.record)
        self.checked += [row] if demands else []
        for demand in demands:
            number, rule, name = demand
            criterion, bound = CRITERIA[name], rule.demands[name]
            measure = MEASURES[criterion.measure]
            value, was = measure(row), None if old is None else measure(old)
            fails = criterion.measure == "occupancy" and value == 0  # no launch, maybe of the baseline too
            start: Any = 0  # all spills of a new kernel are new
            if criterion.compares and old is not None:
                self.compared.add((number, name))
                start = was
            elif criterion.compares and criterion.most:
                self.new.setdefault(demand, row.record)
                if not fails:
                    continue
            if value is None or start is None:
                self.unknown[demand].append(row if value is None or old is None else old)
                continue
            sign = -1 if criterion.measure == "occupancy" else 1  # the only value for which higher is better
            limit = max(0, start + sign * bound) if criterion.compares else bound
            if fails or sign * (value - limit) > TOLERANCE:
                violations.append(Violation(number, name, bound, was, value, limit))
            elif name not in exempt:
                kept.append((criterion.measure, limit))
            baseline_passes &= was is None or name in exempt or sign * (was - limit) <= TOLERANCE
        return BrokenKernel(row, old, tuple(violations), baseline_passes, tuple(kept))

    def reject_unchecked(
        self, known: Sequence[KernelRecord], *, is_partial: bool
    ) -> list[tuple[RuleEntry | None, list[str]]]:
        """Raise errors for rules that checked nothing; return other entries that match no kernel."""
        distinct = {(kernel.name, kernel.compute_capability): kernel for kernel in known}.values()
        unused: list[tuple[RuleEntry | None, list[str]]] = []
        with ErrorCollector() as errors:
            if not any(rule.demands for rule in self.rules.rules):
                allowed = ", ".join(CRITERIA)
                errors.add(RulesError("no rule sets a limit", where=self.rules.source, allowed=allowed))
            for number, rule in enumerate(self.rules.rules if self.baseline is None else [], 1):
                if compares := ", ".join(name for name in rule.demands if CRITERIA[name].compares):
                    problem = f"rule {number} ({rule.about}) sets {compares}, which needs a baseline"
                    hint = "Set `baseline` (`--baseline FILE`), and write the file with `update=True` (`--update`)."
                    errors.add(RulesError(problem, where=rule.place or "", hint=hint))
            for number, entry in enumerate((*self.rules.rules, *self.rules.exemptions), 1):
                idle = entry.idle_patterns(distinct)
                if idle and isinstance(entry, Rule) and entry.demands:
                    errors.add(idle_error(number, entry, idle, distinct))
                elif idle:
                    unused.append((entry, idle))
            for demand, rows in self.unknown.items():
                errors.add(_unknown_error(demand, rows))
            for demand, kernel in () if self.baseline is None or is_partial else self.new.items():
                if (demand.number, demand.criterion) not in self.compared:
                    archs = ", ".join(sorted({record.arch or "-" for record in self.baseline or ()}, key=age))
                    new = f"{base_name(kernel.name)} for {kernel.arch}"
                    problem = f"{demand}, but the baseline ({archs}) has none of its kernels, such as {new}"
                    hint = "Accept new kernels with `update=True` (`--update`), or compare with the right baseline."
                    errors.add(BaselineError(problem, hint=hint))
        return unused


def _unknown_error(demand: Demand, rows: Sequence[ScannedKernel]) -> RulesError:
    measure, first = CRITERIA[demand.criterion].measure, rows[0]
    kernels = listed([f"{base_name(each.name)} for {each.arch or UNKNOWN_ARCHITECTURE}" for each in rows], 1)
    value = measure.replace("smem", "shared_memory").replace("_", " ")
    hints: dict[Measure, str] = {
        "spill_bytes": "Keep the output of ptxas -v in the build folder, or set the rule to false for these kernels.",
        "occupancy": first.reason or "",
    }
    hint = hints.get(measure, "Most logs do not contain it: pass the object files too, or remove the rule.")
    problem = f"{demand}, but the files do not contain the {value} of {kernels}"
    return RulesError(problem, where=demand.rule.place or first.source, hint=hint)
