"""What people see of a scan."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ...builds.attention import LOW, spilled_bytes
from ...builds.excerpt import Excerpt
from ...builds.overview import ArchitectureOverview, Overview
from ...builds.scan_row import ScanRow
from ...builds.selection import WORST
from ...render import words
from ...render.document import (
    Block,
    Bullets,
    Column,
    Document,
    GroupedTable,
    Heading,
    Marked,
    Paragraph,
    Table,
    Together,
)
from ...values.asking import Asking
from ...values.dataclass import dataclass
from ..arch_words import architecture_and_others, architectures, chosen_code
from ..source_files import MOST_FILES, file_names
from .columns import ARCH, BLOCKS, LAST, STACK, Asked, all_of, columns_of, if_there_is_room
from .notes import footnotes
from .summary import ORDER_IN_WORDS, do_not_launch, has_two_orders, only_architecture, order_in_words, summary
from .table import table_of

if TYPE_CHECKING:
    from .report import ScanReport

LIMITED_BY = "Limited by"


@dataclass(frozen=True, slots=True)
class ScanScreen:
    """What people see of a scan: of very many kernels the first."""

    report: ScanReport
    """With the kernels that are shown."""
    excerpt: Excerpt | None
    """What is known of those that are not; None where there are not so many."""
    archs: Collection[str | None]
    """The architectures of all kernels that the sources hold, wanted or not."""

    def document(self, columns: Sequence[Asked] = ()) -> Document:
        """Under each kernel's name a row for each architecture or launch; then what the numbers rest on.

        Where only some are shown, the numbers of all stand before them.

        Args:
            columns: What to show, instead of what has something to say.
        """
        report = self.report
        tables = self._tables(columns)
        said = [Paragraph(each) for each in (summary(report), chosen_code(report.runs_on)) if each]
        notes = Bullets(list(footnotes(report)), "faint")
        if self.excerpt is None or len(report.kernels) >= report.overview.kernels:
            return *tables, Together([*said, notes])
        return (
            Together(said),
            Together(list(_by_architecture(report.overview))),
            Paragraph(_what_is_shown(report, self.excerpt)),
            *tables,
            Together([*_where_the_rest_is(report, self.excerpt), notes]),
        )

    def _tables(self, columns: Sequence[Asked]) -> list[Block]:
        """The kernels; where launches of traces stand in an order of their own, in a table of their own."""
        kernels = self.report.kernels
        if not has_two_orders(self.report):
            return [self._table(kernels, columns)]
        parts = [[row for row in kernels if row.is_traced == of_traces] for of_traces in (False, True)]
        orders = ORDER_IN_WORDS["occupancy", False], ORDER_IN_WORDS["time", False]
        return [
            Together([Heading(f"{_sources(rows)}, {order}"), self._table(rows, columns)])
            for rows, order in zip(parts, orders, strict=True)
        ]

    def _table(self, rows: Sequence[ScanRow], columns: Sequence[Asked]) -> GroupedTable:
        report = self.report
        shown = columns_of(rows, columns, with_reasons=report.sort == WORST, logs=report.spill_logs)
        if not columns:
            # The same share is of other blocks on other architectures, which would need a row each.
            needless = [BLOCKS if only_architecture(report) is None else ARCH]
            if report.sort == "spills":
                needless.append(LAST)  # who asks what spills is not helped by fewer registers
                if self._archs_of and all(map(spilled_bytes, rows)):
                    needless.append(STACK)  # it holds what is spilled; the architectures have its room
            shown = [column for column in shown if column.title not in needless]
        room = all_of(shown) if columns else if_there_is_room(rows)
        return table_of(rows, shown, self._archs, *room)

    @property
    def _archs_of(self) -> Mapping[str, Collection[str | None]]:
        """The architectures for which there is a kernel of each name, where each is one row; else none."""
        return self.excerpt.archs_of if self.excerpt is not None and self.excerpt.is_by_name else {}

    def _archs(self, rows: Sequence[ScanRow]) -> tuple[str, str]:
        """The architectures of what is one row of the table, and the same where room is scarce; where each
        name is one row, those that have a kernel of the name, too."""
        if self._archs_of:
            return architecture_and_others(rows[0], self._archs_of[rows[0].group], self.archs)
        return architectures(rows, self.archs)


def _sources(rows: Sequence[ScanRow]) -> str:
    """The files that these were read from: ``pytorch_trace.json``."""
    name = file_names(rows)
    files = list(dict.fromkeys(map(name, rows)))
    return words.listing(files) if len(files) <= MOST_FILES else words.count(len(files), "file")


def _by_architecture(overview: Overview) -> Iterator[Block]:
    """The numbers of each architecture, and of all."""
    head, *rows = architecture_rows(overview)
    columns = [
        Column(title, is_number=False, least=24)
        if title == LIMITED_BY
        else Column("\n".join(title.rsplit(" ", 1)), is_number=title != ARCH)  # room for the limiters
        for title in head
    ]
    last = (len(rows) - 1,) if len(rows) > 1 else ()
    yield Table(columns, rows, marked=last, splits=False)
    if any(sum(each.limited_by.values()) > each.answered for each in overview.architectures):
        yield Paragraph(Marked(f"{LIMITED_BY}: a kernel with several limiters counts for each.", "faint"))


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

    head = [ARCH, "Kernels", f"Below {words.percent(LOW)}"]
    head += ["Spilling"] if has_spills else []
    head += ["With a stack"] if has_stack else []
    rows = [line(each) for each in overview.architectures]
    if len(rows) > 1:
        rows.append(line(overview.total()))
    return [[*head, LIMITED_BY], *rows]


def _what_is_shown(report: ScanReport, excerpt: Excerpt) -> str:
    """Which kernels follow, and how to see the others."""
    overview, shown = report.overview, len(report.kernels)
    if not report.kernels:
        return "None of them is what was asked for." if overview.kernels else ""
    if excerpt.is_by_template:
        reasons = words.number(overview.deserve_a_look, "")
        return f"The {shown:,} that most deserve a look, one of each template ({reasons} have a reason):"
    order, matching = order_in_words(report), overview.matching
    limited = ", ".join(
        f"{words.short_names([resource])} {number:,}"
        for resource, number in overview.matching_limited_by.items()
    )
    by = f"; limited by: {limited}" if limited and report.sort != "spills" else ""
    if failing := overview.matching_do_not_launch:
        by += f"; {failing:,} {do_not_launch(failing)}"
    if excerpt.is_by_name:
        names, which = len(excerpt.archs_of), "" if matching == overview.kernels else "matching "
        first = f"first {shown:,} of {names:,}" if shown < names else f"{names:,}"
        most, *_ = order.split()
        each = f"each on the architecture with the {most}"
        return f"The {first} {which}names ({matching:,} kernels), {order}, {each}{by}:"
    if matching == overview.kernels:
        return f"{shown:,} of them, {order}:"
    first = "" if shown == matching else f"first {shown:,} of the "
    return f"The {first}{matching:,} that match, {order}{by}:"


def _where_the_rest_is(report: ScanReport, excerpt: Excerpt) -> Iterator[Paragraph]:
    """How to see the kernels that were left out."""
    wanted = report.overview.matching
    if not excerpt.is_by_template and len(report.kernels) >= wanted:
        return
    rows = "A row for each architecture: " if excerpt.is_by_name else ""
    one = ""
    if excerpt.most is not None:
        arch, number = excerpt.most
        only = "that architecture" if excerpt.is_by_template else f"its {number:,}"
        one = f"; --arch {words.printable(arch)} only {only}"
    yield Paragraph(
        Asking(
            f"{rows}--all shows all {wanted:,}, --limit N so many{one}; --format csv has all.",
            f"limit=N shows so many; the scan itself holds all {wanted:,}.",
        )
    )
    if excerpt.is_by_name:
        yield Paragraph(Asking("--all --columns arch lists the architectures of each name, and no more.", ""))
