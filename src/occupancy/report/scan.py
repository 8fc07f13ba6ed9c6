"""The answer to ``occupancy scan``: the kernels that files hold, with their registers and occupancy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..builds.attention import LOW
from ..builds.overview import ArchitectureOverview, Overview
from ..builds.scanner import ScanRow
from ..builds.selection import WORST, Order
from ..builds.traces import LOW_IN_TIME
from ..readers import ReadProblem
from ..render import words
from ..render.document import (
    Block,
    Bullets,
    Cell,
    Column,
    Document,
    GroupColumn,
    GroupedTable,
    GroupRow,
    Paragraph,
    Table,
    Together,
    graded,
)
from ..values.dataclass import dataclass
from .base import Report
from .calc import in_a_cell
from .scan_columns import LAST, columns_of, if_there_is_room, short_name
from .scan_columns import Column as KernelColumn

MOST_IN_FULL = 60
"""More kernels than this are not shown to people one by one unless that was asked for."""


@dataclass(frozen=True, slots=True)
class ScanReport(Report):
    """Everything that ``occupancy scan`` found."""

    kernels: tuple[ScanRow, ...]
    sort: Order | None
    """The order of the kernels; null: as they were found."""
    found: int
    """How many kernels and launches the sources hold, wanted or not."""
    time_us: float
    """Microseconds of all launches of traces that the sources hold, wanted or not."""
    overview: Overview
    """What was found and is wanted, in numbers, whether all of it is among ``kernels`` or not."""
    problems: tuple[ReadProblem, ...]
    """What could not be read."""

    def rows(self) -> Iterable[Mapping[str, Any]]:
        """A row for each kernel."""
        return map(csv_row, self.kernels)

    def headline(self) -> str:
        """How many kernels there are, and of which kind."""
        return summary(self)

    def _repr_html_(self) -> str:
        """For a notebook, which has no options of a command."""
        from ..render.html import html

        return html(self.document(is_command=False))

    def document(self, columns: Sequence[str] = (), *, is_command: bool = True) -> Document:
        """Under each kernel's name a row for each architecture or launch; then what the numbers rest on.

        Where only some are shown, the numbers of all stand before them.

        Args:
            columns: The fields to show, instead of those that have something to say.
            is_command: Whether options of the command are named, and not arguments of the function.
        """
        is_excerpt = self.sort == WORST and len(self.kernels) < self.overview.kernels
        shown = [
            GroupColumn(column.title, [_cell(column, row) for row in self.kernels], column.is_number)
            for column in columns_of(self.kernels, columns, is_excerpt=is_excerpt)
        ]
        rows = [GroupRow(row.group, short_name(row)) for row in self.kernels]
        table = GroupedTable("Kernel", rows, shown, () if columns else if_there_is_room(self.kernels), LAST)
        notes = Bullets(list(footnotes(self, is_command=is_command)), "faint")
        if self.overview.kernels <= MOST_IN_FULL or len(self.kernels) >= self.overview.kernels:
            return table, Together([Paragraph(summary(self)), notes])
        return (
            Paragraph(summary(self)),
            _by_architecture(self.overview),
            Paragraph(_what_is_shown(self)),
            table,
            Together([*_where_the_rest_is(self, is_command), notes]),
        )


def csv_row(row: ScanRow) -> dict[str, Any]:
    """A row of the CSV: the next step is one cell."""
    return {**row.to_dict(), "next_step": None if row.next_step is None else in_a_cell(row.next_step)}


MOST_NOTES = 4
"""In a footnote; the JSON has each with its kernel."""


def summary(report: ScanReport) -> str:
    """How much was found, and how much of it deserves a look."""
    overview = report.overview
    launches = overview.launches
    kernels = overview.kernels - overview.launch_rows
    parts = []
    if kernels:
        parts.append(words.count(kernels, "kernel"))
    if launches:
        parts.append("1 launch" if launches == 1 else f"{launches:,} launches")
    found = words.listing(parts) if parts else "no kernels"
    is_of_traces = 0 < overview.traced == overview.kernels
    if is_of_traces:
        found = f"{words.count(overview.functions, 'kernel')} in {found}"
    of = "" if launches + kernels == report.found else f" of {report.found:,} found"
    is_short = overview.kernels <= MOST_IN_FULL and len(report.kernels) < overview.kernels
    shown = f", {len(report.kernels):,} shown" if is_short else ""
    names = f" of {words.count(overview.functions, 'name')}" if 1 < overview.functions < kernels else ""
    candidates = (
        f", {overview.not_chosen:,} of them not chosen by an autotuner" if overview.not_chosen else ""
    )
    facts = [
        *_of_the_time(report),
        *(
            f"{number:,} {what}"
            for number, what in (
                (0 if is_of_traces else overview.below_half, f"below {words.percent(LOW)}"),
                (overview.spilling, "spilling"),
                (overview.does_not_launch, "not launching"),
            )
            if number
        ),
    ]
    names = names if overview.kernels > MOST_IN_FULL else ""
    return f"{found}{of}{names}{candidates}{shown}{'; ' if facts else ''}{', '.join(facts)}."


def _cell(column: KernelColumn, row: ScanRow) -> Cell:
    text = column.cell(row)
    return graded(text, row.occupancy) if column.fields == ("occupancy",) else text


def _of_the_time(report: ScanReport) -> Iterator[str]:
    """How much of the time of traces had a low occupancy."""
    overview = report.overview
    if overview.traced and report.time_us:
        low = words.percent(overview.time_below_quarter_us / report.time_us)
        yield f"{low} of the time below {words.percent(LOW_IN_TIME)}"
        if overview.time_not_known_us:
            yield f"{words.percent(overview.time_not_known_us / report.time_us)} of it not known"


def _by_architecture(overview: Overview) -> Block:
    """The numbers of each architecture, and of all."""
    head, *rows = architecture_rows(overview)
    columns = [
        Column(title, is_number=title not in ("Arch", "Limited by"), least=24 if title == head[-1] else None)
        for title in head
    ]
    last = (len(rows) - 1,) if len(rows) > 1 else ()
    return Table(columns, rows, marked=last, splits=False)


def architecture_rows(overview: Overview) -> list[list[str]]:
    """A header, a row for each architecture, and one for all where there are several."""
    has_spills = overview.spills_known > 0
    has_stack = any(each.with_stack for each in overview.architectures)

    def line(each: ArchitectureOverview) -> list[str]:
        below = f"{each.below_half:,}" if each.answered else "?"
        spilling = "?" if each.spilling is None else f"{each.spilling:,}"
        return [
            words.printable(each.arch or "unknown"),
            f"{each.kernels:,}",
            below,
            *([spilling] if has_spills else []),
            *([f"{each.with_stack:,}"] if has_stack else []),
            ", ".join(
                f"{words.short_names([resource])} {words.whole_percent(count / max(1, each.answered))}"
                for resource, count in each.limited_by.items()
                if 100 * count >= each.answered
            ),
        ]

    head = ["Arch", "Kernels", f"Below {words.percent(LOW)}"]
    head += ["Spilling"] if has_spills else []
    head += ["With a stack"] if has_stack else []
    rows = [line(each) for each in overview.architectures]
    if len(rows) > 1:
        rows.append(line(overview.total()))
    return [[*head, "Limited by"], *rows]


def _what_is_shown(report: ScanReport) -> str:
    """Which kernels follow, and how to see the others."""
    overview, shown = report.overview, len(report.kernels)
    if not report.kernels:
        return "None of them is what was asked for." if overview.kernels else ""
    if report.sort == WORST:
        reasons = words.number(overview.deserve_a_look, "")
        return f"The {shown:,} that most deserve a look, one of each template ({reasons} have a reason):"
    if report.overview.matching < overview.kernels:
        first = "" if shown == report.overview.matching else f"first {shown:,} of the "
        by = "" if report.sort is None else f", by {report.sort}"
        return f"The {first}{report.overview.matching:,} that match{by}{_may_spill(report)}:"
    return f"{shown:,} of them{'' if report.sort is None else f', by {report.sort}'}:"


def _may_spill(report: ScanReport) -> str:
    """How many are there for their stack alone, which the summary does not count as spilling."""
    may = sum(is_stack_of_unknown_spills(row) for row in report.kernels)
    if report.sort != "spills" or not may:
        return ""
    return f" ({may:,} of them by their stack: no file says what they spill)"


def _where_the_rest_is(report: ScanReport, is_command: bool) -> Iterator[Paragraph]:
    """How to see the kernels that were left out."""
    wanted = report.overview.matching
    if report.sort != WORST and len(report.kernels) >= wanted:
        return
    yield Paragraph(
        f"--all shows all {wanted:,}, --limit N so many; --format csv is whole."
        if is_command
        else f"limit=N shows so many; the scan itself holds all {wanted:,}."
    )


def is_stack_of_unknown_spills(row: ScanRow) -> bool:
    """Whether it has a stack, and no file says whether that is of spills."""
    return bool(row.stack_bytes) and row.spill_store_bytes is row.spill_load_bytes is None


def _notes(row: ScanRow) -> Iterator[str]:
    if row.reason is not None:
        yield f"Does not launch: {row.reason}"
    for note in row.notes:
        yield note[:1].upper() + note[1:].rstrip(".") + "."


def footnotes(report: ScanReport, *, is_command: bool = True) -> Iterator[str]:
    """What the numbers rest on.

    Args:
        report: The report.
        is_command: See `ScanReport.document`.
    """
    rows = report.kernels
    yield from _unsorted(report)
    origins = {row.threads_from for row in rows if row.occupancy is not None}
    if "best" in origins:
        option = "--threads" if is_command else "threads="
        yield f"best: the block size with the highest occupancy; {option} says which one you launch with."
    if "launch_bounds" in origins:
        yield "bound: the largest block that the kernel was compiled for."
    if any(row.occupancy is not None and row.dynamic_smem is None and row.smem is None for row in rows):
        yield "Dynamic shared memory is chosen at launch; where it is not known it counts as none."
    if any(map(is_stack_of_unknown_spills, rows)):
        yield "Stack: spills, or arrays that variables index; what ptxas -v prints tells them apart."
    ours = sorted({row.cc for row in rows if row.what_if and row.cc})
    if ours:
        yield (
            f"What if: compiled for another architecture, answered for {words.listing(ours)}; "
            "a compiler for that one may use other registers."
        )
    notes = list(dict.fromkeys(note for row in rows for note in _notes(row)))
    yield from notes[:MOST_NOTES]
    if len(notes) > MOST_NOTES:
        where = "--format json" if is_command else "to_dict()"
        yield f"{words.count(len(notes) - MOST_NOTES, 'more note')} in {where}."


def _unsorted(report: ScanReport) -> Iterator[str]:
    """That an order is none, because nothing that was found has what to sort by."""
    overview = report.overview
    if missing := missing_for(report.sort, overview):
        yield f"Not sorted by {report.sort}: {missing}."


def missing_for(sort: Order | None, overview: Overview) -> str:
    """What no kernel has that they were to be sorted by; empty where some have it."""
    if sort == "spills" and not overview.spills_known:
        has_stack = any(each.with_stack for each in overview.architectures)
        return (
            f"no file says what spills{', so by the stack' if has_stack else ''}; the output of ptxas -v does"
        )
    if sort == "time" and not overview.times_known:
        return "no file has times; profiles have them"
    return ""
