"""What is measured of a kernel and compared between builds."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, get_args

from ..advice.budget import TOLERANCE
from ..builds.scan_row import ScanRow
from ..readers import KernelRecord
from ..values.dataclass import dataclass
from .rules import Measure

HIGHER_IS_BETTER: frozenset[Measure] = frozenset({"occupancy"})


def meets(name: Measure, value: float, limit: float) -> bool:
    """Whether a value keeps a limit: the least, of what is better where it is higher, or the most."""
    excess = limit - value if name in HIGHER_IS_BETTER else value - limit
    return excess <= TOLERANCE


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


_RESOURCES: dict[Measure, Callable[[KernelRecord], int | None]] = {
    "spill_bytes": lambda record: None if record.spills is None else sum(record.spills),
    "stack_bytes": attrgetter("stack_bytes"),
    "spill_smem": attrgetter("spill_smem"),
    "regs": attrgetter("regs"),
    "smem": attrgetter("shared_memory"),
    "barriers": attrgetter("barriers"),
}


def resources(record: KernelRecord) -> dict[Measure, int | None]:
    """What a kernel needs; all of the measures but the occupancy, which takes a block size."""
    return {name: value(record) for name, value in _RESOURCES.items()}


def measure(row: ScanRow, name: Measure) -> float | None:
    """One of the measures of a row of the report of ``occupancy scan``."""
    return row.occupancy if name == "occupancy" else _RESOURCES[name](row)


def measures(row: ScanRow) -> Measures:
    """The measures of a row of the report of ``occupancy scan``."""
    return Measures(occupancy=row.occupancy, **resources(row))


def _less(new: Any, old: Any) -> Any:
    return None if new is None or old is None else new - old


def compared(record: KernelRecord) -> tuple[object, ...]:
    """All that is compared of a kernel."""
    facts: tuple[object, ...] = _FACTS(record)
    return facts


_FACTS = attrgetter(
    "regs", "static_smem", "dynamic_smem", "smem", "spill_smem", "barriers", "virtual_resources",
    "tensor_memory", "stack_bytes", "spill_store_bytes", "spill_load_bytes",
    "max_threads", "required_threads",
    "cluster_dim", "threads", "shared_memory_configuration",
)  # fmt: skip
