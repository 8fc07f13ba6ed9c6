"""The answer to ``occupancy scan`` as a page to open: all kernels, sorted and filtered in the browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..builds.attention import spilled_bytes
from ..builds.kernel_names import stable_name
from ..builds.scanner import Scanner, ScanRow
from ..readers import KernelRecord
from ..render import words
from ..render.table_page import Cell, Kind, PageColumn, table_page
from .scan import ScanReport, architecture_rows, footnotes, summary
from .scan_columns import columns_of, short_name

_NUMBERS: dict[str, Callable[[ScanRow], float | None]] = {
    "Regs": lambda row: row.regs,
    "Static": lambda row: row.static_smem,
    "Dynamic": lambda row: row.dynamic_smem,
    "Shared": lambda row: row.smem,
    "Bar": lambda row: row.barriers,
    "Bound": lambda row: row.max_threads,
    "Stack": lambda row: row.stack_bytes,
    "Spills": spilled_bytes,
    "Launches": lambda row: row.launches,
    "Time": lambda row: row.duration_us,
    "Threads": lambda row: row.threads,
    "Occ.": lambda row: row.occupancy,
    "Reported": lambda row: row.reported_occupancy,
    "Waves": lambda row: row.waves,
}
"""What the columns that are no texts are sorted by."""

_CHOICES = ("Arch", "Limited by", "File")
_SHARES = ("Occ.",)
CHANGE = 3
"""The place of the column of changes: beside the occupancy."""
BECOMES = "\N{NO-BREAK SPACE}\N{RIGHTWARDS ARROW}"
_FIRST = ("Arch", "Occ.", "Limited by")


class Change(NamedTuple):
    """What became of a kernel since the baseline."""

    text: str
    points: float | None
    """Of occupancy, 0 to 1, more than in the baseline; None where the two cannot be compared."""


def changes_since(
    rows: Sequence[ScanRow], baseline: Sequence[KernelRecord], scanner: Scanner
) -> list[Change]:
    """A change for each row, at the block size of the row; the occupancy first, then what a block needs."""
    known = {(stable_name(record.name), record.arch): record for record in baseline}
    return [_change(row, known.get((stable_name(row.name), row.arch)), scanner) for row in rows]


def _change(row: ScanRow, old: KernelRecord | None, scanner: Scanner) -> Change:
    if old is None:
        return Change("not in it", None)
    if old.threads is None and row.threads is not None:
        old = replace(old, threads=row.threads, threads_from=row.threads_from)
    was = scanner.verdict(old).occupancy
    parts = []
    points = None
    if was is not None and row.occupancy is not None:
        points = row.occupancy - was
        if points:
            parts.append(f"{words.percent(was)}{BECOMES} {words.percent(row.occupancy)}")
    needs = (
        ("regs", old.regs, row.regs),
        ("static", old.static_smem, row.static_smem),
        ("stack", old.stack_bytes, row.stack_bytes),
        ("spills", spilled_bytes(old), spilled_bytes(row)),
    )
    parts += [
        f"{name} {one:,}{BECOMES} {two:,}"
        for name, one, two in needs
        if one is not None and two is not None and one != two
    ]
    return Change(", ".join(parts) or "the same", points)


def scan_page(report: ScanReport, changes: Sequence[Change] = (), baseline: str = "") -> str:
    """The page.

    Args:
        report: What was found, all of it.
        changes: What became of each kernel since the baseline, where there is one.
        baseline: What the baseline is called.
    """
    # What matters first: a narrow window shows the left of the table.
    shown = sorted(columns_of(report.kernels), key=lambda column: column.title not in _FIRST)
    columns = [PageColumn("Kernel")]
    columns += [PageColumn(each.title, _kind(each.title), each.title in _CHOICES) for each in shown]
    if changes:
        columns.insert(CHANGE, PageColumn("Change", "change"))

    def rows() -> Iterator[list[Cell]]:
        for number, row in enumerate(report.kernels):
            line: list[Cell] = [short_name(row)]
            for column in shown:
                value = _NUMBERS.get(column.title)
                text = column.cell(row)
                line.append(text if value is None else (value(row), text))
            if changes:
                line.insert(CHANGE, (changes[number].points, changes[number].text))
            yield line

    lead = [summary(report), *([f"Compared with {words.printable(baseline)}."] if changes else [])]
    problems = [words.printable(str(problem)) for problem in report.problems[:MOST_PROBLEMS]]
    facts = architecture_rows(report.overview) if len(report.overview.architectures) > 1 else ()
    return table_page("Occupancy", lead, facts, columns, rows(), [*footnotes(report), *problems])


MOST_PROBLEMS = 20
"""That are named below the table."""


def _kind(title: str) -> Kind:
    if title in _SHARES:
        return "share"
    return "number" if title in _NUMBERS else "text"
