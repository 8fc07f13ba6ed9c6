"""The answer to ``occupancy limits``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, field, fields
from itertools import groupby
from typing import Any

from ..render import words
from ..render.document import Block, Bullets, Column, Document, Heading, Only, Table, Together
from ..tables.gpus import Gpu
from ..tables.sources import Dispute, Provenance, Source
from ..tables.table import CURRENT_FROM, are_current
from ..values.dataclass import dataclass
from ..values.limits import Limits, SpreadsheetColumn
from .base import Report, empty
from .of_chips import later_names

OVERVIEW = {
    "architecture": "Architecture",
    "max_threads_per_multiprocessor": "Threads\nper SM",
    "max_warps_per_multiprocessor": "Warps\nper SM",
    "max_blocks_per_multiprocessor": "Blocks\nper SM",
    "max_registers_per_multiprocessor": "Regs\nper SM",
    "max_registers_per_block": "Regs\nper\nblock",
    "max_shared_memory_per_multiprocessor": "Shared\nper SM",
    "max_shared_memory_per_block_optin": "Shared\nper\nblock",
}

ONLY_CURRENT = f"From {CURRENT_FROM} on; --all has the older ones, occupancy limits 9.0 every limit."

READABLE = 11
"""Columns for a value of one chip: of its longest ones, such as 1024 x 1024 x 64, each line has room."""


@dataclass(frozen=True, slots=True)
class LimitsReport(Report):
    """The limits of some compute capabilities."""

    limits: tuple[Limits, ...]
    is_whole_table: bool
    """Whether all rows of a table are shown, so that an overview is wanted rather than every limit."""
    gpus: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Compute capability -> the products by whose names it was asked for."""

    def to_dict(self) -> dict[str, Any]:
        """Compute capability -> its limits, as plain values."""
        return {
            "schema_version": self.schema_version,
            "compute_capabilities": {str(row.compute_capability): row_of(row) for row in self.limits},
        }

    def _each_row(self) -> Iterable[Mapping[str, Any]]:
        """A row for each compute capability."""
        for each in self.limits:
            row = row_of(each)
            # A chip without a spreadsheet column has empty cells there.
            yield {
                "cc": str(each.compute_capability),
                **row,
                "spreadsheet": row["spreadsheet"] or empty(SpreadsheetColumn),
            }

    def document(self) -> Document:
        """An overview of a whole table on a terminal; else every limit of some chips side by side."""
        ccs = [str(each.compute_capability) for each in self.limits]
        columns = [row_of(each) for each in self.limits]
        rows = [[name, *(words.limit(name, column[name]) for column in columns)] for name in columns[0]]
        differing = {number for number, (_, *values) in enumerate(rows) if len(set(values)) > 1}
        columns_of_all = (
            Column("Limit", is_number=False),
            *(Column(self._title(cc), least=READABLE) for cc in ccs),
        )
        names = Bullets(list(later_names(list(map(Gpu, self.limits)))), "faint")
        if self.is_whole_table:
            header = [Column(title, is_number=name != "architecture") for name, title in OVERVIEW.items()]
            cells = [
                (cc, *(words.limit(name, column[name]) for name in OVERVIEW))
                for cc, column in zip(ccs, columns, strict=True)
            ]
            overview = Table([Column("CC", is_number=False), *header], cells)
            scope = Bullets([ONLY_CURRENT] if are_current(ccs) else [], "faint")
            screen: list[Block] = [overview, Together([scope, names])]
        else:
            screen = [Table(columns_of_all, rows, differing), names]
        return Only("text", screen), Only("markdown", [Table(columns_of_all, rows), names])

    def _title(self, cc: str) -> str:
        """The compute capability, below the names by which it was asked for."""
        return "\n".join((*self.gpus.get(cc, ()), cc))


FIELDS = tuple(field.name for field in fields(Limits) if field.name != "compute_capability")
"""The limits that have a source, in the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class SourcesReport(Report):
    """Where some values of the table come from."""

    values: tuple[Provenance, ...]

    def cited(self) -> tuple[Source, ...]:
        """Every source that these values name, once each, in the order of their codes."""
        named = {source.code: source for value in self.values for source in _named_by(value)}
        return tuple(named[code] for code in sorted(named))

    def to_dict(self) -> dict[str, Any]:
        """Compute capability -> limit -> its value and its sources, as plain values."""
        limits: dict[str, dict[str, Any]] = {}
        for value in self.values:
            limits.setdefault(str(value.compute_capability), {})[value.field] = {
                "value": asdict(value.value) if isinstance(value.value, SpreadsheetColumn) else value.value,
                "sources": [source.code for source in value.sources],
                "note": value.note,
                "disputes": [
                    {
                        "others": [
                            {"value": other.value, "sources": [source.code for source in other.sources]}
                            for other in dispute.others
                        ],
                        "why": dispute.why,
                    }
                    for dispute in value.disputes
                ],
            }
        return {
            "schema_version": self.schema_version,
            "compute_capabilities": limits,
            "sources": {source.code: asdict(source) for source in self.cited()},
        }

    def _each_row(self) -> Iterable[Mapping[str, Any]]:
        """A row for each value, in words."""
        for value in self.values:
            yield {
                "cc": str(value.compute_capability),
                "limit": value.field,
                "value": words.limit(value.field, value.value),
                "sources": _codes(value.sources),
                "note": value.note or "",
                "disputed": " ".join(_disputed(value.field, dispute) for dispute in value.disputes),
            }

    def document(self) -> Document:
        """For each compute capability its limits with their sources, then what the codes stand for."""
        per_chip = [
            Together([Heading(f"Compute capability {cc}"), *_limits(list(values))])
            for cc, values in groupby(self.values, lambda value: value.compute_capability)
        ]
        cited = self.cited()
        lines = [f"{each.code}: {each.title}. {each.where} ({each.licence})" for each in cited]
        rows = list(self._each_row())
        table = Table([Column(name) for name in rows[0]], [tuple(row.values()) for row in rows])
        sources = [(each.code, each.title, each.where, each.licence) for each in cited]
        header = [Column(name) for name in ("code", "title", "where", "licence")]
        return (
            Only("text", [*per_chip, Together([Heading("Sources"), Bullets(lines, indent=2)])]),
            Only("markdown", [table, Table(header, sources)]),
        )


def _limits(values: Sequence[Provenance]) -> Iterator[Block]:
    columns = (
        Column("Limit", is_number=False),
        Column("Value", least=1),
        Column("Sources", is_number=False, least=1),
    )
    rows = [(value.field, words.limit(value.field, value.value), _codes(value.sources)) for value in values]
    yield Table(columns, rows, splits=False, comfortable=60)
    notes = [f"{value.field}: {value.note}" for value in values if value.note]
    if notes:
        yield from (Heading("Notes"), Bullets(notes, indent=2))
    disputes = [
        f"{value.field} is {words.limit(value.field, value.value)} here; {_disputed(value.field, dispute)}"
        for value in values
        for dispute in value.disputes
    ]
    if disputes:
        yield from (Heading("Disputed"), Bullets(disputes, indent=2))


def _disputed(field: str, dispute: Dispute) -> str:
    """What other sources say, and why it was judged otherwise."""
    others = [f"{words.limit(field, other.value)} by {_codes(other.sources)}" for other in dispute.others]
    return f"{'; '.join(others)}. {dispute.why}"


def _codes(sources: Iterable[Source]) -> str:
    return " ".join(source.code for source in sources)


def _named_by(value: Provenance) -> list[Source]:
    others = [source for dispute in value.disputes for other in dispute.others for source in other.sources]
    return [*value.sources, *others]


def row_of(limits: Limits) -> dict[str, Any]:
    """One row as plain values, in the table's order, with the warps that follow from the threads."""
    values = asdict(limits)
    del values["compute_capability"]
    values["max_warps_per_multiprocessor"] = limits.max_warps_per_multiprocessor
    return values
