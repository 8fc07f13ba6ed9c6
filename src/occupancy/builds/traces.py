"""Launches of traces: what took the time of a program, the longest first.

A trace has each launch of a program, often the same few kernels a million times; launches that differ in
nothing but their time are one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..readers import KernelRecord

LOW_IN_TIME = 0.25
"""The time of launches with this occupancy or less is summed up. A convention, as `attention.LOW`."""


def is_traced(record: KernelRecord) -> bool:
    """Whether this is a launch of a trace, with its time."""
    return record.format == "pytorch-trace" and record.duration_us is not None


def by_time(records: Iterable[KernelRecord]) -> Iterator[KernelRecord]:
    """Launches of traces, the longest first, after everything else."""
    traced = []
    for record in records:
        if is_traced(record):
            traced.append(record)
        else:
            yield record
    yield from sorted(traced, key=lambda record: -(record.duration_us or 0))


@dataclass(slots=True)
class Times:
    """The time of launches of traces, in microseconds."""

    up_to_quarter: float = 0
    """Of launches with an occupancy of 25 % or less."""
    not_known: float = 0
    """Of launches whose occupancy is not known."""

    def add(self, duration: float, occupancy: float | None) -> None:
        """One more launch, or several."""
        if occupancy is None:
            self.not_known += duration
        elif occupancy <= LOW_IN_TIME:
            self.up_to_quarter += duration
