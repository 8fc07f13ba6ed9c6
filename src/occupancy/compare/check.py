"""Checking the kernels of a build against rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from ..builds.scan_row import ScanRow
from ..builds.scanner import Scanner
from ..readers import KernelRecord
from ..values.dataclass import copier
from .diff import in_one_only, is_as_it_was
from .likely_renamed import Apart, LikelyRenamed, as_apart
from .matching import closest_namesakes, match
from .measures import compared
from .no_kernel import NoKernel
from .question import Question
from .renamed import assign, told
from .rules import CRITERIA, Bounds, Exemption, Rule, bounds_of, idle
from .same_sizes import AtSize, Compared, at_its_best, at_the_deciding_size, at_the_same_size, is_ours
from .unanswered import Gaps
from .violations import (
    Checked,
    Exempted,
    Holding,
    Violating,
    Violation,
    launched_with,
)


def check(
    kernels: Sequence[KernelRecord],
    rules: Sequence[Rule],
    scanner: Scanner,
    baseline: Sequence[KernelRecord] | None,
    names: tuple[str, str],
    *,
    ignore_arch: bool = False,
    whole: tuple[Sequence[KernelRecord], Sequence[KernelRecord]] | None = None,
    exemptions: Sequence[Exemption] = (),
    no_kernel: NoKernel | None = None,
) -> Checked:
    """Check kernels against rules.

    Args:
        kernels: The kernels of the build.
        rules: What they must satisfy.
        scanner: What answers for them.
        baseline: The kernels to compare with; None without a baseline.
        names: What the build and the baseline are called.
        ignore_arch: Whether a kernel without a counterpart of its architecture is compared with another.
        whole: All kernels of the baseline and of the build, where only some are asked for.
        exemptions: What may break rules until a day.
        no_kernel: What to say of an entry that is for none of the kernels; None: as these are.

    Raises:
        RulesError: A rule is for none of the kernels, asks for what is not known of one, or compares
            where there is no baseline; it would hold because nothing was looked at. It has all such rules.
        BaselineError: The baseline lacks an architecture, or all kernels of a rule that compares.
    """
    whole_baseline, build = (None, kernels) if whole is None else whole
    gaps = Gaps(
        kernels,
        baseline,
        names,
        ignore_arch=ignore_arch,
        whole_baseline=whole_baseline,
        no_kernel=no_kernel,
    )
    gaps.refuse_comparisons(rules)
    done = Checked()
    matching = match(baseline or (), kernels, compared, ignore_arch=ignore_arch)
    bounds: dict[tuple[int, ...], Bounds] = {}
    before = {id(new): old for old, new, _ in matching.pairs}
    # What has a namesake in the baseline is not new, also where that is matched with another kernel already.
    more = closest_namesakes(matching.added, baseline or (), compared, ignore_arch=ignore_arch)
    before |= {id(new): old for new, old in more}
    today = date.today()
    rules_of, fits = assign(rules, kernels, before, build)
    exemptions_of, exempting = assign(exemptions, kernels, before, build)
    done.renamed = (
        *told("rules", fits),
        # Of one that has ended that alone matters.
        *told("exemptions", [fit for fit in exempting if fit.entry.until >= today]),
    )
    breaking: list[tuple[Violating, tuple[Exemption, ...]]] = []
    for kernel, rules_for_it, exemptions_for_it in zip(kernels, rules_of, exemptions_of, strict=True):
        numbers = tuple(rule.number for rule in rules_for_it)
        done.matched.update(numbers)
        if numbers not in bounds:  # most kernels are asked the same
            bounds[numbers] = bounds_of(rules_for_it)
        asked = _Asked(kernel, before.get(id(kernel)), scanner)
        questions = [each for each in asked.questions(bounds[numbers]) if not gaps.has(each)]
        done.checks += len(questions)
        done.unsized += asked.is_unsized
        if not all(each.holds for each in questions):
            broken = [
                each
                for each in asked.questions(bounds[numbers], in_full=True)
                if not gaps.has(each) and not each.holds
            ]
            violations = tuple(each.violation(scanner) for each in broken)
            breaking.append((Violating(*asked.shown(broken[0]), violations), exemptions_for_it))
        else:
            done.holding.append(
                Holding(kernel.name, kernel.arch, kernel.source, launched_with(kernel), len(questions))
            )
    # A rule for none of these is no mistake where it is for others of the build.
    of_none = idle([rule for rule in rules if not done.matched[rule.number]], build)
    gaps.refuse(of_none)
    breaking.sort(key=lambda each: _by_name(each[0].kernel))
    helping: set[int] = set()
    for breaks, exemptions_for_it in breaking:
        helping |= _excuse(done, breaks, exemptions_for_it, today)
    found = {one.number for exemptions_for_it in exemptions_of for one in exemptions_for_it}
    done.ended = tuple(one for one in exemptions if one.number in helping and one.until < today)
    done.unused = tuple(one for one in exemptions if one.number in found - helping)
    of_no_kernel = [one for one in exemptions if one.number not in found]
    done.idle = tuple((one, gaps.no_kernel.near(one)) for one in of_no_kernel)
    if baseline is not None:
        done.namesakes = _apart(in_one_only([new for new, _ in more], baseline))
        new = in_one_only([each for each in matching.added if id(each) not in before], baseline)
        gone = in_one_only(matching.removed, kernels)
        done.added, done.removed = _apart(new), _apart(gone)
        apart = {kernel.name for kernel in gone}, {kernel.name for kernel in new}
        likely = gaps.no_kernel.likely if all(apart) else []
        done.likely_renamed = tuple(
            LikelyRenamed(as_apart(old), as_apart(new))
            for old, new in likely
            if old.name in apart[0] and new.name in apart[1]
        )
    return done


def _excuse(done: Checked, violating: Violating, exemptions: Sequence[Exemption], today: date) -> set[int]:
    """Keep of a kernel's violations apart what may be until today or later.

    Args:
        done: The result of a check, to which the kernel is added.
        violating: The kernel.
        exemptions: Those that are for it.
        today: The day of the check.

    Returns:
        The numbers of the exemptions that help, or would, had they not ended.
    """
    left: list[Violation] = []
    excused: list[Violation] = []
    by: Exemption | None = None
    helping: set[int] = set()
    for violation in violating.violations:
        covering = [one for one in exemptions if one.covers(violation.criterion)]
        helping.update(one.number for one in covering)
        current = [one for one in covering if one.until >= today]
        (excused if current else left).append(violation)
        by = current[0] if current else by
    if left:
        done.violating.append(replace(violating, violations=tuple(left)))
    if excused and by is not None:
        done.exempted.append(Exempted(replace(violating, violations=tuple(excused)), by.reason, by.until))
        if not left:
            row = violating.kernel
            checks = len(violating.violations)
            done.holding.append(Holding(row.name, row.arch, row.source, launched_with(row), checks))
    return helping


def _by_name(row: ScanRow) -> tuple[str, str, str]:
    return row.demangled.removeprefix("void "), row.arch or "", row.source


class _Asked:
    """A kernel and its predecessor, at the block sizes that the questions are about.

    Args:
        kernel: The kernel.
        old: The kernel in the baseline; None where it is not there.
        scanner: What answers for them.
    """

    def __init__(self, kernel: KernelRecord, old: KernelRecord | None, scanner: Scanner) -> None:
        self._kernel = kernel
        self._old = old
        self._scanner = scanner
        self._pair: Compared | None = None
        self._short: ScanRow | None = None
        self.is_unsized = False
        """Whether an occupancy was asked for and the block size is not stated."""

    def questions(self, bounds: Bounds, *, in_full: bool = False) -> Iterator[Question]:
        """What the rules ask of the kernel.

        Most kernels have not changed, and a comparison of what is the same needs no answer of the engine.

        Args:
            bounds: What is asked, and by which rules.
            in_full: Whether all is answered that is to be said of what breaks a rule.
        """
        in_short = not in_full and (self._old is None or is_as_it_was(self._old, self._kernel))
        # What is shown of a kernel is what was compared, as far as anything was.
        for name, rule, bound in bounds:
            if CRITERIA[name].measure == "occupancy" and not self._scanner.is_stated(self._kernel):
                self.is_unsized = True
            if name == "min_occupancy" or not in_short:
                row, old, shown = self._rows(is_at_its_best=name == "min_occupancy")
            else:
                self._short = row = self._short or self._in_short()
                old, shown = None if self._old is None else row, None
            yield Question(name, rule, bound, row, old, shown)

    def shown(self, question: Question) -> tuple[ScanRow, ScanRow | None]:
        """The kernel and its predecessor as people are shown them who read of the question."""
        if self._pair is None or question.name == "min_occupancy":
            return question.row, question.old
        return self._pair.new, self._pair.old

    def _in_short(self) -> ScanRow:
        return _row_in_short(self._kernel, self._scanner.verdict(self._kernel).occupancy)

    def _rows(self, *, is_at_its_best: bool) -> tuple[ScanRow, ScanRow | None, AtSize | None]:
        if self._old is None:
            return at_its_best(self._kernel, self._scanner), None, None
        if self._pair is None and (not is_at_its_best or self._scanner.is_stated(self._kernel)):
            self._pair = at_the_same_size(self._old, self._kernel, self._scanner)
        if is_at_its_best and (self._pair is None or is_ours(self._pair.new)):
            return at_its_best(self._kernel, self._scanner), at_its_best(self._old, self._scanner), None
        assert self._pair is not None
        old, new = at_the_deciding_size(self._pair, self._scanner)
        return new, old, self._pair.shown if self._pair.deciding else None


_row_in_short = copier(ScanRow, "occupancy", of=KernelRecord)


def _apart(kernels: Sequence[KernelRecord]) -> tuple[Apart, ...]:
    rows = set(map(as_apart, kernels))
    return tuple(sorted(rows, key=lambda row: (row.name, row.arch or "", row.source)))
