"""Differences between two builds: one row for each kernel, with causes and a fix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from operator import attrgetter
from typing import Any, Literal, NamedTuple, get_args

from ..advice.budget import TOLERANCE
from ..advice.launch_bounds import LaunchBoundsFields, loosest_bounds
from ..advice.next_steps import next_steps, step_with
from ..builds.merge import LOGS
from ..builds.names import stable_name
from ..builds.rows import Evaluator, ScannedKernel, source_bounds
from ..engine import Result
from ..readers import KernelRecord
from ..values.records import documented
from .match import MatchedBy, Pair, by_name, compared_values, match

Measure = Literal["occupancy", "spill_bytes", "stack_bytes", "spill_smem", "regs", "smem", "barriers"]
"""Compared value. Sizes are in bytes, occupancy is 0 to 1."""

DECISIVE: tuple[Measure, ...] = ("occupancy", "spill_bytes", "spill_smem")
SPILLED: tuple[Measure, ...] = ("spill_bytes", "spill_smem", "stack_bytes")
REGISTER_LIMITS = ("launch_bounds", "register_cap")

Verdict = Literal["worse", "mixed", "better", "changed", "renamed", "same"]
"""Occupancy and spills determine better or worse, or the stack if spills are unknown. Others only change."""

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

MEASURES: Mapping[Measure, Callable[[ScannedKernel], Any]] = {
    "occupancy": attrgetter("occupancy"),
    "spill_bytes": lambda row: None if row.record.spills is None else row.record.spills.total,
    "stack_bytes": attrgetter("record.stack_bytes"),
    "spill_smem": attrgetter("record.spill_smem"),
    "regs": attrgetter("record.regs"),
    "smem": attrgetter("record.shared_memory"),
    "barriers": attrgetter("record.barriers"),
}
PRESSURE: Mapping[str, str] = {
    "": "", "or": "", "and": " if it still fails", "regs": ": no more registers are allowed",
    "occupancy": ": more registers would lower the occupancy",
}  # fmt: skip
"""When or why to reduce the register pressure: never, instead of other changes, or as the text says."""
_INPUTS = ("regs", "smem", "barriers", "tensor_memory", "threads")


class Change(NamedTuple):
    """Difference of one value between the builds."""

    name: str
    """A measure, or another value that `causes` compares, such as ``launch_bounds``."""
    old: Any
    new: Any


class Fix(NamedTuple):
    """Change that brings the values of a kernel within limits."""

    changes: Mapping[str, Sequence[Change]]
    """Verb (relax, restore, raise, reduce, launch or "or launch") -> changes."""
    pressure: str
    """Key of `PRESSURE`."""


@documented
@dataclass(frozen=True, repr=False)
class DiffRow:
    """Kernel in both builds, and its verdict: worse, mixed, better, changed, renamed or same."""

    verdict: Verdict
    matched_by: MatchedBy
    old: ScannedKernel
    new: ScannedKernel
    changes: tuple[Change, ...]
    limits: Mapping[Measure, float] = field(hash=False)
    """Measures that got worse, with their old values."""

    def __repr__(self) -> str:
        return f"<DiffRow {self.verdict}: {self.new.short_name} for {self.new.arch}>"

    @cached_property
    def fix(self) -> Fix:
        """Smallest change that restores all worse values."""
        share = self.old.occupancy or 0
        return find_fix(self.old, self.new, self.limits, self.explaining, [("occupancy", share)])

    @cached_property
    def explaining(self) -> list[Change]:
        """Changes that explain lower occupancy or more spills."""
        return explaining(self.old, self.new, DECISIVE[:2])

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
    unknown: Mapping[str, int] = field(hash=False)
    """Values recorded in only one of the builds, with the number of kernels."""
    other_archs: bool
    """True if the builds have a kernel for different architectures only."""

    @property
    def summary(self) -> dict[str, int]:
        """Number of kernels by verdict, including added and removed."""
        count: Counter[str] = Counter(row.verdict for row in self.kernels)
        kinds: dict[str, int] = {verdict: count[verdict] for verdict in VERDICTS}
        return {**kinds, "same": self.same, "added": len(self.added), "removed": len(self.removed)}


def compare(
    old: Sequence[KernelRecord], new: Sequence[KernelRecord], evaluator: Evaluator, *, threshold: float = 0,
    with_same: bool = False, ignore_arch: bool = False,
) -> Differences:  # fmt: skip
    """Compare two builds; the threshold is in percent of the larger value, or in points of occupancy."""
    matching = match(old, new, ignore_arch=ignore_arch)
    rows, same, unknown = list[DiffRow](), 0, Counter[str]()
    for pair in matching.pairs:
        has_same_name = pair.matched_by != "code" and pair.old.arch == pair.new.arch
        is_equal = compared_values(pair.old) == compared_values(pair.new) and pair.old.ptx == pair.new.ptx
        if not with_same and has_same_name and is_equal:
            same += 1
            continue
        row = _row(pair, evaluator, threshold)
        unknown.update(key for key, of in MEASURES.items() if (of(row.old) is None) != (of(row.new) is None))
        same += row.verdict == "same"
        if with_same or row.verdict != "same":
            rows.append(row)
    added, removed = (tuple(map(evaluator.row, each)) for each in (matching.added, matching.removed))
    names = {row.record.name for row in added} & {row.record.name for row in removed}
    other_archs = not names <= {pair.old.name for pair in matching.pairs}
    return Differences(tuple(sorted(rows, key=_severity)), same, added, removed, dict(unknown), other_archs)


def _row(pair: Pair, evaluator: Evaluator, threshold: float) -> DiffRow:
    old, new = evaluator.row(pair.old, pair.new), evaluator.row(pair.new, pair.old)
    both = _measured(old, new)
    directions = {name: _direction(name, *values, threshold) for name, values in both.items()}
    decides = (*DECISIVE, "stack_bytes") if None in both["spill_bytes"] else DECISIVE
    decides = DECISIVE[:1] if 0 in both["occupancy"] else decides  # without a launch, spills do not matter
    limits = {name: both[name][0] for name in decides if directions[name] == "worse"}
    decisive = {directions[name] for name in decides} - {"same"}
    changes = tuple(causes(old, new))
    names = {each.name for each in changes} - {"arch"}
    verdict: Verdict = "renamed" if "name" in names else "same"
    if decisive:
        verdict = decisive.pop() if len(decisive) == 1 else "mixed"
    elif {*directions.values()} != {"same"} or (not threshold and names - {"name"}):
        verdict = "changed"
    return DiffRow(verdict, pair.matched_by, old, new, changes, limits)


def _measured(old: ScannedKernel, new: ScannedKernel) -> dict[Measure, tuple[Any, Any]]:
    both = {name: (value(old), value(new)) for name, value in MEASURES.items()}
    was, now = both["spill_smem"]
    return {**both, "spill_smem": (was or 0, now or 0)}  # absent in logs: None and 0 are equal


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
    names = {record.name for record in (old.record, new.record)}
    if len(names) > 1 and len({*map(stable_name, names)}) > 1 and old.short_name != new.short_name:
        yield Change("name", old.short_name, new.short_name)
    if old.record.arch != new.record.arch:
        yield Change("arch", old.record.arch, new.record.arch)
    elif compared_values(old.record) == compared_values(new.record):
        return
    # Other formats record no launch bounds, so that absent ones are unknown.
    if all(row.record.linked is not None and row.record.format not in LOGS for row in (old, new)):
        bounds = source_bounds(old.record), source_bounds(new.record)
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
    columns = old.record.tensor_memory, new.record.tensor_memory
    values: Mapping[Any, Any] = {**_measured(old, new), "spills": spills, "tensor_memory": columns}
    for name in ("smem", "regs", "spill_smem", "barriers", "tensor_memory", "spills", "stack_bytes"):
        was, now = values[name]
        if was is not None and now is not None and was != now:
            yield Change(name, was, now)


def explaining(old: ScannedKernel, new: ScannedKernel, measures: Iterable[Measure]) -> list[Change]:
    """Return the changes that explain worse measures; one explains the occupancy if it alone lowers it."""
    changes, names = list(causes(old, new)), {"arch"}
    regs = next((each for each in changes if each.name == "regs"), None)
    for measure in measures:
        was, now = MEASURES[measure](old), MEASURES[measure](new)
        if _direction(measure, was, now, threshold=0) != "worse":
            continue
        found: set[str] = set()
        if measure == "occupancy":
            result: Any = old.result
            inputs: Any = {each.name: {each.name: each.new} for each in changes if each.name in _INPUTS}
            inputs["launch_bounds"] = {"max_threads": new.record.max_threads}
            found = {name for name, each in inputs.items() if step_with(result, each).occupancy < was}
        elif measure in SPILLED and regs and regs.new < regs.old:
            found = {"regs"}
        names |= found
        if measure in SPILLED or (regs and "regs" in {measure, *found}):
            for name, *both in (each for each in changes if each.name in REGISTER_LIMITS):
                # More threads or blocks leave fewer registers.
                before, after = (-prod(filter(None, x[:2])) if isinstance(x, tuple) else x or 0 for x in both)
                leaves_fewer = after < before
                if leaves_fewer if measure in SPILLED else not (leaves_fewer and new.spill_bytes):
                    names.add(name)
        if "smem" in {measure, *found}:
            names.add("spill_smem")
    return [each for each in changes if each.name in names]


def _sufficient(new: ScannedKernel, limits: Mapping[Measure, float]) -> dict[str, int]:
    """Return the largest inputs that keep all limits, but for an occupancy that none reach."""
    requires = dict[str, int]()
    for measure, limit in limits.items():
        amounts: Any = {} if measure in DECISIVE else {measure: int(limit)}
        if measure == "occupancy":
            amounts = _reaching(new, limit)
        requires |= {name: min(amount, requires.get(name, amount)) for name, amount in amounts.items()}
    return requires


def _reaching(new: ScannedKernel, share: float) -> Mapping[str, Any]:
    """Return the largest inputs that reach an occupancy if the launch bound allows the block size."""
    now: Any = new.result  # known, as the occupancy that breaks a limit is
    bound = now.kernel.max_threads and max(now.kernel.max_threads, now.kernel.threads)
    result = Result(now.limits, now.kernel.replace(max_threads=bound), now.model)
    if not result.compiles or (result.launchable and result.occupancy >= share - TOLERANCE):
        return {}
    possible = (each for each in next_steps(result) if {"carveout", "cluster"}.isdisjoint(each.requires))
    reaching = (each.requires for each in possible if each.occupancy >= share - TOLERANCE)
    return min(reaching, key=lambda each: new.threads_assumed and "threads" in each, default={})


def _most_registers(now: Result, limits: Iterable[tuple[Any, float]]) -> int:
    return min([now.limits.max_registers_per_thread, *(int(each) for name, each in limits if name == "regs")])


def _loosest(now: Result, low: int, limits: list[tuple[Any, float]], rest: Any) -> LaunchBoundsFields | None:
    """Return the launch bounds with the fewest blocks that keep the limits after other changes."""
    share = max((limit - TOLERANCE for name, limit in limits if name == "occupancy"), default=0)
    kernel = now.kernel.replace(**{name: each for name, each in rest.items() if name != "stack_bytes"})
    return loosest_bounds(now.gpu, kernel, range(low, _most_registers(now, limits) + 1), share)


def _more_registers(new: ScannedKernel, needed: int, limits: list[tuple[Any, float]], others: Any) -> Fix:
    """Return the change to more registers that keeps the limits after other changes, or why there is none."""
    own, cap = source_bounds(new.record), new.record.register_cap or new.regs or 0
    if (now := new.result) is None:
        return Fix({}, "or")
    if (loosest := _loosest(now, cap + 1, limits, others)) is None:
        has_room = cap < _most_registers(now, limits) and any(name == "occupancy" for name, _ in limits)
        return Fix({}, "occupancy" if has_room else "regs")
    changes = []  # unknown if no cap is recorded
    if own and own[1] and loosest.min_blocks < own[1]:
        changes.append(Change("launch_bounds", own, (own[0], loosest.min_blocks)))
    elif new.record.register_cap:
        changes.append(Change("register_cap", cap, loosest.register_cap))
    return Fix({"relax": changes}, "and" if loosest.register_cap < needed else "or")


def find_fix(
    old: ScannedKernel | None, new: ScannedKernel, limits: Mapping[Measure, float], causes: Sequence[Change],
    kept: Iterable[tuple[Measure, float]], old_passes: bool = True,
) -> Fix:  # fmt: skip
    """Return a change that keeps broken limits, and with more registers those in ``kept``."""
    if new.launchable is False and new.reason != (new.result and new.result.reason):
        return Fix({}, "")  # the reason names the missing code
    has_new_spills = not limits.keys().isdisjoint(DECISIVE[1:])
    restored = [Change(each.name, each.new, each.old) for each in causes if each.name in REGISTER_LIMITS]
    regs, requires = new.record.regs or 0, _sufficient(new, limits)
    old_regs = (old and old_passes and old.record.regs) or 0
    bound, least = new.record.max_threads, requires.get("threads", new.threads or 0)
    is_too_low = bound is not None and bound < least
    old_spills = (old and old.spill_bytes) or 0  # pass again with the old register limit
    is_restored = (not has_new_spills or old_spills > 0) and 0 < old_regs <= requires.get("regs", 0)
    changes, pressure = Fix({}, "")
    if has_new_spills and "regs" not in requires and not is_too_low:
        needed = (old and not old_spills and old.record.regs) or 0
        changes, pressure = _more_registers(new, needed, [*kept, *limits.items()], requires)
        can_grow = old_regs > regs or pressure in ("or", "and")
        if old_regs > regs or (restored and old_regs and (can_grow or old_regs == regs)):
            changes = {"restore": restored or [Change("regs", regs, old_regs)]}
            pressure = "or" if can_grow else "and"
    elif restored and (is_restored or is_too_low):
        changes = {"restore": restored}
        if is_restored:
            del requires["regs"]
    old_bounds = [each.new for each in changes.get("restore", ()) if each.name == "launch_bounds"]
    if is_too_low and not (old_bounds and (old_bounds[0] or [least])[0] >= least):
        own, second = source_bounds(new.record), None
        if new.result and own and own[1]:  # without a second bound, ptxas chooses the registers itself
            others = {**requires, "threads": least, "max_threads": least}
            loosest = _loosest(new.result, 0, [*kept, *limits.items()], others)
            second = loosest and loosest.min_blocks
        changes = {"raise": [Change("launch_bounds", own, (least, second))]}
    if is_too_low and not requires and not is_restored:
        changes = {**changes, "or launch": [Change("threads", None, bound)]}
    inputs: dict[str, list[Change]] = {"reduce": [], "launch": []}
    for name, amount in requires.items():
        now = getattr(new.record, "shared_memory" if name == "smem" else name)
        inputs["launch" if name == "threads" else "reduce"].append(Change(name, now, amount))
    return Fix({verb: each for verb, each in {**changes, **inputs}.items() if each}, pressure)


def _severity(row: DiffRow) -> tuple[Any, ...]:
    """Return a sort key, worst first: lost occupancy, new spills, then all others by name."""
    old, new = (MEASURES["spill_bytes"](each) or 0 for each in (row.old, row.new))
    regs = (row.old.record.regs or 0) - (row.new.record.regs or 0)
    return VERDICTS.index(row.verdict), row.occupancy_change or 0, old - new, regs, by_name(row.new.record)
