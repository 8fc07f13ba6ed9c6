"""Report of ``occupancy diff``: a row for each change, with its cause and a fix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from ..builds.rows import ScannedKernel
from ..compare.diff import Change, Differences, DiffRow
from ..values.numbers import count, size
from .calc import label
from .model import Column, Note, Report
from .notes import note
from .scan import (
    EXCERPT,
    MOST_IN_FULL,
    Finding,
    FindingKind,
    amount_text,
    kernel_finding,
    occupancy_text,
    step_values,
    threads_text,
)

DIFF_FINDINGS: Mapping[str, FindingKind] = {
    "worse": FindingKind("The kernel got worse", "warning"),
    "mixed": FindingKind("The kernel got worse in one value and better in another", "note"),
    "removed": FindingKind("The kernel is gone", "note"),
}


class Entry(NamedTuple):
    """One kernel of either build."""

    verdict: str
    old: ScannedKernel | None
    new: ScannedKernel | None
    row: DiffRow | None = None

    @property
    def kernel(self) -> ScannedKernel:
        """The kernel in the new build, else in the old one."""
        kernel = self.new or self.old
        assert kernel is not None
        return kernel


def entries(found: Differences) -> list[Entry]:
    """Return all changes, the worst first, then removed and added kernels."""
    rows = [Entry(row.verdict, row.old, row.new, row) for row in found.kernels]
    removed = [Entry("removed", row, None) for row in found.removed]
    added = [Entry("added", None, row) for row in found.added]
    bad = [entry for entry in rows if entry.verdict in ("worse", "mixed")]
    return [*bad, *removed, *added, *(entry for entry in rows if entry.verdict not in ("worse", "mixed"))]


def diff_findings(found: Differences) -> Iterator[Finding]:
    """Return kernels that got worse, and those that are gone."""
    for entry in entries(found):
        kind = DIFF_FINDINGS.get(entry.verdict)
        if kind is not None:
            text = (
                "is gone"
                if entry.row is None
                else f"{_occupancies(entry)}; {causes_text([entry.row.causes])}"
            )
            name = f"{entry.kernel.short_name} for {entry.kernel.record.arch}"
            yield kernel_finding(entry.kernel, entry.verdict, kind.severity, f"{name}: {text}.")


# Causes


def _spill_bytes(value: tuple[int, int]) -> str:
    return f"{value[0]:,} / {value[1]:,}"


_VALUES: Mapping[str, tuple[str, Callable[[Any], str]]] = {
    "arch": ("{}", str),
    "name": ("renamed {}", str),
    "launch_bounds": ("launch bounds {}", lambda bounds: _bounds_text(bounds)),
    "cluster_dim": ("cluster {}", lambda shape: "none" if shape is None else "x".join(map(str, shape))),
    "threads": ("{} threads", "{:,}".format),
    "smem": ("shared memory {}", size),
    "regs": ("{} registers", "{:,}".format),
    "spill_smem": ("spills to shared memory {}", size),
    "barriers": ("{} barriers", "{:,}".format),
    "spills": ("spills {} bytes", _spill_bytes),
    "stack_bytes": ("stack {}", size),
}


def _bounds_text(bounds: tuple[int, int | None] | None) -> str:
    if bounds is None:
        return "none"
    threads, blocks = bounds
    return f"({threads})" if blocks in (None, 1) else f"({threads}, {blocks})"


def causes_text(causes: Iterable[Sequence[Change]]) -> str:
    """Return the changes of one kernel for several architectures: ``96 or 128 -> 40 registers``."""
    changes: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    for each in causes:
        for name, old, new in each:
            _, text = _VALUES[name]
            before, after = changes.setdefault(name, ({}, {}))
            before[text(old)] = None
            after[text(new)] = None
    parts = []
    for name, (before, after) in changes.items():
        pattern, _ = _VALUES[name]
        parts.append(pattern.format(arrow(" or ".join(before), " or ".join(after))))
    return ", ".join(parts) or "nothing that is compared"


def arrow(was: str, now: str) -> str:
    """Return two values, with a common unit once: ``4 -> 36 KiB``."""
    for unit in (" KiB", " bytes"):
        if was.endswith(unit) and now.endswith(unit):
            return f"{was.removesuffix(unit)} -> {now}"
    return f"{was} -> {now}"


# Columns


def _occupancies(entry: Entry) -> str:
    texts = [occupancy_text(row) for row in (entry.old, entry.new) if row is not None]
    return texts[0] if len(set(texts)) == 1 else " -> ".join(texts)


def _threads(entry: Entry) -> str:
    texts = [threads_text(row) for row in (entry.old, entry.new) if row is not None]
    return texts[0] if len(set(texts)) == 1 else " -> ".join(texts)


def _causes(entry: Entry) -> str:
    return "" if entry.row is None else causes_text([_named_causes(entry.row)])


def _named_causes(row: DiffRow) -> tuple[Change, ...]:
    """Return the causes, with another name of the kernel first."""
    old, new = row.old.short_name, row.new.short_name
    return row.causes if old == new else (Change("name", old, new), *row.causes)


def _fix(entry: Entry) -> str:
    fix = None if entry.row is None else entry.row.fix
    return "" if fix is None else ", ".join(amount_text(name, value) for name, value in fix.requires.items())


def _side(side: str, name: str, kind: str, about: str) -> Column:
    value = attrgetter(name)

    def cell(entry: Entry) -> Any:
        row = getattr(entry, side)
        return None if row is None else value(row)

    return Column(f"{side}_{name.rpartition('.')[2]}", "", cell, about=about, type=kind)


_MEASURED = (
    ("occupancy", "number", "Occupancy, 0 to 1"),
    ("active_blocks", "integer", "Resident blocks per SM"),
    ("threads", "integer", "Threads per block"),
    ("threads_assumed", "boolean", "True if the block size is assumed"),
    ("record.regs", "integer", "Registers per thread"),
    ("smem", "integer", "Shared memory per block in bytes"),
    ("record.spill_store_bytes", "integer", "Bytes that a thread spills"),
    ("record.spill_load_bytes", "integer", "Bytes that it loads again"),
    ("record.spill_smem", "integer", "Shared memory that registers are spilled to"),
    ("record.stack_bytes", "integer", "Stack per thread"),
    ("record.barriers", "integer", "Named barriers per block"),
    ("record.max_threads", "integer", "Launch bound"),
    ("record.register_cap", "integer", "Cap on registers that it was compiled under"),
)

COLUMNS: tuple[Column, ...] = (
    Column("verdict", "Verdict", lambda entry: entry.verdict, None,
           "worse, mixed, changed, better, same, added, or removed", "left", type="string"),
    Column("demangled", "Kernel", lambda entry: entry.kernel.demangled, lambda entry: entry.kernel.screen_name,
           "Readable name", "left", type="string"),
    Column("arch", "Arch", lambda entry: entry.kernel.record.arch, None, "Architecture", "left", type="string"),
    Column("change", "Occupancy", lambda entry: _change(entry), _occupancies,
           "New less old occupancy", "left", type="number"),
    Column("block_size", "Threads", lambda entry: None, _threads, "", "left", optional=3),
    Column("fix", "Fix", lambda entry: step_values(entry.row.fix if entry.row else None), _fix,
           "Smallest change that restores the occupancy", "left", optional=2, wraps=True, type="object"),
    Column("causes", "Cause", lambda entry: _cause_values(entry), _causes,
           "Values that changed", "left", optional=1, wraps=True, type="array"),
    Column("name", "", lambda entry: entry.kernel.record.name, about="Mangled name", type="string"),
    Column("old_name", "", lambda entry: entry.old.record.name if entry.old else None, type="string",
           about="Mangled name in the old build"),
    Column("matched_by", "", lambda entry: entry.row.matched_by if entry.row else None, type="string",
           about='"name", "stable_name" or "code"'),
    Column("source", "", lambda entry: entry.kernel.record.source, about="File", type="string"),
    Column("file", "", lambda entry: entry.kernel.record.file, about="Source file", type="string"),
    Column("line", "", lambda entry: entry.kernel.record.line, about="Line in it", type="integer"),
    *(_side(side, *values) for values in _MEASURED for side in ("old", "new")),
)  # fmt: skip


def _change(entry: Entry) -> float | None:
    if entry.old is None or entry.new is None:
        return None
    old, new = entry.old.occupancy, entry.new.occupancy
    return None if old is None or new is None else new - old


def _cause_values(entry: Entry) -> list[dict[str, Any]]:
    return [] if entry.row is None else [each._asdict() for each in entry.row.causes]


def diff_report(found: Differences, inputs: Mapping[str, Any], *, in_full: bool = False) -> Report:
    """Return the report of differences between two builds.

    Args:
        found: The differences.
        inputs: The arguments that were given.
        in_full: Show all rows on a screen, however many.
    """
    rows = entries(found)
    limit = None if in_full or len(rows) <= MOST_IN_FULL else EXCERPT
    counts = found.summary
    kinds = [f"{number:,} {kind}" for kind, number in counts.items() if number]
    headline = [f"{', '.join(kinds)}" if kinds else "No kernels"]
    if not rows:
        headline = [f"{count(found.same, 'kernel')}, all the same"]
    if limit is not None:
        headline.append(f"{limit:,} shown, the worst first; --all shows all")
    columns = list(COLUMNS)
    if not any(_fix(entry) for entry in rows[:limit]):
        columns = [column._replace(title="") if column.key == "fix" else column for column in columns]
    return Report(
        name="diff",
        headline=tuple(headline),
        columns=columns,
        rows=rows,
        rows_key="kernels",
        inputs={"old": found.old_name, "new": found.new_name, **inputs},
        values={"summary": counts, "not_compared": dict(found.unknown)},
        limit=limit,
        notes=tuple(_notes(found, rows[:limit])),
    )


def _notes(found: Differences, rows: Sequence[Entry]) -> Iterator[Note]:
    if any(row.threads_assumed for entry in rows for row in (entry.old, entry.new) if row is not None):
        yield note("assumed-threads")
    if found.unknown:
        names = ", ".join(label(name) for name in found.unknown)
        yield note("stated-by-one")._replace(text=f"Only one of the builds states: {names}.")
    if any(entry.verdict == "mixed" for entry in rows):
        yield note("mixed")
