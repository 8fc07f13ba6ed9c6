"""The answer to ``occupancy limits``."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from ..tables.sources import Provenance, Source
from ..values.limits import Limits, SpreadsheetColumn
from . import SCHEMA_VERSION


@dataclass(frozen=True, slots=True)
class LimitsReport:
    """The limits of some compute capabilities."""

    rows: tuple[Limits, ...]
    is_whole_table: bool
    """Whether all rows of a table are shown, so that an overview is wanted rather than every limit."""

    def to_dict(self) -> dict[str, Any]:
        """Compute capability -> its limits, as plain values."""
        return {
            "schema_version": SCHEMA_VERSION,
            "compute_capabilities": {str(row.compute_capability): row_of(row) for row in self.rows},
        }


FIELDS = tuple(field.name for field in fields(Limits) if field.name != "compute_capability")
"""The limits that have a source, in the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class SourcesReport:
    """Where some values of the table come from."""

    values: tuple[Provenance, ...]

    def cited(self) -> tuple[Source, ...]:
        """Every source that these values name, once each, in the order of their codes."""
        named = {source.code: source for value in self.values for source in _named_by(value)}
        return tuple(named[code] for code in sorted(named))

    def to_dict(self) -> dict[str, Any]:
        """Compute capability -> limit -> its value and who says so, as plain values."""
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
            "schema_version": SCHEMA_VERSION,
            "compute_capabilities": limits,
            "sources": {source.code: asdict(source) for source in self.cited()},
        }


def _named_by(value: Provenance) -> list[Source]:
    others = [source for dispute in value.disputes for other in dispute.others for source in other.sources]
    return [*value.sources, *others]


def row_of(limits: Limits) -> dict[str, Any]:
    """One row as plain values, in the table's order, with the warps that follow from the threads."""
    values = asdict(limits)
    del values["compute_capability"]
    values["max_warps_per_multiprocessor"] = limits.max_warps_per_multiprocessor
    return values
