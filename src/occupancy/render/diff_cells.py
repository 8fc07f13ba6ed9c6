"""How a change is shown to a person: the cells of a row, for every kind of text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ..builds.diff import DiffRow, DiffSummary
from ..builds.measures import measures
from ..builds.scanner import ScanRow
from ..report.diff import DiffReport
from . import scan_cells, words


class Column(NamedTuple):
    """A column of the table of changes."""

    title: str
    value: Callable[[ScanRow], str]
    """What is shown of one side; empty where it is not known."""
    is_always_there: bool = False

    def cell(self, row: DiffRow) -> str:
        """``64 -> 72``, or ``64`` where nothing changed."""
        old, new = self.value(row.old), self.value(row.new)
        return new if old == new else f"{old or '?'} -> {new or '?'}"


def _size(amount: int | None) -> str:
    if amount is None:
        return ""
    return words.size(amount).replace(" bytes", " B") if amount else "0"


def _occupancy(row: ScanRow) -> str:
    return "" if row.occupancy is None else words.percent(row.occupancy)


def _limiters(row: ScanRow) -> str:
    if row.launchable is False:
        return "no launch"
    return words.short_names(row.limiters)


COLUMNS = (
    Column("Arch", scan_cells.architecture, is_always_there=True),
    Column("Occ.", _occupancy, is_always_there=True),
    Column("Limited by", _limiters),
    Column("Regs", lambda row: words.number(row.registers, "")),
    Column("Spills", lambda row: _size(measures(row).spill_bytes)),
    Column("Stack", lambda row: _size(row.stack_bytes)),
    Column("Shared", lambda row: _size(measures(row).shared_memory)),
    Column("Bar", lambda row: words.number(row.barriers, "")),
    Column("Threads", lambda row: words.number(row.threads, "")),
)


def columns_of(rows: Sequence[DiffRow]) -> list[Column]:
    """The columns in which something changed."""
    return [
        column
        for column in COLUMNS
        if column.is_always_there or any(column.value(row.old) != column.value(row.new) for row in rows)
    ]


def columns_apart(rows: Sequence[ScanRow]) -> list[Column]:
    """The columns for kernels that are in one build only, as far as they have something to say."""
    return [each for each in COLUMNS if any(each.value(row) not in ("", "0") for row in rows)]


def name(row: DiffRow) -> str:
    """The kernel's name; both of them where it changed."""
    old, new = scan_cells.short_name(row.old), scan_cells.short_name(row.new)
    return new if old == new else f"{old} -> {new}"


def summary(report: DiffReport) -> str:
    """How many kernels there are of each kind: ``8 kernels in both builds: 2 worse, 6 the same; 1 added.``"""
    count = report.summary
    both = count.worse + count.mixed + count.other + count.better + count.same
    head = f"{words.count(both, 'kernel')} in both builds: " if both else "No kernel is in both builds: "
    return f"{head}{kinds(count)}."


def kinds(count: DiffSummary) -> str:
    """``2 worse, 1 mixed and 6 the same; 1 added``."""
    in_both = {
        "worse": count.worse,
        "mixed": count.mixed,
        "otherwise changed": count.other,
        "better": count.better,
        "the same": count.same,
    }
    groups = (in_both, {"added": count.added, "removed": count.removed})
    texts = [[f"{number:,} {kind}" for kind, number in group.items() if number] for group in groups]
    return "; ".join(words.listing(text) for text in texts if text) or "none"


def footnotes(report: DiffReport) -> Iterator[str]:
    """What the numbers rest on."""
    rows = [*(row for pair in report.kernels for row in (pair.old, pair.new)), *report.added, *report.removed]
    by_base = sum(row.matched_by == "base_name" for row in report.kernels)
    if by_base:
        yield f"{words.count(by_base, 'kernel')} matched by the base name, as the rest of the name changed."
    old, new = ({row.arch or "unknown" for row in side} for side in _sides(report))
    for archs, build in ((old - new, report.old), (new - old, report.new)):
        if archs:
            yield f"Only in {build}: kernels for {words.listing(sorted(archs))}."
    yield from assumptions(rows)
    if report.threshold:
        yield (
            f"Changes of up to {report.threshold:g}% of the larger value, or {report.threshold:g} points of "
            "occupancy, count as none."
        )


def _sides(report: DiffReport) -> tuple[list[ScanRow], list[ScanRow]]:
    old = [row.old for row in report.kernels]
    new = [row.new for row in report.kernels]
    return [*old, *report.removed], [*new, *report.added]


def assumptions(rows: Sequence[ScanRow]) -> Iterator[str]:
    """Which block sizes the occupancy is for where no source states them."""
    threads = {(row.threads_from, row.threads) for row in rows if row.occupancy is not None}
    origins = {origin for origin, _ in threads}
    given = [number for origin, number in threads if origin == "option" and number is not None]
    if given:
        yield f"For blocks of {given[0]:,} threads where a file does not state the block size."
    if any(row.occupancy is not None and row.dynamic_smem is None and row.smem is None for row in rows):
        yield "Dynamic shared memory that no file states counts as none."
    unknown = [text for origin, text in ORIGINS.items() if origin in origins]
    if unknown:
        yield f"Where no block size is known, the occupancy is for {', else for '.join(unknown)}."


ORIGINS = {"launch_bounds": "the launch bound", "best": "the best block size"}
