"""The report: columns, rows, details and notes.

Every command prints one. The renderers in ``render/`` lay out any report; the columns are also the keys, the
types and the order of its JSON and CSV.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from itertools import islice
from operator import attrgetter, itemgetter
from os.path import commonprefix
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ..advice.launch_requirements import ALLOW_SIZE, NON_PORTABLE
from ..values.numbers import plain

if TYPE_CHECKING:
    from ..readers import ReadProblem

SCHEMA_VERSION = 3
"""Version of the JSON; it grows when a key is renamed, removed, or changes its meaning."""

ALWAYS = -1
"""`Column.optional` of columns that the user chose."""

MOST_NOTES = 4
"""Printed under a table; JSON has all of them."""


class Note(NamedTuple):
    """A sentence below a table, with its code."""

    code: str
    text: str


NOTES = {note.code: note for note in (
    Note("assumed", "* Not given, so this value is assumed. `nvcc -Xptxas -v` prints it."),
    Note("registers-may-spill", "Fewer registers may cause spills."),
    Note("carveout-raised", "The carveout is too small for one block, so the SM uses a larger configuration."),
    Note("tensor-memory",
         "Virtual resources are the permit for tcgen05.alloc. If a kernel relinquishes it, use "
         "`virtual_resources=0` (`occupancy calc --virtual-resources 0`). This was not verified on a GPU."),
    Note("setmaxnreg",
         "For kernels with setmaxnreg, see `register_split` (`occupancy registers`) instead of the next steps."),
    Note("cluster-bound", "A cluster must fit in one GPC, so a GPU may hold fewer clusters. For exact waves of one "
         "GPU, use `waves(..., max_active_clusters=N)` (`--max-active-clusters N`)."),
    Note("unknown-clusters", "The largest cluster on {cc} is not documented: more than {most} blocks may fail."),
    Note("sms-vary", "SM counts differ between {gpu} variants. For whole-GPU results, name one, such as '{example}'."),
    Note("launch-bounds-caps",
         "Kernels that do not fit under the cap may spill. `-maxrregcount` caps only kernels without launch bounds."),
    Note("at-the-cap", "Blocks and occupancy are those of a kernel that uses the whole cap."),
    Note("above-the-cap", "{regs} registers exceed the cap of {cap}, so the kernel may spill. Results assume the cap."),
    Note("opt-in", f"More than 48 KiB of shared memory requires {ALLOW_SIZE.format('BYTES')}."),
    Note("non-portable", f"More than 8 blocks per cluster require {NON_PORTABLE}."),
    Note("budget-both", "A kernel must stay within both limits of a row. Launch bounds can make it spill."),
    Note("assumed-threads", "* Block size assumed: the launch bound, or 256 without one."),
    Note("logs", "Logs do not record launch bounds, so launches at these sizes can fail. Scan the object files too."),
    Note("other-gpu",
         "{gpu}: {reason}. The values are those of the {archs} code and can change when it is compiled for {gpu}."),
    Note("dynamic-smem", "Unrecorded dynamic shared memory is assumed to be 0: set `dynamic_smem` (`--dynamic-smem`)."),
    Note("spills-counted", "~ Counted in the machine code."),
    Note("not-linked", "Relocatable code: registers, shared memory and stack do not include called functions."),
    Note("stated-by-one", "Not compared, because only one build contains it: {values}."),
    Note("changed-limits", "Limits of {gpus} that differ from the table: {changes}."),
    Note("other-archs", "The same names were added and removed. To compare them, set `ignore_arch` (`--ignore-arch`)."),
    Note("autotuner", "Candidates that the autotuner rejected come last, because they do not run."),
)}  # fmt: skip
"""The catalog: whole sentences by their codes. A note changes the reader's use of the numbers above it."""


def note(code: str, **names: object) -> Note:
    """Return a note of the catalog, with names in place of its fields."""
    return Note(code, NOTES[code].text.format(**names))


class Column(NamedTuple):
    """One column of a report; all fields after the value are given by keyword."""

    key: str
    """Its name in JSON and CSV."""
    title: str = ""
    """Its heading on a screen; empty: only programs get it."""
    value: Callable[[Any], Any] | str = ""
    """From a row to a value that JSON holds, or the row's attribute with it; by default that of the key."""
    text: Callable[[Any], str] | None = None
    """From a value to the text of its cell, which is empty for None; by default `plain`, which writes ``-``."""
    show: Callable[[Any], str] | None = None
    """From a row to the text of a cell on a screen, if it depends on more than the value."""
    about: str = ""
    """Meaning, unit and range, for the reference."""
    align: Literal["left", "right"] = "right"
    optional: int = 0
    """Columns with the largest number are dropped first from a narrow screen; 0: never; `ALWAYS`: without
    values too."""
    wraps: bool = False
    """True for long cells that are broken into lines instead of cut."""
    unbroken: int = 0
    """Length up to which a cell that wraps stays on one line."""
    widest: int = 0
    """Width up to which a cell that wraps or is cut grows; 0: any."""
    cut_to: int = 0
    """Width to which cells are cut in the middle before columns are dropped; 0: never cut."""
    type: str = ""
    """JSON type, for the schema; ``objects``: an array of objects; empty: any."""
    is_name: bool = False
    """True if nearly every row has another value."""

    @property
    def getter(self) -> Callable[[Any], Any]:
        return self.value if callable(self.value) else attrgetter(self.value or self.key)

    def cell(self, row: Any) -> str:
        if self.show is not None:
            return self.show(row)
        value = self.getter(row)
        return "" if value is None and self.text else (self.text or plain)(value)


def chosen(columns: Iterable[Column], *keys: str) -> list[Column]:
    by_key = {column.key: column for column in columns}
    return [by_key[key] for key in keys]


def cut_in_middle(texts: Sequence[str], width: int) -> list[str]:
    """Cut long texts to their start and end; if these are equal, to the parts that differ."""
    head, tail = width - 3 - (width - 3) // 3, (width - 3) // 3  # names differ more often near the start
    groups = defaultdict[tuple[str, str], list[str]](list)
    for text in {text for text in texts if len(text) > width}:
        groups[text[:head], text[-tail:]].append(text)
    cut = {}
    for (start, end), alike in groups.items():
        ends = [end] * len(alike)
        if len(alike) > 1:
            rests = [text[len(commonprefix(alike)) :] for text in alike]  # noqa: RUF071
            starts = [rest if len(rest) <= tail else f"{rest[: max(tail - 3, 2)]}..." for rest in rests]
            ends = cut_in_middle(rests, tail) if tail > len("a...z") else starts
        for text, shown in zip(alike, ends, strict=True):
            cut[text] = f"{start[: width - len(f'...{shown}')].rstrip('.')}...{shown.lstrip('.')}"
    return [cut.get(text, text) for text in texts]


def values_of(thing: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(thing, name) for name in names}


def json_value(value: Any) -> Any:
    """Return a value as JSON holds it: named tuples are dictionaries, other tuples are lists."""
    if not isinstance(value, (tuple, list, dict)):
        return value
    value = value._asdict() if hasattr(value, "_asdict") else value
    if isinstance(value, dict):
        return {key: json_value(each) for key, each in value.items()}
    return list(map(json_value, value))


class Table(NamedTuple):
    """A further table of a screen, below the rows."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Any]


class Paragraph(NamedTuple):
    """Lines of text, each broken at the width of the screen."""

    lines: Sequence[str]
    is_code: bool = False


Section = Table | Paragraph


def filled(columns: Sequence[Column], rows: Sequence[Any]) -> list[Column]:
    """Return the columns of a screen that have values, or that the user chose."""
    cells = ((each, map(each.cell, rows)) for each in columns if each.title)
    return [each for each, texts in cells if each.optional == ALWAYS or not {"", "-"}.issuperset(texts)]


FACTS = (
    Column("label", show=itemgetter(0), align="left"),
    Column("text", show=itemgetter(1), align="left", wraps=True),
)


def facts(pairs: Iterable[tuple[str, str]], title: str = "") -> Table:
    return Table(title, FACTS, list(pairs))


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """The result of a command, independent of its format."""

    name: str
    headline: Sequence[str]
    """The result first, on a line or two."""
    columns: Sequence[Column]
    rows: Iterable[Any]
    """A sequence, or an iterator that is read once."""
    rows_key: str = "results"
    """The key of the list of rows in JSON."""
    inputs: Mapping[str, Any] = field(default_factory=dict)
    details: Sequence[Section] = ()
    notes: Sequence[Note] = ()
    _: KW_ONLY
    values: Mapping[str, Any] = field(default_factory=dict)
    """Further members of the JSON, between inputs and rows."""
    problems: Sequence[ReadProblem] | None = None
    """Damaged parts of the files; None if the report has no member ``problems``."""
    has_table: bool = True
    """False if the rows are no table of the screen; the details of a single row need none."""
    limit: int | None = None
    """Rows of the screen; programs get all."""

    def __repr__(self) -> str:
        return f"<Report {self.name}: {' '.join(self.headline[:1])}>"

    @property
    def warnings(self) -> list[str]:
        """Warnings about damaged files, a line for each."""
        return [each.warning for each in self.problems or ()]

    def sections(self) -> list[Section]:
        """Return everything between headline and notes that a person reads."""
        rows = list(islice(self.rows, self.limit)) if self.has_table else []
        return [*([Table("", filled(self.columns, rows), rows)] if rows else []), *self.details]

    def reworded(self, pattern: str, replacement: str) -> Report:
        """Return the report with a pattern replaced in its sentences."""
        reword = partial(re.sub, pattern, replacement)
        notes = [each._replace(text=reword(each.text)) for each in self.notes]
        return replace(self, headline=[*map(reword, self.headline)], notes=notes, details=[
            each._replace(lines=[*map(reword, each.lines)]) if isinstance(each, Paragraph) else each
            for each in self.details
        ])  # fmt: skip

    def to_dict(self, *, with_rows: bool = True) -> dict[str, Any]:
        """Return the whole report as plain values: its JSON."""
        head = {"schema_version": SCHEMA_VERSION, "report": self.name, "inputs": self.inputs, **self.values}
        if self.problems is not None:
            head["problems"] = [values_of(each, "source", "line", "what") for each in self.problems]
        getters = [(column.key, column.getter) for column in self.columns]
        rows = [{key: value(row) for key, value in getters} for row in self.rows] if with_rows else []
        return {**json_value(head), self.rows_key: json_value(rows), "notes": json_value(self.notes)}
