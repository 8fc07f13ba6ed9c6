"""The answer to ``occupancy diff``: how each kernel changed between two builds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...builds.running import RunsOn
from ...builds.scan_row import ScanRow
from ...compare.diff import PARTS_OF_NAMES, Diff, DiffRow, DiffSummary, Verdict
from ...compare.likely_renamed import LikelyRenamed
from ...compare.measures import MEASURES, measures
from ...compare.same_sizes import AtSize
from ...readers import ReadProblem
from ...render import words
from ...render.document import (
    Block,
    Bullets,
    Cell,
    Comment,
    Document,
    Folded,
    GroupColumn,
    GroupedTable,
    GroupRow,
    Heading,
    Mark,
    Marked,
    Only,
    Paragraph,
    Together,
)
from ...values.asking import Asking
from ...values.dataclass import dataclass
from ..arch_words import chosen_code
from ..base import Report
from ..name_words import IF_SHORTENED, IF_WHOLE, short_name
from ..source_files import file_names, place
from ..spilled_bytes import meaning_of_spills, not_in_logs
from .assumptions import assumptions, left_out, not_launched
from .change_words import (
    COLUMNS,
    REGISTER_CAP,
    DiffColumn,
    changes,
    kinds,
    meaning_of_caps,
    meaning_of_kinds,
    other_size_in_words,
)
from .missing import MOST_KERNELS, listing, renamed_question

MOST_IN_SIGHT = 10
"""Rows of a comment that are seen before the reader unfolds the rest."""

CHANGES = "Changes"
"""The title of the column that says what else changed; a narrow terminal shows it below each row."""

IF_THERE_IS_ROOM = ("Spills", "Shared", "Regs", "Threads", "Stack", "Limited by", "Bound", "Bar", "File")
"""The columns of kernels of one build that a narrow terminal need not show, the most useful first."""

CURE = Asking("A wider terminal or --format csv has them.", "rows() has them.")

WITH_SAME = Asking("--all", "with_same=True")

MARKS: dict[Verdict, Mark] = {"worse": "bad", "mixed": "fair", "other": "", "better": "good", "same": "faint"}


@dataclass(frozen=True, slots=True)
class DiffReport(Report):
    """Everything that ``occupancy diff`` shows."""

    old: str
    """What the old build was called."""
    new: str
    ignores_arch: bool
    """Whether kernels of different architectures were compared where there was no other counterpart."""
    threshold: float
    """Up to so many percent of the larger value, or points of occupancy, a change counts as none."""
    summary: DiffSummary
    not_compared: dict[str, int]
    """What only one of the builds knows, such as spills -> of how many kernels of both."""
    kernels: tuple[DiffRow, ...]
    """Kernels of both builds that changed, the worst first; with those that are the same, if asked for."""
    added: tuple[ScanRow, ...]
    removed: tuple[ScanRow, ...]
    by_part: int
    """How many kernels of both have not the same name, and were matched by a part of it or by their code."""
    likely_renamed: tuple[LikelyRenamed, ...]
    """Those of ``removed`` that may be one of ``added`` under another name, which no code tells."""
    namesakes: tuple[ScanRow, ...]
    """Of the added and the removed, those whose name the other build has, too, but less often."""
    old_archs: tuple[str, ...]
    """Architectures that the old build has kernels for, whether they changed or not."""
    new_archs: tuple[str, ...]
    """Those of the new one."""
    problems: tuple[ReadProblem, ...]
    """What could not be read of the two."""
    not_chosen: int
    """Candidates that an autotuner did not choose, so that nobody launches them: they are left out."""
    runs_on: RunsOn | None
    """The chip for which code was chosen of both builds; null where nothing was left out for it."""

    def _each_row(self) -> Iterable[Mapping[str, Any]]:
        """A row for each kernel of either build."""
        yield from (_csv_row(row.verdict, row.old, row.new, row.deciding) for row in self.kernels)
        yield from (_csv_row("added", None, row) for row in self.added)
        yield from (_csv_row("removed", row, None) for row in self.removed)

    def headline(self) -> str:
        """How many kernels there are, and of which kind."""
        return _summary(self)

    def document(self) -> Document:
        """The changes, the worst first; what is in one build only; how many there are of each.

        A comment has the summary first, then the worst changes, and the rest folded away.
        """
        summary, footnotes = _summary(self), list(_footnotes(self))
        hidden = self.summary.same - sum(row.verdict == "same" for row in self.kernels)
        notes = Bullets(footnotes, "faint")
        which = "one that is" if hidden == 1 else f"{hidden:,} that are"
        same = [Asking.of(WITH_SAME, f" lists the {which} the same.")] if hidden > 0 else []
        apart = {"Added": _table_apart(self.added), "Removed": _table_apart(self.removed)}
        screen: list[Block] = [_table(self.kernels)]
        screen += [Together([Heading(title), table]) for title, table in apart.items() if table.rows]
        screen.append(Together([Paragraph(summary), Bullets([*same, *footnotes], "faint")]))
        changes = [row for row in self.kernels if row.verdict != "same"]
        comment: list[Block] = [Paragraph(Marked(summary, "strong")), _table(changes[:MOST_IN_SIGHT])]
        folded = {
            "More changes": _table(changes[MOST_IN_SIGHT:]),
            **apart,
            "The same": _table([row for row in self.kernels if row.verdict == "same"]),
        }
        comment += [Folded(f"{title}: {len(table.rows):,}", [table]) for title, table in folded.items()]
        return Only("text", screen), Only("markdown", [Comment([*comment, notes])])


def diff_report(
    diff: Diff,
    *,
    names: tuple[str, str],
    threshold: float = 0,
    ignores_arch: bool = False,
    problems: tuple[ReadProblem, ...] = (),
    not_chosen: int = 0,
    runs_on: RunsOn | None = None,
) -> DiffReport:
    """Everything that is shown of two builds.

    Args:
        diff: How their kernels changed.
        names: What the two are called.
        threshold: The one that they were compared with.
        ignores_arch: Whether other architectures were compared, too.
        problems: What could not be read of the two.
        not_chosen: Candidates of autotuners that were left out of them.
        runs_on: The chip for which code was chosen of them.
    """
    return DiffReport(
        *names,
        ignores_arch,
        threshold,
        diff.summary,
        diff.not_compared,
        diff.rows,
        diff.added,
        diff.removed,
        diff.by_part,
        diff.likely_renamed,
        diff.namesakes,
        diff.old_archs,
        diff.new_archs,
        problems,
        not_chosen,
        runs_on,
    )


_ALSO_IN_CSV = (
    "threads", "threads_from", "active_blocks", "limiters", "source", "register_cap", "max_threads",
    "required_threads",
)  # fmt: skip
"""What the CSV has of both builds beside what is measured."""


def _csv_row(
    verdict: str, old: ScanRow | None, new: ScanRow | None, deciding: AtSize | None = None
) -> dict[str, Any]:
    known = new or old
    assert known is not None
    row: dict[str, Any] = {
        "verdict": verdict,
        "arch": known.arch,
        "demangled": known.demangled,
        "old_name": old and old.name,
        "new_name": new and new.name,
        "file": known.file,
        "line": known.line,
    }
    sides = {"old": old, "new": new}
    for measure in MEASURES:
        row |= {
            f"{side}_{measure}": each and getattr(measures(each), measure) for side, each in sides.items()
        }
    for name in _ALSO_IN_CSV:
        row |= {f"{side}_{name}": each and getattr(each, name) for side, each in sides.items()}
    row["deciding_threads"] = deciding and deciding.threads
    row |= {f"{side}_deciding_occupancy": deciding and getattr(deciding, side) for side in sides}
    return row


def _table(rows: Sequence[DiffRow]) -> GroupedTable:
    """The kernels of both builds, each with the verdict, its occupancy, and all that changed."""
    named = [GroupRow(f"{row.old.name} {row.new.name}", _name(row)) for row in rows]
    often = Counter((row.new.name, row.new.arch, row.new.threads) for row in rows)
    file_name = file_names([row.new for row in rows])
    what = [
        # Nothing else tells those of one name apart.
        ", ".join(
            [f"in {file_name(row.new)}"] * (often[row.new.name, row.new.arch, row.new.threads] > 1)
            + list(_changes(row))
        )
        for row in rows
    ]
    columns = [
        GroupColumn("Verdict", ["changed" if row.verdict == "other" else row.verdict for row in rows], False),
        GroupColumn("Arch", [_changed("Arch", row) for row in rows], False),
        GroupColumn("Occ.", [_changed("Occ.", row) for row in rows], False),
        GroupColumn("Threads", [_changed("Threads", row) for row in rows]),
        *_file([row.new if row.new.file else row.old for row in rows]),
        GroupColumn(CHANGES, what, False),
    ]
    columns = [each for each in columns if any(each.cells) or each.title in ("Verdict", "Arch", "Occ.")]
    return GroupedTable(
        "Kernel", named, columns, (CHANGES, "File"), (CHANGES,), CHANGES, CURE, (), IF_SHORTENED, IF_WHOLE
    )


def _changed(title: str, row: DiffRow) -> Cell:
    """A cell of both sides, which stands out by the verdict on the kernel where they differ."""
    (column,) = (each for each in COLUMNS if each.title == title)
    text = column.cell(row.old, row.new)
    return Marked(text, MARKS[row.verdict]) if column.has_changed(row.old, row.new) else text


def _changes(row: DiffRow) -> Iterator[str]:
    """What changed beside the occupancy, and that at the block size that decides."""
    yield from not_launched(row.new)
    if row.deciding is not None:
        yield other_size_in_words(row.deciding)
    yield from changes(row.old, row.new, besides=("Arch", "Occ.", "Threads"))


def _table_apart(rows: Sequence[ScanRow]) -> GroupedTable:
    """Kernels that are in one build only."""
    columns = [
        GroupColumn(each.title, [each.value(row) for row in rows], False) for each in _columns_apart(rows)
    ]
    columns += _file(rows)
    named = [GroupRow(row.name, short_name(row)) for row in rows]
    return GroupedTable(
        "Kernel", named, columns, IF_THERE_IS_ROOM, if_shortened=IF_SHORTENED, if_whole=IF_WHOLE
    )


def _file(rows: Sequence[ScanRow]) -> list[GroupColumn]:
    """Where in the source the kernels are, if any file says so."""
    places = [place(row.file, row.line) for row in rows]
    return [GroupColumn("File", places, False)] if any(places) else []


def _columns_apart(rows: Sequence[ScanRow]) -> list[DiffColumn]:
    """The columns for kernels that are in one build only, as far as they have something to say."""
    last = [each for each in COLUMNS if each.title in ("Bound", "Threads")]
    columns = [each for each in COLUMNS if each not in (REGISTER_CAP, *last)] + last
    return [each for each in columns if any(each.value(row) not in ("", "0") for row in rows)]


def _name(row: DiffRow) -> str:
    """The kernel's name; both of them where it changed."""
    old, new = short_name(row.old), short_name(row.new)
    return new if old == new else f"{old} -> {new}"


def _summary(report: DiffReport) -> str:
    """How many kernels there are of each kind: ``8 kernels in both builds: 2 worse, 6 the same; 1 added.``"""
    count = report.summary
    head = (
        f"{words.count(count.in_both, 'kernel')} in both builds: "
        if count.in_both
        else "Nothing could be compared: no kernel is in both builds: "
    )
    return f"{head}{kinds(count, report.kernels)}."


def _footnotes(report: DiffReport) -> Iterator[str]:
    """What the words mean, and what the numbers rest on."""
    questions = [renamed_question(each.old, each.new) for each in report.likely_renamed]
    yield from words.first_of(questions, MOST_KERNELS)
    yield from meaning_of_kinds(report.summary)
    rows = [row for pair in report.kernels for row in (pair.old, pair.new)]
    if report.by_part:
        hidden = report.by_part - sum(row.matched_by in PARTS_OF_NAMES for row in report.kernels)
        renamed = "kernel has another name" if report.by_part == 1 else "kernels have other names"
        how = "matched by the part that both share, or by the code"
        said = f"{report.by_part:,} {renamed} than before: {how}."
        yield Asking.of(said, " ", WITH_SAME, " shows both names.") if hidden else said
    if report.namesakes:
        yield (
            f"More often in one build than in the other: {listing(report.namesakes)}. Those most alike were "
            "matched; check compares those that are new, too."
        )
    old, new = set(report.old_archs), set(report.new_archs)
    could_match = report.added and report.removed and not report.ignores_arch
    for archs, build in ((old - new, report.old), (new - old, report.new)):
        if archs and could_match:
            how = Asking("--ignore-arch", "ignore_arch=True")
            only = f"Only in {build}: kernels for {words.listing(sorted(archs))}. "
            yield Asking.of(only, how, " compares them.")
    yield from _known_in_one(report)
    yield from meaning_of_caps((row.old, row.new) for row in report.kernels)
    if any(row.spills and any(row.spills) for row in rows):
        yield meaning_of_spills(rows)
    yield from not_in_logs((row.old, row.new) for row in report.kernels)
    yield from assumptions(rows)
    if report.threshold:
        yield (
            f"Changes of up to {report.threshold:g}% of the larger value, or {report.threshold:g} points of "
            "occupancy, count as none."
        )
    yield from left_out(report.not_chosen)
    yield from filter(None, [chosen_code(report.runs_on)])


def _known_in_one(report: DiffReport) -> Iterator[str]:
    """What could not be compared."""
    for measure, kernels in report.not_compared.items():
        what = _NAMES_OF_MEASURES.get(measure, measure.replace("_", " "))
        yield f"Only one of the builds tells the {what} of {words.count(kernels, 'kernel')}: not compared."


_NAMES_OF_MEASURES = {
    "spill_bytes": "spills",
    "spill_smem": "spills into shared memory",
    "stack_bytes": "stack",
}
