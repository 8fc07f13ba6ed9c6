"""Of each kernel the code for one architecture: the newest, or that which a chip runs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator

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

    @property
    def unless_all(self) -> RunsOn | None:
        """None where nothing was left out, of which there is nothing to say."""
        return self if self.left_out else None

    def with_another(self, other: RunsOn | None) -> RunsOn:
        """Of two builds."""
        if other is None:
            return self
        archs = tuple(sorted({*self.archs, *other.archs}, key=age))
        return RunsOn(self.cc, archs, self.left_out + other.left_out)


def running_code(
    records: Iterable[KernelRecord], chip: ComputeCapability, tell: Callable[[RunsOn], None]
) -> Iterator[KernelRecord]:
    """Of kernels with code for several architectures that which a chip runs: of each module the newest, as
    the driver takes it. All is kept of kernels without any, and launches, which are of the code that ran.

    A module is a fatbin: an executable or a library holds one for each source file. What is in none counts as
    one with all else in its file: cubins that stand alone, among which a program chooses itself; a log of the
    compiler, made of all that it tells of, while two logs may be of two programs; and a baseline, which says
    nothing of fatbins. Which modules a program loads is not known: so code that the chip runs gives way to
    newer code of the same module alone, and what it does not run to any code of the same name that it runs.

    Args:
        records: What was found.
        chip: The compute capability of the chip.
        tell: Is told what was chosen, once all are through.
    """

    def runs(record: KernelRecord) -> bool:
        return record.regs is not None and runs_on(record.arch, chip)  # PTX is no code yet

    kept = []
    for record in records:
        if record.launches is None:
            kept.append(record)
        else:  # as they come: a trace can have millions
            yield record
    running = list(filter(runs, kept))
    names = {record.name for record in running}
    best = _newest(running, _in_modules)
    archs: set[str] = set()
    left_out = 0
    for record in kept:
        if record.arch is not None and record.name in names:
            cc = record.compute_capability
            if not runs(record) or all(best[place] != cc for place in _in_modules(record)):
                left_out += 1
                continue
            archs.add(record.arch)
        yield record
    tell(RunsOn(str(chip), tuple(sorted(archs, key=age)), left_out))


def newest(records: Iterable[KernelRecord]) -> Iterator[KernelRecord]:
    """Those for the newest architecture of each name."""
    kept = list(records)
    best = _newest(kept, lambda record: [record.name])
    yield from (
        record
        for record in kept
        if record.compute_capability == best.get(record.name, record.compute_capability)
    )


def _in_modules(record: KernelRecord) -> Iterator[Hashable]:
    """The kernel in each module that has a copy of it, and in each file: what is the newest code of a whole
    file is the newest of its fatbin, too."""
    return ((place, record.name) for place in (*record.modules, record.source, *record.also_in))


def _newest(
    records: Iterable[KernelRecord], places: Callable[[KernelRecord], Iterable[Hashable]]
) -> dict[Hashable, ComputeCapability]:
    """The newest architecture at each place, where any is known.

    Args:
        records: The kernels.
        places: The places of one.
    """
    best: dict[Hashable, ComputeCapability] = {}
    for record in records:
        cc = record.compute_capability
        if cc is not None:
            for place in places(record):
                if cc > best.get(place, (0, 0)):
                    best[place] = cc
    return best
