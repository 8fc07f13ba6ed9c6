"""What became of each kernel of a build since another one, for those who list all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from ..builds.scan_row import ScanRow
from ..builds.scanner import Scanner
from ..readers import KernelRecord
from ..values.dataclass import dataclass
from .diff import DiffRow, DiffSummary, Verdict, in_one_only, is_as_it_was, row_of
from .matching import match
from .measures import compared


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one kernel."""

    verdict: Verdict | Literal["added"]
    row: DiffRow | None = None
    """Both builds of it, where something changed."""


@dataclass(frozen=True, slots=True)
class Since:
    """What became of a build."""

    baseline: str
    """What the old build is called."""
    changes: tuple[Change, ...]
    """Of each kernel of the new build."""
    removed: tuple[ScanRow, ...]
    """Only in the old build."""

    @property
    def summary(self) -> DiffSummary:
        """How many kernels there are of each kind."""
        count: Counter[str] = Counter(each.verdict for each in self.changes)
        return DiffSummary.of({**count, "removed": len(self.removed)})


def since(baseline: str, old: Sequence[KernelRecord], new: Sequence[KernelRecord], scanner: Scanner) -> Since:
    """What became of each kernel: the kernels are matched, and compared, as `compare` does.

    Args:
        baseline: What the old build is called.
        old: Its kernels.
        new: Those of the new one.
        scanner: What answers for them.
    """
    matching = match(old, new, compared)
    changes = {id(record): Change("same") for record in new}
    for one, other, matched_by in matching.pairs:
        if not is_as_it_was(one, other):
            row = row_of(one, other, matched_by, scanner)
            changes[id(other)] = Change(row.verdict, row)
    for record in in_one_only(matching.added, old):
        changes[id(record)] = Change("added")
    removed = in_one_only(matching.removed, new)
    return Since(baseline, tuple(changes[id(record)] for record in new), tuple(map(scanner.row, removed)))
