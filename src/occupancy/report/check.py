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
from . import changes
from .model import Column, Paragraph, Report, Section, chosen, cut_in_middle, facts, note, values_of
from .scan import COLUMNS as SCAN_COLUMNS
from .scan import Finding, FindingKind, kernel_finding, threads_text
from .words import step_text

REMOVED = "removed"
NAMES = ("name", "demangled", "arch")

CHECK_FINDINGS: Mapping[str, FindingKind] = {
    **{name: FindingKind(f"A kernel breaks {name}", "error") for name in CRITERIA},
    REMOVED: FindingKind("A kernel of the baseline was removed", "error"),
}


class BrokenOnArchs(NamedTuple):
    """One kernel that breaks rules, on all its architectures."""

    name: str
    on_archs: Sequence[BrokenKernel]

    @property
    def criteria(self) -> list[str]:
        return list(dict.fromkeys(name for broken in self.on_archs for name in broken.criteria))

    def facts(self) -> list[tuple[str, str]]:
        """Return labels and texts: the values of each architecture, the cause, and the fix."""
        kernels = []
        for broken in self.on_archs:
            values = [violation_text(each, broken) for each in broken.violations]
            kernels.append(changes.OnArch(broken.kernel.record.arch, values, broken.causes, broken.fix))
        return [*changes.change_facts(kernels), ("fix", self._fix(kernels))]

    def _fix(self, kernels: Sequence[changes.OnArch]) -> str:
        if any(broken.needs_fewer_live_values for broken in self.on_archs):
            return "reduce live values, because a kernel with fewer registers spills more"
        if "spill" in self.on_archs[0].violations[0].measure:
            return f"{changes.fix_phrase('raise', kernels) or 'allow more registers'}, or reduce live values"
        accept = f"change the kernel, or accept it with --update --name {quote(self.name)}"
        return changes.fix_phrase("reduce", kernels) or accept


def broken_by_name(check: Checked) -> list[BrokenOnArchs]:
    """Return the kernels that break rules, those with the largest loss of occupancy first."""
    by_name: dict[str, list[BrokenKernel]] = {}
    for broken in check.broken:
        by_name.setdefault(broken.kernel.record.demangled, []).append(broken)
    ordered = sorted(by_name.values(), key=lambda on_archs: min(map(_severity, on_archs)))
    names = cut_in_middle([on_archs[0].kernel.short_name for on_archs in ordered], changes.NAME_WIDTH)
    return list(map(BrokenOnArchs, names, ordered))


def _severity(broken: BrokenKernel) -> tuple[int, float]:
    first = broken.violations[0]
    if first.measure == "occupancy":
        return 0, first.value - (1 if first.was is None else first.was)
    return 1 if "spill" in first.measure else 2, 0.0


def violation_text(violation: Violation, broken: BrokenKernel) -> str:
    """Return a broken demand: ``100% -> 50% at 256 threads (minimum 100%)``."""
    measure, old, new = violation.measure, broken.baseline, broken.kernel
    if measure == "spill_bytes":
        text = changes.phrase("spills", old and old.record.spills, new.record.spills)
    else:
        text = changes.phrase(measure, violation.was, violation.value)
    at, bound = "", "maximum"
    if measure == "occupancy":
        at, bound = f" at {threads_text(new)} threads", "minimum"
    return f"{text}{at} ({bound} {changes.change_text(measure, None, violation.limit)})"


class CheckRow(NamedTuple):
    """One broken demand, or one removed kernel."""

    record: KernelRecord
    criterion: str
    broken: BrokenKernel | None = None
    violation: Violation | None = None


def _violation_column(key: str, kind: str, about: str) -> Column:
    return Column(key, about=about, type=kind, value=lambda row: getattr(row.violation, key, None))


COLUMNS = (
    *chosen(SCAN_COLUMNS, "demangled", "arch"),
    Column("criterion", about="Name of the broken rule, or removed", type="string"),
    _violation_column("rule", "integer", "Number of the rule in the file, from 1"),
    _violation_column("bound", "number", "Limit in the rule; occupancy as 0 to 1"),
    _violation_column("was", "number", "Value in the baseline"),
    _violation_column("value", "number", "Value in this build"),
    _violation_column("limit", "number", "Allowed value, from the rule and the baseline"),
    Column("threads", value=lambda row: row.broken and row.broken.kernel.threads, about="Threads per block",
           type="integer"),
    Column("threads_assumed", value=lambda row: row.broken and row.broken.kernel.threads_assumed,
           about="True if the block size is assumed", type="boolean"),
    Column("causes", value=lambda row: row.broken.causes if row.broken else [],
           about="Changes since the baseline that explain the value", text=changes.phrases, type="objects"),
    Column("fix", value=lambda row: row.broken and row.broken.fix, text=step_text,
           about="Change that satisfies the rule, if one is known; spills may remain", type="object"),
    *chosen(SCAN_COLUMNS, "name", "source", "file", "line"),
)  # fmt: skip


def check_report(check: Any) -> Report:
    """Return the report of an `occupancy.CheckResult`."""
    kernels = broken_by_name(check)
    rows = [
        CheckRow(broken.kernel.record, violation.criterion, broken, violation)
        for kernel in kernels
        for broken in kernel.on_archs
        for violation in broken.violations
    ]
    rows += [CheckRow(record, REMOVED) for record in check.removed]
    files = {"build": check.build, "rules": check.rules.source, "baseline": check.rules.baseline}
    values = {
        "passed": check.passed,
        "kernels": len(check.kernels),
        "broken": len(check.broken),
        "added": [values_of(each, *NAMES) for each in check.added],
        "exempt": [
            {**values_of(each.kernel, *NAMES), "rules": each.criteria, **values_of(each.exemption, "reason")}
            for each in check.exempt
        ],
    }
    headline = [_headline(check, len(kernels)), *([check.updated] if check.updated else [])]
    details, inputs = list(_sections(check, kernels)), {**files, **check.inputs}
    notes = [note("assumed-threads")] if any(each.kernel.threads_assumed for each in check.broken) else []
    return Report(
        "check", headline, COLUMNS, rows, "violations", inputs, details, notes, values=values, has_table=False
    )


def _sections(check: Any, kernels: Sequence[BrokenOnArchs]) -> Iterator[Section]:
    """Yield the facts of each broken kernel, names of other kernels, and the command to accept changes."""
    for kernel in kernels[: changes.MOST_KERNELS]:
        yield facts(kernel.facts(), f"{kernel.name}: {', '.join(kernel.criteria)}")
    if more := len(kernels[changes.MOST_KERNELS :]):
        yield Paragraph([f"{more:,} more kernels break rules. To list them, pass --format csv."])
    if removed := changes.names_of(check.removed):
        yield facts([("fix", _accept(removed))], f"{changes.listed(removed)}: removed")
    if check.added:
        yield Paragraph([f"New since the baseline: {changes.listed(changes.names_of(check.added))}"])
    if remarks := list(_remarks(check)):
        yield Paragraph(remarks)
    compares = any(CRITERIA[name].compares for broken in check.broken for name in broken.criteria)
    if (compares or removed) and check.rules.baseline and not check.updated:
        yield Paragraph([f"To accept all changes: {check.command} --update (--name NAME for one)"])


def _accept(removed: Iterable[str]) -> str:
    names = " ".join(f"--name {quote(name)}" for name in list(removed)[: changes.MOST_NAMES])
    return f"run check with --update {names}, or change allow_removed in the rules"


def _headline(check: Checked, broken: int) -> str:
    archs = count(len({record.arch for record in check.kernels}), "architecture")
    where = f"({check.rules.source}, {archs})" if check.rules.source else f"({archs})"
    number = len({record.name for record in check.kernels})
    removed = len({record.name for record in check.removed})
    kernels = count(number, "kernel")
    if check.passed:
        return f"{f'All {kernels} pass' if number > 1 else 'The kernel passes' if number else 'No kernels'} {where}"
    parts = [f"{broken:,} of {kernels} {'breaks' if broken == 1 else 'break'} a rule"] if broken else []
    parts += [f"{removed:,} {'was' if removed == 1 else 'were'} removed"] if removed else []
    return f"FAILED: {', '.join(parts)} {where}"


def _remarks(check: Checked) -> Iterator[str]:
    for exemption in check.ended:
        yield f"The exemption of {exemption.about} ended on {exemption.until}: {exemption.reason}"
    if check.exempt:
        reasons = dict.fromkeys(each.exemption.reason for each in check.exempt if each.exemption)
        names = changes.names_of(each.kernel.record for each in check.exempt)
        yield f"Exempt: {changes.listed(names)} ({'; '.join(reasons)})"
    for entry, patterns in check.unused:
        kind = "exemption" if isinstance(entry, Exemption) else "rule"
        yield f"No kernel matches {', '.join(patterns)} ({kind}{f' in {entry.place}' if entry.place else ''})."


def check_findings(check: Checked) -> Iterator[Finding]:
    """Return one finding for each kernel and broken rule, and for each removed kernel."""
    for kernel in broken_by_name(check):
        message = f"{kernel.name} breaks {', '.join(kernel.criteria)}. {changes.on_one_line(kernel.facts())}."
        archs = ", ".join(filter(None, (broken.kernel.record.arch for broken in kernel.on_archs)))
        finding = kernel_finding(kernel.on_archs[0].kernel, kernel.criteria[0], "error", message)
        yield finding._replace(arch=archs)
    for name, record in {each.demangled: each for each in check.removed}.items():
        short = short_name(record.name)
        message = f"{short} was removed since the baseline: {_accept([short])}."
        yield Finding(record.file or record.source, None, "error", REMOVED, message, name, record.arch)


def check_cases(check: Checked) -> Iterator[tuple[str, str, str]]:
    """Yield file, name and message of each kernel, also of removed ones; no message if it passes."""
    messages = {each.kernel: each.message for each in check_findings(check)}
    for name, record in {each.demangled: each for each in (*check.kernels, *check.removed)}.items():
        yield record.source, name, messages.get(name, "")
