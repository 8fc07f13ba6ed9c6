"""What is measured of a kernel and compared between builds."""

from __future__ import annotations

from typing import Any, get_args

from ..readers import KernelRecord
from ..values.dataclass import dataclass
from .rules import Measure
from .scanner import ScanRow

HIGHER_IS_BETTER: frozenset[Measure] = frozenset({"occupancy"})


@dataclass(frozen=True, slots=True)
class Measures:
    """The measures of a kernel, or how they changed: new less old. None where one is not known."""

    occupancy: float | None
    """Active warps by the most warps of an SM, 0 to 1."""
    spill_bytes: int | None
    """Bytes that the instructions of one thread store and load because registers do not suffice."""
    stack_bytes: int | None
    """Stack of one thread: arrays indexed by variables, and spilled registers."""
    spill_smem: int | None
    """Shared memory per block that the compiler spills registers to, in bytes."""
    regs: int | None
    """Registers per thread."""
    smem: int | None
    """Bytes per block, static and dynamic."""
    barriers: int | None
    """Named barriers per block."""

    def values(self) -> tuple[float | None, ...]:
        """All of them, in the order of `MEASURES`."""
        return tuple(getattr(self, name) for name in MEASURES)

    def __sub__(self, old: Measures) -> Measures:
        return Measures(*map(_less, self.values(), old.values()))


MEASURES: tuple[Measure, ...] = get_args(Measure)


def resources(record: KernelRecord) -> dict[Measure, int | None]:
    """What a kernel needs; all of the measures but the occupancy, which takes a block size."""
    return {
        "spill_bytes": _total(record.spill_store_bytes, record.spill_load_bytes),
        "stack_bytes": record.stack_bytes,
        "spill_smem": record.spill_smem,
        "regs": record.regs,
        "smem": record.shared_memory,
        "barriers": record.barriers,
    }


def measures(row: ScanRow) -> Measures:
    """The measures of a row of the report of ``occupancy scan``."""
    return Measures(occupancy=row.occupancy, **resources(row))


def _total(one: int | None, other: int | None) -> int | None:
    # ptxas counts below 0 where it moves spills into shared memory, and there are no fewer than none.
    return None if one is None and other is None else max(one or 0, 0) + max(other or 0, 0)


def _less(new: Any, old: Any) -> Any:
    return None if new is None or old is None else new - old
