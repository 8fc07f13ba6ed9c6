"""Of each kernel the code for one architecture: the newest, or that which a chip runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

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


def running_code(
    records: Iterable[KernelRecord], chip: ComputeCapability, tell: Callable[[RunsOn], None]
) -> Iterator[KernelRecord]:
    """Of the code that a chip runs that for the newest architecture, as the driver does; all of kernels
    without any, and launches, which are of the code that ran.

    Args:
        records: What was found.
        chip: The compute capability of the chip.
        tell: Is told what was chosen once all are through; not where nothing was left out for it.
    """

    def runs(record: KernelRecord) -> bool:
        return record.regs is not None and runs_on(record.arch, chip)  # PTX is no code yet

    kept = []
    for record in records:
        if record.launches is None:
            kept.append(record)
        else:  # as they come: a trace can have millions
            yield record
    best = _newest_of_each(filter(runs, kept))
    archs: set[str] = set()
    left_out = 0
    for record in kept:
        if record.arch is not None and record.name in best:
            if not runs(record) or record.compute_capability != best[record.name]:
                left_out += 1
                continue
            archs.add(record.arch)
        yield record
    if left_out:
        tell(RunsOn(str(chip), tuple(sorted(archs, key=age)), left_out))


def newest(records: Iterable[KernelRecord]) -> Iterator[KernelRecord]:
    """Those for the newest architecture of each."""
    kept = list(records)
    best = _newest_of_each(kept)
    yield from (
        record
        for record in kept
        if record.compute_capability == best.get(record.name, record.compute_capability)
    )


def _newest_of_each(records: Iterable[KernelRecord]) -> dict[str, ComputeCapability]:
    """The newest architecture of the kernels of each name, where any is known."""
    best: dict[str, ComputeCapability] = {}
    for record in records:
        cc = record.compute_capability
        if cc is not None and cc > best.get(record.name, (0, 0)):
            best[record.name] = cc
    return best
