"""The kernels of a scan as the page lists them: a table whose names lead to the calculator."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from itertools import repeat
from operator import attrgetter
from typing import Literal

from ..builds.scan_row import ScanRow
from ..builds.scanner import Scanner
from ..builds.selection import WORST, Order
from ..compare.measures import resources
from ..compare.since import Change, Since
from ..engine import evaluate
from ..errors import OccupancyError
from ..render import words
from ..render.document import About, said
from ..report.arch_words import architecture, architectures, chosen_code
from ..report.assumed_sizes import AT_USUAL, at_usual_size
from ..report.compare.change_words import change_in_words, kinds, meaning_of_kinds
from ..report.name_words import short_name
from ..report.scan.columns import ARCH, Column, columns_of
from ..report.scan.notes import footnotes
from ..report.scan.report import ScanReport
from ..report.scan.screen import architecture_rows
from ..report.scan.spills import WITHOUT
from ..report.scan.summary import has_two_orders, summary
from ..report.scan.table import joined
from ..tables import shipped
from ..values.asking import worded
from ..values.dataclass import dataclass
from ..values.kernel import Kernel
from .question import question_of

Number = Callable[[ScanRow], float | None]

_NUMBERS: dict[str, Number] = {
    "Shared": lambda row: row.shared_memory,
    "Spills": lambda row: resources(row)["spill_bytes"],
    AT_USUAL: lambda row: row.usual_occupancy if at_usual_size(row) else None,
    WITHOUT: lambda row: None if row.spill_cost is None else row.spill_cost.without,
}
"""What columns of numbers are sorted by; all others by their field."""

_CHOICES = ("Arch", "Change", "Limited by", "Autotuner", "Read from")
_SHARES = ("Occ.",)
_ONLY = {"Spills": "spilling only"}
_SORTED_BY: dict[Order, tuple[str, bool]] = {
    "occupancy": ("Occ.", False),
    "regs": ("Regs", True),
    "spills": ("Spills", True),
    "stack": ("Stack", True),
    "time": ("Time", True),
}
"""The column of each order, and whether the highest come first."""
_FIRST = ("Arch", "Occ.", "Limited by")
CHANGE = 3
"""The place of the columns of changes: beside the occupancy."""
_REMOVED = "removed"
_ORDER = ("worse", "mixed", _REMOVED, "other", "better", "added", "", "same")
"""Of the changes, where none was asked for."""

_ARROW = "\N{NO-BREAK SPACE}\N{RIGHTWARDS ARROW}\N{NO-BREAK SPACE}"

MOST_PROBLEMS = 20
"""That are named above the table."""

Kind = Literal["text", "prose", "number", "share"]
"""``prose``: a text that may take several lines; ``share``: numbers of 0 to 1 with a bar."""

Cell = str | tuple[float | list[str] | None, str]
"""A text; or, in columns that are not texts, a number to sort by and what is shown; or the architectures that
share a row, and how they are shown."""


@dataclass(frozen=True, slots=True)
class ListedColumn:
    """A column of the table."""

    title: str
    kind: Kind = "text"
    is_choice: bool = False
    """Whether rows can be chosen by its values."""
    only: str = ""
    """Of numbers: what a box says that chooses the rows with more than none; empty for no box."""


@dataclass(frozen=True, slots=True)
class ListedOrder:
    """What the rows are sorted by when the page is opened."""

    column: int
    """Its place among the columns."""
    is_down: bool
    """Whether the highest come first."""


@dataclass(frozen=True, slots=True)
class Listing:
    """All that the list shows, as the page's data has it."""

    lead: list[str]
    """Sentences above the table."""
    facts: list[list[str]]
    """A small table, whose first row is its header; empty for none."""
    columns: tuple[ListedColumn, ...]
    """Those of the large table; the first is the kernel's name."""
    order: ListedOrder | None
    """None: they stay as they are."""
    rows: list[list[Cell]]
    questions: list[str | list[str | None] | None]
    """The question of each row, as the address has it, or those of the architectures that share the row; None
    where the page cannot answer as the row does."""
    notes: list[str]
    """What the numbers rest on, and what could not be read: sentences above the table, which is long."""


def listing(
    report: ScanReport,
    scanner: Scanner,
    archs: Collection[str | None],
    since: Since | None = None,
    changes: Sequence[Change | None] = (),
) -> Listing:
    """The list.

    Args:
        report: What was found, all of it.
        scanner: What answered for it.
        archs: The architectures of all kernels that the sources hold, wanted or not.
        since: What became of the build since another one; None where that was not asked.
        changes: With it, the change of each kernel of the report; None for what was not compared, as PTX.
    """
    removed = () if since is None else since.removed
    rows = [*report.kernels, *removed]
    texts = [("", "") if each is None else (each.verdict, _words(each)) for each in changes]
    texts += [(_REMOVED, "")] * len(removed)
    if since is not None and report.sort is None:  # what changed first
        places = sorted(range(len(rows)), key=lambda at: _ORDER.index(texts[at][0]))
        rows, texts = [rows[at] for at in places], [texts[at] for at in places]
    # What matters first: a narrow window shows the left of the table.
    shown = sorted(columns_of(rows, logs=report.spill_logs), key=lambda column: column.title not in _FIRST)
    columns = [ListedColumn("Kernel")]
    numbers = list(map(_number, shown))
    columns += [_listed(column, number, rows) for column, number in zip(shown, numbers, strict=True)]
    lines = [[short_name(row), *(map(_cell, shown, numbers, repeat(row)))] for row in rows]
    lead = [worded(each, "page") for each in (summary(report), chosen_code(report.runs_on)) if each]
    if since is not None:
        columns[CHANGE:CHANGE] = [
            ListedColumn("Change", is_choice=True),
            ListedColumn("What changed", "prose"),
        ]
        for line, change in zip(lines, texts, strict=True):
            line[CHANGE:CHANGE] = change
        compared = f"Compared with {words.printable(since.baseline)}: {kinds(since.summary)}."
        lead.append(" ".join((compared, *meaning_of_kinds(since.summary))))
    titles = [column.title for column in columns]
    alike = [[place] for place in range(len(rows))]
    if ARCH in titles:
        alike = _folded(rows, lines, titles.index(ARCH), archs)
    problems = [words.printable(str(problem)) for problem in report.problems[:MOST_PROBLEMS]]
    facts = architecture_rows(report.overview) if len(report.overview.architectures) > 1 else []
    questions = [_questions([rows[place] for place in each], scanner) for each in alike]
    lines = [lines[first] for first, *_ in alike]
    order = _order(report, columns) if since is None else None
    found = [each for each in footnotes(report) if not isinstance(each, About) or each.title in titles]
    notes = [*(worded(said(each), "page") for each in found), *problems]
    return Listing(lead, facts, tuple(columns), order, lines, questions, notes)


def _folded(
    rows: Sequence[ScanRow], lines: list[list[Cell]], arch: int, archs: Collection[str | None]
) -> list[list[int]]:
    """The places of neighbours that differ in their architecture alone, whose first line then says all."""
    named = [(row.group, line[0]) for row, line in zip(rows, lines, strict=True)]
    places = joined(named, lines, arch)
    for first, *others in places:
        if others:
            alike = [rows[place] for place in (first, *others)]
            lines[first][arch] = list(map(architecture, alike)), architectures(alike, archs)[0]
    return places


def _number(column: Column) -> Number | None:
    """What a column is sorted by; None of texts."""
    number = _NUMBERS.get(column.title) or attrgetter(column.fields[0])
    return number if column.is_number else None


def _listed(column: Column, number: Number | None, rows: Sequence[ScanRow]) -> ListedColumn:
    title = column.title
    some = title in _ONLY and number is not None and len({bool(number(row)) for row in rows}) > 1
    kind: Kind = "share" if title in _SHARES else "text" if number is None else "number"
    return ListedColumn(title, kind, title in _CHOICES, _ONLY[title] if some else "")


def _order(report: ScanReport, columns: Sequence[ListedColumn]) -> ListedOrder | None:
    """That in which the rows are; None where no column has it."""
    if has_two_orders(report) or report.sort == WORST:
        return None
    title, is_down = _SORTED_BY[report.sort or "occupancy"]
    titles = [each.title for each in columns]
    return ListedOrder(titles.index(title), is_down != report.reverse) if title in titles else None


def _cell(column: Column, number: Number | None, row: ScanRow) -> Cell:
    text = column.cell(row).replace(" -> ", _ARROW)
    return text if number is None else (number(row), text)


def _words(change: Change) -> str:
    """``occ. 100% → 50%, regs 40 → 72, at 256 threads``."""
    if change.row is None:
        return ""
    words_of_it = change_in_words(change.row.old, change.row.new, deciding=change.row.deciding)
    return words_of_it.replace(" -> ", _ARROW)


def _questions(rows: Sequence[ScanRow], scanner: Scanner) -> str | list[str | None] | None:
    found = [_question(row, scanner) for row in rows]
    return found[0] if len(found) == 1 else found


def _question(row: ScanRow, scanner: Scanner) -> str | None:
    if row.occupancy is None:
        return None
    kernel = scanner.question(row)[1]
    launch = {
        "sms": scanner.multiprocessor_count,
        "grid": row.grid_dim and "x".join(map(str, row.grid_dim)),
        "cluster": row.cluster_dim and "x".join(map(str, row.cluster_dim)),
    }
    given = tuple((name, str(value)) for name, value in launch.items() if value is not None)
    return _asked(str(row.cc), kernel, given, row.occupancy)


@lru_cache(maxsize=1 << 14)  # most kernels of a library share their needs with others
def _asked(cc: str, kernel: Kernel, launch: tuple[tuple[str, str], ...], occupancy: float) -> str | None:
    """The question, if the page, which knows the shipped chips and no launch bounds, answers it alike."""
    try:
        answer = evaluate(shipped.limits(cc), kernel)
    except OccupancyError:
        return None
    return question_of(answer, dict(launch)) if answer.occupancy == occupancy else None
