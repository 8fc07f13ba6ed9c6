"""Report of ``occupancy diff``: the changes of each kernel, with their cause and a fix."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from ..advice.next_steps import NextStep
from ..builds.names import short_name
from ..builds.rows import ScannedKernel
from ..builds.select import age
from ..compare.diff import Change, Differences, DiffRow
from ..readers import KernelRecord
from ..values.numbers import count, percent, size
from .model import NOTES, Block, Column, Note, Paragraph, Report, chosen, cut_in_middle, facts
from .scan import COLUMNS as SCAN_COLUMNS
from .scan import Finding, FindingKind, kernel_finding, occupancy_text, threads_text
from .words import arrow, label, step_text

MOST_BLOCKS = 20
"""Kernels of a screen and a comment."""
MOST_NAMED = 10
NAME_WIDTH = 68
"""Width of a name in a heading."""
CONSEQUENCES = ("spills", "stack_bytes")

DIFF_FINDINGS: Mapping[str, FindingKind] = {
    "worse": FindingKind("The kernel got worse", "warning"),
    "mixed": FindingKind("The kernel got worse in one value and better in another", "note"),
    "removed": FindingKind("The kernel was removed", "note"),
}


class Entry(NamedTuple):
    """One kernel of either build."""

    verdict: str
    kernel: ScannedKernel
    """In the new build, else in the old one."""
    old: ScannedKernel | None
    new: ScannedKernel | None
    row: DiffRow | None = None

    @property
    def record(self) -> KernelRecord:
        return self.kernel.record


def entries(found: Differences) -> list[Entry]:
    """Return all changes, the worst first, then removed and added kernels."""
    rows = [Entry(row.verdict, row.new, row.old, row.new, row) for row in found.kernels]
    removed = [Entry("removed", row, row, None) for row in found.removed]
    added = [Entry("added", row, None, row) for row in found.added]
    bad = [entry for entry in rows if entry.verdict in ("worse", "mixed")]
    return [*bad, *removed, *added, *(entry for entry in rows if entry.verdict not in ("worse", "mixed"))]


def changes_by_name(found: Differences, renamed: set[str]) -> str:
    """Return the number of kernels of each verdict, whatever their architectures: ``1 worse, 2 renamed``."""
    names = defaultdict[str, set[str]](set)
    for entry in entries(found):
        names[entry.verdict].add(entry.record.name)
    names["renamed"] = renamed
    return ", ".join(f"{len(each):,} {verdict}" for verdict, each in names.items() if each)


def diff_findings(found: Differences) -> Iterator[Finding]:
    """Return kernels that got worse, and removed ones."""
    for entry in entries(found):
        kind = DIFF_FINDINGS.get(entry.verdict)
        if kind is not None:
            name = f"{entry.kernel.short_name} for {entry.record.arch}"
            lines = [(name, entry.verdict), *(_lines([entry.row]) if entry.row else [])]
            yield kernel_finding(entry.kernel, entry.verdict, kind.severity, f"{line_text(lines)}.")


def _bounds_text(bounds: tuple[int, int | None] | None) -> str:
    if bounds is None:
        return "none"
    threads, blocks = bounds
    return f"({threads})" if blocks in (None, 1) else f"({threads}, {blocks})"


VALUES: Mapping[str, tuple[str, Callable[[Any], str]]] = {
    "occupancy": ("{}", percent),
    "arch": ("{}", str),
    "name": ("renamed {}", str),
    "launch_bounds": ("launch bounds {}", _bounds_text),
    "register_cap": ("register cap (-maxrregcount) {}", str),
    "cluster_dim": ("cluster {}", lambda shape: "none" if shape is None else "x".join(map(str, shape))),
    "threads": ("threads {}", "{:,}".format),
    "smem": ("shared memory {}", size),
    "regs": ("registers {}", "{:,}".format),
    "spill_bytes": ("{}", lambda total: f"{size(total)} in total" if total else size(total)),
    "spill_smem": ("spills to shared memory {}", size),
    "barriers": ("barriers {}", "{:,}".format),
    "tensor_memory": ("tensor memory {} columns", "{:,}".format),
    "spills": ("spill stores/loads {}", lambda spills: "{:,}/{:,} bytes".format(*spills)),
    "stack_bytes": ("stack {}", size),
}
"""Name of a value -> its wording, and the function to its text."""


def change_text(name: str, old: Any, new: Any) -> str:
    """Return both values of a change: ``128 -> 40``; without an old one the new one."""
    text = VALUES[name][1]
    return text(new) if old is None else arrow(text(old), text(new))


def change_line(name: str, old: Any, new: Any) -> str:
    return VALUES[name][0].format(change_text(name, old, new))


# Blocks: a kernel of all its architectures


class OnArch(NamedTuple):
    """A kernel that changed, on one architecture."""

    arch: str | None
    values: Sequence[str]
    causes: Sequence[Change]
    fix: NextStep | None
    others: Sequence[Change] = ()


def block_lines(kernels: Sequence[OnArch]) -> list[tuple[str, str]]:
    """Return labels and texts: the values of each architecture, then the causes and other changes of all."""
    lines = [(each.arch or "-", text) for each in kernels for text in each.values]
    cause = _by_arch([(each.arch, each.causes) for each in kernels])
    others = _by_arch([(each.arch, each.others) for each in kernels])
    texts = {"cause": cause, "also" if cause else "change": others}
    return [*lines, *((name, text) for name, text in texts.items() if text)]


def fix_text(verb: str, kernels: Sequence[OnArch]) -> str:
    """Return ``reduce shared memory to 19.5 KiB (sm_80) and 27.5 KiB (sm_90)``, or nothing."""
    needs = [each.fix.requires if each.fix else {} for each in kernels]
    changes = [[Change(name, None, value) for name, value in each.items()] for each in needs]
    prefix = "to at least " if verb == "raise" else "to "  # the registers that spills need are unknown
    fix = _by_arch([(each.arch, fixes) for each, fixes in zip(kernels, changes, strict=True)], prefix)
    return f"{'change' if any('threads' in each for each in needs) else verb} {fix}" if fix else ""


def _by_arch(kernels: Sequence[tuple[str | None, Iterable[Change]]], prefix: str = "") -> str:
    """Return ``registers 96 -> 40 (sm_80) and 128 -> 40 (sm_90)``; no architecture where all agree."""
    archs = defaultdict[str, dict[str, list[str]]](dict)
    for arch, changes in kernels:
        for each in changes:
            archs[each.name].setdefault(change_text(*each), []).append(arch or "-")
    parts = []
    for name, texts in archs.items():
        found = [
            text if len(names) == len(kernels) else f"{text} ({', '.join(names)})"
            for text, names in texts.items()
        ]
        parts.append(VALUES[name][0].format(prefix + " and ".join(found)))
    return ", ".join(parts)


def line_text(lines: Sequence[tuple[str, str]]) -> str:
    return "; ".join(map(": ".join, lines))


def names_of(records: Iterable[KernelRecord]) -> dict[str, None]:
    return {short_name(name): None for name in dict.fromkeys(record.name for record in records)}


def listed(names: Mapping[str, None], most: int = MOST_NAMED) -> str:
    """Return names with commas, and the number of those beyond the most."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(list(names)[:most]) + more


def _blocks(rows: Sequence[Entry], most: int) -> Iterator[Block]:
    groups: dict[tuple[str, str], list[DiffRow]] = {}
    names: dict[str, list[KernelRecord]] = {}
    for entry in rows:
        if entry.row is None or entry.verdict == "same":
            names.setdefault(entry.verdict, []).append(entry.record)
        else:
            groups.setdefault((entry.verdict, entry.kernel.demangled), []).append(entry.row)
    titles = cut_in_middle([group[0].new.short_name for group in groups.values()], NAME_WIDTH)
    for title, (verdict, _), group in islice(zip(titles, groups, groups.values(), strict=True), most):
        yield facts(_lines(group), f"{title}: {verdict}")
    if len(groups) > most:
        yield Paragraph([f"{len(groups) - most:,} more kernels changed. To list them, pass --all."])
    for verdict, records in names.items():
        archs = ", ".join(sorted({record.arch or "-" for record in records}, key=age))
        yield Paragraph([f"{verdict.capitalize()} ({archs}): {listed(names_of(records), most)}"])


def _lines(group: Sequence[DiffRow]) -> list[tuple[str, str]]:
    kernels = [_on_arch(row) for row in group]
    fix = fix_text("reduce", kernels)
    return [*block_lines(kernels), *([("fix", fix)] if fix else [])]


def _on_arch(row: DiffRow) -> OnArch:
    threads = arrow(threads_text(row.old), threads_text(row.new))
    shares = f"{arrow(occupancy_text(row.old), occupancy_text(row.new))} at {threads} threads"
    spills = [change_line(*each) for each in row.others if each.name in CONSEQUENCES]
    values = [", ".join([shares, *spills[:1]])]  # a stack grows with the spills
    others = [each for each in row.others if each.name not in CONSEQUENCES]
    if row.old.short_name != row.new.short_name:
        others.insert(0, Change("name", row.old.short_name, row.new.short_name))
    return OnArch(row.new.record.arch, values, row.explaining, row.fix, others)


def _side(side: str, column: Column) -> Column:
    def value(entry: Entry) -> Any:
        row = getattr(entry, side)
        return None if row is None else column.getter(row)

    return column._replace(key=f"{side}_{column.key}", title="", value=value, show=None)


_MEASURED = (
    "occupancy", "active_blocks", "threads", "threads_assumed", "regs", "smem", "static_smem", "spill_store_bytes",
    "spill_load_bytes", "stack_bytes", "barriers", "max_threads", "cc",
)  # fmt: skip


def _changes_text(row: DiffRow) -> str:
    """Return all changes, the causes first; those that are columns of the HTML report without values."""
    texts = {each.name: change_line(*each) for each in (*row.explaining, *row.others)}
    for name in texts.keys() & {"regs", "smem", "spills", "stack_bytes"}:
        texts[name] = VALUES[name][0].removesuffix(" {}")
    return ", ".join(texts.values()).replace("->", "→")


def _fix_text(row: DiffRow) -> str:
    """Return what restores the occupancy, or for more spills the old bounds or register cap."""
    changed = {each.name: each for each in row.changes}
    if "spills" not in changed or changed["spills"].new < changed["spills"].old:
        return step_text(row.fix) if row.fix else ""
    caps = [changed[name] for name in ("launch_bounds", "register_cap") if name in changed]
    return ", ".join(change_line(each.name, None, each.old) for each in caps) or "allow more registers"


COLUMNS: tuple[Column, ...] = (
    Column("verdict", type="string", about="worse, mixed, changed, better, same, added or removed"),
    *chosen(SCAN_COLUMNS, "demangled", "arch"),
    Column("change", "", lambda entry: entry.row and entry.row.occupancy_change, type="number",
           about="New minus old occupancy, -1 to 1"),
    Column("fix", "", lambda entry: entry.row and entry.row.fix, lambda entry: entry.row and _fix_text(entry.row),
           about="Smallest change that restores the occupancy", type="object"),
    Column("causes", "", lambda entry: entry.row.explaining if entry.row else [],
           lambda entry: _changes_text(entry.row) if entry.row else "",
           about="Changes that explain the new occupancy or spills", type="objects"),
    Column("other_changes", "", lambda entry: entry.row.others if entry.row else [],
           about="Other changed values", type="objects"),
    Column("old_name", "", lambda entry: entry.old.record.name if entry.old else None, type="string",
           about="Mangled name in the old build"),
    Column("matched_by", "", lambda entry: entry.row.matched_by if entry.row else None, type="string",
           about='"name", "stable_name" or "code": the key that matched the kernels'),
    *chosen(SCAN_COLUMNS, "name", "source", "file", "line"),
    *(_side(side, column) for column in chosen(SCAN_COLUMNS, *_MEASURED) for side in ("old", "new")),
)  # fmt: skip


def diff_report(found: Differences, inputs: Mapping[str, Any], *, in_full: bool = False) -> Report:
    rows = entries(found)
    kinds = [f"{number:,} {kind}" for kind, number in found.summary.items() if number]
    head = ", ".join(kinds) if rows else f"{count(found.same, 'kernel')}, all the same"
    if found.added and found.removed and not (found.kernels or found.same):
        head += "; no kernel is in both builds"
    if rows and len({entry.record.arch for entry in rows}) > 1:
        head += " (counted for each architecture)"
    values = {"summary": found.summary, "not_compared": dict(found.unknown)}
    details, notes = list(_blocks(rows, len(rows) if in_full else MOST_BLOCKS)), tuple(_notes(found))
    return Report("diff", [head], COLUMNS, rows, "kernels", inputs, values, details, notes, shows_rows=False)


def _notes(found: Differences) -> Iterator[Note]:
    changed = [row for row in found.kernels if row.verdict != "same"]
    if any(kernel.threads_assumed for row in changed for kernel in (row.old, row.new)):
        yield NOTES["assumed-threads"]
    if {row.record.name for row in found.added} & {row.record.name for row in found.removed}:
        yield NOTES["other-archs"]
    if found.unknown:
        names = ", ".join(label(name.replace("smem", "shared_memory")) for name in found.unknown)
        text = f"Not compared, because only one build contains it: {names}."
        yield NOTES["stated-by-one"]._replace(text=text)
    if any(row.verdict == "mixed" for row in changed):
        yield NOTES["mixed"]
