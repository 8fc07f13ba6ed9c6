"""What of a scan, and of a comparison, a service that scans code is told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...builds.attention import LOW, spilled_bytes
from ...builds.kernel_names import stable_name
from ...builds.scan_row import ScanRow
from ...compare.diff import DiffRow
from ...render import words
from ...render.sarif import Finding, FoundRule
from .change_words import change_in_words
from .diff import DiffReport
from .missing import GONE, title

SCANNED = {
    "does_not_launch": FoundRule("The kernel does not launch", "warning"),
    "spills": FoundRule("The kernel spills registers", "warning"),
    "low_occupancy": FoundRule(f"The occupancy is below {words.percent(LOW)}", "note"),
}
"""What a scan tells. It has no rules to break, so that nothing of it is an error."""

COMPARED = {
    "worse": FoundRule("The kernel got worse", "warning"),
    "mixed": FoundRule("The kernel got worse in one thing and better in another", "note"),
    "removed": FoundRule("The kernel is gone", "note"),
}
"""What a comparison tells."""


def scan_findings(rows: Iterable[ScanRow]) -> Iterator[Finding]:
    """Why kernels deserve a look; of each the first of `SCANNED` that is so."""
    for row in rows:
        rule, message = _why(row)
        if rule:
            yield finding(rule, row, message)


def _why(row: ScanRow) -> tuple[str, str]:
    at = f" at {words.count(row.threads, 'thread')}" if row.threads else ""
    if row.launchable is False:
        return "does_not_launch", f"does not launch{at}: {row.reason}"
    if spilled := spilled_bytes(row):
        return "spills", f"spills {words.size(spilled)} of registers"
    if row.occupancy is not None and row.occupancy < LOW:
        limits = words.listing(list(map(words.name, row.limiters)))
        return "low_occupancy", f"{words.percent(row.occupancy)} occupancy{at}, limited by {limits}"
    return "", ""


def diff_findings(report: DiffReport) -> Iterator[Finding]:
    """The kernels that got worse, and those that are gone."""
    for row in report.kernels:
        if row.verdict in COMPARED:
            yield finding(row.verdict, row.new, _change(row))
    for gone in report.removed:
        yield finding("removed", gone, GONE.replace("baseline", "old build"))


def _change(row: DiffRow) -> str:
    return f"{row.verdict}: {change_in_words(row.old, row.new, deciding=row.deciding)}"


def finding(rule: str, row: ScanRow, message: str) -> Finding:
    """What is said of a kernel, which the service knows again by its name, its architecture and the rule."""
    return Finding(
        rule=rule,
        message=f"{title(row)}: {message.rstrip('.')}.",
        name=row.demangled,
        file=row.file or row.source,
        line=row.line,
        fingerprint=f"{stable_name(row.name)} {row.arch} {rule}",
    )
