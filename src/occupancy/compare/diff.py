"""Differences between two builds: one row for each kernel, with causes and a fix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any, Literal, NamedTuple, get_args

from ..advice.budget import TOLERANCE
from ..advice.launch_bounds import launch_bounds
from ..advice.next_steps import NextStep, next_steps, step_with
from ..advice.slack import max_with
from ..builds.merge import LOGS
from ..builds.rows import Evaluator, ScannedKernel, is_possible
from ..engine import Result
from ..errors import OccupancyError
from ..readers import KernelRecord
from ..tables.gpus import Gpu
from ..tables.shipped import limits
from ..values.kernel import Kernel
from ..values.records import documented
from .match import MatchedBy, Pair, by_name, compared_values, match

Measure = Literal["occupancy", "spill_bytes", "stack_bytes", "spill_smem", "regs", "smem", "barriers"]
"""Compared value. Sizes are in bytes, occupancy is 0 to 1."""

SPILLED: tuple[Measure, ...] = ("spill_bytes", "spill_smem", "stack_bytes")

Verdict = Literal["worse", "mixed", "better", "changed", "same"]
"""Occupancy and spills determine better or worse, or the stack if spills are unknown. Others only change."""

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


def _spill_bytes(row: ScannedKernel) -> int | None:
    spills = row.record.spills
    return None if spills is None else spills.total


MEASURES: Mapping[Measure, Callable[[ScannedKernel], Any]] = {
    "occupancy": attrgetter("occupancy"),
    "spill_bytes": _spill_bytes,
    "stack_bytes": attrgetter("record.stack_bytes"),
    "spill_smem": attrgetter("record.spill_smem"),
    "regs": attrgetter("record.regs"),
    "smem": attrgetter("record.shared_memory"),
    "barriers": attrgetter("record.barriers"),
}


class Change(NamedTuple):
    """Difference of one value between the builds."""

    name: str
    """A measure, ``threads``, ``launch_bounds``, ``register_cap``, ``cluster_dim``, or ``spills``."""
    old: Any
    new: Any


@documented
@dataclass(frozen=True)
class DiffRow:
    """Kernel in both builds."""

    verdict: Verdict
    matched_by: MatchedBy
    old: ScannedKernel
    new: ScannedKernel
    changes: tuple[Change, ...]

    @cached_property
    def fix(self) -> NextStep | None:
        """Smallest change that restores the occupancy; None if none is known or required."""
        if self.old.occupancy is None or self.verdict not in ("worse", "mixed"):
            return None
        return step_to(self.new, self.old.occupancy)

    @cached_property
    def explaining(self) -> list[Change]:
        """Changes that explain the new occupancy or spills."""
        return explaining(self.old, self.new, ("occupancy", "spill_bytes"))

    @property
    def others(self) -> list[Change]:
        return [each for each in self.changes if each not in self.explaining]

    @property
    def occupancy_change(self) -> float | None:
        """New minus old occupancy; None if either is unknown."""
        old, new = self.old.occupancy, self.new.occupancy
        return None if old is None or new is None else new - old


@dataclass(frozen=True)
class Differences:
    """Differences between two builds."""

    kernels: tuple[DiffRow, ...]
    """Kernels of both builds, worst first; unchanged kernels only with ``with_same``."""
    same: int
    added: tuple[ScannedKernel, ...]
    removed: tuple[ScannedKernel, ...]
    unknown: Mapping[str, int]
    """Values recorded in only one of the builds, with the number of kernels."""

    @property
    def summary(self) -> dict[str, int]:
        """Number of kernels by verdict, including added and removed."""
        count: Counter[str] = Counter(row.verdict for row in self.kernels)
        kinds: dict[str, int] = {verdict: count[verdict] for verdict in VERDICTS}
        return {**kinds, "same": self.same, "added": len(self.added), "removed": len(self.removed)}


def compare(
    old: Sequence[KernelRecord],
    new: Sequence[KernelRecord],
    evaluator: Evaluator,
    *,
    threshold: float = 0,
    with_same: bool = False,
    ignore_arch: bool = False,
) -> Differences:
    """Compare two builds; the threshold is in percent of the larger value, or in points of occupancy."""
    matching = match(old, new, ignore_arch=ignore_arch)
    rows: list[DiffRow] = []
    same = 0
    unknown: Counter[str] = Counter()
    for pair in matching.pairs:
        if (
            not with_same
            and pair.old.arch == pair.new.arch
            and compared_values(pair.old) == compared_values(pair.new)
        ):
            same += 1
            continue
        row = _row(pair, evaluator, threshold)
        unknown.update(
            name for name, value in MEASURES.items() if (value(row.old) is None) != (value(row.new) is None)
        )
        same += row.verdict == "same"
        if with_same or row.verdict != "same":
            rows.append(row)
    return Differences(
        tuple(sorted(rows, key=_severity)),
        same,
        tuple(map(evaluator.row, matching.added)),
        tuple(map(evaluator.row, matching.removed)),
        dict(unknown),
    )


def _row(pair: Pair, evaluator: Evaluator, threshold: float) -> DiffRow:
    """Compare one kernel of two builds.

    A block size in one build applies to both. If neither has one, each uses its launch bound, or 256.
    """
    old, new = evaluator.row(pair.old, pair.new.threads), evaluator.row(pair.new, pair.old.threads)
    both = _measured(old, new)
    directions = {name: _direction(name, *values, threshold) for name, values in both.items()}
    decides: set[Measure] = {"occupancy", "spill_bytes", "spill_smem"}
    if None in both["spill_bytes"]:
        decides.add("stack_bytes")
    decisive = {directions[name] for name in decides} - {"same"}
    changes = tuple(causes(old, new))
    verdict: Verdict = "same"
    if decisive:
        verdict = decisive.pop() if len(decisive) == 1 else "mixed"
    elif {*directions.values()} != {"same"} or (
        not threshold and any(each.name != "arch" for each in changes)
    ):
        verdict = "changed"
    return DiffRow(verdict, pair.matched_by, old, new, changes)


def _measured(old: ScannedKernel, new: ScannedKernel) -> dict[Measure, tuple[Any, Any]]:
    both = {name: (value(old), value(new)) for name, value in MEASURES.items()}
    was, now = both["spill_smem"]
    both["spill_smem"] = was or 0, now or 0  # absent in logs: None and 0 are equal
    return both


def _direction(name: Measure, old: float | None, new: float | None, threshold: float) -> Verdict:
    if old is None or new is None or old == new:
        return "same"  # unknown in one build
    percent = 100 * abs(new - old)  # percentage points, for occupancy
    if name != "occupancy":
        percent /= max(old, new, 1)
    if percent <= threshold:
        return "same"
    return "better" if (new > old) == (name == "occupancy") else "worse"


def causes(old: ScannedKernel, new: ScannedKernel) -> Iterator[Change]:
    """Yield the values that differ; launch bounds precede the registers that depend on them."""
    if old.record.arch != new.record.arch:
        yield Change("arch", old.record.arch, new.record.arch)
    elif compared_values(old.record) == compared_values(new.record):
        return
    # Other formats record no launch bounds, so that absent ones are unknown.
    if all(row.record.linked is not None and row.record.format not in LOGS for row in (old, new)):
        bounds = _source_bounds(old.record), _source_bounds(new.record)
        caps = old.record.register_cap, new.record.register_cap
        if bounds[0] != bounds[1] or old.record.max_threads != new.record.max_threads:
            yield Change("launch_bounds", *bounds)
        elif None not in caps and caps[0] != caps[1]:
            yield Change("register_cap", *caps)
        if old.record.cluster_dim != new.record.cluster_dim:
            yield Change("cluster_dim", old.record.cluster_dim, new.record.cluster_dim)
    if old.threads != new.threads and not (old.threads_assumed or new.threads_assumed):
        yield Change("threads", old.threads, new.threads)
    stores_and_loads = [(row.record.spill_store_bytes, row.record.spill_load_bytes) for row in (old, new)]
    spills = [None if None in each else each for each in stores_and_loads]
    values: Mapping[Any, Sequence[Any]] = {**_measured(old, new), "spills": spills}
    for name in ("smem", "regs", "spill_smem", "barriers", "spills", "stack_bytes"):
        was, now = values[name]
        if was is not None and now is not None and was != now:
            yield Change(name, was, now)


def explaining(old: ScannedKernel, new: ScannedKernel, measures: Iterable[Measure]) -> list[Change]:
    """Return the changes that explain new values: for occupancy, changes whose reversal restores it.

    Without such a change, and for other values, every change in the right direction is a possible cause.
    """
    changes, names = list(causes(old, new)), set[str]()
    for measure in measures:
        was, now = MEASURES[measure](old), MEASURES[measure](new)
        if was != now and None not in (was, now):
            found = _restoring(old.result, new.result) if measure == "occupancy" else set()
            possible = {each.name for each in changes if _may_explain(each, measure, is_up=now > was)}
            names |= found & {each.name for each in changes} or possible
    return [each for each in changes if each.name in names]


def _restoring(old: Any, new: Any) -> set[str]:
    """Return the changes whose reversal alone restores the old occupancy."""
    names, bounds = set[str](), {"launch_bounds"}
    reasons = {"regs": bounds | {"register_cap"}, "threads": bounds, "smem": {"spill_smem"}}
    for name in ("regs", "smem", "barriers", "threads"):
        amount = old.kernel.shared_memory if name == "smem" else getattr(old.kernel, name)
        change: Any = {name: amount}
        if amount is not None and step_with(new, change).occupancy == old.occupancy:
            names |= {name} | reasons.get(name, set())
    return names


def _may_explain(change: Change, measure: Measure, *, is_up: bool) -> bool:
    """Return True if a change can raise the measure (``is_up``), or lower it."""
    is_resource = change.name in ("smem", "regs", "spill_smem", "barriers")
    if is_resource and (measure == "occupancy" or (change.name == "regs" and measure in SPILLED)):
        return (change.new > change.old) != is_up  # type: ignore[no-any-return]
    return change.name in ("arch", "launch_bounds", "register_cap", "threads")


def _source_bounds(record: KernelRecord) -> tuple[int, int | None] | None:
    """Return both launch bounds; None for unknown blocks per SM.

    Images contain the register cap that the compiler computes from the second bound, not the bound.
    """
    threads, cc = record.required_threads or record.max_threads, record.compute_capability
    if threads is None:
        return None
    if record.min_blocks is not None or record.register_cap is None or cc is None:
        return threads, record.min_blocks
    try:
        gpu = Gpu(limits(cc))
        fitting = Result(gpu.limits, Kernel(threads, record.register_cap)).active_blocks
        for blocks in (1, fitting):
            if blocks and launch_bounds(gpu, Kernel(threads), blocks).register_cap == record.register_cap:
                return threads, blocks
    except OccupancyError:  # a compute capability of a user's table
        pass
    return threads, None


def step_to(row: ScannedKernel, occupancy: float) -> NextStep | None:
    """Return the smallest change of a kernel that reaches an occupancy."""
    result, least = row.result, occupancy - TOLERANCE
    if result is None or result.occupancy >= least:
        return None
    for step in next_steps(result):
        is_guess = row.threads_assumed and "threads" in step.requires
        if step.occupancy >= least and not is_guess and is_possible(step, row.record):
            return step
    return None


def step_with_registers(row: ScannedKernel) -> NextStep | None:
    """Return the step to more registers, to avoid spills: free if possible, otherwise at the least cost."""
    result = row.result
    if result is None or result.kernel.regs is None:
        return None
    now = result.kernel.regs
    for registers in range(now, min(now + 1, result.limits.max_registers_per_thread) + 1):
        there = Result(result.limits, result.kernel.replace(regs=registers), result.model)
        most = max_with(there, "regs", there.active_blocks)
        if most is not None and most > now:
            return step_with(result, {"regs": most})
    return None


def _severity(row: DiffRow) -> tuple[Any, ...]:
    """Return a sort key, worst first: lost occupancy, new spills, then all others by name."""
    order = VERDICTS.index(row.verdict)
    old, new = _spill_bytes(row.old) or 0, _spill_bytes(row.new) or 0
    return order, row.occupancy_change or 0, old - new, by_name(row.new.record)
