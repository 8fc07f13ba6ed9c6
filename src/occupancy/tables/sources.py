"""Sources of the values of the shipped table, and disagreements between sources."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from ..values.limits import ComputeCapability
from ..values.records import readable
from . import shipped


class Source(NamedTuple):
    """Document, file, tool or device with values of limits."""

    code: str
    """Short name in the table, such as ``"G13"``."""
    title: str
    where: str
    """Public URL, or document and section."""
    license: str


class OtherValue(NamedTuple):
    """Value in other sources."""

    value: Any
    sources: tuple[Source, ...]


class Dispute(NamedTuple):
    """Disagreement about a value, with the reason for the value of the table."""

    others: tuple[OtherValue, ...]
    why: str


@readable
class Provenance(NamedTuple):
    """Sources of one value of the table."""

    compute_capability: ComputeCapability
    field: str
    """Field of `Limits`."""
    value: Any
    """Value; None if there is no such limit or no source for it, as the note explains."""
    sources: tuple[Source, ...]
    """Sources of the value, or the searched sources if it is None."""
    note: str | None
    disputes: tuple[Dispute, ...]


def provenance(cc: object, field: str) -> Provenance:
    limits = shipped.limits(cc)
    cc = limits.compute_capability
    entry = _entries(field)[cc]
    disputes = [
        Dispute(tuple(OtherValue(other["value"], _cited(other)) for other in each["others"]), each["why"])
        for each in shipped.provenance_document()["disputed"]
        if each["field"] == field and cc in expand(each["compute_capabilities"])
    ]
    return Provenance(cc, field, getattr(limits, field), _cited(entry), entry.get("note"), tuple(disputes))


@cache
def expand(ranges: str) -> tuple[ComputeCapability, ...]:
    """Parse ``"3.0-5.2, 6.1"`` into the compute capabilities of the table."""
    ccs: list[ComputeCapability] = []
    for part in ranges.split(","):
        first, _, last = part.strip().partition("-")
        lowest, highest = ComputeCapability.parse(first), ComputeCapability.parse(last or first)
        ccs += [cc for cc in shipped.known() if lowest <= cc <= highest]
    return tuple(ccs)


@cache
def _entries(field: str) -> dict[ComputeCapability, dict[str, Any]]:
    listed = shipped.provenance_document()["provenance"][field]
    return {cc: entry for entry in listed for cc in expand(entry["compute_capabilities"])}


def _cited(entry: dict[str, Any]) -> tuple[Source, ...]:
    sources = shipped.provenance_document()["sources"]
    return tuple(Source(code, **sources[code]) for code in entry["sources"])
