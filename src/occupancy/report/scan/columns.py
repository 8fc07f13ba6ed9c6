"""The columns of the table of kernels: of each what it is called, and what a cell of it says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ...builds.attention import LOW, spilled_bytes
from ...builds.scan_row import ScanRow
from ...render import words
from ...render.csv_json import flatten
from ...values.resources import Resource, amount_of
from ..arch_words import architecture
from ..assumed_sizes import AT_USUAL, at_usual_size, threads
from ..other_warps import TITLE as OTHER_WARPS
from ..other_warps import steps_in_a_cell
from ..source_files import copies_of, file_names, place
from ..spilled_bytes import SPILL_FIELDS, spills
from .profiled import ACHIEVED, REPORTED
from .spills import TO_SHARED, WITHOUT, instead_of_spills, without_spills
from .stages import needs_smaller_tile, stages_in_words

ARCH = "Arch"
STACK = "Stack"
LAST = "Next step"
BLOCKS = "Blocks"
"""Of those for which there is no room the one that nobody is told of: the occupancy says the same."""

FIRST_OF_ALL = ("Why", "Config")
"""Of the columns that a narrow terminal need not show beside each other, the most useful ones."""

IF_THERE_IS_ROOM = (
    ACHIEVED, "Time", REPORTED, "Waves", LAST, OTHER_WARPS, ARCH, "Shared", "Cap", "Fuses", STACK, "Launches",
    "Read from", "File", "Bar", "Bound", BLOCKS,
)  # fmt: skip
"""The others, the most useful first. The architecture is always shown: this is where all names of several
get room."""

OF_LIMITERS: dict[str, Resource] = {"Shared": "shared_memory", "Bar": "barriers"}
"""Columns that say how much there is of what limits some kernel; those have room before what is of use."""

ONLY_A_STACK = "stack"
"""The only reason for which some kernels deserve a look."""

MOST_OPERATIONS = 3
"""Of a kernel of Inductor, in its column."""


class Column(NamedTuple):
    """A column of the table of kernels; empty cells are for what is not known or of no interest."""

    title: str
    cell: Callable[[ScanRow], str]
    is_number: bool = True
    fields: tuple[str, ...] = ()
    """What it is made of, by the names in JSON and CSV."""
    is_news: Callable[[ScanRow], bool] | None = None
    """Whether it is worth a column what it says of a row; None: anything but nothing and zero."""

    def is_worth_it(self, row: ScanRow) -> bool:
        """Whether it says something of the row that the others do not."""
        return self.cell(row) not in ("", "0") if self.is_news is None else self.is_news(row)


class Asked(NamedTuple):
    """A column that was asked for."""

    name: str
    """A field of a row, or the title of a column, without blanks and capitals."""
    fields: tuple[str, ...]
    """What it is made of, by the names in JSON and CSV."""


def columns_of(
    rows: Sequence[ScanRow],
    chosen: Sequence[Asked] = (),
    *,
    with_reasons: bool = False,
    logs: Sequence[str] = (),
) -> list[Column]:
    """The columns that have something to say about these rows; or those that were asked for.

    Args:
        rows: The kernels.
        chosen: See `columns_named`; none: what has something to say.
        with_reasons: Whether the rows are ordered by what deserves a look, so that it is said why.
        logs: Files that only say what kernels of others spill.
    """
    copies = copies_of(rows, logs)
    name = file_names(rows)
    read_from = _READ_FROM._replace(cell=lambda row: f"{name(row)}{copies(row)}")
    if chosen:
        return _chosen(chosen, read_from)
    shown = [column for column in _COLUMNS if any(map(column.is_worth_it, rows))]
    first = [read_from] if len({row.source for row in rows}) > 1 or any(map(copies, rows)) else []
    return [*first, *shown, *([_WHY] if with_reasons else [])]


def if_there_is_room(rows: Sequence[ScanRow]) -> tuple[Sequence[str], Sequence[str]]:
    """The titles of the columns that a narrow terminal need not show beside each other, the most useful
    first; and those of them that it shows all the same: what tells rows of one name apart, what is spilled,
    how much there is of what limits, a stack that is the reason for a look, and the next step."""
    first = list(FIRST_OF_ALL)
    named = [row for row in rows if row.chosen is None]  # candidates of an autotuner are of one file
    variants = {(row.name, row.arch, _config(row)): row.source for row in named}
    # Nothing else tells rows that are alike apart, or says which launches are of which profile.
    are_alike = any(variants[row.name, row.arch, _config(row)] != row.source for row in named)
    if are_alike or any(row.launches for row in rows):
        first.append("Read from")
    if any(row.achieved_occupancy is not None for row in rows):
        first.append("Waves")  # why less may be achieved
    limiting = {resource for row in rows for resource in row.limiters}
    first += [
        TO_SHARED,
        WITHOUT,
        "Spills",
        AT_USUAL,
        *(title for title, resource in OF_LIMITERS.items() if resource in limiting),
    ]
    if "Shared" not in first and any(row.shared_memory and row.threads_from == "best" for row in rows):
        first.append("Shared")  # smaller blocks than those that are best may be limited by it
    if any(row.stack_bytes and _why(row) == ONLY_A_STACK for row in rows):
        first.append(STACK)
    return (*first, *(title for title in IF_THERE_IS_ROOM if title not in first)), (*first, LAST, OTHER_WARPS)


def all_of(columns: Sequence[Column]) -> tuple[Sequence[str], Sequence[str]]:
    """The same of columns that were asked for: those that have no room beside the others stand below."""
    titles = sorted((column.title for column in columns), key=ARCH.__eq__)  # its shorter form has room first
    return titles, titles


def _chosen(asked: Sequence[Asked], read_from: Column) -> list[Column]:
    """The columns of these titles, and those that show these fields; the name is a heading, and no column."""
    every = (read_from, *_COLUMNS)
    ours = {field: column for column in every for field in column.fields}
    ours |= {key_of(column.title): column for column in every}
    names = (each.name for each in asked if not set(each.fields) & {"name", "demangled"})
    return list(dict.fromkeys(ours.get(name) or _plain(name) for name in names))


def key_of(name: str) -> str:
    """A title or a field as people may write it, as one word: ``Limited by`` is limited_by, ``Occ.`` occ."""
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


def _size(amount: int | None) -> str:
    if amount is None:
        return ""
    return words.size(amount) if amount else "0"


def _registers(row: ScanRow) -> str:
    """Those that the warpgroups divide are marked."""
    return words.number(row.regs, "?") + (" split" if row.reallocates_registers else "")


def _shared(row: ScanRow) -> str:
    """Static and dynamic together, with what the compiler has added to spill registers to."""
    return _size(row.shared_memory)


def _nonzero(amount: int | None) -> str:
    return words.size(amount) if amount else ""


def _config(row: ScanRow) -> str:
    """What a tuner calls a variant of Triton's: its warps, and the stages of its pipeline."""
    named = ((row.num_warps, "warp"), (row.num_stages, "stage"))
    return ", ".join(words.count(number, what) for number, what in named if number is not None)


def _share(share: float | None) -> str:
    return "" if share is None else words.percent(share)


def _limiters(row: ScanRow) -> str:
    if row.launchable is False:
        return "does not launch"
    return words.short_names(row.limiters)


def _next_step(row: ScanRow) -> str:
    if row.next_step is None:
        return ""
    stages = stages_in_words(row)
    changes = [
        stages
        if stages and resource == "smem"
        else words.change(resource, amount_of(resource, row), amount, short=True)
        for resource, amount in row.next_step.requires.items()
        if resource != "threads" or row.threads_from != "best"
    ]
    chosen = row.next_step.requires.get("threads") if row.threads_from == "best" else None
    size = f" at {chosen:,} threads" if chosen else ""
    changes += ["a smaller tile"] if needs_smaller_tile(row) else []
    more = " (spills more)" if "regs" in row.next_step.requires and spilled_bytes(row) else ""
    share = f"{instead_of_spills(row)}{words.percent(row.next_step.occupancy)}"
    return f"{share}{size}: {', '.join(changes)}{more}"


def _other_warps(row: ScanRow) -> str:
    return steps_in_a_cell(row.other_warps, row.num_warps or 1, row.threads or 1)


def _duration(row: ScanRow) -> str:
    return "" if row.duration_us is None else f"{row.duration_us:,.1f} us"


def _autotuner(row: ScanRow) -> str:
    return "chosen" if row.chosen else ""


def _fuses(row: ScanRow) -> str:
    more = len(row.fuses) - MOST_OPERATIONS
    shown = [each.removeprefix("aten.") for each in row.fuses[:MOST_OPERATIONS]]
    return words.printable(", ".join([*shown, *([f"{more} more"] if more > 0 else [])]))


def _why(row: ScanRow) -> str:
    """Why the kernel deserves a look."""
    reasons = []
    if row.launchable is False:
        reasons.append("does not launch")
    if spilled_bytes(row):
        reasons.append("spills")
    if row.occupancy is not None and row.occupancy < LOW and row.launchable:
        reasons.append(f"below {words.percent(LOW)}")
    if row.stack_bytes and not reasons:
        reasons.append(ONLY_A_STACK)
    return ", ".join(reasons)


def _is_reported_otherwise(row: ScanRow) -> bool:
    """Whether the file and we differ by what is seen."""
    return row.reported_occupancy is not None and _share(row.reported_occupancy) != _share(row.occupancy)


_WHY = Column("Why", _why, is_number=False)
_READ_FROM = Column("Read from", lambda row: row.source, False, ("source",))

_COLUMNS = (
    Column(ARCH, architecture, is_number=False, fields=("arch",)),
    Column("Config", _config, is_number=False, fields=("num_warps", "num_stages")),
    Column("Regs", _registers, fields=("regs",)),
    Column("Cap", lambda row: words.number(row.register_cap, ""), fields=("register_cap",),
           is_news=lambda row: False),
    Column("Shared", _shared, fields=("static_smem", "dynamic_smem", "smem")),
    # One barrier, or a few, are no news: a kernel may have 16, and an SM has some dozens.
    Column("Bar", lambda row: words.number(row.barriers, ""), fields=("barriers",),
           is_news=lambda row: "barriers" in row.limiters or (row.barriers or 0) > 1),
    Column("Bound", lambda row: words.number(row.max_threads, ""), fields=("max_threads",),
           is_news=lambda row: row.max_threads is not None and row.threads_from != "launch_bounds"),
    Column(STACK, lambda row: _nonzero(row.stack_bytes), fields=("stack_bytes",)),
    Column("Spills", spills, fields=SPILL_FIELDS),
    Column(TO_SHARED, lambda row: _nonzero(row.spill_smem), fields=("spill_smem",)),
    Column("Launches", lambda row: words.number(row.launches, ""), fields=("launches",),
           is_news=lambda row: (row.launches or 0) > 1),
    Column("Time", _duration, fields=("duration_us",)),
    Column("Share", lambda row: _share(row.time_share), fields=("time_share",)),
    Column("Threads", threads, fields=("threads", "threads_from")),
    Column("Occ.", lambda row: _share(row.occupancy), fields=("occupancy",)),
    Column(AT_USUAL, at_usual_size, fields=("usual_occupancy", "usual_threads", "usual_limiters")),
    Column(WITHOUT, without_spills, fields=("spill_cost",)),
    Column(ACHIEVED, lambda row: _share(row.achieved_occupancy), fields=("achieved_occupancy",)),
    Column(REPORTED, lambda row: _share(row.reported_occupancy), fields=("reported_occupancy",),
           is_news=_is_reported_otherwise),
    Column("Limited by", _limiters, is_number=False, fields=("limiters",)),
    Column("Waves", lambda row: "" if row.waves is None else f"{row.waves:,.2f}", fields=("waves",)),
    Column(BLOCKS, lambda row: words.number(row.active_blocks, ""), fields=("active_blocks",)),
    Column("Autotuner", _autotuner, is_number=False, fields=("chosen",)),
    Column("File", lambda row: place(row.file, row.line), is_number=False, fields=("file", "line")),
    Column("Fuses", _fuses, is_number=False, fields=("fuses",)),
    Column(OTHER_WARPS, _other_warps, is_number=False, fields=("other_warps",)),
    Column(LAST, _next_step, is_number=False, fields=("next_step",)),
)  # fmt: skip

ALL = (_READ_FROM, *_COLUMNS)
"""Those that can be asked for by their titles. A title that is a field's name as well means that field."""
