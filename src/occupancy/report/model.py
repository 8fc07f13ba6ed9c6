"""The report: columns, rows, details and notes.

Every command prints one. The renderers in ``render/`` lay out any report; the columns are also the keys, the
types and the order of its JSON and CSV.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from operator import attrgetter
from typing import Any, Literal, NamedTuple

from ..values.numbers import plain

SCHEMA_VERSION = 3
"""Version of the JSON; it grows when a key is renamed, removed, or changes its meaning."""

MOST_NOTES = 3
"""Printed under a table; JSON has all of them."""

Format = Literal["text", "markdown", "html", "json", "jsonl", "csv"]


class Note(NamedTuple):
    """A sentence that changes the reader's use of the numbers above it; from the catalogue in notes.py."""

    code: str
    text: str
    anchor: str = ""
    """Page and heading of the documents that explain it."""


class Column(NamedTuple):
    """One column of a report."""

    key: str
    """Its name in JSON and CSV."""
    title: str = ""
    """Its heading on a screen; empty: only programs get it."""
    value: Callable[[Any], Any] | str = ""
    """From a row to a value that JSON holds, or the row's attribute with it; by default that of the key."""
    show: Callable[[Any], str] | None = None
    """From a row to the text of a cell; by default the value as `plain` writes it."""
    about: str = ""
    """Meaning, unit and range, for the reference."""
    align: Literal["left", "right"] = "right"
    optional: int = 0
    """Columns with the largest number are dropped first from a narrow screen; 0: never."""
    wraps: bool = False
    """True for long cells that are broken into lines instead of cut."""
    unbroken: int = 0
    """Length up to which a cell that wraps stays on one line."""
    type: str = ""
    """JSON type, for the schema; empty: any."""

    @property
    def getter(self) -> Callable[[Any], Any]:
        """The function from a row to its value."""
        return self.value if callable(self.value) else attrgetter(self.value or self.key)

    def cell(self, row: Any) -> str:
        """Return the text of a cell."""
        return plain(self.getter(row)) if self.show is None else self.show(row)


def chosen(columns: Iterable[Column], *keys: str) -> list[Column]:
    """Return the columns of some keys, in their order."""
    by_key = {column.key: column for column in columns}
    return [by_key[key] for key in keys]


def values_of(thing: Any, *names: str) -> dict[str, Any]:
    """Return attributes of an object as a dictionary of plain values."""
    found = {name: getattr(thing, name) for name in names}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}


class Table(NamedTuple):
    """A further table of a screen, below the rows."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Any]
    lines: Sequence[str] = ()
    """Below it, indented like it."""


class Facts(NamedTuple):
    """Labels with their values, one pair on each line."""

    pairs: Sequence[tuple[str, str]]


class Paragraph(NamedTuple):
    """Lines of text, each broken at the width of the screen."""

    lines: Sequence[str]


Block = Table | Facts | Paragraph


@dataclass(frozen=True)
class Report:
    """The result of a command, independent of its format."""

    name: str
    """The command."""
    headline: Sequence[str]
    """The result first, on a line or two."""
    columns: Sequence[Column]
    rows: Iterable[Any]
    """A sequence, or an iterator that is read once."""
    rows_key: str = "results"
    """The key of the list of rows in JSON."""
    inputs: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    """Further members of the JSON, between inputs and rows."""
    shows_rows: bool = True
    """False if the rows are no table of the screen; the details of a single row need none."""
    limit: int | None = None
    """Rows of the screen; programs get all."""
    details: Sequence[Block] = ()
    notes: Sequence[Note] = ()

    def blocks(self) -> list[Block]:
        """Return everything between headline and notes that a person reads."""
        rows = list(islice(self.rows, self.limit)) if self.shows_rows else []
        columns = [column for column in self.columns if column.title]
        return [*([Table("", columns, rows)] if rows else []), *self.details]

    def records(self) -> Iterator[dict[str, Any]]:
        """Return each row as a dictionary of plain values, by the keys of the columns."""
        getters = [(column.key, column.getter) for column in self.columns]
        for row in self.rows:
            values = ((key, value(row)) for key, value in getters)
            yield {key: list(value) if type(value) is tuple else value for key, value in values}

    def to_dict(self, *, with_rows: bool = True) -> dict[str, Any]:
        """Return the whole report as plain values: its JSON."""
        return {
            "schema_version": SCHEMA_VERSION,
            "report": self.name,
            "inputs": dict(self.inputs),
            **self.values,
            self.rows_key: list(self.records()) if with_rows else [],
            "notes": [values_of(note, "code", "text") for note in self.notes],
        }
