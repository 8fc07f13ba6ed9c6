"""Report of ``occupancy check``: broken rules with causes and fixes, for people and for CI."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..builds.names import count_kernels, short_name, stable_name
from ..builds.select import age
from ..compare.baseline import line_of
from ..compare.check import BrokenKernel, Checked, Violation
from ..compare.rules import CRITERIA, Exemption
from ..errors import OccupancyError, Place
from ..readers import KernelRecord
from ..values.numbers import count, join_and, listed
from . import changes
from .diff import occupancy_phrase
from .model import Column, Note, Paragraph, Report, Section, chosen, facts, values_of
from .results import gpu_notes
from .scan import COLUMNS as SCAN_COLUMNS
from .scan import Finding, kernel_finding, row_notes

REMOVED = "removed"
_SOURCE = re.compile(r"([^\s:()]+)[:(](\d+)(?::\d+)?\)?: (?:fatal )?error")
NAMES = ("name", "demangled", "arch")

_MEASURED = {each.key: each.about for each in SCAN_COLUMNS}
_MEASURED |= {"occupancy": "Occupancy", "spill_bytes": "Bytes of spill stores and loads per thread"}
CHECK_FINDINGS: Mapping[str, str] = {
    **{name: f"{_MEASURED[each.measure]} {'below' if name.startswith('min_') else 'above'} {name}"
       if not each.compares else f"{_MEASURED[each.measure]} regressed by more than {name} allows"
       for name, each in CRITERIA.items()},
    REMOVED: "A kernel of the baseline was removed",
}  # fmt: skip


class RemovedKernels(NamedTuple):
    """Kernels of the baseline that the build lacks for the same architectures."""

    names: Sequence[str]
    archs: str
    problem: str
    fix: str


class BrokenOnArchs(NamedTuple):
    """One kernel that breaks rules, on all its architectures."""

    name: str
    criteria: Sequence[str]
    on_archs: Sequence[BrokenKernel]

    def facts(self) -> list[tuple[str, str]]:
        """Return labels and texts: the values of each architecture with their limits, the cause, and the fix."""
        kernels = []
        for broken in self.on_archs:
            old, new, values = broken.baseline, broken.kernel, []
            for name, each in broken.tightest.items():
                bound = "minimum" if name == "occupancy" else "maximum"
                about = ", as in the baseline" if each.was == each.value else ""
                if each.limit or bound == "maximum":
                    about += f" ({bound} {changes.change_text(name, None, each.limit)})"
                text = f"{changes.phrase(name, each.was, each.value)}{about}"
                if name == "occupancy":
                    text = occupancy_phrase(old, new, about)
                elif name == "spill_bytes":
                    text = f"{changes.phrase('spills', old and old.record.spills, new.record.spills)}{about}"
                values.append(text)
            others = [each for each in broken.others if each.name in ("spills", "stack_bytes")]
            kernels.append(changes.OnArch(new.record, values, broken.causes, broken.fix, others))
        return changes.change_facts(kernels)


def broken_by_name(check: Checked) -> list[BrokenOnArchs]:
    """Return the kernels that break rules, the largest loss of occupancy first."""
    by_name: dict[str, list[BrokenKernel]] = {}
    for broken in check.broken:
        by_name.setdefault(broken.kernel.record.demangled, []).append(broken)
    ordered = sorted(by_name.values(), key=lambda on_archs: min(
        (each.kernel.occupancy or 0) - ((each.baseline and each.baseline.occupancy) or 0) for each in on_archs
    ))  # fmt: skip
    names = changes.placed_names([on_archs[0].kernel.record for on_archs in ordered])
    criteria = [list(dict.fromkeys(name for each in group for name in each.criteria)) for group in ordered]
    return list(map(BrokenOnArchs, names, criteria, ordered))


class CheckRow(NamedTuple):
    record: KernelRecord
    violation: Violation
    fix: str
    broken: BrokenKernel | None = None


COLUMNS = (
    *chosen(SCAN_COLUMNS, "demangled", "arch"),
    Column("criterion", value="violation.criterion", about="Name of the broken rule, or removed", type="string"),
    Column("rule", value="violation.rule", about="Number of the rule in the file, from 1", type="integer"),
    Column("bound", value="violation.bound", about="Limit in the rule; occupancy as 0 to 1", type="number"),
    Column("was", value="violation.was", about="Value in the baseline", type="number"),
    Column("value", value="violation.value", about="Value in this build", type="number"),
    Column("limit", value="violation.limit", about="Allowed value, from the rule and the baseline", type="number"),
    Column("threads", value=lambda row: row.broken and row.broken.kernel.threads, about="Threads per block",
           type="integer"),
    Column("threads_assumed", value=lambda row: row.broken and row.broken.kernel.threads_assumed,
           about="True if the block size is assumed", type="boolean"),
    Column("causes", value=lambda row: row.broken.causes if row.broken else [],
           about="Changes since the baseline that explain the value", text=changes.phrases, type="objects"),
    Column("other_changes", value=lambda row: row.broken.others if row.broken else [],
           about="Changes since the baseline that do not explain the value", text=changes.phrases, type="objects"),
    Column("fix", value=lambda row: row.fix or None,
           about="Change that satisfies the rules of the kernel, if one is known", type="string"),
    *chosen(SCAN_COLUMNS, "name", "source", "file", "line"),
)  # fmt: skip


def check_report(check: Checked, inputs: Mapping[str, Any], command: str, updated: str = "") -> Report:
    """Return the report of a check, given its command line, and the changes of an updated baseline."""
    kernels, removed = broken_by_name(check), list(_removed(check))
    rows = [
        CheckRow(broken.kernel.record, violation, changes.fix_phrase([("", broken.fix)]), broken)
        for kernel in kernels
        for broken in kernel.on_archs
        for violation in broken.violations
    ]
    refused = dict.fromkeys(map(_refused, rows))
    no_rule = Violation._make((None, REMOVED, None, None, None, None))
    fixes = {name: each.fix for each in removed for name in each.names}
    rows += [CheckRow(record, no_rule, fixes[name]) for name, record in changes.named_records(check.removed)]
    inputs = {"rules": check.rules.source, "baseline": check.rules.baseline, **inputs}
    values = {
        "passed": check.passed,
        "added": [values_of(each, *NAMES) for each in check.added],
        "permitted": [values_of(each, *NAMES) for each in check.permitted],
        "changed": [{**values_of(record, *NAMES), "change": change} for record, change in check.changed],
        "exempt": [
            {**values_of(each.kernel, *NAMES), "rules": each.criteria, **values_of(each.exemption, "reason")}
            for each in check.exempt
        ],
    }
    headline = [*filter(None, [_headline(check, removed), updated])]
    details = list(_sections(check, kernels, removed))
    marked = [each.kernel for each in check.broken if "occupancy" in each.tightest]
    computed = check.kernels if inputs.keys() & {"gpu", "cc"} else ()
    notes = [*row_notes(marked, ["assumed-threads", "tensor-memory"]), *row_notes(computed, ["other-gpu"])]
    notes += gpu_notes(row.result for row in check.kernels if row.result)
    demands_occupancy = any("min_occupancy" in rule.demands for rule in check.rules.rules)
    notes += row_notes(check.kernels if demands_occupancy else (), ["dynamic-smem"])
    if (check.removed or "" in refused or updated) and os.path.isfile(check.rules.baseline or ""):
        one = "" if inputs.get("names") else " For one kernel, add `--name NAME`."
        update = f"`{command} --update`.{one}" if check.rules.source else "pass `update=True`."
        others = sorted(filter(None, refused), key=lambda name: "(no launch)" in name)
        left = [f"The update does not accept {join_and(others)}."] if others else []
        texts = left if updated else [f"To accept the changes since the baseline: {update}", *left]
        notes[:0] = [Note("accept", " ".join(texts))] if texts else []
    parts = (headline, COLUMNS, rows, "violations", inputs, details, notes)
    return Report("check", *parts, values=values, has_table=False)


def _refused(row: CheckRow) -> str:
    """Return the rule or the kernel that an update of the baseline cannot accept; empty for others."""
    if not CRITERIA[row.violation.criterion].compares:
        return row.violation.criterion
    return f"{short_name(row.record.name)} (no launch)" if row.broken and row.broken.is_refused else ""


def _sections(
    check: Checked, kernels: Sequence[BrokenOnArchs], removed: Sequence[RemovedKernels]
) -> Iterator[Section]:
    for kernel in kernels[: changes.MOST_KERNELS]:
        yield facts(kernel.facts(), f"{kernel.name}: {', '.join(kernel.criteria)}")
    if more := len(kernels[changes.MOST_KERNELS :]):
        yield Paragraph([f"{more:,} more kernels break rules. `rows()` (`--format csv`) lists them."])
    for each in removed:
        yield facts([("fix", each.fix)], f"{listed(each.names)}: {each.problem}")
    if lines := list(remarks(check)):
        yield Paragraph(lines)


def _removed(check: Checked) -> Iterator[RemovedKernels]:
    names, gone, lacking = {name for name, _ in check.code}, list[Any](), list[Any]()
    for name, each in changes.named_records(check.removed):
        stable = stable_name(each.name)
        is_lacking = stable in names and (stable, each.arch) not in check.code
        (lacking if is_lacking else gone).append((name, each.arch))
    if gone:
        missing, on = (list(dict.fromkeys(each)) for each in zip(*gone, strict=True))
        fix = f"restore {'it' if len(missing) == 1 else 'them'}, or permit it with `allow_removed`"
        yield RemovedKernels(missing, ", ".join(arch or "-" for arch in on), "removed", fix)
    for archs, missing in changes.by_archs(lacking).items():
        yield RemovedKernels(missing, archs, f"without code for {archs}", f"build for {archs} again")


def _headline(check: Checked, removed: Sequence[RemovedKernels]) -> str:
    archs = count(len({record.arch for record in check.kernels}), "architecture") if check.kernels else ""
    where = f" ({', '.join(about)})" if (about := [*filter(None, [check.rules.source, archs])]) else ""
    kernels = count(number := count_kernels(check.kernels), "kernel")
    if check.passed:
        few = ("No rule applies", "The kernel passes", "Both kernels pass")
        return f"{few[number] if number < len(few) else f'All {kernels} pass'}{where}"
    broken = count_kernels([each.kernel.record for each in check.broken])
    share = f"{broken:,} of {kernels}" if broken < number else kernels
    parts = [f"{share} {'breaks' if broken == 1 else 'break'} a rule"] if broken else []
    parts += [f"{len(each.names):,} {each.problem}" for each in removed]
    return f"FAILED: {', '.join(parts)}{where}"


def remarks(check: Checked) -> Iterator[str]:
    """Yield lines about new, changed and exempt kernels, and about exemptions without effect."""
    for archs, added in changes.names_by_archs(check.added).items():
        yield f"New since the baseline ({archs}): {listed(added)}"
    changed = []
    for record, change in check.changed:
        name = "" if change.name == "name" else f"{short_name(record.name)} "
        changed.append((f"{name}{changes.phrase(*change)}", record.arch))
    for archs, texts in changes.by_archs(changed).items():
        yield f"Changed since the baseline ({archs}): {listed(texts)}"
    for archs, names in changes.names_by_archs(check.permitted).items():
        yield f"Removed, as allow_removed permits ({archs}): {listed(names)}"
    for exemption in check.ended:
        yield f"The exemption of {exemption.about} ended on {exemption.until}: {exemption.reason}"
    for exemption in filter(None, dict.fromkeys(each.exemption for each in check.exempt)):
        records = [each.kernel.record for each in check.exempt if each.exemption == exemption]
        why = f"{exemption.reason}{f', until {exemption.until}' if exemption.until else ''}"
        for archs, names in changes.names_by_archs(records).items():
            yield f"Exempt from {', '.join(exemption.rules) or 'all rules'} ({archs}): {listed(names)} ({why})"
    for entry, patterns in check.unused:
        kind = "exemption" if isinstance(entry, Exemption) else "rule" if entry else "allow_removed"
        place = f" in {entry.place}" if entry and entry.place else ""
        on = f" on {', '.join(arch.sm for arch in entry.arch)}" if entry and entry.arch else ""
        yield f"No kernel matches {', '.join(patterns)}{on} ({kind}{place})."


def check_findings(check: Checked) -> Iterator[Finding]:
    """Return a finding for each kernel that breaks rules, then for removed kernels."""
    for kernel in broken_by_name(check):
        archs = ", ".join(sorted((each.kernel.record.arch or "-" for each in kernel.on_archs), key=age))
        texts = kernel.facts()
        fix = f": {texts.pop()[1]}" if texts[-1][0] == "fix" else ""
        lines = [f"{kernel.name} breaks {join_and(kernel.criteria)}{fix}", *map(": ".join, texts)]
        first, text = kernel.on_archs[0].kernel, "\n".join(lines).replace("* threads", " assumed threads")
        yield kernel_finding(first, kernel.criteria[0], "error", text)._replace(arch=archs)
    records, baseline = dict(changes.named_records(check.removed)), check.rules.baseline or ""
    for each in _removed(check):
        message = f"{listed(each.names)} {each.problem}: {each.fix}"
        line = line_of(records[each.names[0]], baseline)
        yield Finding(baseline, line, "error", REMOVED, message, ", ".join(each.names), each.archs)


def check_cases(kernels: Iterable[KernelRecord], findings: Iterable[Finding]) -> list[Finding]:
    """Return a finding for each kernel with all its messages, none if it passes, then other findings."""
    files = ((each.demangled, each.file or each.source, each.line if each.file else None) for each in kernels)
    cases = {name: Finding(file, line, "", "", "", name, None) for name, file, line in files}
    for each in findings:
        first = cases.setdefault(each.kernel, each._replace(message=""))
        text = f"{first.message}\n{each.message}".lstrip()
        cases[each.kernel] = each._replace(file=first.file, line=first.line, message=text)
    return list(cases.values())


class FailedCheck(NamedTuple):
    """Check that could not run, with its errors and their messages."""

    errors: Sequence[OccupancyError]
    messages: Sequence[str]

    def report(self) -> Report:
        headline, details = ["FAILED: the check could not run"], [Paragraph(self.messages)]
        return Report("check", headline, (), (), details=details, values={"passed": False})

    def findings(self, *, with_passed: bool = False) -> list[Finding]:
        """Return a finding for each error, at the source line in a compiler's message or at its place."""
        findings = []
        for error, message in zip(self.errors, self.messages, strict=True):
            file, line, _ = error.place or Place("", None)
            if source := _SOURCE.search(error.problem):
                beside_log = os.path.join(os.path.dirname(file), source[1])
                file = beside_log if os.path.exists(beside_log) else source[1]
                line = int(source[2])
            findings.append(Finding(file, line, "error", "could-not-run", message, "check", None))
        return check_cases((), findings) if with_passed else findings
