"""Report of ``occupancy check``: broken rules with causes and fixes, for people and for CI."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from shlex import quote
from typing import Any, NamedTuple

from ..builds.names import short_name
from ..builds.rows import ScannedKernel
from ..compare.check import BrokenKernel, Checked, Violation
from ..compare.diff import Change
from ..compare.rules import CRITERIA, Exemption, Rules
from ..readers import KernelRecord
from ..values.numbers import count, percent, size
from .calc import step_values
from .diff import MOST_BLOCKS, MOST_NAMED, arrow, block, causes_text, fixes_text, listed, names_of
from .model import Block, Column, Paragraph, Report, Table, values_of
from .notes import NOTES
from .scan import Finding, FindingKind, kernel_finding, threads_text

REMOVED = "removed"
NAMES = ("name", "demangled", "arch")

CHECK_FINDINGS: Mapping[str, FindingKind] = {
    **{name: FindingKind(f"A kernel breaks {name}", "error") for name in CRITERIA},
    REMOVED: FindingKind("A kernel of the baseline is gone", "error"),
}


class Group(NamedTuple):
    """One kernel that breaks rules, for all its architectures."""

    name: str
    broken: Sequence[BrokenKernel]

    @property
    def criteria(self) -> list[str]:
        """The names of the broken rules."""
        return list(dict.fromkeys(each.criterion for one in self.broken for each in one.violations))

    def lines(self) -> list[tuple[str, str]]:
        """Return labels and texts: the values of each architecture, the cause, and the fix."""
        lines = []
        for one in self.broken:
            for each in one.violations:
                lines.append((one.kernel.record.arch or "-", violation_text(each, one.kernel)))
        causes = [(one.kernel.record.arch, _relevant(one)) for one in self.broken if one.baseline is not None]
        if any(changes for _, changes in causes):
            lines.append(("cause", causes_text(causes)))
        elif all(one.baseline is None for one in self.broken) and any(
            CRITERIA[name].compares for name in self.criteria
        ):
            lines.append(("cause", "the kernel is new"))
        lines.append(("fix", _fix(self)))
        return lines

    def block(self) -> Table:
        """Return the block of a screen."""
        return block(f"{self.name}: {', '.join(self.criteria)}", self.lines())


def groups(done: Checked) -> list[Group]:
    """Return the kernels that break rules, those with the largest loss of occupancy first."""
    found: dict[str, list[BrokenKernel]] = {}
    for broken in done.broken:
        found.setdefault(broken.kernel.demangled, []).append(broken)
    ordered = sorted(found.values(), key=lambda each: min(map(_severity, each)))
    return [Group(each[0].kernel.screen_name, each) for each in ordered]


def _severity(broken: BrokenKernel) -> tuple[int, float]:
    first = broken.violations[0]
    if first.measure == "occupancy":
        return 0, first.value - (1 if first.was is None else first.was)
    return 1 if "spill" in first.measure else 2, 0.0


def _relevant(broken: BrokenKernel) -> list[Change]:
    """Return the changes that can break the rules of a kernel: not less of a resource, unless it spills."""
    measures = {each.measure for each in broken.violations}
    spills = bool(measures & {"spill_bytes", "spill_smem", "stack_bytes"})
    hidden = {"spills", "stack_bytes"} if spills else set()
    amounts = ("smem", "regs", "barriers", "spill_smem", "stack_bytes")
    return [
        each
        for each in broken.causes
        if each.name not in hidden and (spills or each.name not in amounts or each.new > each.old)
    ]


_NOUNS = {"spill_bytes": " spilled", "spill_smem": " spilled to shared memory", "stack_bytes": " of stack",
          "smem": " of shared memory", "regs": " registers", "barriers": " barriers"}  # fmt: skip


def violation_text(violation: Violation, row: ScannedKernel) -> str:
    """Return a broken demand: ``100% -> 50% at 256 threads``."""
    measure = violation.measure
    value, limit = _value(measure, violation.value), _value(measure, violation.limit)
    text = value if violation.was is None else arrow(_value(measure, violation.was), value)
    text += f" at {threads_text(row)} threads" if measure == "occupancy" else _NOUNS[measure]
    return f"{text} ({'minimum' if measure == 'occupancy' else 'maximum'} {limit})"


def _value(measure: str, value: float) -> str:
    if measure == "occupancy":
        return percent(value)
    return f"{int(value):,}" if measure in ("regs", "barriers") else size(int(value))


def _fix(group: Group) -> str:
    """Return the fix for all architectures, such as ``reduce registers to 40``."""
    spills = group.broken[0].violations[0].measure in ("spill_bytes", "spill_smem")
    verb = "raise" if spills else "reduce"
    fixes = fixes_text(verb, [(one.kernel.record.arch, one.fix) for one in group.broken])
    if spills:
        return f"{fixes or 'allow more registers'}, or reduce live values"
    return fixes or f"change the kernel, or accept it with --update --name {quote(group.name)}"


def _accept(gone: Iterable[str]) -> str:
    names = " ".join(f"--name {quote(name)}" for name in list(gone)[:MOST_NAMED])
    return f"accept it with --update {names}, or with allow_removed in the rules"


def _gone(record: KernelRecord) -> str:
    return f"gone since the baseline: {_accept([short_name(record.name)])}"


# Rows


class CheckRow(NamedTuple):
    """One broken demand, or one kernel that is gone."""

    record: KernelRecord
    criterion: str
    broken: BrokenKernel | None = None
    violation: Violation | None = None


def check_rows(done: Checked) -> list[CheckRow]:
    """Return every broken demand of every architecture, in the order of the screen."""
    rows = [
        CheckRow(one.kernel.record, each.criterion, one, each)
        for group in groups(done)
        for one in group.broken
        for each in one.violations
    ]
    return [*rows, *(CheckRow(record, REMOVED) for record in done.removed)]


def _from(name: str) -> Any:
    return lambda row: None if row.violation is None else getattr(row.violation, name)


COLUMNS = (
    Column("demangled", "Kernel", "record.demangled", lambda row: short_name(row.record.name),
           "Readable name", "left", wraps=True, type="string"),
    Column("arch", "Arch", "record.arch", None, "Architecture", "left", type="string"),
    Column("criterion", "Rule", "criterion", None, "Name of the broken rule, or removed", "left",
           type="string"),
    Column("rule", "", _from("rule"), about="Number of the rule, from 1", type="integer"),
    Column("bound", "", _from("bound"), about="Bound in the rule; an occupancy is 0 to 1", type="number"),
    Column("was", "", _from("was"), about="Value in the baseline", type="number"),
    Column("value", "", _from("value"), about="Value now", type="number"),
    Column("limit", "", _from("limit"), about="Worst value that is allowed", type="number"),
    Column("threads", "", lambda row: row.broken and row.broken.kernel.threads, about="Threads per block",
           type="integer"),
    Column("threads_assumed", "", lambda row: row.broken and row.broken.kernel.threads_assumed,
           about="True if the block size is assumed", type="boolean"),
    Column("causes", "", lambda row: [each._asdict() for each in row.broken.causes] if row.broken else [],
           about="Values that changed since the baseline", type="array"),
    Column("fix", "", lambda row: row.broken and row.broken.fix and step_values(row.broken.fix),
           about="Change that satisfies the rule, if one is known", type="object"),
    Column("name", "", "record.name", about="Mangled name", type="string"),
    Column("source", "", "record.source", about="File", type="string"),
    Column("file", "", "record.file", about="Source file", type="string"),
    Column("line", "", "record.line", about="Line in it", type="integer"),
)  # fmt: skip


# The report


def check_report(
    done: Checked,
    rules: Rules,
    *,
    build: str,
    command: str,
    inputs: Mapping[str, Any],
    updated: str = "",
) -> Report:
    """Return the report of a check."""
    found = groups(done)
    details: list[Block] = [group.block() for group in found[:MOST_BLOCKS]]
    if len(found) > MOST_BLOCKS:
        details.append(Paragraph([f"{len(found) - MOST_BLOCKS:,} more kernels break rules (--format csv)."]))
    gone = names_of(done.removed)
    if gone:
        details.append(block(f"{listed(gone)}: gone since the baseline", [("fix", _accept(gone))]))
    if done.added:
        details.append(Paragraph([f"New since the baseline: {listed(names_of(done.added))}"]))
    if remarks := list(_remarks(done)):
        details.append(Paragraph(remarks))
    changes = any(CRITERIA[each.criterion].compares for broken in done.broken for each in broken.violations)
    if (changes or gone) and rules.baseline and not updated:
        details.append(Paragraph([f"To accept all changes: {command} --update (--name NAME for one)"]))
    return Report(
        name="check",
        headline=(_headline(done, rules), *([updated] if updated else [])),
        columns=COLUMNS,
        rows=check_rows(done),
        rows_key="violations",
        inputs={"build": build, "rules": rules.source, "baseline": rules.baseline, **inputs},
        values={
            "passed": done.passed,
            "kernels": len(done.kernels),
            "broken": len(done.broken),
            "added": [values_of(each, *NAMES) for each in done.added],
            "removed": [values_of(each, *NAMES) for each in done.removed],
            "exempt": [
                {
                    **values_of(each.kernel.record, "name", "arch"),
                    "criteria": [one.criterion for one in each.violations],
                    "reason": each.exemption.reason,
                    "until": str(each.exemption.until) if each.exemption.until else None,
                }
                for each in done.exempt
                if each.exemption is not None
            ],
        },
        shows_rows=False,
        details=details,
        notes=[NOTES["assumed-threads"]] if any(each.kernel.threads_assumed for each in done.broken) else (),
    )


def _headline(done: Checked, rules: Rules) -> str:
    names = names_of(done.kernels)
    broken, gone = len(groups(done)), len(names_of(done.removed))
    archs = len({record.arch for record in done.kernels})
    where = f"{rules.source}, {count(archs, 'arch')}" if rules.source else count(archs, "arch")
    if done.passed:
        number = count(len(names), "kernel")
        return f"All {number} pass ({where})" if len(names) != 1 else f"The kernel passes ({where})"
    parts = []
    if broken:
        parts.append(f"{broken:,} of {count(len(names), 'kernel')} break{'s' if broken == 1 else ''} a rule")
    if gone:
        parts.append(f"{gone:,} {'is' if gone == 1 else 'are'} gone")
    return f"FAILED: {', '.join(parts)} ({where})"


def _remarks(done: Checked) -> Iterator[str]:
    for exemption in done.ended:
        yield f"The exemption of {exemption.about} ended on {exemption.until}: {exemption.reason}"
    if done.exempt:
        reasons = dict.fromkeys(each.exemption.reason for each in done.exempt if each.exemption)
        yield f"Exempt: {listed(names_of(e.kernel.record for e in done.exempt))} ({'; '.join(reasons)})"
    for entry, why in done.unused:
        kind = "exemption" if isinstance(entry, Exemption) else "rule"
        yield f"Unused {kind} for {entry.about}{f' ({entry.place})' if entry.place else ''}: {why}"


# CI


def check_findings(done: Checked) -> Iterator[Finding]:
    """Return one finding for each kernel and broken rule, and for each kernel that is gone."""
    for group in groups(done):
        text = "; ".join(map(": ".join, group.lines()))
        message = f"{group.name} breaks {', '.join(group.criteria)}. {text}."
        yield kernel_finding(group.broken[0].kernel, group.criteria[0], "error", message)
    gone = {record.demangled: record for record in reversed(done.removed)}
    for name in sorted(gone):
        record = gone[name]
        message = f"{short_name(record.name)} is {_gone(record)}."
        yield Finding(record.file or record.source, None, "error", REMOVED, message, name, record.arch)


class CheckCase(NamedTuple):
    """One kernel of one architecture as a test case."""

    source: str
    name: str
    message: str = ""
    """The broken rules; empty if it passes."""


def check_cases(done: Checked) -> Iterator[CheckCase]:
    """Return a test case for each kernel of each architecture, and for each kernel that is gone."""
    broken: dict[int, BrokenKernel] = {id(each.kernel.record): each for each in done.broken}
    for record in done.kernels:
        one, message = broken.get(id(record)), ""
        if one is not None:
            group = Group(one.kernel.screen_name, [one])
            message = "\n".join([", ".join(group.criteria), *map(": ".join, group.lines())])
        yield CheckCase(record.source, f"{record.demangled} ({record.arch})", message)
    for record in done.removed:
        yield CheckCase(record.source, f"{record.demangled} ({record.arch})", _gone(record))
