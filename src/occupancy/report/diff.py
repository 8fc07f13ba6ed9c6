"""The answer to ``occupancy diff``: what became of each kernel between two builds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal, get_args

from ..builds.matching import MatchedBy, match
from ..builds.measures import HIGHER_IS_BETTER, MEASURES, Measures, measures
from ..builds.rules import Measure
from ..readers import ReadProblem
from ..readers.record import ThreadsFrom
from ..values.documented import DOCUMENTED
from . import SCHEMA_VERSION
from .scan import ScanRow

Verdict = Literal["worse", "mixed", "other", "better", "same"]
"""Whether something got worse, better, or one thing worse and another better.

Occupancy, spills and stack decide; registers, shared memory and barriers where those are the same.
``other``: something changed of which neither can be said: the limiter, the block size, or what is known.
"""

BEST: ThreadsFrom = "best"
"""A block size that follows from the rest, and says nothing of its own."""

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True, slots=True)
class DiffRow:
    """One kernel in both builds."""

    __pydantic_config__: ClassVar[dict[str, Any]] = DOCUMENTED

    verdict: Verdict
    matched_by: MatchedBy
    """What the two have in common: the mangled name; the name without what the compiler adds of the place
    and the libraries of a build; or the name without template arguments and parameters."""
    change: Measures
    """New less old; None where one of them is not known."""
    old: ScanRow
    new: ScanRow

    def to_dict(self) -> dict[str, Any]:
        """The row as plain dictionaries, lists and numbers: one object of the JSON."""
        return {
            "verdict": self.verdict,
            "matched_by": self.matched_by,
            "change": asdict(self.change),
            "old": self.old.to_dict(),
            "new": self.new.to_dict(),
        }


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
class DiffReport:
    """Everything that ``occupancy diff`` shows."""

    __pydantic_config__: ClassVar[dict[str, Any]] = DOCUMENTED

    schema_version: int
    old: str
    """What the old build was called."""
    new: str
    threshold: float
    """Up to so many percent of the larger value, or points of occupancy, a change counts as none."""
    summary: DiffSummary
    kernels: tuple[DiffRow, ...]
    """Kernels of both builds, the worst first."""
    added: tuple[ScanRow, ...]
    removed: tuple[ScanRow, ...]
    problems: tuple[ReadProblem, ...]
    """What could not be read of the two."""

    def to_dict(self) -> dict[str, Any]:
        """The report as plain dictionaries, lists and numbers: the JSON."""
        return {
            "schema_version": self.schema_version,
            "old": self.old,
            "new": self.new,
            "threshold": self.threshold,
            "summary": asdict(self.summary),
            "kernels": [row.to_dict() for row in self.kernels],
            "added": [row.to_dict() for row in self.added],
            "removed": [row.to_dict() for row in self.removed],
            "problems": [asdict(problem) for problem in self.problems],
        }


ENDS = 3
"""The first measures are what matters: occupancy, spills and stack. Registers and the others are means."""


def diff_report(
    old: Iterable[ScanRow],
    new: Iterable[ScanRow],
    *,
    names: tuple[str, str],
    threshold: float = 0,
    only_changes: bool = False,
    problems: tuple[ReadProblem, ...] = (),
) -> DiffReport:
    """Compare two builds.

    Args:
        old: The kernels of the old build.
        new: Those of the new one.
        names: What the two are called.
        threshold: Up to so many percent of the larger value, or points of occupancy, a change counts as none.
        only_changes: Whether to leave out the kernels that are the same; the summary counts them.
        problems: What could not be read of the two.
    """
    matching = match(old, new, compared)
    rows = [_row(one, other, by, threshold) for one, other, by in matching.pairs]
    count = Counter(row.verdict for row in rows)
    shown = [row for row in rows if row.verdict != "same" or not only_changes]
    return DiffReport(
        SCHEMA_VERSION,
        *names,
        threshold,
        DiffSummary(
            **{verdict: count[verdict] for verdict in VERDICTS},
            added=len(matching.added),
            removed=len(matching.removed),
        ),
        tuple(sorted(shown, key=_rank)),
        matching.added,
        matching.removed,
        problems,
    )


def _row(old: ScanRow, new: ScanRow, matched_by: MatchedBy, threshold: float) -> DiffRow:
    before, after = measures(old), measures(new)
    directions = [_direction(name, before, after, threshold) for name in MEASURES]
    verdict = _verdict(directions) or _verdict_of_the_rest(old, new, threshold)
    return DiffRow(verdict, matched_by, after - before, old, new)


def _direction(name: Measure, before: Measures, after: Measures, threshold: float) -> Verdict:
    old, new = getattr(before, name), getattr(after, name)
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
