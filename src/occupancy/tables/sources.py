"""Sources of the values of the shipped table, and disagreements between sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from types import MappingProxyType
from typing import Any

from ..errors import InputError
from ..values.limits import FIELD_NAMES, ComputeCapability, Limits
from ..values.spellings import did_you_mean
from . import shipped

LIMITS_WITH_SOURCES = tuple(each.name for each in fields(Limits) if each.name != "compute_capability")
"""Names of the limits in the order of the table."""


@dataclass(frozen=True, slots=True)
class Source:
    """A document, a file, a tool or a device with values of limits."""

    code: str
    """Short name in the table, such as ``"G13"``."""
    title: str
    where: str
    """A public address, or the document and the section."""
    licence: str


@dataclass(frozen=True, slots=True)
class OtherValue:
    """Value of other sources."""

    value: Any
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Dispute:
    """Disagreement about a value, with the reason for the value of the table."""

    others: tuple[OtherValue, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """Sources of one value of the table."""

    compute_capability: ComputeCapability
    field: str
    """Name of the field of `Limits`."""
    value: Any
    """Value; None if the SM has no such limit, or if it is not known, as the note explains."""
    sources: tuple[Source, ...]
    """Sources of the value; for None, those that were searched."""
    note: str | None
    disputes: tuple[Dispute, ...]


def provenance(cc: object, field: str) -> Provenance:
    """Return the sources of one value of the shipped table.

    Args:
        cc: Any spelling that `ComputeCapability.parse` reads.
        field: The name of a field of `Limits`, such as ``"max_registers_per_block"``.

    Raises:
        InputError: Not a compute capability, or no such field.
        UnknownComputeCapabilityError: The table lacks the compute capability.
    """
    limits = shipped.limits(cc)
    if field not in FIELD_NAMES:
        raise InputError(
            f"there is no limit {field!r}", where="limits", hint=did_you_mean(field, FIELD_NAMES)
        )
    capability = limits.compute_capability
    entry = _entries(field)[capability]
    return Provenance(
        compute_capability=capability,
        field=field,
        value=getattr(limits, field),
        sources=_cited(entry),
        note=entry.get("note"),
        disputes=tuple(
            Dispute(
                tuple(
                    OtherValue(shipped.with_tuples(other)["value"], _cited(other)) for other in each["others"]
                ),
                each["why"],
            )
            for each in shipped.provenance_document()["disputed"]
            if each["field"] == field and capability in expand(each["compute_capabilities"])
        ),
    )


@cache
def sources() -> Mapping[str, Source]:
    """Return every source of the table by its code."""
    return MappingProxyType(
        {code: Source(code, **about) for code, about in shipped.provenance_document()["sources"].items()}
    )


@cache
def expand(ranges: str) -> tuple[ComputeCapability, ...]:
    """Parse ``"3.0-5.2, 6.1"`` into the compute capabilities of the table."""
    found: list[ComputeCapability] = []
    for part in ranges.split(","):
        first, _, last = part.strip().partition("-")
        lowest, highest = ComputeCapability.parse(first), ComputeCapability.parse(last or first)
        found += [cc for cc in shipped.known() if lowest <= cc <= highest]
    return tuple(found)


@cache
def _entries(field: str) -> dict[ComputeCapability, dict[str, Any]]:
    listed = shipped.provenance_document()["provenance"][field]
    return {cc: entry for entry in listed for cc in expand(entry["compute_capabilities"])}


def _cited(entry: dict[str, Any]) -> tuple[Source, ...]:
    return tuple(sources()[code] for code in entry["sources"])
