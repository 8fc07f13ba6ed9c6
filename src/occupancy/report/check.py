"""Report of ``occupancy check``: broken rules with causes and fixes, for people and for CI."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from shlex import quote
from typing import Any, NamedTuple

from ..builds.names import short_name
from ..compare.check import BrokenKernel, Checked, Violation
from ..compare.rules import CRITERIA, Exemption
from ..readers import KernelRecord
from ..values.numbers import count
from . import diff
from .model import NOTES, Block, Column, Paragraph, Report, chosen, cut_in_middle, facts, values_of
from .scan import COLUMNS as SCAN_COLUMNS
from .scan import Finding, FindingKind, kernel_finding, threads_text

REMOVED = "removed"
NAMES = ("name", "demangled", "arch")

CHECK_FINDINGS: Mapping[str, FindingKind] = {
    **{name: FindingKind(f"A kernel breaks {name}", "error") for name in CRITERIA},
    REMOVED: FindingKind("A kernel of the baseline was removed", "error"),
}


class Group(NamedTuple):
    """One kernel that breaks rules, for all its architectures."""

    name: str
    broken: Sequence[BrokenKernel]

    @property
    def criteria(self) -> list[str]:
        return list(dict.fromkeys(name for one in self.broken for name in one.criteria))

    def lines(self) -> list[tuple[str, str]]:
        """Return labels and texts: the values of each architecture, the cause, and the fix."""
        kernels = []
        for one in self.broken:
            values = [violation_text(each, one) for each in one.violations]
            kernels.append(diff.OnArch(one.kernel.record.arch, values, one.causes, one.fix))
        lines = diff.block_lines(kernels)
        if any(one.needs_fewer_live_values for one in self.broken):
            return [*lines, ("fix", "reduce live values, because a kernel with fewer registers spills more")]
        if "spill" in self.broken[0].violations[0].measure:
            fix = diff.fix_text("raise", kernels) or "allow more registers"
            return [*lines, ("fix", f"{fix}, or reduce live values")]
        accept = f"change the kernel, or accept it with --update --name {quote(self.name)}"
        return [*lines, ("fix", diff.fix_text("reduce", kernels) or accept)]


def groups(done: Checked) -> list[Group]:
    """Return the kernels that break rules, those with the largest loss of occupancy first."""
    found: dict[str, list[BrokenKernel]] = {}
    for broken in done.broken:
        found.setdefault(broken.kernel.record.demangled, []).append(broken)
    ordered = sorted(found.values(), key=lambda each: min(map(_severity, each)))
    names = cut_in_middle([each[0].kernel.short_name for each in ordered], diff.NAME_WIDTH)
    return list(map(Group, names, ordered))


def _severity(broken: BrokenKernel) -> tuple[int, float]:
    first = broken.violations[0]
    if first.measure == "occupancy":
        return 0, first.value - (1 if first.was is None else first.was)
    return 1 if "spill" in first.measure else 2, 0.0


def violation_text(violation: Violation, broken: BrokenKernel) -> str:
    """Return a broken demand: ``100% -> 50% at 256 threads (minimum 100%)``."""
    measure, old, new = violation.measure, broken.baseline, broken.kernel
    if measure == "spill_bytes":
        text = diff.change_line("spills", old and old.record.spills, new.record.spills)
    else:
        text = diff.change_line(measure, violation.was, violation.value)
    at, bound = "", "maximum"
    if measure == "occupancy":
        at, bound = f" at {threads_text(new)} threads", "minimum"
    return f"{text}{at} ({bound} {diff.change_text(measure, None, violation.limit)})"


def _accept(removed: Iterable[str]) -> str:
    names = " ".join(f"--name {quote(name)}" for name in list(removed)[: diff.MOST_NAMED])
    return f"run check with --update {names}, or change allow_removed in the rules"


class CheckRow(NamedTuple):
    """One broken demand, or one removed kernel."""

    record: KernelRecord
    criterion: str
    broken: BrokenKernel | None = None
    violation: Violation | None = None


def _violation_column(key: str, kind: str, about: str) -> Column:
    return Column(key, "", lambda row: row.violation and getattr(row.violation, key), about=about, type=kind)


COLUMNS = (
    *chosen(SCAN_COLUMNS, "demangled", "arch"),
    Column("criterion", about="Name of the broken rule, or removed", type="string"),
    _violation_column("rule", "integer", "Number of the rule in the file, from 1"),
    _violation_column("bound", "number", "Limit in the rule; occupancy as 0 to 1"),
    _violation_column("was", "number", "Value in the baseline"),
    _violation_column("value", "number", "Value in this build"),
    _violation_column("limit", "number", "Allowed value, from the rule and the baseline"),
    Column("threads", "", lambda row: row.broken and row.broken.kernel.threads, about="Threads per block",
           type="integer"),
    Column("threads_assumed", "", lambda row: row.broken and row.broken.kernel.threads_assumed,
           about="True if the block size is assumed", type="boolean"),
    Column("causes", "", lambda row: row.broken.causes if row.broken else [],
           about="Changes since the baseline that explain the value", type="objects"),
    Column("fix", "", lambda row: row.broken and row.broken.fix,
           about="Change that satisfies the rule, if one is known; spills may remain", type="object"),
    *chosen(SCAN_COLUMNS, "name", "source", "file", "line"),
)  # fmt: skip


def check_report(
    done: Checked, *, build: str, command: str, inputs: Mapping[str, Any], updated: str = ""
) -> Report:
    found = groups(done)
    details: list[Block] = [
        facts(group.lines(), f"{group.name}: {', '.join(group.criteria)}")
        for group in found[: diff.MOST_BLOCKS]
    ]
    if more := len(found[diff.MOST_BLOCKS :]):
        details.append(Paragraph([f"{more:,} more kernels break rules. To list them, pass --format csv."]))
    removed = diff.names_of(done.removed)
    if removed:
        details.append(facts([("fix", _accept(removed))], f"{diff.listed(removed)}: removed"))
    if done.added:
        details.append(Paragraph([f"New since the baseline: {diff.listed(diff.names_of(done.added))}"]))
    if remarks := list(_remarks(done)):
        details.append(Paragraph(remarks))
    compares = any(CRITERIA[each.criterion].compares for broken in done.broken for each in broken.violations)
    if (compares or removed) and done.rules.baseline and not updated:
        details.append(Paragraph([f"To accept all changes: {command} --update (--name NAME for one)"]))
    inputs = {"build": build, "rules": done.rules.source, "baseline": done.rules.baseline, **inputs}
    values = {
        "passed": done.passed,
        "kernels": len(done.kernels),
        "broken": len(done.broken),
        "added": [values_of(each, *NAMES) for each in done.added],
        "exempt": [
            {**values_of(each.kernel, *NAMES), "rules": each.criteria, **values_of(each.exemption, "reason")}
            for each in done.exempt
        ],
    }
    headline = [_headline(done, len(found)), *filter(None, [updated])]
    notes = [NOTES["assumed-threads"]] if any(each.kernel.threads_assumed for each in done.broken) else []
    rows = [
        CheckRow(one.kernel.record, each.criterion, one, each)
        for group in found
        for one in group.broken
        for each in one.violations
    ]
    rows += [CheckRow(record, REMOVED) for record in done.removed]
    return Report(
        "check", headline, COLUMNS, rows, "violations", inputs, values, details, notes, shows_rows=False
    )


def _headline(done: Checked, broken: int) -> str:
    archs = count(len({record.arch for record in done.kernels}), "architecture")
    where = f"({done.rules.source}, {archs})" if done.rules.source else f"({archs})"
    number, removed = (len({record.name for record in records}) for records in (done.kernels, done.removed))
    kernels = count(number, "kernel")
    if done.passed:
        return f"{f'All {kernels} pass' if number > 1 else 'The kernel passes' if number else 'No kernels'} {where}"
    parts = [f"{broken:,} of {kernels} {'breaks' if broken == 1 else 'break'} a rule"] if broken else []
    parts += [f"{removed:,} {'was' if removed == 1 else 'were'} removed"] if removed else []
    return f"FAILED: {', '.join(parts)} {where}"


def _remarks(done: Checked) -> Iterator[str]:
    for exemption in done.ended:
        yield f"The exemption of {exemption.about} ended on {exemption.until}: {exemption.reason}"
    if done.exempt:
        reasons = dict.fromkeys(each.exemption.reason for each in done.exempt if each.exemption)
        names = diff.names_of(each.kernel.record for each in done.exempt)
        yield f"Exempt: {diff.listed(names)} ({'; '.join(reasons)})"
    for entry, patterns in done.unused:
        kind = "exemption" if isinstance(entry, Exemption) else "rule"
        yield f"No kernel matches {', '.join(patterns)} ({kind}{f' in {entry.place}' if entry.place else ''})."


def check_findings(done: Checked) -> Iterator[Finding]:
    """Return one finding for each kernel and broken rule, and for each removed kernel."""
    for group in groups(done):
        message = f"{group.name} breaks {', '.join(group.criteria)}. {diff.line_text(group.lines())}."
        archs = ", ".join(filter(None, (one.kernel.record.arch for one in group.broken)))
        yield kernel_finding(group.broken[0].kernel, group.criteria[0], "error", message)._replace(arch=archs)
    for name, record in {each.demangled: each for each in done.removed}.items():
        short = short_name(record.name)
        message = f"{short} was removed since the baseline: {_accept([short])}."
        yield Finding(record.file or record.source, None, "error", REMOVED, message, name, record.arch)


def check_cases(done: Checked) -> Iterator[tuple[str, str, str]]:
    """Yield file, name and message of each kernel, also of removed ones; no message if it passes."""
    messages = {each.kernel: each.message for each in check_findings(done)}
    for name, record in {each.demangled: each for each in (*done.kernels, *done.removed)}.items():
        yield record.source, name, messages.get(name, "")
