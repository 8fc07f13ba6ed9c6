"""How each kernel changed between two builds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from ..readers.record import ThreadsFrom
from .matching import MatchedBy, match
from .measures import HIGHER_IS_BETTER, MEASURES, Measures, measures
from .rules import Measure
from .scanner import ScanRow

Verdict = Literal["worse", "mixed", "other", "better", "same"]
"""Whether something got worse, better, or one thing worse and another better.

Occupancy, spills and stack decide; registers, shared memory and barriers where those are the same.
``other``: something changed of which neither can be said: the limiter, the block size, or what is known.
"""

BEST: ThreadsFrom = "best"
"""A block size that follows from the rest, and says nothing of its own."""

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True, slots=True, repr=False)
class DiffRow:
    """One kernel in both builds."""

    verdict: Verdict
    matched_by: MatchedBy
    """What the two have in common: the mangled name; the name without what the compiler adds of the place
    and the libraries of a build; or the name without template arguments and parameters."""
    change: Measures
    """New less old; None where one of them is not known."""
    old: ScanRow
    new: ScanRow

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


@dataclass(frozen=True, slots=True)
class Diff:
    """How all kernels changed."""

    rows: tuple[DiffRow, ...]
    """The kernels of both builds, the worst first."""
    added: tuple[ScanRow, ...]
    """Only in the new build."""
    removed: tuple[ScanRow, ...]
    """Only in the old build."""

    @property
    def summary(self) -> DiffSummary:
        """How many there are of each kind."""
        count = Counter(row.verdict for row in self.rows)
        verdicts = {verdict: count[verdict] for verdict in VERDICTS}
        return DiffSummary(**verdicts, added=len(self.added), removed=len(self.removed))


ENDS = 3
"""The first measures are what matters: occupancy, spills and stack. Registers and the others are means."""


def compare(old: Iterable[ScanRow], new: Iterable[ScanRow], threshold: float = 0) -> Diff:
    """Compare two builds.

    Args:
        old: The kernels of the old build.
        new: Those of the new one.
        threshold: Up to so many percent of the larger value, or points of occupancy, a change counts as none.
    """
    matching = match(old, new, compared)
    rows = [_row(one, other, by, threshold) for one, other, by in matching.pairs]
    return Diff(tuple(sorted(rows, key=_rank)), matching.added, matching.removed)


def _row(old: ScanRow, new: ScanRow, matched_by: MatchedBy, threshold: float) -> DiffRow:
    before, after = measures(old), measures(new)
    directions = [_direction(name, before, after, threshold) for name in MEASURES]
    verdict = _verdict(directions) or _verdict_of_the_rest(old, new, threshold)
    return DiffRow(verdict, matched_by, after - before, old, new)


def _direction(name: Measure, before: Measures, after: Measures, threshold: float) -> Verdict:
    old, new = getattr(before, name), getattr(after, name)
    if name == "spill_smem":  # logs do not say it, so that 0 beside nothing is no change
        old, new = old or 0, new or 0
    if old is None or new is None:
        return "same" if old is new else "other"
    percent = 100 * abs(new - old)  # points, for an occupancy
    if name != "occupancy":
        percent /= max(old, new, 1)
    if new == old or percent <= threshold:
        return "same"
    return "better" if (new > old) == (name in HIGHER_IS_BETTER) else "worse"


def _verdict(directions: Sequence[Verdict]) -> Verdict | None:
    """What matters decides; the means to it count where it stayed the same."""
    for these in (set(directions[:ENDS]), set(directions[ENDS:])):
        if {"worse", "better"} <= these:
            return "mixed"
        for verdict in ("worse", "better", "other"):
            if verdict in these:
                return verdict
    return None


def _verdict_of_the_rest(old: ScanRow, new: ScanRow, threshold: float) -> Verdict:
    has_other_limiters = set(old.limiters) != set(new.limiters) and not threshold
    has_other_threads = old.threads != new.threads and (old.threads_from, new.threads_from) != (BEST, BEST)
    return "other" if has_other_limiters or has_other_threads else "same"


def _rank(row: DiffRow) -> tuple[Any, ...]:
    """The worst first: lost occupancy, then more spills, then whatever else grew."""
    change = row.change
    occupancy = change.occupancy or 0
    spilled = max(change.spill_bytes or 0, change.stack_bytes or 0)
    is_bad = row.verdict in ("worse", "mixed")
    return (
        not (is_bad and occupancy < 0),
        not (is_bad and spilled > 0),
        VERDICTS.index(row.verdict),
        occupancy,
        -spilled,
        *(-(getattr(change, name) or 0) for name in MEASURES[1:]),
        row.new.name,
        row.new.arch or "",
        row.new.source,
    )


def compared(row: ScanRow) -> tuple[object, ...]:
    """All that is compared of a kernel."""
    return (*measures(row).values(), row.threads, row.dynamic_smem)
