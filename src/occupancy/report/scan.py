"""The answer to ``occupancy scan``: the kernels that files hold, with their registers and occupancy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, NamedTuple

from ..builds.scanner import ScanRow
from ..readers import ReadProblem
from ..render import words
from ..render.document import (
    Bullets,
    Document,
    GroupColumn,
    GroupedTable,
    GroupRow,
    Paragraph,
    Together,
    grade,
)
from ..values.resources import amount_of
from .base import Report
from .calc import in_a_cell

LOW = 0.5
"""Occupancy below this is counted in the summary."""


IF_THERE_IS_ROOM = (
    "File", "Waves", "Next step", "Reported", "Static", "Dynamic", "Shared", "Spills", "Stack", "Time",
    "Launches", "Bar", "Bound",
)  # fmt: skip
"""The columns that a narrow terminal need not show, the most useful first."""

LAST = "Next step"


@dataclass(frozen=True, slots=True, repr=False)
class ScanReport(Report):
    """Everything that ``occupancy scan`` found."""

    kernels: tuple[ScanRow, ...]
    found: int
    """How many kernels and launches the sources hold, shown or not."""
    problems: tuple[ReadProblem, ...]
    """What could not be read."""

    def rows(self) -> Iterable[Mapping[str, Any]]:
        """A row for each kernel."""
        return map(csv_row, self.kernels)

    def headline(self) -> str:
        """How many kernels there are, and of which kind."""
        return _summary(self)

    def document(self) -> Document:
        """Under each kernel's name a row for each architecture or launch; then what the numbers rest on."""
        columns = [
            GroupColumn(column.title, [column.cell(row) for row in self.kernels], column.is_number)
            for column in _columns(self.kernels)
        ]
        rows = [
            GroupRow(row.name, short_name(row), "" if row.occupancy is None else grade(row.occupancy))
            for row in self.kernels
        ]
        return (
            GroupedTable("Kernel", rows, columns, IF_THERE_IS_ROOM, LAST),
            Together([Paragraph(_summary(self)), Bullets(list(_footnotes(self)), "faint")]),
        )


def csv_row(row: ScanRow) -> dict[str, Any]:
    """A row of the CSV: the next step is one cell."""
    return {**row.to_dict(), "next_step": None if row.next_step is None else in_a_cell(row.next_step)}


class _Column(NamedTuple):
    """A column of the table of kernels; empty cells are for what is not known or of no interest."""

    title: str
    cell: Callable[[ScanRow], str]
    is_number: bool = True


def _columns(rows: Sequence[ScanRow]) -> list[_Column]:
    """The columns that have something to say about these rows."""
    shown = [column for column in _COLUMNS if any(column.cell(row) not in ("", "0") for row in rows)]
    return [_FILE, *shown] if len({row.source for row in rows}) > 1 else shown


def short_name(row: ScanRow) -> str:
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


def _size(amount: int | None) -> str:
    if amount is None:
        return ""
    return words.size(amount) if amount else "0"


def _registers(row: ScanRow) -> str:
    """Those that the warpgroups divide are marked."""
    return words.number(row.registers, "?") + (" split" if row.reallocates_registers else "")


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


def _threads(row: ScanRow) -> str:
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
    return f"{words.percent(row.next_step.occupancy)}: {', '.join(changes)}"


def _duration(row: ScanRow) -> str:
    return "" if row.duration_us is None else f"{row.duration_us:,.1f} us"


_FILE = _Column("File", lambda row: words.printable(PurePath(row.source).name), is_number=False)

_COLUMNS = (
    _Column("Arch", architecture, is_number=False),
    _Column("Regs", _registers),
    _Column("Static", _static),
    _Column("Dynamic", lambda row: _size(row.dynamic_smem)),
    _Column("Shared", lambda row: _size(row.smem)),
    _Column("Bar", lambda row: words.number(row.barriers, "")),
    _Column("Bound", lambda row: words.number(row.max_threads, "")),
    _Column("Stack", lambda row: _nonzero(row.stack_bytes)),
    _Column("Spills", _spills),
    _Column("Launches", lambda row: words.number(row.launches, "")),
    _Column("Time", _duration),
    _Column("Threads", _threads),
    _Column("Occ.", lambda row: _share(row.occupancy)),
    _Column("Reported", lambda row: _share(row.reported_occupancy)),
    _Column("Limited by", _limiters, is_number=False),
    _Column("Waves", lambda row: "" if row.waves is None else f"{row.waves:,.2f}"),
    _Column("Next step", _next_step, is_number=False),
)

MOST_NOTES = 4
"""In a footnote; the JSON has each with its kernel."""


def _summary(report: ScanReport) -> str:
    """How much was found, and how much of it is shown."""
    launches = sum(row.launches or 0 for row in report.kernels)
    kernels = sum(row.launches is None for row in report.kernels)
    parts = []
    if kernels:
        parts.append(words.count(kernels, "kernel"))
    if launches:
        parts.append("1 launch" if launches == 1 else f"{launches:,} launches")
    shown = words.listing(parts) if parts else "no kernels"
    of = "" if launches + kernels == report.found else f" of {report.found:,} found"
    below = sum(row.occupancy is not None and row.occupancy < LOW for row in report.kernels)
    low = f"; {below:,} below {words.percent(LOW)}" if below else ""
    return f"{shown}{of}{low}.".capitalize()


def _notes(row: ScanRow) -> Iterator[str]:
    if row.reason is not None:
        yield f"Does not launch: {row.reason}"
    for note in row.notes:
        yield note[:1].upper() + note[1:].rstrip(".") + "."


def _footnotes(report: ScanReport) -> Iterator[str]:
    """What the numbers rest on."""
    rows = report.kernels
    origins = {row.threads_from for row in rows if row.occupancy is not None}
    if "best" in origins:
        yield "best: the block size with the highest occupancy; --threads says which one you launch with."
    if "launch_bounds" in origins:
        yield "bound: the largest block that the kernel was compiled for."
    if any(row.occupancy is not None and row.dynamic_smem is None and row.smem is None for row in rows):
        yield "Dynamic shared memory is chosen at launch; where it is not known it counts as none."
    ours = sorted({row.cc for row in rows if row.what_if and row.cc})
    if ours:
        yield (
            f"What if: compiled for another architecture, answered for {words.listing(ours)}; "
            "a compiler for that one may use other registers."
        )
    notes = list(dict.fromkeys(note for row in rows for note in _notes(row)))
    yield from notes[:MOST_NOTES]
    if len(notes) > MOST_NOTES:
        yield f"{words.count(len(notes) - MOST_NOTES, 'more note')} in --format json."
