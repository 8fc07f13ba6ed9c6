"""Report of ``occupancy scan``: kernels with their occupancy."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from operator import attrgetter
from os.path import commonprefix
from typing import Any, NamedTuple

from ..advice.next_steps import probably_uses_setmaxnreg
from ..builds.merge import LOGS
from ..builds.names import count_kernels, short_names
from ..builds.rows import LOW, FindingRule, ScannedKernel
from ..builds.select import UNKNOWN_ARCHITECTURE, age
from ..errors import InputError
from ..values.fields import LIKELY
from ..values.numbers import count, decimal, join_and, listed, percent, size
from ..values.records import readable
from ..values.spellings import did_you_mean
from .model import ALWAYS, Column, Note, Report, cut_in_middle, note, values_of
from .results import gpu_notes
from .words import computed_for, gpu_name, labels, limited_by, step_text

MOST_IN_FULL = 60
"""Rows above which a screen shows the first ones."""
EXCERPT = 20


@readable
class Finding(NamedTuple):
    """A kernel that needs attention, for editors and code scanning."""

    file: str
    """Source file of a kernel compiled with ``-lineinfo``, or the file that contains the kernel."""
    line: int | None
    """Line in the file, from 1; None if unknown."""
    severity: str
    """``"error"``, ``"warning"``, or ``"note"``; empty for a kernel that passed."""
    rule: str
    """``does-not-launch``, ``spills``, ``low-occupancy``, ``could-not-run``, or a rule's name: ``max_regs``."""
    message: str
    kernel: str
    """Readable name."""
    arch: str | None
    """Architecture, or of a broken rule all of them: ``sm_80, sm_90``."""


SCAN_FINDINGS: Mapping[str, str] = {
    "does-not-launch": "The kernel does not launch",
    "spills": "The kernel spills registers",
    "low-occupancy": f"The occupancy is below {percent(LOW)}",
}


class ScanSummary(NamedTuple):
    """Numbers of kernels, each counted once for all of its architectures and launches."""

    kernels: int
    rows: int
    """Kernels counted for each architecture, and for each configuration of their launches."""
    launches: int
    archs: tuple[str, ...]
    spilling: int | None
    """Kernels with spills; None if unknown."""
    below_half: int
    not_launchable: int


def summary(rows: Sequence[ScannedKernel]) -> ScanSummary:
    run = [row for row in rows if row.record.chosen is not False]
    knows_spills = not rows or any(row.spill_bytes is not None for row in run)
    return ScanSummary(
        kernels=count_kernels([row.record for row in rows]),
        rows=len(rows),
        launches=sum(row.record.launches or 0 for row in rows),
        archs=tuple(sorted({row.record.arch or UNKNOWN_ARCHITECTURE for row in rows}, key=age)),
        spilling=count_kernels(row.record for row in run if row.spill_bytes) if knows_spills else None,
        below_half=count_kernels(row.record for row in run if 0 < (row.occupancy or 0) < LOW),
        not_launchable=count_kernels(row.record for row in run if row.launchable is False),
    )


def findings(rows: Iterable[ScannedKernel]) -> Iterator[Finding]:
    for row in rows:
        if (rule := row.finding) is not None:
            severity = "note" if rule == "low-occupancy" else "warning"
            yield kernel_finding(row, rule, severity, _message(row, rule))


def kernel_finding(row: ScannedKernel, rule: str, severity: str, message: str) -> Finding:
    record = row.record
    line = record.line if record.file else None
    return Finding(record.file or record.source, line, severity, rule, message, row.demangled, record.arch)


def _message(row: ScannedKernel, rule: FindingRule) -> str:
    name = f"{row.short_name} for {row.record.arch}{on_gpu(row)}"
    if rule == "does-not-launch":
        return f"{name} does not launch: {row.reason}".rstrip(".") + "."
    if rule == "spills":
        amount = f"{spills_text(row)} (stores/loads)" if row.record.spills else size(row.spill_bytes or 0)
        return f"{name} spills {amount}. Reduce register pressure, or allow more registers."
    at = count(row.threads or 0, "assumed thread" if row.threads_assumed else "thread")
    step = f" Next step: {step_text(row.result, row.next_step)}." if row.next_step else ""
    return f"{name} has {percent(row.occupancy or 0)} occupancy at {at}, {limited_by(row.limiters)}.{step}"


def on_gpu(row: ScannedKernel) -> str:
    """Return `` on RTX 4090`` if the GPU is not the one that the kernel was compiled for."""
    if row.result and (row.cc != str(row.record.compute_capability) or row.result.limits.changes):
        return f" on {gpu_name(row.result.gpu)}"
    return ""


def occupancy_text(row: ScannedKernel) -> str:
    if row.launchable is False:
        return "no launch"
    return "-" if row.occupancy is None else percent(row.occupancy)


def threads_text(row: ScannedKernel) -> str:
    """Return the block size of a row as a cell; an assumed one has a mark."""
    return "-" if row.threads is None else f"{row.threads:,}{'*' if row.threads_assumed else ''}"


def _bytes_text(amount: int) -> str:
    return size(amount).replace(" bytes", " B")


def spills_text(row: ScannedKernel) -> str:
    """Return the bytes that a thread stores and loads, with a mark if counted; ``-`` if unknown."""
    spills, mark = row.record.spills, "~" if row.record.spills_from == "code" else ""
    return f"{mark}{spills.stores:,}/{spills.loads:,} B" if spills else "-" if spills is None else "0 B"


def _field(name: str, kind: str, about: str, title: str = "", text: Any = None, optional: int = 0) -> Column:
    return Column(name, title, f"record.{name}", text, about=about, optional=optional, type=kind)


COLUMNS: tuple[Column, ...] = (
    Column("demangled", "Kernel", "record.demangled", show=attrgetter("short_name"), about="Readable name",
           align="left", type="string", cut_to=24, is_name=True),
    _field("arch", "string", "Target of the compiler, such as sm_90a", "Arch"),
    Column("threads", "Threads", show=threads_text, about="Threads per block", optional=1, type="integer"),
    Column("threads_assumed", about="True if the block size is assumed", type="boolean"),
    Column("occupancy", "Occ.",
           show=lambda row: f"{occupancy_text(row)}{'*' if row.threads_assumed and row.occupancy else ''}",
           about="Resident warps divided by the maximum per SM, 0 to 1", type="number"),
    _field("launches", "integer", "Number of launches of this configuration", "Launches", optional=8),
    _field("duration_us", "number", "Total time of these launches in microseconds", "Time", "{:,.1f} us".format, 2),
    Column("time_share", "Share", text=percent, about="Share of the total time, 0 to 1", optional=7, type="number"),
    _field("achieved_occupancy", "number", "Occupancy measured by a profiler, 0 to 1", "Achieved", percent, 4),
    Column("limiters", "Limited by", show=lambda row: labels(row.limiters) if row.occupancy else "",
           about="Limiting resources", align="left", optional=6, type="array"),
    _field("regs", "integer", "Registers per thread", "Regs"),
    Column("smem", "Shared", text=_bytes_text, about="Shared memory per block in bytes", optional=5, type="integer"),
    Column("spill_store_bytes", "Spills (st/ld)", "record.spill_store_bytes", show=spills_text,
           about="Bytes of spill stores per thread", type="integer"),
    _field("spill_load_bytes", "integer", "Bytes of spill loads per thread"),
    _field("spills_from", "string", '"compiler" if printed by ptxas, "code" if counted in the machine code'),
    _field("stack_bytes", "integer", "Stack per thread in bytes", "Stack", _bytes_text, 10),
    Column("waves", "Waves", text=decimal, about="Waves of each launch", optional=11, type="number"),
    Column("next_step", "Next step", show=lambda row: step_text(row.result, row.next_step) if row.next_step else "",
           about="Next higher level of occupancy, with all required changes", align="left", optional=2, type="object"),
    Column("active_blocks", about="Resident blocks per SM", type="integer"),
    Column("launchable", about="True if the kernel launches; null if unknown", type="boolean"),
    Column("reason", about="Reason why it does not launch, or why launchable or occupancy is null", type="string"),
    Column("cc", about="Compute capability of the result", type="string"),
    _field("file", "string", "Source file of the kernel"),
    _field("line", "integer", "Line in the source file"),
    Column("source", "Source", "record.source", about="File that contains the kernel", align="left", type="string",
           cut_to=16),
    _field("also_in", "array", "Other files with a copy of the kernel"),
    _field("ptx", "array", "Targets of the PTX in the kernel's fatbin, such as compute_90"),
    _field("name", "string", "Mangled name, if the file contains it")._replace(is_name=True),
    _field("static_smem", "integer", "Static shared memory per block in bytes"),
    _field("dynamic_smem", "integer", "Dynamic shared memory per block in bytes"),
    _field("spill_smem", "integer", "Shared memory for spills, per block in bytes", "Spills to shared", _bytes_text, 9),
    _field("barriers", "integer", "Named barriers per block"),
    _field("virtual_resources", "integer", "Virtual resources per block; 128 if the kernel allocates tensor memory"),
    _field("tensor_memory", "integer", "Columns of tensor memory per block"),
    _field("max_threads", "integer", "First launch bound: maximum threads per block"),
    _field("min_blocks", "integer", "Second launch bound: minimum blocks per SM"),
    _field("cluster_dim", "array", "Blocks per cluster along x, y and z"),
    _field("block_dim", "array", "Threads of the block along x, y and z"),
    _field("grid_dim", "array", "Blocks of the grid along x, y and z"),
    _field("num_warps", "integer", "Warps per block (Triton)"),
    _field("num_stages", "integer", "Pipeline stages (Triton)"),
    _field("chosen", "boolean", "True if the autotuner chose this candidate"),
    _field("fuses", "array", "ATen operations of the kernel (Inductor)"),
    _field("profiled_on", "string", "GPU of the profiled launch"),
    _field("multiprocessor_count", "integer", "SMs of the profiled GPU"),
    _field("shared_memory_configuration", "integer", "Shared memory configuration of the profiled SM in bytes"),
    _field("notes", "array", "Notes about the kernel's data"),
)  # fmt: skip
"""Columns of every format; those with a title are on a screen, if they say something."""


def chosen_columns(names: Sequence[str]) -> tuple[Column, ...]:
    """Return the columns of some titles or keys; raise an `InputError` for an unknown one."""
    by_name = {_plain_name(name): column for column in COLUMNS for name in (column.title, column.key) if name}
    chosen = []
    for name, plain in zip(names, map(_plain_name, names), strict=True):
        column = by_name.get(plain)
        if column is None:
            meant = LIKELY.get(plain, LIKELY.get(f"{plain}s", name))
            titles = ", ".join(_plain_name(column.title) for column in COLUMNS if column.title)
            hint = did_you_mean(meant, by_name, f"Columns: {titles}. The CSV has more.")
            raise InputError(f"there is no column {name!r}", where="columns", **hint)
        title = column.title or column.key.replace("_", " ").capitalize().replace("Ptx", "PTX")
        chosen.append(column._replace(title=title, optional=ALWAYS))
        if plain == "spills":
            chosen.append(next(each for each in COLUMNS if each.key == "spill_load_bytes"))
    return tuple({column.key: column for column in chosen}.values())


def _plain_name(name: str) -> str:
    return re.sub(r"[ -]", "_", name.partition("(")[0].strip(" .").lower())


def _screen_columns(columns: Sequence[Column], rows: Sequence[ScannedKernel]) -> list[Column]:
    """Return all columns, with a title only where rows say something that the headline does not."""
    shown: dict[str, list[str]] = {}
    for column in columns:
        cells = [column.cell(row) for row in rows] if column.title else []
        is_same = len(set(cells)) == 1 and column.key in ("arch", "threads", "limiters", "source")
        if column.key == "source":  # shown if several files contain a kernel
            known = {(columns[0].cell(row), row.record.arch, row.threads) for row in rows}
            is_same |= len(known) == len(rows)
        if not is_same and not set(cells) <= {"", "0 B"}:
            shown[column.key] = cells
    return [column if column.key in shown else column._replace(title="") for column in columns]


def named(columns: Iterable[Column], rows: Iterable[Any]) -> list[Column]:
    """Let overloads show their parameters, and files their paths below the common folder."""
    names = cache(lambda: short_names((row.record.demangled, row.record.arch) for row in rows))
    above = cache(lambda: re.sub(r"[^/\\]*$", "", commonprefix([row.record.source for row in rows])))  # noqa: RUF071
    shown = {"demangled": lambda row: names()[row.record.demangled],
             "source": lambda row: row.record.source.removeprefix(above())}  # fmt: skip
    return [each._replace(show=shown.get(each.key, each.show)) for each in columns]


def scan_report(scan: Any, columns: Sequence[Column] = (), *, in_full: bool = False) -> Report:
    """Return the report of an `occupancy.Scan` with the given columns, or with all rows."""
    rows: Sequence[ScannedKernel] = scan.kernels
    counts: ScanSummary = scan.summary
    limit = None if in_full or len(rows) <= MOST_IN_FULL else EXCERPT
    shown = rows[:limit]
    threads, archs = set(map(threads_text, shown)), {row.record.arch or "-" for row in shown}
    limited = {row.limiters if row.occupancy else () for row in shown}
    at = f" for {archs.pop()}" if len(archs) == 1 < len(counts.archs) else ""
    at += f" at {threads.pop()} threads" if len(threads) == 1 else ""
    headline = [_headline(scan, at if len(shown) == counts.rows else "")]
    if len(shown) < counts.rows:
        headline.append(f"First {len(shown):,} of {counts.rows:,} rows{at}, {scan.order}")
    if len(limited) == 1 and any(limited):
        text, those = limited_by(shown[0].limiters), "All" if len(shown) == len(rows) else "These"
        headline.append(text.capitalize() if len(rows) == 1 else f"{those} are {text}")
    columns = named(columns, shown) if columns else _screen_columns(named(COLUMNS, shown), shown)
    if scan.order == "most stack first":
        columns = [each._replace(optional=each.key != "stack_bytes" and each.optional) for each in columns]
    notes = list(_notes(shown, {column.key for column in columns}))
    parts = headline, columns, rows, "kernels", scan.inputs, (), notes
    values = values_of(scan, "summary", "found")
    return Report("scan", *parts, values=values, problems=scan.problems, limit=limit)


def _headline(scan: Any, at: str) -> str:
    counts, inputs = scan.summary, scan.inputs
    if not counts.kernels:
        filters = [f"is below {percent(inputs['below'])}"] if "below" in inputs else []
        filters += ["spills"] if "spilling" in inputs else []
        if not filters and not inputs.keys() & {"names", "archs"}:
            hidden = f" besides {scan.found:,} of the CUDA device runtime. List them with `with_runtime` (`--runtime`)"
            return f"No kernels{hidden if scan.found else ''}"
        unknown = ": there is no spill data" if counts.spilling is None else ""
        return f"No kernel {' and '.join(filters) or 'matches'}{unknown}"
    failing, number = counts.not_launchable, count(counts.kernels, "kernel")
    if counts.kernels < scan.found:
        number = f"{counts.kernels:,} of {scan.found:,} kernels"
    archs = counts.archs[0] if len(counts.archs) == 1 else count(len(counts.archs), "architecture")
    launches = f" ({counts.launches:,} launches)" if counts.launches > 1 else ""
    parts = [f"{failing:,} {'does' if failing == 1 else 'do'} not launch"] if failing else []
    recorded = "" if all(row.spill_bytes is not None for row in scan.kernels) else "recorded "
    spills = f"{counts.spilling:,} with spills" if counts.spilling else f"no {recorded}spills"
    parts.append("no spill data" if counts.spilling is None else spills)
    if counts.below_half or (not failing and any(row.occupancy for row in scan.kernels)):
        parts.append(f"{f'{counts.below_half:,}' if counts.below_half else 'none'} below {percent(LOW)}")
    return f"{number}{launches} for {archs}{computed_for(inputs)}{at}: {', '.join(parts)}"


_NOTED: Mapping[str, tuple[str, Callable[[ScannedKernel], Any]]] = {
    "assumed-threads": ("occupancy", lambda row: row.threads_assumed and row.result),
    "other-gpu": ("occupancy", lambda row: row.result and row.launchable is None),
    "logs": ("threads", lambda row: row.record.format in LOGS and not row.record.max_threads),
    "dynamic-smem": ("occupancy", lambda row: row.record.lacks_dynamic_smem and row.result),
    "autotuner": ("demangled", lambda row: row.record.chosen is False),
    "not-linked": ("regs", lambda row: row.record.linked is False),
    "setmaxnreg": ("next_step", lambda row: (
        row.record.reallocates_registers or (
            row.next_step and probably_uses_setmaxnreg(row.result)
            and (row.record.launches or (row.record.arch or "a")[-1] in "af")))),
    "tensor-memory": ("limiters", lambda row: row.limiters == ("virtual_resources",)),
    "spills-counted": ("spill_store_bytes", lambda row: spills_text(row).startswith("~")),
}  # fmt: skip
"""Note -> the column that it is about, and whether a row needs it."""


def _notes(rows: Sequence[ScannedKernel], keys: Container[str]) -> Iterator[Note]:
    reasons = [f"No occupancy: {row.reason}" for row in rows if row.result is None]
    failing = [row for row in rows if row.launchable is False]
    groups = defaultdict[str, dict[str, None]](dict)
    names = short_names((row.demangled, None) for row in failing)
    for row in failing:
        groups[f"{on_gpu(row)}: {row.reason}"][names[row.demangled]] = None
    for reason, group in islice(groups.items(), 3):
        verb = "does" if len(group) == 1 else "do"
        reasons.append(f"{listed(cut_in_middle([*group], 60), 3)} {verb} not launch{reason.rstrip('.')}.")
    if (more := len(groups) - 3) > 0:
        reasons.append(f"{count(more, 'more reason')}: see `reason` (`--columns kernel,reason`).")
    for text in dict.fromkeys([*reasons, *(text for row in rows for text in row.record.notes)]):
        yield Note("source", text)
    yield from gpu_notes(row.result for row in rows if row.result)
    yield from row_notes(rows, [code for code, (key, _) in _NOTED.items() if key in keys])


def row_notes(rows: Sequence[ScannedKernel], codes: Iterable[str]) -> Iterator[Note]:
    for code in codes:
        groups = defaultdict[str | None, list[ScannedKernel]](list)
        for row in filter(_NOTED[code][1], rows):
            groups[row.reason if code == "other-gpu" else None].append(row)
        for reason, noted in groups.items():
            archs = join_and(list(dict.fromkeys(row.record.arch or "-" for row in noted)))
            gpu = noted[0].result and noted[0].result.gpu
            names = dict.fromkeys(row.short_name for row in noted) if len(noted) < len(rows) else ()
            kernels = f" ({listed(list(names), 3)})" if names else ""
            yield note(code, gpu=gpu and gpu_name(gpu), archs=archs, reason=f"{reason}{kernels}")
