"""How each kernel changed between two builds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeVar, get_args

from ..builds.kernel_names import stable_name
from ..builds.log_merging import LOGS
from ..builds.scan_row import ScanRow
from ..builds.scanner import Scanner
from ..readers import KernelRecord
from ..values.dataclass import dataclass
from .likely_renamed import LikelyRenamed, as_apart, likely_renamed
from .matching import MatchedBy, closest_namesakes, family, match
from .measures import HIGHER_IS_BETTER, MEASURES, Measures, compared, measures, resources
from .rules import Measure
from .same_sizes import AtSize, at_a_usual_size, at_the_same_size, is_ours

T = TypeVar("T")

Verdict = Literal["worse", "mixed", "other", "better", "same"]
"""Whether something got worse, better, or one thing worse and another better.

Occupancy and spills decide; a stack only where a build does not say what spills. ``other``: something else
changed, of which neither can be said: registers, shared memory, barriers, a stack, the limiter, the block
size of a launch, or the launch bounds.
"""

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True, slots=True)
class DiffRow:
    """One kernel in both builds."""

    verdict: Verdict
    matched_by: MatchedBy
    """What the two have in common, see `matching`."""
    change: Measures
    """New less old; None where one of them is not known."""
    old: ScanRow
    """Where no file states a block size, both are answered at the launch bound, else at a usual size."""
    new: ScanRow
    deciding: AtSize | None = None
    """The block size that decides about the occupancy: of all that both builds launch with, the one that
    loses the most, else that which wins the most. Null where it is the size of ``old`` and ``new``, loses no
    more than that, or where a size is stated."""

    def __repr__(self) -> str:
        return f"<DiffRow {self.verdict}: {self.new.title}>"


@dataclass(frozen=True, slots=True)
class DiffSummary:
    """How many kernels there are of each kind."""

    worse: int
    mixed: int
    other: int
    better: int
    same: int
    added: int
    removed: int

    @classmethod
    def of(cls, count: Mapping[str, int]) -> DiffSummary:
        """The summary of how many there are of each kind; of a kind that is not there, none."""
        return cls(**{kind: count.get(kind, 0) for kind in (*VERDICTS, "added", "removed")})

    @property
    def in_both(self) -> int:
        """How many both builds have."""
        return self.worse + self.mixed + self.other + self.better + self.same

    @property
    def total(self) -> int:
        """How many there are in either build."""
        return self.in_both + self.added + self.removed


@dataclass(frozen=True, slots=True)
class Diff:
    """How all kernels changed."""

    rows: tuple[DiffRow, ...]
    """The kernels of both builds, the worst first; those that are the same only where they were asked for."""
    same: int
    """How many are the same."""
    not_compared: dict[str, int]
    """What only one of the builds knows -> of how many kernels of both."""
    added: tuple[ScanRow, ...]
    """Only in the new build."""
    removed: tuple[ScanRow, ...]
    """Only in the old build."""
    by_part: int
    """How many kernels of both have not the same name, and were matched by a part of it or by their code."""
    likely_renamed: tuple[LikelyRenamed, ...]
    """Those of ``removed`` that may be one of ``added`` under another name, which no code tells."""
    namesakes: tuple[ScanRow, ...]
    """Of the added and the removed, those whose name the other build has, too, but less often."""
    old_archs: tuple[str, ...]
    """Architectures that the old build has kernels for."""
    new_archs: tuple[str, ...]
    """Those of the new one."""

    @property
    def summary(self) -> DiffSummary:
        """How many there are of each kind."""
        apart = {"same": self.same, "added": len(self.added), "removed": len(self.removed)}
        return DiffSummary.of({**Counter(row.verdict for row in self.rows), **apart})


PARTS_OF_NAMES: tuple[MatchedBy, ...] = ("base_name", "code", "last_name", "numberless")

ENDS: frozenset[Measure] = frozenset({"occupancy", "spill_bytes", "spill_smem"})
"""What matters. Registers and the others are means to it."""


def compare(
    old: Sequence[KernelRecord],
    new: Sequence[KernelRecord],
    scanner: Scanner,
    *,
    threshold: float = 0,
    with_same: bool = False,
    ignore_arch: bool = False,
) -> Diff:
    """Compare two builds.

    Args:
        old: The kernels of the old build.
        new: Those of the new one.
        scanner: What answers for them.
        threshold: Up to so many percent of the larger value, or points of occupancy, a change counts as none.
        with_same: Whether the result has the kernels that are the same, too.
        ignore_arch: Whether a kernel without a counterpart of its architecture is compared with another.
    """
    matching = match(old, new, compared, ignore_arch=ignore_arch)
    rows: list[DiffRow] = []
    same = by_part = 0
    unknown: Counter[str] = Counter()
    for one, other, matched_by in matching.pairs:
        by_part += matched_by in PARTS_OF_NAMES
        if is_as_it_was(one, other) and not with_same:
            same += 1
            continue
        unknown.update(_known_in_one(one, other))
        row = row_of(one, other, matched_by, scanner, threshold)
        same += row.verdict == "same"
        if row.verdict != "same" or with_same:
            rows.append(row)
    added, removed = in_one_only(matching.added, old), in_one_only(matching.removed, new)
    shown = {id(each): at_a_usual_size(each, scanner) for each in (*added, *removed)}
    namesakes = [
        shown[id(kernel)]
        for left, others in ((added, old), (removed, new))
        for kernel, _ in closest_namesakes(left, others, compared, ignore_arch=ignore_arch)
    ]
    return Diff(
        _together(sorted(rows, key=_rank), lambda row: (row.old.name, row.new.name)),
        same,
        dict(unknown),
        _together((shown[id(each)] for each in added), lambda row: row.name),
        _together((shown[id(each)] for each in removed), lambda row: row.name),
        by_part,
        tuple(LikelyRenamed(*map(as_apart, pair)) for pair in likely_renamed(removed, added)),
        _together(namesakes, lambda row: row.name),
        *(tuple(sorted({each.arch or "unknown" for each in build})) for build in (old, new)),
    )


def _together(items: Iterable[T], name: Callable[[T], Hashable]) -> tuple[T, ...]:
    """All that has a name at the place of the first that has it."""
    places: dict[Hashable, int] = {}
    return tuple(sorted(items, key=lambda item: places.setdefault(name(item), len(places))))


def is_as_it_was(old: KernelRecord, new: KernelRecord) -> bool:
    """Whether nothing that is compared has changed."""
    return old.arch == new.arch and compared(old) == compared(new)


def _known_in_one(old: KernelRecord, new: KernelRecord) -> list[str]:
    before, after = resources(old), resources(new)
    names = [name for name in before if (before[name] is None) != (after[name] is None)]
    return [*names, *(["launch bounds"] if knows_bounds(old) != knows_bounds(new) else [])]


def in_one_only(left: Sequence[KernelRecord], others: Sequence[KernelRecord]) -> list[KernelRecord]:
    """Of the kernels that were not matched, those that are in one build only.

    A log has one line for kernels of one name that need the same, as ``static`` ones of several files can.
    """
    if not left:
        return []
    lines = {_as_in_a_log(each) for each in others if each.format in LOGS}
    return [each for each in left if _as_in_a_log(each) not in lines]


def _as_in_a_log(record: KernelRecord) -> tuple[object, ...]:
    arch, name = family(record.arch), stable_name(record.name)
    return name, arch, record.regs, record.static_smem, record.barriers


def row_of(
    one: KernelRecord, other: KernelRecord, matched_by: MatchedBy, scanner: Scanner, threshold: float = 0
) -> DiffRow:
    """Both builds of a kernel, judged at the block size that decides."""
    old, new, deciding = at_the_same_size(one, other, scanner)
    before, after = measures(old), measures(new)
    change = after - before
    if deciding is not None:
        before, after = replace(before, occupancy=deciding.old), replace(after, occupancy=deciding.new)
    ends = ENDS if None not in (before.spill_bytes, after.spill_bytes) else ENDS | {"stack_bytes"}
    directions: tuple[set[Verdict], set[Verdict]] = set(), set()
    for name in MEASURES:
        directions[name not in ends].add(_direction(name, before, after, threshold))
    verdict = _verdict(*directions) or _verdict_of_the_rest(old, new, threshold)
    return DiffRow(verdict, matched_by, change, old, new, deciding)


def _direction(name: Measure, before: Measures, after: Measures, threshold: float) -> Verdict:
    old, new = getattr(before, name), getattr(after, name)
    if name == "spill_smem":  # logs do not say it, so that 0 beside nothing is no change
        old, new = old or 0, new or 0
    if old is None or new is None:
        return "same"  # what only one of the builds knows is no change
    percent = 100 * abs(new - old)  # points, for an occupancy
    if name != "occupancy":
        percent /= max(old, new, 1)
    if new == old or percent <= threshold:
        return "same"
    return "better" if (new > old) == (name in HIGHER_IS_BETTER) else "worse"


def _verdict(ends: set[Verdict], means: set[Verdict]) -> Verdict | None:
    """What matters decides; the means to it are changed, and neither better nor worse."""
    if {"worse", "better"} <= ends:
        return "mixed"
    for verdict in ("worse", "better", "other"):
        if verdict in ends:
            return verdict
    return "other" if means - {"same"} else None


def _verdict_of_the_rest(old: ScanRow, new: ScanRow, threshold: float) -> Verdict:
    has_other_limiters = set(old.limiters) != set(new.limiters) and not threshold and old.arch == new.arch
    has_other_threads = old.threads != new.threads and not (is_ours(old) or is_ours(new))
    has_other_bounds = knows_bounds(old) and knows_bounds(new) and _bounds(old) != _bounds(new)
    return "other" if has_other_limiters or has_other_threads or has_other_bounds else "same"


def knows_bounds(record: KernelRecord) -> bool:
    """Whether a record comes from an image, in which launch bounds that are absent are none."""
    return record.linked is not None and record.format not in LOGS


def _bounds(record: KernelRecord) -> tuple[object, ...]:
    return record.max_threads, record.required_threads, record.cluster_dim


def _rank(row: DiffRow) -> tuple[Any, ...]:
    """The worst first: lost occupancy with nothing won, then spills that begin, then any other loss of
    occupancy, then more spills, then a larger stack, then whatever else grew."""
    change = row.change
    occupancy = change.occupancy or 0
    deciding = occupancy if row.deciding is None else row.deciding.new - row.deciding.old
    spilled, stack = change.spill_bytes or 0, change.stack_bytes or 0
    is_bad = row.verdict in ("worse", "mixed")
    begins = spilled > 0 and spilled == measures(row.new).spill_bytes
    return (
        not (row.verdict == "worse" and deciding < 0),
        not (is_bad and begins),
        not (is_bad and deciding < 0),
        not (is_bad and spilled > 0),
        not (is_bad and stack > 0),
        VERDICTS.index(row.verdict),
        occupancy,
        deciding,
        -max(spilled, stack),
        *(-(getattr(change, name) or 0) for name in MEASURES[1:]),
        row.new.demangled.removeprefix("void "),
        row.new.arch or "",
        row.new.source,
    )
