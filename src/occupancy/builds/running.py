"""Of each kernel the code for one architecture: the newest, or that which a chip runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..readers import KernelRecord
from ..tables.families import runs_on
from ..values.dataclass import dataclass
from ..values.limits import ComputeCapability
from .overview import age


@dataclass(frozen=True, slots=True)
class RunsOn:
    """The chip for which the code was chosen, of kernels with code for several architectures."""

    cc: str
    archs: tuple[str, ...]
    """The architectures of the code that it runs."""
    left_out: int
    """How many kernels for other architectures are not among those that were found."""

    def with_another(self, other: RunsOn | None) -> RunsOn:
        """Of two builds."""
        if other is None:
            return self
        archs = tuple(sorted({*self.archs, *other.archs}, key=age))
        return RunsOn(self.cc, archs, self.left_out + other.left_out)


class RunningCode:
    """Chooses what the driver takes of a file with code for several, and counts what it leaves out.

    Args:
        chip: The compute capability of the chip.
    """

    def __init__(self, chip: ComputeCapability) -> None:
        self._chip = chip
        self._archs: set[str] = set()
        self._left_out = 0

    def of(self, records: Iterable[KernelRecord]) -> Iterator[KernelRecord]:
        """Of the code that the chip runs that for the newest architecture, as the driver does; all of kernels
        without any, and launches, which are of the code that ran."""
        self._archs, self._left_out = set(), 0
        best: dict[str, ComputeCapability] = {}
        kept = []
        for record in records:
            if record.launches is not None:  # as they come: a trace can have millions
                yield record
                continue
            kept.append(record)
            cc = record.compute_capability
            if cc is not None and self._runs(record) and cc > best.get(record.name, (0, 0)):
                best[record.name] = cc
        for record in kept:
            if record.arch is not None and record.name in best:
                if not self._runs(record) or record.compute_capability != best[record.name]:
                    self._left_out += 1
                    continue
                self._archs.add(record.arch)
            yield record

    def _runs(self, record: KernelRecord) -> bool:
        return record.regs is not None and runs_on(record.arch, self._chip)  # PTX is no code yet

    @property
    def chosen(self) -> RunsOn | None:
        """What was chosen; None where nothing was left out for it."""
        archs = tuple(sorted(self._archs, key=age))
        return RunsOn(str(self._chip), archs, self._left_out) if self._left_out else None


def newest(records: Iterable[KernelRecord]) -> Iterator[KernelRecord]:
    """Those for the newest architecture of each."""
    kept = list(records)
    best: dict[str, ComputeCapability] = {}
    for record in kept:
        cc = record.compute_capability
        if cc is not None and cc > best.get(record.name, (0, 0)):
            best[record.name] = cc
    yield from (
        record
        for record in kept
        if record.compute_capability == best.get(record.name, record.compute_capability)
    )
