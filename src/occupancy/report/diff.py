"""Report of ``occupancy diff``: the changes of each kernel, with their cause and a fix."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from ..builds.names import count_kernels
from ..builds.rows import ScannedKernel
from ..compare.diff import Differences, DiffRow
from ..readers import KernelRecord
from ..values.numbers import count, listed
from . import changes
from .model import Column, Note, Paragraph, Report, Section, chosen, facts, note
from .results import gpu_notes
from .scan import COLUMNS as SCAN_COLUMNS
from .scan import named, occupancy_text, on_gpu, row_notes, threads_text
from .words import arrow, computed_for, label


class Entry(NamedTuple):
    verdict: str
    kernel: ScannedKernel
    """In the new build, else in the old one."""
    old: ScannedKernel | None
    new: ScannedKernel | None
    row: DiffRow | None = None

    @property
    def record(self) -> KernelRecord:
        return self.kernel.record


def entries(differences: Differences) -> list[Entry]:
    """Return all changes, the worst first, then removed and added kernels."""
    rows = [Entry(row.verdict, row.new, row.old, row.new, row) for row in differences.kernels]
    removed = [Entry("removed", row, row, None) for row in differences.removed]
    added = [Entry("added", row, None, row) for row in differences.added]
    bad = sum(entry.verdict in ("worse", "mixed") for entry in rows)  # they come first
    return [*rows[:bad], *removed, *added, *rows[bad:]]


def changes_by_name(differences: Differences) -> str:
    """Return the number of kernels of each verdict, whatever their architectures: ``1 worse, 2 renamed``."""
    by_verdict = defaultdict[str, list[KernelRecord]](list)
    for entry in entries(differences):
        by_verdict[entry.verdict].append(entry.record)
    return ", ".join(f"{count_kernels(records):,} {verdict}" for verdict, records in by_verdict.items())


def _row_value(name: str, default: Any = None) -> Callable[[Entry], Any]:
    """Return the getter of an attribute of `DiffRow`; the default for added and removed kernels."""
    return lambda entry: default if entry.row is None else getattr(entry.row, name)


def _side(side: str, column: Column) -> Column:
    return column._replace(key=f"{side}_{column.key}", title="", show=None,
                           value=lambda entry: (row := getattr(entry, side)) and column.getter(row))  # fmt: skip


_MEASURED = (
    "occupancy", "active_blocks", "threads", "threads_assumed", "regs", "smem", "static_smem", "spill_store_bytes",
    "spill_load_bytes", "stack_bytes", "barriers", "max_threads", "cc",
)  # fmt: skip

COLUMNS: tuple[Column, ...] = (
    Column("verdict", type="string", about="worse, mixed, better, changed, renamed, same, added or removed"),
    *chosen(SCAN_COLUMNS, "demangled", "arch"),
    Column("change", value=_row_value("occupancy_change"), about="New minus old occupancy, -1 to 1", type="number"),
    Column("fix", value=lambda entry: (entry.row and changes.fix_phrase([("", entry.row.fix)])) or None,
           about="Smallest change that restores all worse values, if one is known", type="string"),
    Column("causes", value=_row_value("explaining", []), text=changes.phrases,
           about="Changes that explain lower occupancy or more spills", type="objects"),
    Column("other_changes", value=_row_value("others", []), text=changes.phrases,
           about="Other changed values", type="objects"),
    Column("old_name", value=lambda entry: entry.old and entry.old.record.name,
           show=lambda entry: entry.old.short_name if entry.old and entry.old.record.name != entry.record.name else "",
           about="Mangled name in the old build", type="string"),
    Column("matched_by", value=_row_value("matched_by"), type="string",
           about='"name", "stable_name" or "code": the key that matched the kernels'),
    *chosen(SCAN_COLUMNS, "name", "source", "file", "line"),
    *(_side(side, column) for column in chosen(SCAN_COLUMNS, *_MEASURED) for side in ("old", "new")),
)  # fmt: skip
"""No heading: a screen shows the facts of each kernel, the HTML report and CSV the columns."""


def diff_report(diff: Any, *, in_full: bool = False) -> Report:
    rows = entries(diff)
    verdicts = [f"{number:,} {verdict}" for verdict, number in diff.summary.items() if number]
    headline = ", ".join(verdicts) if rows else f"{count(diff.same, 'kernel')}, all the same"
    if rows and len({entry.record.arch for entry in rows}) > 1:
        headline += " (counted for each architecture)"
    headline += computed_for(diff.inputs)
    details = list(_sections(rows, len(rows) if in_full else changes.MOST_KERNELS))
    parts = ([headline], named(COLUMNS, rows), rows, "kernels", diff.inputs, details, list(_notes(diff)))
    return Report("diff", *parts, values={"summary": diff.summary}, problems=diff.problems, has_table=False)


def _sections(rows: Sequence[Entry], most: int) -> Iterator[Section]:
    changed = defaultdict[str, list[DiffRow]](list)
    others = defaultdict[str, list[tuple[str, str | None]]](list)
    for entry in rows:
        if entry.row is None or entry.verdict in ("renamed", "same"):
            name = arrow(*((each or entry.kernel).short_name for each in (entry.old, entry.new)))
            others[entry.verdict].append((name, entry.record.arch))
        else:
            changed[entry.kernel.demangled].append(entry.row)
    names = changes.placed_names([on_archs[0].new.record for on_archs in changed.values()])
    for name, on_archs in islice(zip(names, changed.values(), strict=True), most):
        verdicts = ", ".join(dict.fromkeys(row.verdict for row in on_archs))
        yield facts(changes.change_facts(map(_on_arch, on_archs)), f"{name}: {verdicts}")
    if len(changed) > most:
        yield Paragraph([f"{len(changed) - most:,} more kernels changed. `rows()` (`--all`) lists them."])
    for verdict, kernels in others.items():
        for archs, found in changes.by_archs(kernels).items():
            yield Paragraph([f"{verdict.capitalize()} ({archs}): {listed(found, most)}"])


def occupancy_phrase(old: ScannedKernel | None, new: ScannedKernel, about: str = "") -> str:
    """Return ``100% -> 50% at 256 threads``, something about the values, and why a kernel does not launch."""
    shares, threads = ([text(each) for each in (old or new, new)] for text in (occupancy_text, threads_text))
    reason = f": {new.reason}".partition(". ")[0].rstrip(".") if new.launchable is False else ""
    return f"{arrow(*shares)} at {arrow(*threads)} threads{on_gpu(new)}{about}{reason}"


def _on_arch(row: DiffRow) -> changes.OnArch:
    spills = [changes.phrase(*each) for each in row.others if each.name == "spills"]
    values = [", ".join([occupancy_phrase(row.old, row.new), *spills])]
    others = [each for each in row.others if each.name != "spills"]
    return changes.OnArch(row.new.record, values, row.explaining, row.fix, others)


def _notes(differences: Differences) -> Iterator[Note]:
    changed = [row for row in differences.kernels if row.verdict not in ("renamed", "same")]
    kernels = [kernel for row in changed for kernel in (row.old, row.new)]
    yield from gpu_notes(kernel.result for kernel in kernels if kernel.result)
    yield from row_notes(kernels, ("assumed-threads", "other-gpu", "dynamic-smem"))
    if differences.other_archs:
        yield note("other-archs")
    if differences.unknown:
        names = [label(name.replace("smem", "shared_memory")) for name in differences.unknown]
        yield note("stated-by-one", values=", ".join(names))
