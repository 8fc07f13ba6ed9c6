"""Report of ``occupancy scan``: kernels with their occupancy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from ..advice.next_steps import NextStep
from ..builds.rows import LOW, FindingRule, ScannedKernel, spilled_bytes
from ..builds.select import age
from ..errors import InputError
from ..tables.shipped import runs_on
from ..values.numbers import count, join_and, percent, size
from ..values.spellings import did_you_mean
from .calc import label, labels, step_values
from .model import Column, Report
from .notes import NOTES

MOST_IN_FULL = 60
"""Rows above which a screen shows the first ones."""
EXCERPT = 20

SHORT: Mapping[str, str] = {
    "regs": "regs", "smem": "shared", "threads": "threads", "barriers": "barriers",
    "tensor_memory": "TMEM columns",
}  # fmt: skip
"""Resources as a cell names them."""


class Finding(NamedTuple):
    """Something to look at in a kernel, for editors and services that scan code."""

    file: str
    """Source file, where the compiler wrote line tables (``-lineinfo``); else the file that was read."""
    line: int | None
    severity: str
    """``"error"``, ``"warning"``, or ``"note"``."""
    rule: str
    message: str
    kernel: str
    """Readable name."""
    arch: str | None


class FindingKind(NamedTuple):
    """Title and severity of all findings of one rule."""

    title: str
    severity: str


SCAN_FINDINGS: Mapping[str, FindingKind] = {
    "does-not-launch": FindingKind("The kernel does not launch", "warning"),
    "spills": FindingKind("The kernel spills registers", "warning"),
    "low-occupancy": FindingKind(f"The occupancy is below {percent(LOW)}", "note"),
}


class Summary(NamedTuple):
    """Kernels in numbers."""

    kernels: int
    launches: int
    archs: tuple[str, ...]
    spilling: int | None
    """None if no source states spills."""
    below_half: int
    not_launchable: int


def summary(rows: Iterable[ScannedKernel]) -> Summary:
    """Count kernels, and reasons to look at them."""
    kernels = launches = below = failing = 0
    spilled: list[int] = []
    archs: set[str] = set()
    for row in rows:
        record = row.record
        kernels += 1
        launches += record.launches or 0
        archs.add(record.arch or "an unknown architecture")
        if record.chosen is False:
            continue
        if (spills := spilled_bytes(record)) is not None:
            spilled.append(spills)
        failing += row.launchable is False
        below += bool(row.launchable) and (row.occupancy or 0) < LOW
    spilling = sum(map(bool, spilled)) if spilled or not kernels else None
    return Summary(kernels, launches, tuple(sorted(archs, key=age)), spilling, below, failing)


def findings(rows: Iterable[ScannedKernel]) -> Iterator[Finding]:
    """Return what to look at: kernels that do not launch, spill, or have a low occupancy."""
    for row in rows:
        rule = row.finding
        if rule is not None:
            yield kernel_finding(row, rule, SCAN_FINDINGS[rule].severity, _message(row, rule))


def kernel_finding(row: ScannedKernel, rule: str, severity: str, message: str) -> Finding:
    """Return a finding about a kernel, at its place in the source."""
    record = row.record
    line = record.line if record.file else None
    return Finding(record.file or record.source, line, severity, rule, message, row.demangled, record.arch)


def _message(row: ScannedKernel, rule: FindingRule) -> str:
    name = f"{row.short_name} for {row.record.arch}"
    if rule == "does-not-launch":
        return f"{name} does not launch: {row.reason}".rstrip(".") + "."
    if rule == "spills":
        return f"{name} spills {size(spilled_bytes(row.record) or 0)} of registers."
    at = count(row.threads or 0, "thread")
    limit = join_and([label(each) for each in row.limiters])
    return f"{name} has {percent(row.occupancy or 0)} occupancy at {at}, limited by {limit}."


# Cells


def amount_text(resource: str, amount: int) -> str:
    """Return an amount of a resource: ``48 regs``, ``4.125 KiB``, ``192 threads``."""
    return size(amount) if resource == "smem" else f"{amount:,} {SHORT.get(resource, resource)}"


def step_text(step: NextStep | None) -> str:
    """Return a step in a cell: ``48 regs: 62.5%``."""
    if step is None:
        return ""
    changes = ", ".join(amount_text(name, value) for name, value in step.requires.items())
    return f"{changes}: {percent(step.occupancy)}"


def occupancy_text(row: ScannedKernel) -> str:
    """Return the occupancy of a row as a cell."""
    if row.launchable is False:
        return "no launch"
    return "-" if row.occupancy is None else percent(row.occupancy)


def _marked_occupancy(row: ScannedKernel) -> str:
    """Return the occupancy, with a mark if its block size is assumed."""
    return occupancy_text(row) + ("*" if row.threads_assumed and row.launchable else "")


def limiters_text(row: ScannedKernel) -> str:
    """Return the limiting resources of a row as a cell."""
    return labels(row.limiters) if row.launchable else ""


def threads_text(row: ScannedKernel) -> str:
    """Return the block size of a row as a cell; an assumed one has a mark."""
    return "-" if row.threads is None else f"{row.threads:,}{'*' if row.threads_assumed else ''}"


def spills_text(row: ScannedKernel) -> str:
    """Return the bytes that a thread stores and loads, with a mark where they were counted."""
    record = row.record
    if record.spill_store_bytes is None and record.spill_load_bytes is None:
        return ""
    stores, loads = max(record.spill_store_bytes or 0, 0), max(record.spill_load_bytes or 0, 0)
    if not stores and not loads:
        return ""
    return f"{'~' if record.spills_from == 'code' else ''}{stores:,} / {loads:,} B"


def _known(name: str, text: Callable[[Any], str]) -> Callable[[ScannedKernel], str]:
    """Return the function from a row to the text of a value, empty if it is not known."""
    value = attrgetter(name)
    return lambda row: "" if value(row) is None else text(value(row))


def _size(amount: int) -> str:
    return size(amount) if amount else "0"


def _place(row: ScannedKernel) -> str:
    record = row.record
    return record.source if record.file is None else f"{record.file}:{record.line}"


# Columns


def _field(name: str, kind: str, about: str, title: str = "", show: Any = None, optional: int = 0) -> Column:
    return Column(name, title, f"record.{name}", show, about, optional=optional, type=kind)


COLUMNS: tuple[Column, ...] = (
    Column("demangled", "Kernel", "demangled", lambda row: row.screen_name,
           "Readable name", "left", type="string"),
    _field("arch", "string", "Architecture that it was compiled for", "Arch"),
    Column("threads", "Threads", "threads", threads_text, "Threads per block", optional=5,
           type="integer"),
    Column("threads_assumed", type="boolean",
           about="True: neither a file nor the user states the block size"),
    Column("occupancy", "Occ.", "occupancy", _marked_occupancy,
           "Active warps by the most warps of an SM, 0 to 1", type="number"),
    _field("launches", "integer", "Launches of this configuration", "Launches", optional=8),
    _field("duration_us", "number", "Time of all these launches in microseconds", "Time",
           _known("record.duration_us", "{:,.1f} us".format)),
    Column("time_share", "Share", "time_share", _known("time_share", percent),
           "Share of the time of all launches, 0 to 1", optional=6, type="number"),
    _field("achieved_occupancy", "number", "Occupancy that a profiler measured, 0 to 1", "Achieved",
           _known("record.achieved_occupancy", percent), 4),
    Column("limiters", "Limited by", "limiters", limiters_text,
           "Resources that allow no more blocks", "left", optional=1, type="array"),
    _field("regs", "integer", "Registers per thread", "Regs"),
    Column("smem", "Shared", "smem", _known("smem", _size), "Shared memory per block in bytes",
           optional=3, type="integer"),
    _field("spill_store_bytes", "integer", "Bytes that a thread stores as registers do not suffice",
           "Spills (st/ld)", spills_text),
    _field("spill_load_bytes", "integer", "Bytes that it loads again"),
    _field("spills_from", "string", '"compiler": printed; "code": counted in the machine code'),
    _field("stack_bytes", "integer", "Stack per thread", "Stack", _known("record.stack_bytes", _size), 9),
    Column("waves", "Waves", "waves", _known("waves", "{:,.2f}".format),
           "Waves in which the blocks of a launch run", optional=10, type="number"),
    Column("idle_share", type="number",
           about="Share of a launch's time in which places for blocks are empty, 0 to 1"),
    Column("next_step", "To raise it", lambda row: row.next_step and step_values(row.next_step),
           lambda row: step_text(row.next_step),
           "Nearest higher occupancy and the changes that it takes", "left", optional=2, type="object"),
    Column("active_blocks", about="Resident blocks per SM", type="integer"),
    Column("launchable", about="True if it launches", type="boolean"),
    Column("reason", type="string",
           about="Reason for which it does not launch, or for a missing occupancy"),
    Column("cc", about="Compute capability of the result", type="string"),
    Column("file", "", "record.file", _place, "Source file of the kernel", "left", type="string"),
    _field("line", "integer", "Line in it"),
    _field("source", "string", "File that was read"),
    _field("also_in", "array", "Other files with a copy of the kernel"),
    _field("format", "string", "Format of the file"),
    _field("name", "string", "Mangled name, where the file has it"),
    Column("template", type="string",
           about="Readable name without template arguments and parameters"),
    _field("static_smem", "integer", "Shared memory that the kernel declares"),
    _field("dynamic_smem", "integer", "Shared memory that the launch requests"),
    _field("spill_smem", "integer", "Shared memory that registers are spilled to", "Spills to shared",
           _known("record.spill_smem", _size)),
    _field("barriers", "integer", "Named barriers per block"),
    _field("virtual_resources", "integer", "128: allocates tensor memory"),
    _field("tensor_memory", "integer", "Columns of tensor memory per block"),
    _field("reallocates_registers", "boolean", "True if warpgroups use setmaxnreg"),
    _field("max_threads", "integer", "Launch bound"),
    _field("required_threads", "integer", "Block size that it was compiled for exactly"),
    _field("min_blocks", "integer", "Second launch bound"),
    _field("register_cap", "integer", "Cap on registers that it was compiled under"),
    _field("cluster_dim", "array", "Blocks per cluster along x, y and z"),
    _field("max_cluster_rank", "integer", "Third launch bound"),
    _field("block_dim", "array", "Shape of the block"),
    _field("grid_dim", "array", "Blocks of the grid along x, y and z"),
    _field("num_warps", "integer", "Triton: warps per block"),
    _field("num_stages", "integer", "Triton: stages of the pipeline"),
    _field("chosen", "boolean", "Autotuner: whether this candidate runs"),
    _field("fuses", "array", "Inductor: operations of the kernel"),
    _field("profiled_on", "string", "GPU of the launch"),
    _field("multiprocessor_count", "integer", "SMs of that GPU"),
    _field("shared_memory_configuration", "integer", "Shared memory that the SM was set to"),
    _field("reported_occupancy", "number", "Theoretical occupancy that the file claims, 0 to 1"),
    _field("linked", "boolean", "False: relocatable, without the needs of callees"),
    _field("is_static", "boolean", "True for a kernel with internal linkage"),
    _field("code", "integer", "Checksum of the machine code"),
    _field("notes", "array", "Remarks of the reader"),
)  # fmt: skip
"""Columns of every format; those with a title are on a screen, if they say something."""

_ALIASES = {
    "kernel": "demangled", "registers": "regs", "shared": "smem", "shared_memory": "smem", "spills":
    "spill_store_bytes", "stack": "stack_bytes", "occ": "occupancy", "limited_by": "limiters", "blocks":
    "active_blocks", "time": "duration_us", "share": "time_share", "achieved": "achieved_occupancy",
    "bound": "max_threads", "next": "next_step", "to_raise_it": "next_step",
}  # fmt: skip

_TITLES = {
    "name": "Mangled name", "cc": "CC", "regs": "Regs", "active_blocks": "Blocks", "max_threads": "Bound",
    "cluster_dim": "Cluster",
}  # fmt: skip


def chosen_columns(names: Sequence[str]) -> tuple[Column, ...]:
    """Return the columns of some names, as JSON, CSV, or a screen have them.

    Raises:
        InputError: There is no such column.
    """
    by_key = {column.key: column for column in COLUMNS}
    chosen = []
    for name in names:
        key = name.strip().lower().rstrip(".").replace(" ", "_").replace("-", "_")
        column = by_key.get(_ALIASES.get(key, key))
        if column is None:
            hint = did_you_mean(key, [*by_key, *_ALIASES])
            raise InputError(f"there is no column {name!r}", where="columns", hint=hint)
        title = column.title or _TITLES.get(column.key, column.key.replace("_", " ").capitalize())
        chosen.append(column._replace(title=title, optional=0))
    return tuple(chosen)


def _screen_columns(rows: Sequence[ScannedKernel]) -> tuple[Column, ...]:
    """Return all columns, with a title only where the rows differ or say something."""
    records = [row.record for row in rows]
    has = {
        "arch": len({record.arch for record in records}) > 1,
        "threads": any(row.threads_assumed for row in rows) or len({row.threads for row in rows}) > 1,
        "smem": any(record.shared_memory for record in records),
        "spill_store_bytes": any(map(spills_text, rows)),
        "time_share": any(row.time_share is not None for row in rows),
        "waves": any(row.record.grid_dim is not None and row.waves is not None for row in rows),
    }
    has |= {name: any(getattr(each, name) for each in records) for name in ("spill_smem", "stack_bytes")}
    for name in ("launches", "duration_us", "achieved_occupancy"):
        has[name] = any(getattr(record, name) is not None for record in records)
    return tuple(column if has.get(column.key, True) else column._replace(title="") for column in COLUMNS)


# The report


def scan_report(
    rows: Sequence[ScannedKernel],
    *,
    of: Summary,
    found: int,
    inputs: Mapping[str, Any],
    columns: Sequence[Column] = (),
    in_full: bool = False,
    order: str = "lowest occupancy first",
) -> Report:
    """Return the report of scanned kernels."""
    limit = None if in_full or len(rows) <= MOST_IN_FULL else EXCERPT
    shown = rows if limit is None else rows[:limit]
    sizes = {(row.threads, row.threads_assumed) for row in shown}
    (threads, is_assumed) = sizes.pop() if len(sizes) == 1 else (None, True)
    headline = [_headline(of, found, None if is_assumed else threads)]
    if len(shown) < of.kernels:
        more = "" if limit is None else "; --all shows all, --limit N the first"
        headline.append(f"{len(shown):,} shown, {order}{more}")
    chosen = tuple(columns) or _screen_columns(shown)
    return Report(
        name="scan",
        headline=tuple(headline),
        columns=chosen,
        rows=rows,
        rows_key="kernels",
        inputs=inputs,
        values={"summary": {**of._asdict(), "archs": list(of.archs)}, "found": found},
        limit=limit,
        notes=[NOTES[code] for code, is_needed in _NOTED.items() if any(map(is_needed, shown))],
    )


def _headline(of: Summary, found: int, threads: int | None) -> str:
    if not of.kernels:
        return f"No kernel of {found:,} matches{': there is no spill data' if of.spilling is None else ''}"
    archs = of.archs[0] if len(of.archs) == 1 else count(len(of.archs), "architecture")
    at = "" if threads is None else f" at {count(threads, 'thread')}"
    launches = "" if of.launches < 2 else f" ({of.launches:,} launches)"
    spilling = f"{of.spilling:,} with spills" if of.spilling else "no spills"
    parts = [
        f"{of.not_launchable:,} cannot launch" if of.not_launchable else "",
        "no spill data" if of.spilling is None else spilling,
        f"{of.below_half:,} below {percent(LOW)}" if of.below_half else f"none below {percent(LOW)}",
    ]
    number = f"{of.kernels:,} of {found:,} kernels" if of.kernels < found else count(of.kernels, "kernel")
    return f"{number}{launches} for {archs}{at}: {', '.join(filter(None, parts))}"


_NOTED: Mapping[str, Callable[[ScannedKernel], Any]] = {
    "assumed-threads": lambda row: row.threads_assumed,
    "other-gpu": lambda row: (
        row.answer and row.record.arch and not runs_on(row.record.arch, row.answer.limits.compute_capability)
    ),
    "autotuner": lambda row: row.record.chosen is False,
    "not-linked": lambda row: row.record.linked is False,
    "setmaxnreg": lambda row: row.record.reallocates_registers,
    "dynamic-smem": lambda row: row.record.lacks_dynamic_smem and row.record.regs is not None,
    "spills-counted": lambda row: spills_text(row).startswith("~"),
    "spills-more": lambda row: (
        row.next_step and "regs" in row.next_step.requires and spilled_bytes(row.record)
    ),
}
"""Note -> whether a row needs it."""
