"""What belongs to one kernel, together, and launches that differ in nothing of interest, as one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from operator import attrgetter

from ..readers import KernelRecord
from ..readers.record import RECORD_FIELDS
from .stated import also_in

OF_ONE_LAUNCH = (
    "source",
    "also_in",
    "grid_dim",
    "achieved_occupancy",
    "reported_occupancy",
    "duration_us",
    "launches",
)
"""What may differ between launches that are shown as one."""

_the_same_for_all = attrgetter(*(name for name in RECORD_FIELDS if name not in OF_ONE_LAUNCH))


def grouped(records: Iterable[KernelRecord]) -> Iterator[KernelRecord]:
    """What belongs to one kernel together, with launches that differ in nothing of interest as one."""
    # Launches are merged as they come, because a trace can have millions of the same few.
    kernels: dict[str, dict[object, KernelRecord]] = {}
    for number, record in enumerate(records):
        alike = kernels.setdefault(record.group, {})
        if record.launches is None:
            alike[number] = record
            continue
        key = _the_same_for_all(record)
        known = alike.get(key)
        alike[key] = record if known is None else _merged(known, record)
    for each in kernels.values():
        yield from each.values()


def traces_in_short(records: Iterable[KernelRecord]) -> Iterator[KernelRecord]:
    """Everything but traces as it comes; then their launches, as one that differ in their time alone."""
    traced: dict[object, KernelRecord] = {}
    for record in records:
        if record.is_traced:
            key = record.grid_dim, _the_same_for_all(record)
            known = traced.get(key)
            traced[key] = record if known is None else _merged(known, record)
        else:
            yield record
    yield from traced.values()


def together(records: Iterable[KernelRecord]) -> Iterator[KernelRecord]:
    """What belongs to one kernel, at the place of the first of it."""
    groups: dict[str, list[KernelRecord]] = {}
    for record in records:
        groups.setdefault(record.group, []).append(record)
    for each in groups.values():
        yield from each


def _merged(one: KernelRecord, other: KernelRecord) -> KernelRecord:
    merged = replace(
        one,
        launches=(one.launches or 0) + (other.launches or 0),
        duration_us=None if one.duration_us is None else one.duration_us + (other.duration_us or 0),
        grid_dim=one.grid_dim if one.grid_dim == other.grid_dim else None,
        achieved_occupancy=_mean_of_launches(one, other),
        reported_occupancy=_if_equal(one.reported_occupancy, other.reported_occupancy),
    )
    return merged if one.source == other.source else also_in(merged, (other.source, *other.also_in))


def _mean_of_launches(one: KernelRecord, other: KernelRecord) -> float | None:
    if one.achieved_occupancy is None or other.achieved_occupancy is None:
        return None
    launches = one.launches or 1, other.launches or 1
    total = one.achieved_occupancy * launches[0] + other.achieved_occupancy * launches[1]
    return total / sum(launches)


def _if_equal(one: float | None, other: float | None) -> float | None:
    return one if one == other else None
