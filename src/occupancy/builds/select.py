"""Filtering and sorting of scanned kernels."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Literal, get_args

from ..errors import InputError, shown
from ..readers import KernelRecord
from ..tables.gpus import runs_on
from ..values.limits import ComputeCapability
from ..values.numbers import listed
from ..values.spellings import did_you_mean
from .names import base_name, contains, last_name, short_name
from .rows import ScannedKernel

RUNTIME_KERNEL = "_cuda_device_runtime_"
"""Part of every kernel name in CUDA's device runtime, which linking with cudadevrt adds."""

UNKNOWN_ARCHITECTURE = "an unknown architecture"

Order = Literal["occupancy", "regs", "spills", "stack", "time"]
"""Sort keys: occupancy ascending, all others descending."""

ORDERS: tuple[Order, ...] = get_args(Order)


def names_there(wanted: str, names: Collection[str]) -> dict[str, Any]:
    """Suggest the nearest names of kernels, or all names."""
    likely = set(map(short_name if "<" in wanted else last_name, names))
    return did_you_mean(wanted, likely, f"Kernels: {listed(sorted(set(map(base_name, names))))}.")


@dataclass(frozen=True)
class Selection:
    """Kernels to show, and their order."""

    names: tuple[str, ...] = ()
    """Parts of names, one of which must match; empty for all."""
    archs: tuple[frozenset[ComputeCapability], ...] = ()
    """Sets of compute capabilities, of each of which there must be code; empty for all."""
    only_newest: bool = False
    with_runtime: bool = False
    gpu: ComputeCapability | None = None
    """GPU for which the code that it runs is selected, for each kernel."""
    below: float | None = None
    """Exclusive upper bound of the occupancy, 0 to 1."""
    only_spilling: bool = False
    sort: Order | None = None
    """Sort key; None for time if all kernels have it, otherwise occupancy."""
    limit: int | None = None

    def records(self, records: Sequence[KernelRecord], *, is_partial: bool = False) -> list[KernelRecord]:
        """Return the selected records; raise `InputError` for a name or architecture without kernels."""
        selected = [each for each in records if self.with_runtime or RUNTIME_KERNEL not in each.name]
        if self.names:
            names = {record.name for record in selected}
            matching = {name for name in names if contains(self.names, name)}
            unknown = [part for part in self.names if not any(contains((part,), name) for name in matching)]
            if unknown and names and not is_partial:
                problem = f"no kernel has {' or '.join(map(shown, unknown))} in its name"
                raise InputError(problem, where="name", **names_there(unknown[0], names))
            selected = [record for record in selected if record.name in matching]
        if self.archs:
            if selected and not is_partial:
                self._reject_unknown_archs(selected)
            ccs = frozenset().union(*self.archs)
            selected = [record for record in selected if record.compute_capability in ccs]
        if self.gpu is not None:
            selected = loadable_code(selected, self.gpu)
        return list(newest(selected)) if self.only_newest else selected

    def _reject_unknown_archs(self, records: Sequence[KernelRecord]) -> None:
        known = {record.arch for record in records}
        ccs = {record.compute_capability for record in records}
        missing = sorted(cc for wanted in self.archs if wanted.isdisjoint(ccs) for cc in wanted)
        if not missing:
            return
        listed = ", ".join(sorted(filter(None, known), key=age))
        hint = f"Architectures: {listed}." if listed else "The files do not name any architecture."
        if any(runs_on(arch, cc) for cc in missing for arch in known):
            hint += " To see the code that a GPU runs, use `gpu` (`--cc`) in place of `arch` (`--arch`)."
        problem = f"no kernel is compiled for {', '.join(cc.sm for cc in missing)}"
        raise InputError(problem, where="arch", hint=hint)

    def filtered(self, rows: Iterable[ScannedKernel]) -> list[ScannedKernel]:
        """Return the rows that match the occupancy and spill filters."""
        if (below := self.below) is not None:
            rows = [row for row in rows if (share := row.occupancy) is not None and share < below]
        return [row for row in rows if row.spill_bytes or not self.only_spilling]

    def ordered(self, rows: Sequence[ScannedKernel]) -> list[ScannedKernel]:
        """Return the sorted rows, up to the limit; spilling kernels win ties, and unknown values are last."""
        order = self.order(rows)
        if self.sort == "time" and rows and all(row.record.duration_us is None for row in rows):
            hint = "Nsight Compute reports and PyTorch traces contain them. Sort these files by occupancy."
            raise InputError("the files have no launch times", where="sort", hint=hint)
        value, sign = _VALUES[order], 1 if order == "occupancy" else -1

        def place(row: ScannedKernel) -> tuple[float, ...]:
            known = value(row)
            is_rejected = self.sort is None and row.record.chosen is False
            spills = 0 if known is None else row.spill_bytes or 0
            return is_rejected, known is None, sign * (known or 0), -spills

        return sorted(rows, key=place)[: self.limit]

    def order(self, rows: Sequence[ScannedKernel]) -> Order:
        has_times = bool(rows) and all(row.record.duration_us is not None for row in rows)
        return self.sort or ("time" if has_times else "occupancy")


_VALUES: dict[Order, Callable[[ScannedKernel], Any]] = {
    "occupancy": attrgetter("occupancy"),
    "regs": attrgetter("record.regs"),
    "spills": attrgetter("spill_bytes"),
    "stack": attrgetter("record.stack_bytes"),
    "time": attrgetter("record.duration_us"),
}


def age(arch: str | None) -> tuple[int, int, str]:
    """Return a key that sorts architectures from the oldest to the newest."""
    name = arch or ""
    digits = "".join(filter(str.isdigit, name))
    return len(digits), int(digits or 0), name


def loadable_code(records: Sequence[KernelRecord], gpu: ComputeCapability) -> list[KernelRecord]:
    """Keep the code that a GPU runs: like the driver, the newest compatible code in each module.

    Kernels without code for the GPU keep the nearest, preferably older code. All launches are kept.

    A module is a fatbin; an executable or a library has one for each source file. The code of a file outside any
    fatbin counts as one module. It is unknown which modules a program loads. Compatible code is therefore dropped
    only for newer code in the same module, and incompatible code for any compatible code of the same name.
    """
    code = [record for record in records if record.launches is None and record.arch is not None]
    running = [record for record in code if record.regs is not None and runs_on(record.arch, gpu)]  # not PTX
    best = _newest(running, _modules)
    kept = [each for each in running if each.compute_capability in map(best.get, _modules(each))]
    names = {record.name for record in running}
    others = [record for record in code if record.name not in names]
    compiled = [record for record in others if record.regs is not None]
    kept += newest(compiled, lambda cc: (cc <= gpu, -abs(10 * (cc.major - gpu.major) + cc.minor - gpu.minor)))
    kept += [record for record in others if record.regs is None]
    dropped = set(map(id, code)) - set(map(id, kept))
    return [record for record in records if id(record) not in dropped]


def newest(records: Sequence[KernelRecord], key: Any = None) -> Iterator[KernelRecord]:
    """Keep the code for the newest architecture of each name, or for the highest key."""
    best = _newest(records, lambda record: [record.name], key)
    for record in records:
        if record.compute_capability == best.get(record.name, record.compute_capability):
            yield record


def _modules(record: KernelRecord) -> Iterator[Hashable]:
    return ((place, record.name) for place in (*record.modules, record.source, *record.also_in))


def _newest(
    records: Iterable[KernelRecord], places: Callable[[KernelRecord], Iterable[Hashable]], key: Any = None
) -> dict[Hashable, ComputeCapability]:
    best: dict[Hashable, ComputeCapability] = {}
    for record in records:
        if (cc := record.compute_capability) is not None:
            for place in places(record):
                best[place] = max(cc, best.get(place, cc), key=key)
    return best
