"""The answer to ``occupancy scan``: the kernels that files hold, with their registers and occupancy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..builds.attention import LOW
from ..builds.overview import ArchitectureOverview, Overview
from ..builds.scanner import ScanRow
from ..builds.selection import WORST, Order
from ..builds.traces import LOW_IN_TIME, is_traced
from ..readers import ReadProblem
from ..render import words
from ..render.document import (
    Block,
    Bullets,
    Column,
    Document,
    GroupedTable,
    Heading,
    Paragraph,
    Table,
    Together,
)
from ..values.dataclass import dataclass
from .base import Report
from .calc import in_a_cell
from .scan_columns import BLOCKS, LAST, architecture, columns_of, if_there_is_room
from .scan_notes import MOST_IN_FULL, footnotes
from .scan_table import table_of
from .source_files import file_names
from .spill_words import cost_in_a_cell, spilling_to_shared

MOST_NAMED = 3
"""Files of a table that its heading names."""


@dataclass(frozen=True, slots=True)
class ScanReport(Report):
    """Everything that ``occupancy scan`` found."""

    kernels: tuple[ScanRow, ...]
    sort: Order | None
    """The order of the kernels; null: as they were found."""
    reverse: bool
    """Whether they begin with the other end of it."""
    found: int
    """How many kernels and launches the sources hold, wanted or not."""
    time_us: float
    """Microseconds of all launches of traces that the sources hold, wanted or not."""
    overview: Overview
    """What was found and is wanted, in numbers, whether all of it is among ``kernels`` or not."""
    spills_from: tuple[str, ...]
    """The logs of the compiler that say what the kernels of other files spill."""
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
        tables = self._tables(columns, is_command)
        notes = Bullets(list(footnotes(self, is_command=is_command)), "faint")
        if self.overview.kernels <= MOST_IN_FULL or len(self.kernels) >= self.overview.kernels:
            return *tables, Together([Paragraph(summary(self)), notes])
        return (
            Paragraph(summary(self)),
            _by_architecture(self.overview),
            Paragraph(_what_is_shown(self)),
            *tables,
            Together([*_where_the_rest_is(self, is_command), notes]),
        )

    def _tables(self, columns: Sequence[str], is_command: bool) -> list[Block]:
        """The kernels; where launches of traces stand in an order of their own, in a table of their own."""
        if not _has_two_orders(self):
            return [self._table(self.kernels, columns, is_command)]
        parts = [[row for row in self.kernels if is_traced(row) == of_traces] for of_traces in (False, True)]
        orders = _FIRST["occupancy", False], _FIRST["time", False]
        return [
            Together([Heading(f"{_sources(rows)}, {order}"), self._table(rows, columns, is_command)])
            for rows, order in zip(parts, orders, strict=True)
        ]

    def _table(self, rows: Sequence[ScanRow], columns: Sequence[str], is_command: bool) -> GroupedTable:
        is_excerpt = self.sort == WORST and len(self.kernels) < self.overview.kernels
        shown = columns_of(rows, columns, is_excerpt=is_excerpt, logs=self.spills_from)
        if not columns:
            # The same share is of other blocks on other architectures, which would need a row each.
            needless = [BLOCKS if only_architecture(self) is None else "Arch"]
            if self.sort == "spills":
                needless.append(LAST)  # who asks what spills is not helped by fewer registers
            shown = [column for column in shown if column.title not in needless]
        room = ((), ()) if columns else if_there_is_room(rows)
        return table_of(rows, shown, *room, self._cure(is_command))

    def _cure(self, is_command: bool) -> str:
        """How to see columns for which there was no room."""
        if not is_command:
            return "to_dict() has them."
        return "--columns shows those that it names, --format csv all."


def csv_row(row: ScanRow) -> dict[str, Any]:
    """A row of the CSV: the next step is one cell, and so is what spills cost."""
    step, cost = row.next_step, row.spill_cost
    cells = {"next_step": step and in_a_cell(step), "spill_cost": cost and cost_in_a_cell(cost)}
    return {**row.to_dict(), **cells}


def summary(report: ScanReport) -> str:
    """How much was found, in which order it is shown, and how much of it deserves a look."""
    overview = report.overview
    kernels, launches = overview.kernels - overview.launch_rows, overview.launches
    parts = []
    if kernels:
        parts.append(words.count(kernels, "kernel"))
    if launches:
        parts.append("1 launch" if launches == 1 else f"{launches:,} launches")
    found = words.listing(parts) if parts else "no kernels"
    is_of_traces = 0 < overview.traced == overview.kernels
    if is_of_traces:
        found = f"{words.count(overview.functions, 'kernel')} in {found}"
    arch = only_architecture(report)
    of = "" if launches + kernels == report.found else f" of {report.found:,} found"
    is_short = overview.kernels <= MOST_IN_FULL
    has_names = not is_short and 1 < overview.functions < kernels
    shown = is_short and len(report.kernels) < overview.kernels
    has_order = is_short and len(report.kernels) > 1 and not _has_two_orders(report)
    details = [
        f" for {words.printable(arch)}" if arch else "",
        of,
        f" of {words.count(overview.functions, 'name')}" if has_names else "",
        f", {overview.not_chosen:,} of them not chosen by an autotuner" if overview.not_chosen else "",
        f", {len(report.kernels):,} shown" if shown else "",
        f", {order_in_words(report)}" if has_order else "",
    ]
    facts = [*_of_the_kernels(overview, is_of_traces), *_of_the_time(report)]
    return f"{found}{''.join(details)}{'; ' if facts else ''}{', '.join(facts)}."


def _of_the_kernels(overview: Overview, is_of_traces: bool) -> Iterator[str]:
    """How many deserve a look, for each reason."""
    failing = overview.does_not_launch
    if overview.below_half > failing and not is_of_traces:
        of_these = f", of which {failing:,} {_do_not_launch(failing)}" if failing else ""
        yield f"{overview.below_half:,} below {words.percent(LOW)}{of_these}"
    elif failing:
        yield f"{failing:,} {_do_not_launch(failing)}"
    if overview.spilling:
        names = overview.spilling_functions
        yield f"{overview.spilling:,} spilling" + (f" ({names:,} names)" if names < overview.spilling else "")
    if to_shared := spilling_to_shared(overview):
        yield to_shared


def _do_not_launch(number: int) -> str:
    return "does not launch" if number == 1 else "do not launch"


def only_architecture(report: ScanReport) -> str | None:
    """The architecture of all kernels, where there is nothing else to say of it."""
    archs = {each.arch for each in report.overview.architectures}
    archs |= {architecture(row) for row in report.kernels}
    return archs.pop() if len(archs) == 1 else None


_FIRST: dict[tuple[Order, bool], str] = {
    ("occupancy", False): "lowest occupancy first",
    ("occupancy", True): "highest occupancy first",
    ("regs", False): "most registers first",
    ("regs", True): "fewest registers first",
    ("spills", False): "most spills first",
    ("spills", True): "fewest spills first",
    ("stack", False): "largest stack first",
    ("stack", True): "smallest stack first",
    ("time", False): "longest first",
    ("time", True): "shortest first",
    (WORST, False): "worst first",
}


def order_in_words(report: ScanReport) -> str:
    """``lowest occupancy first``; that is also the order where none was asked for."""
    if _has_two_orders(report):
        return "each in its order"
    return _FIRST[report.sort or "occupancy", report.reverse]


def _has_two_orders(report: ScanReport) -> bool:
    """Whether launches of traces stand by their time, after what has none."""
    return report.sort is None and len({is_traced(row) for row in report.kernels}) > 1


def _sources(rows: Sequence[ScanRow]) -> str:
    """The files that these were read from: ``pytorch_trace.json``."""
    name = file_names(rows)
    files = list(dict.fromkeys(map(name, rows)))
    return words.listing(files) if len(files) <= MOST_NAMED else words.count(len(files), "file")


def _of_the_time(report: ScanReport) -> Iterator[str]:
    """How much of the time of traces had a low occupancy."""
    overview = report.overview
    if overview.traced and report.time_us:
        low = words.percent(overview.time_up_to_quarter_us / report.time_us)
        unknown = words.percent(overview.time_not_known_us / report.time_us)
        of_it = "the time" if overview.traced == overview.kernels else "the traces' time"
        not_known = f", {unknown} not known" if overview.time_not_known_us else ""
        yield f"{low} of {of_it} at {words.percent(LOW_IN_TIME)} occupancy or less{not_known}"


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
    order, matching = order_in_words(report), overview.matching
    if matching == overview.kernels:
        return f"{shown:,} of them, {order}:"
    first = "" if shown == matching else f"first {shown:,} of the "
    limited = ", ".join(
        f"{words.short_names([resource])} {number:,}"
        for resource, number in overview.matching_limited_by.items()
    )
    by = f"; limited by: {limited}" if limited and report.sort != "spills" else ""
    return f"The {first}{matching:,} that match, {order}{by}:"


def _where_the_rest_is(report: ScanReport, is_command: bool) -> Iterator[Paragraph]:
    """How to see the kernels that were left out."""
    wanted = report.overview.matching
    if report.sort != WORST and len(report.kernels) >= wanted:
        return
    archs = [each.arch for each in report.overview.architectures if each.arch is not None]
    one_arch = f", --arch {words.printable(archs[-1])} those for one" if len(archs) > 1 else ""
    yield Paragraph(
        f"--all shows all {wanted:,}, --limit N so many{one_arch}; --format csv has all, with whole names."
        if is_command
        else f"limit=N shows so many; the scan itself holds all {wanted:,}."
    )
