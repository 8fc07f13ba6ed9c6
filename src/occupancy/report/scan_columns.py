"""The columns of the table of kernels: of each what it is called, and what a cell of it says."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePath
from typing import NamedTuple, Protocol

from ..builds.attention import LOW
from ..builds.scanner import ROW_FIELDS, ScanRow
from ..errors import InputError, shown
from ..render import words
from ..render.csv_json import flatten
from ..render.sarif import within_here
from ..values.resources import amount_of
from ..values.spellings import did_you_mean

IF_THERE_IS_ROOM = (
    "Why", "Spills", "Fuses", "File", "Stack", "Waves", "Next step", "Reported", "Static", "Dynamic",
    "Shared", "Time", "Launches", "Source", "Bar", "Bound",
)  # fmt: skip
"""The columns that a narrow terminal need not show, the most useful first: what spills before all else."""

OF_TRACES = ("Time", "Reported")
"""What else than the share of the time is shown of traces first of all."""

LAST = "Next step"

MOST_OPERATIONS = 3
"""Of a kernel of Inductor, in its column."""

MOST_PARTS = 8
"""Of a path, in the column of files."""


class Column(NamedTuple):
    """A column of the table of kernels; empty cells are for what is not known or of no interest."""

    title: str
    cell: Callable[[ScanRow], str]
    is_number: bool = True
    fields: tuple[str, ...] = ()
    """What it is made of, by the names in JSON and CSV."""


def columns_of(
    rows: Sequence[ScanRow], chosen: Sequence[str] = (), *, is_excerpt: bool = False
) -> list[Column]:
    """The columns that have something to say about these rows; or those that were asked for.

    Args:
        rows: The kernels.
        chosen: Names of fields, see `fields_named`; none: what has something to say.
        is_excerpt: Whether the rows were picked because they deserve a look, so that it is said why.
    """
    file = Column("File", _file_names(rows), False, ("source",))
    if chosen:
        return _chosen(chosen, file)
    shown = [column for column in _COLUMNS if any(column.cell(row) not in ("", "0") for row in rows)]
    first = [file] if len({row.source for row in rows}) > 1 else []
    return [*first, *shown, *([_WHY] if is_excerpt else [])]


def if_there_is_room(rows: Sequence[ScanRow]) -> tuple[str, ...]:
    """The titles of the columns that a narrow terminal need not show, the most useful first."""
    first = OF_TRACES if any(row.time_share is not None for row in rows) else ()
    files = {(row.name, row.arch): row.source for row in rows}
    if any(files[row.name, row.arch] != row.source for row in rows):
        first = ("File", *first)  # nothing else tells those rows apart
    return (*first, *(title for title in IF_THERE_IS_ROOM if title not in first))


def _chosen(fields: Sequence[str], file: Column) -> list[Column]:
    """A column for each of the fields, or for several that one column shows."""
    ours = {field: column for column in (file, *_COLUMNS) for field in column.fields}
    columns = [ours.get(field) or _plain(field) for field in fields if field not in ("name", "demangled")]
    return list(dict.fromkeys(columns))


def fields_named(names: Iterable[str]) -> tuple[str, ...]:
    """The fields of a row that are meant: by their own names, or by the titles of columns.

    Raises:
        InputError: There is no such column.
    """
    titles = {
        _key(column.title): column.fields for column in (Column("File", _why, fields=("source",)), *_COLUMNS)
    }
    found: list[str] = []
    for name in names:
        key = _key(name)
        if key in ROW_FIELDS:
            found.append(key)
        elif key in titles:
            found += titles[key]
        else:
            allowed = did_you_mean(key, (*titles, *(each for each in ROW_FIELDS if each not in titles)))
            raise InputError(f"there is no column {shown(name)}", where="columns", allowed=allowed)
    return tuple(dict.fromkeys(found))


def _key(name: str) -> str:
    return name.strip().lower().rstrip(".").replace(" ", "_").replace("-", "_")


def _plain(field: str) -> Column:
    """A column of a field that has none of its own."""

    def cell(row: ScanRow) -> str:
        value = getattr(row, field)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return f"{value:,}"
        text = ", ".join(str(each) for _, each in flatten("", value) if each not in (None, ""))
        return words.printable(text)

    return Column(field.replace("_", " ").capitalize(), cell, False, (field,))


class Named(Protocol):
    """What has a readable name."""

    @property
    def demangled(self) -> str: ...


def short_name(row: Named) -> str:
    """The demangled name without the parameters, which launches do not need to be distinguished."""
    name = words.printable(row.demangled).removeprefix("void ")
    if name.endswith(")"):
        depth = 0
        for position in range(len(name) - 1, 0, -1):
            depth += {")": 1, "(": -1}.get(name[position], 0)
            if depth == 0:
                return name[:position]
    return name


def architecture(row: ScanRow) -> str:
    """The architecture, and what about it is out of the ordinary."""
    text = words.printable(row.arch or "unknown")
    if row.linked is False:
        text += " (not linked)"
    return f"{text} on {row.cc}" if row.what_if or (row.cc and not row.arch) else text


def place(file: str | None, line: int | None) -> str:
    """Where in the source: ``src/blur.cu:12``; relative to this folder where it is in it."""
    if file is None:
        return ""
    path = PurePath(file)
    short = within_here(file) if path.is_relative_to(os.getcwd()) else path.name
    return words.printable(short if line is None else f"{short}:{line}")


def _size(amount: int | None) -> str:
    if amount is None:
        return ""
    return words.size(amount) if amount else "0"


def _registers(row: ScanRow) -> str:
    """Those that the warpgroups divide are marked."""
    return words.number(row.regs, "?") + (" split" if row.reallocates_registers else "")


def _static(row: ScanRow) -> str:
    """The kernel's own, and what the compiler has added to spill registers to."""
    if not row.spill_smem or row.static_smem is None:
        return _size(row.static_smem)
    own = row.static_smem - row.spill_smem
    return f"{_size(own)} + {_size(row.spill_smem)} spills" if own else f"{_size(row.spill_smem)} spills"


def _nonzero(amount: int | None) -> str:
    return words.size(amount) if amount else ""


def _spills(row: ScanRow) -> str:
    if not row.spill_store_bytes and not row.spill_load_bytes:
        return ""
    return f"{row.spill_store_bytes or 0:,} / {row.spill_load_bytes or 0:,}"


def threads(row: ScanRow) -> str:
    if row.threads is None:
        return ""
    origin = {"option": " given", "launch_bounds": " bound", "best": " best"}.get(row.threads_from or "", "")
    return f"{row.threads:,}{origin}"


def _share(share: float | None) -> str:
    return "" if share is None else words.percent(share)


def _limiters(row: ScanRow) -> str:
    if row.launchable is False:
        return "does not launch"
    return words.short_names(row.limiters)


def _next_step(row: ScanRow) -> str:
    if row.next_step is None:
        return ""
    changes = [
        words.change(resource, amount_of(resource, row), amount, short=True)
        for resource, amount in row.next_step.requires.items()
    ]
    more = " (spills more)" if "regs" in row.next_step.requires and (_spills(row) or row.spill_smem) else ""
    return f"{words.percent(row.next_step.occupancy)}: {', '.join(changes)}{more}"


def _duration(row: ScanRow) -> str:
    return "" if row.duration_us is None else f"{row.duration_us:,.1f} us"


def _autotuner(row: ScanRow) -> str:
    return "chosen" if row.chosen else ""


def _fuses(row: ScanRow) -> str:
    more = len(row.fuses) - MOST_OPERATIONS
    shown = [each.removeprefix("aten.") for each in row.fuses[:MOST_OPERATIONS]]
    return words.printable(", ".join([*shown, *([f"{more} more"] if more > 0 else [])]))


def _file_names(rows: Sequence[ScanRow]) -> Callable[[ScanRow], str]:
    """The last part of each path, or so many of them that different files look different."""
    names = {source: PurePath(source).name for source in {row.source for row in rows}}
    for depth in range(2, MOST_PARTS):
        often = Counter(names.values())
        alike = [source for source, name in names.items() if often[name] > 1]
        if not alike:
            break
        names |= {source: "/".join(PurePath(source).parts[-depth:]) for source in alike}
    return lambda row: words.printable(names[row.source])


def _why(row: ScanRow) -> str:
    """Why the kernel deserves a look."""
    reasons = []
    if row.launchable is False:
        reasons.append("does not launch")
    if _spills(row) or row.spill_smem:
        reasons.append("spills")
    if row.occupancy is not None and row.occupancy < LOW and row.launchable:
        reasons.append(f"below {words.percent(LOW)}")
    if row.stack_bytes and not reasons:
        reasons.append("stack")
    return ", ".join(reasons)


_WHY = Column("Why", _why, is_number=False)

_COLUMNS = (
    Column("Arch", architecture, is_number=False, fields=("arch",)),
    Column("Regs", _registers, fields=("regs",)),
    Column("Static", _static, fields=("static_smem",)),
    Column("Dynamic", lambda row: _size(row.dynamic_smem), fields=("dynamic_smem",)),
    Column("Shared", lambda row: _size(row.smem), fields=("smem",)),
    Column("Bar", lambda row: words.number(row.barriers, ""), fields=("barriers",)),
    Column("Bound", lambda row: words.number(row.max_threads, ""), fields=("max_threads",)),
    Column("Stack", lambda row: _nonzero(row.stack_bytes), fields=("stack_bytes",)),
    Column("Spills", _spills, fields=("spill_store_bytes", "spill_load_bytes")),
    Column("Launches", lambda row: words.number(row.launches, ""), fields=("launches",)),
    Column("Time", _duration, fields=("duration_us",)),
    Column("Share", lambda row: _share(row.time_share), fields=("time_share",)),
    Column("Threads", threads, fields=("threads",)),
    Column("Occ.", lambda row: _share(row.occupancy), fields=("occupancy",)),
    Column("Reported", lambda row: _share(row.reported_occupancy), fields=("reported_occupancy",)),
    Column("Limited by", _limiters, is_number=False, fields=("limiters",)),
    Column("Waves", lambda row: "" if row.waves is None else f"{row.waves:,.2f}", fields=("waves",)),
    Column("Autotuner", _autotuner, is_number=False, fields=("chosen",)),
    Column("Source", lambda row: place(row.file, row.line), is_number=False, fields=("file", "line")),
    Column("Fuses", _fuses, is_number=False, fields=("fuses",)),
    Column("Next step", _next_step, is_number=False, fields=("next_step",)),
)
