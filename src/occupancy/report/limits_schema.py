"""The types of what ``occupancy limits --format json`` prints, for its schema.

A row of the table is `Limits` under its compute capability, so that its type is made of that of `Limits`; no
field is declared a second time. A source stands in the JSON by its code, and once in full: so what is here is
not what `tables.sources` has under the same names, each with its sources whole.
"""

from __future__ import annotations

from dataclasses import fields, make_dataclass
from typing import Annotated, Any, get_type_hints

from pydantic import Field

from ..tables.sources import Source
from ..values.dataclass import dataclass
from ..values.limits import Limits, SpreadsheetColumn
from .base import Report
from .meanings import docstrings

Value = bool | int | str | tuple[int, ...] | SpreadsheetColumn | None


def limits_json() -> type:
    """The JSON of ``occupancy limits``: the rows by compute capability."""
    return make_dataclass(
        "LimitsJson",
        [("compute_capabilities", dict[str, _row()])],  # type: ignore[misc]
        bases=(Report,),
    )


def _row() -> type:
    hints = get_type_hints(Limits)
    described = docstrings(Limits)
    columns: list[tuple[str, Any]] = [
        (field.name, Annotated[hints[field.name], Field(description=described.get(field.name))])
        for field in fields(Limits)
        if field.name != "compute_capability"
    ]
    warps = Limits.max_warps_per_multiprocessor.__doc__
    columns.append(("max_warps_per_multiprocessor", Annotated[int, Field(description=warps)]))
    return make_dataclass("Row", columns)


@dataclass(frozen=True, slots=True)
class OtherValue:
    """What some sources say instead."""

    value: Value
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dispute:
    """A disagreement about a value."""

    others: tuple[OtherValue, ...]
    why: str
    """Why the table's value was judged right."""


@dataclass(frozen=True, slots=True)
class SourcedValue:
    """A value of the table, and where it comes from."""

    value: Value
    sources: tuple[str, ...]
    """The codes of the sources that give the value; for null, of those that were asked."""
    note: str | None
    disputes: tuple[Dispute, ...]


@dataclass(frozen=True, slots=True)
class SourcesJson(Report):
    """The JSON of ``occupancy limits --sources``."""

    compute_capabilities: dict[str, dict[str, SourcedValue]]
    """Compute capability -> limit -> where its value comes from."""
    sources: dict[str, Source]
    """The sources that are cited, by their codes."""
