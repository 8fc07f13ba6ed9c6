"""Report of ``occupancy diff``: the changes of each kernel, with their cause and a fix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from ..advice.next_steps import NextStep
from ..builds.names import short_name
from ..builds.rows import ScannedKernel
from ..compare.diff import Change, Differences, DiffRow
from ..readers import KernelRecord
from ..values.numbers import count, size
from .calc import label, step_values
from .model import Block, Column, Note, Paragraph, Report, Table
from .notes import NOTES
from .scan import Finding, FindingKind, amount_text, kernel_finding, occupancy_text, threads_text

MOST_BLOCKS = 20
"""Kernels of a screen and a comment."""
MOST_NAMED = 10

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

    @property
    def change(self) -> float | None:
        """New less old occupancy."""
        old, new = (None if kernel is None else kernel.occupancy for kernel in (self.old, self.new))
        return None if old is None or new is None else new - old


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
            text = "is gone"
            if entry.row is not None:
                shares = arrow(occupancy_text(entry.row.old), occupancy_text(entry.row.new))
                text = f"{shares}; {causes_text([(None, entry.row.causes)])}"
            name = f"{entry.kernel.short_name} for {entry.kernel.record.arch}"
            yield kernel_finding(entry.kernel, entry.verdict, kind.severity, f"{name}: {text}.")


# Causes


def _bounds_text(bounds: tuple[int, int | None] | None) -> str:
    if bounds is None:
        return "none"
    threads, blocks = bounds
    return f"({threads})" if blocks in (None, 1) else f"({threads}, {blocks})"


_VALUES: Mapping[str, tuple[str, Callable[[Any], str]]] = {
    "arch": ("{}", str),
    "name": ("renamed {}", str),
    "launch_bounds": ("launch bounds {}", _bounds_text),
    "cluster_dim": ("cluster {}", lambda shape: "none" if shape is None else "x".join(map(str, shape))),
    "threads": ("threads {}", "{:,}".format),
    "smem": ("shared memory {}", size),
    "regs": ("registers {}", "{:,}".format),
    "spill_smem": ("spills to shared memory {}", size),
    "barriers": ("barriers {}", "{:,}".format),
    "spills": ("spills {}", lambda spills: "{:,} / {:,} bytes".format(*spills)),
    "stack_bytes": ("stack {}", size),
}


def by_arch(texts: Iterable[tuple[str | None, str]]) -> str:
    """Return what is the same on all architectures, or ``4.125 KiB (sm_80) and 6.125 KiB (sm_90)``."""
    archs: dict[str, list[str]] = {}
    for arch, text in texts:
        archs.setdefault(text, []).append(arch or "-")
    if len(archs) == 1:
        return next(iter(archs))
    return " and ".join(f"{text} ({', '.join(names)})" for text, names in archs.items())


def causes_text(causes: Iterable[tuple[str | None, Sequence[Change]]]) -> str:
    """Return the changes: ``registers 96 -> 40 (sm_80) and 128 -> 40 (sm_90)``."""
    changes: dict[str, list[tuple[str | None, str]]] = {}
    for arch, each in causes:
        for name, old, new in each:
            _, text = _VALUES[name]
            changes.setdefault(name, []).append((arch, arrow(text(old), text(new))))
    parts = [_VALUES[name][0].format(by_arch(texts)) for name, texts in changes.items()]
    return ", ".join(parts) or "nothing that is compared"


def arrow(was: str, now: str) -> str:
    """Return two values, with a common unit once: ``4 -> 36 KiB``; equal ones once: ``96``."""
    if was == now:
        return now
    for unit in (" KiB", " bytes"):
        if was.endswith(unit) and now.endswith(unit):
            return f"{was.removesuffix(unit)} -> {now}"
    return f"{was} -> {now}"


# Blocks: a kernel of all its architectures


BLOCK_TABLE = (
    Column("label", "", itemgetter(0), align="left"),
    Column("text", "", itemgetter(1), align="left", wraps=True),
)


def block(title: str, lines: Sequence[tuple[str, str]]) -> Table:
    """Return labels and texts below the name of a kernel."""
    return Table(title, BLOCK_TABLE, lines)


_RESOURCES = {"regs": "registers", "smem": "shared memory"}


def fixes_text(verb: str, fixes: Iterable[tuple[str | None, NextStep | None]]) -> str:
    """Return the fix: ``reduce shared memory to 4.125 KiB (sm_80) and 6.125 KiB (sm_90)``."""
    values: dict[str, list[tuple[str | None, str]]] = {}
    for arch, fix in fixes:
        for resource, value in ({} if fix is None else fix.requires).items():
            values.setdefault(resource, []).append((arch, amount_text(resource, value).removesuffix(" regs")))
    texts = [f"{_RESOURCES.get(name, label(name))} to {by_arch(each)}" for name, each in values.items()]
    return f"{'change' if 'threads' in values else verb} {', '.join(texts)}" if texts else ""


def names_of(records: Iterable[KernelRecord]) -> dict[str, None]:
    """Return the short names of kernels, each once."""
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
            names.setdefault(entry.verdict, []).append(entry.kernel.record)
        else:
            groups.setdefault((entry.verdict, entry.kernel.demangled), []).append(entry.row)
    for (verdict, _), group in list(groups.items())[:most]:
        yield block(f"{group[0].new.screen_name}: {verdict}", list(_lines(group)))
    if len(groups) > most:
        yield Paragraph([f"{len(groups) - most:,} more kernels changed: --all shows them."])
    for verdict, records in names.items():
        yield Paragraph([f"{verdict.capitalize()}: {listed(names_of(records), max(most, MOST_NAMED))}"])


def _lines(group: Sequence[DiffRow]) -> Iterator[tuple[str, str]]:
    for row in group:
        occupancy, threads = (arrow(text(row.old), text(row.new)) for text in (occupancy_text, threads_text))
        yield row.new.record.arch or "-", f"{occupancy} at {threads} threads" if threads else occupancy
    yield "cause", causes_text((row.new.record.arch, _named_causes(row)) for row in group)
    if fix := fixes_text("reduce", [(row.new.record.arch, row.fix) for row in group]):
        yield "fix", fix


# Columns


def _named_causes(row: DiffRow) -> tuple[Change, ...]:
    """Return the causes, with another name of the kernel first."""
    old, new = row.old.short_name, row.new.short_name
    return row.causes if old == new else (Change("name", old, new), *row.causes)


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
    Column("verdict", type="string",
           about="worse, mixed, changed, better, same, added, or removed"),
    Column("demangled", "", "kernel.demangled", about="Readable name", type="string"),
    Column("arch", "", "kernel.record.arch", about="Architecture", type="string"),
    Column("change", about="New less old occupancy", type="number"),
    Column("fix", "", lambda entry: entry.row and entry.row.fix and step_values(entry.row.fix), type="object",
           about="Smallest change that restores the occupancy"),
    Column("causes", "", lambda entry: [each._asdict() for each in entry.row.causes] if entry.row else [],
           about="Values that changed", type="array"),
    Column("name", "", "kernel.record.name", about="Mangled name", type="string"),
    Column("old_name", "", lambda entry: entry.old.record.name if entry.old else None, type="string",
           about="Mangled name in the old build"),
    Column("matched_by", "", lambda entry: entry.row.matched_by if entry.row else None, type="string",
           about='"name", "stable_name" or "code"'),
    Column("source", "", "kernel.record.source", about="File", type="string"),
    Column("file", "", "kernel.record.file", about="Source file", type="string"),
    Column("line", "", "kernel.record.line", about="Line in it", type="integer"),
    *(_side(side, *values) for values in _MEASURED for side in ("old", "new")),
)  # fmt: skip


def diff_report(found: Differences, inputs: Mapping[str, Any], *, in_full: bool = False) -> Report:
    """Return the report of differences between two builds."""
    rows = entries(found)
    kinds = [f"{number:,} {kind}" for kind, number in found.summary.items() if number]
    headline = ", ".join(kinds) if rows else f"{count(found.same, 'kernel')}, all the same"
    if rows and len({entry.kernel.record.arch for entry in rows}) > 1:
        headline += " (counted for each architecture)"
    return Report(
        name="diff",
        headline=(headline,),
        columns=COLUMNS,
        rows=rows,
        rows_key="kernels",
        inputs=inputs,
        values={"summary": found.summary, "not_compared": dict(found.unknown)},
        shows_rows=False,
        details=list(_blocks(rows, len(rows) if in_full else MOST_BLOCKS)),
        notes=tuple(_notes(found)),
    )


def _notes(found: Differences) -> Iterator[Note]:
    changed = [row for row in found.kernels if row.verdict != "same"]
    if any(kernel.threads_assumed for row in changed for kernel in (row.old, row.new)):
        yield NOTES["assumed-threads"]
    if found.unknown:
        names = ", ".join(label(name) for name in found.unknown)
        yield NOTES["stated-by-one"]._replace(text=f"Not compared, known for only one build: {names}.")
    if any(row.verdict == "mixed" for row in changed):
        yield NOTES["mixed"]
