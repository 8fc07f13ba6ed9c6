"""The answer to ``occupancy check``: which kernels of a build break which rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from ...builds.running import RunsOn
from ...builds.scan_row import ScanRow
from ...compare.diff import DiffSummary
from ...compare.likely_renamed import Apart, LikelyRenamed
from ...compare.rules import Rules
from ...compare.violations import (
    Checked,
    Exempted,
    Holding,
    Renamed,
    Violating,
    Violation,
    launched_with,
)
from ...render.ci import Case
from ...render.document import (
    Bullets,
    Column,
    Comment,
    Document,
    Folded,
    Marked,
    Only,
    Paragraph,
    Table,
    Together,
)
from ...render.markdown import code
from ...render.sarif import Finding, FoundRule
from ...values.dataclass import dataclass
from ..base import Report
from ..name_words import short_name
from .broken import broken, broken_blocks, list_of_broken, mending, since
from .check_words import entries_to_mend, exemption_in_words, notes_of, summary_of, unfit_in_words
from .diff import MOST_IN_SIGHT
from .findings import finding
from .missing import (
    RULE,
    missing_blocks,
    missing_cases,
    missing_findings,
    missing_of,
    title,
)

CSV_COLUMNS = (
    "name", "demangled", "arch", "source", "rule", "criterion", "bound", "was", "value", "threads",
    "next_step",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CheckedRule:
    """A rule, as it is in the file, and how many kernels it is for."""

    kernels: tuple[str, ...]
    archs: tuple[str, ...]
    bounds: dict[str, float | None]
    matched: int


@dataclass(frozen=True, slots=True)
class CheckReport(Report):
    """Everything that ``occupancy check`` shows."""

    passed: bool
    build: str
    rules_from: str
    baseline: str | None
    updated: DiffSummary | None
    """How the kernels that were accepted differ from those of the old baseline; None where none were."""
    kept: int | None
    """Kernels of the old baseline that were not asked for, and stay in it as they were; None where the whole
    build was accepted, or nothing."""
    checks: int
    """How many values were checked against a rule."""
    rules: tuple[CheckedRule, ...]
    violating: tuple[Violating, ...]
    """The kernels that break a rule, by name."""
    holding: tuple[Holding, ...]
    """The kernels that meet all of them."""
    exempted: tuple[Exempted, ...]
    """What breaks a rule, and may until a day."""
    ended: tuple[str, ...]
    """Exemptions whose last day has passed, in words."""
    unused: tuple[str, ...]
    """Exemptions that no kernel needs any more, in words."""
    idle: tuple[str, ...]
    """Exemptions, and patterns of any entry beside others that fit, that are for no kernel of the build, in
    words, with names that it has."""
    renamed: tuple[Renamed, ...]
    """Entries of the file of rules that name kernels as the baseline has them, which are called otherwise
    now."""
    added: tuple[Apart, ...]
    """Kernels that the baseline does not have."""
    namesakes: tuple[Apart, ...]
    """Kernels of names that the baseline has fewer of: each was compared with its namesake that is most like
    it, as others were already."""
    removed: tuple[Apart, ...]
    """Kernels that only the baseline has."""
    missing: tuple[Apart, ...]
    """Those of them that the rules do not allow to go."""
    likely_renamed: tuple[LikelyRenamed, ...]
    """Those of ``removed`` that may be one of ``added`` under another name, which no code tells."""
    unsized: int
    """Kernels whose occupancy was asked for, and whose block size neither a file nor the user states."""
    not_chosen: int
    """Candidates that an autotuner did not choose, so that nobody launches them: they are left out."""
    runs_on: RunsOn | None
    """The chip for which code was chosen of build and baseline; null where nothing was left out for it."""

    def csv_columns(self) -> Sequence[str]:
        """They are there even where no rule is broken."""
        return CSV_COLUMNS

    def _each_row(self) -> Iterable[Mapping[str, Any]]:
        """A row for each broken rule, and for each kernel that is missing."""
        for each, violation in self.broken():
            kernel = each.kernel
            row = (
                *(kernel.name, kernel.demangled, kernel.arch, kernel.source),
                *(violation.rule, violation.criterion, violation.bound, violation.was, violation.value),
                violation.threads,
                mending(kernel, violation),
            )
            yield dict(zip(CSV_COLUMNS, row, strict=True))
        for gone in self.missing:
            known = (gone.name, gone.demangled, gone.arch, gone.source, None, RULE)
            yield dict(zip_longest(CSV_COLUMNS, known))

    def broken(self) -> Iterator[tuple[Violating, Violation]]:
        """Each rule that a kernel breaks."""
        return ((each, violation) for each in self.violating for violation in each.violations)

    def headline(self) -> str:
        """How many kernels there are, and of which kind."""
        return summary_of(self)

    def document(self) -> Document:
        """The summary; each kernel that breaks a rule: what was asked for, what is, and what would help.

        A comment has a row for each broken rule.
        """
        summary, notes = summary_of(self), Bullets(list(notes_of(self)), "faint")
        headline = Paragraph(Marked(summary, "good" if self.passed else "bad"))
        screen = list(broken_blocks(self.violating))
        removed = missing_blocks(self.missing, self.likely_renamed)
        screen += [Together(removed)] if removed else []
        archs: dict[tuple[str, str, str], dict[str, None]] = {}
        for each, violation in self.broken():
            row = each.kernel
            said = code(short_name(row)), broken(violation, row), mending(row, violation)
            archs.setdefault(said, {})[row.arch or ""] = None
        rows = [(f"{name} {', '.join(of)}", what, step) for (name, what, step), of in archs.items()]
        columns = tuple(Column(title, is_number=False) for title in ("Kernel", "What it breaks", "Next step"))
        more = rows[MOST_IN_SIGHT:]
        comment = Comment(
            [
                Paragraph(Marked(summary, "strong")),
                Table(columns, rows[:MOST_IN_SIGHT]),
                *removed,
                Folded(f"More: {len(more):,}", [Table(columns, more)]),
                notes,
            ]
        )
        screen = [Together([headline, *list_of_broken(self.violating, self.missing)]), *screen, notes]
        screen = screen if len(screen) > 2 else [Together([headline, notes])]
        return Only("text", screen), Only("markdown", [comment])

    def cases(self) -> Iterator[Case]:
        """The kernels as test cases for a service that runs checks: those that break a rule first."""
        for each in self.violating:
            row = each.kernel
            name = _case_name(row, launched_with(row))
            yield Case(row.source, name, title(row), _message(each), row.file or "", row.line)
        yield from missing_cases(self.missing, self.likely_renamed)
        for holding in self.holding:
            yield Case(holding.source, _case_name(holding, holding.threads))

    def findings(self) -> Iterator[Finding]:
        """Each broken rule, for a service that scans code."""
        for each, violation in self.broken():
            row = each.kernel
            yield finding(violation.criterion, row, f"{broken(violation, row)}. {mending(row, violation)}")
        yield from missing_findings(self.missing, self.likely_renamed)

    def asked(self) -> dict[str, FoundRule]:
        """What the rules ask for, by name, each with what it is in words."""
        names = dict.fromkeys(name for rule in self.rules for name in rule.bounds)
        if self.missing:
            names[RULE] = None
        return {name: FoundRule(name.replace("_", " ").capitalize()) for name in names}

    def said_to_github(self) -> tuple[list[str], list[Case]]:
        """The summary, and what it rests on, in plain lines; and what to mend in the file of rules, to
        annotate it with."""
        notices = [
            Case(self.rules_from, "", "occupancy", said, self.rules_from, line or None)
            for said, line in entries_to_mend(self)
        ]
        annotated = {each.message for each in notices}
        return [summary_of(self), *(note for note in notes_of(self) if note not in annotated)], notices


def check_report(
    done: Checked,
    asked: Rules,
    *,
    build: str,
    baseline: str | None,
    updated: DiffSummary | None = None,
    kept: int | None = None,
    is_whole: bool = True,
    runs_on: RunsOn | None = None,
) -> CheckReport:
    """The report of a check.

    Args:
        done: The result.
        asked: The rules.
        build: What the build is called.
        baseline: The path of the baseline.
        updated: How the new baseline differs from the old one.
        kept: How many kernels of the old one stay as they were, where only some were accepted.
        is_whole: Whether all kernels were looked at, so that an exemption for none of them is out of date.
        runs_on: The chip for which code was chosen.
    """
    rules = tuple(
        CheckedRule(
            rule.kernels, tuple(arch.sm for arch in rule.archs), rule.bounds, done.matched[rule.number]
        )
        for rule in asked.rules
    )
    missing = missing_of(done.removed, asked.removable)
    return CheckReport(
        not done.violating and not missing, build, asked.source, baseline, updated, kept, done.checks, rules,
        tuple(done.violating), tuple(done.holding), not_chosen=done.not_chosen,
        exempted=tuple(done.exempted), ended=tuple(map(exemption_in_words, done.ended)),
        unused=tuple(map(exemption_in_words, done.unused)),
        idle=(
            *(f"{exemption_in_words(one)} is for no kernel; there are {near}" for one, near in done.idle),
            *(unfit_in_words(*each) for each in done.unfit),
        ) if is_whole else (),
        renamed=done.renamed, added=done.added, namesakes=done.namesakes, removed=done.removed,
        missing=missing, likely_renamed=done.likely_renamed, unsized=done.unsized, runs_on=runs_on,
    )  # fmt: skip


def _message(violating: Violating) -> str:
    row = violating.kernel
    lines = [text for each in violating.violations for text in (broken(each, row), mending(row, each))]
    changed = since(violating)
    return "\n".join([*lines, *([f"Since the baseline: {changed}."] if changed else [])])


def _case_name(kernel: ScanRow | Holding, threads: int | None) -> str:
    return f"{kernel.demangled} ({kernel.arch}{f', {threads} threads' if threads else ''})"
