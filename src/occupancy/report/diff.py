"""The answer to ``occupancy diff``: what became of each kernel between two builds."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from ..builds.diff import Diff, DiffRow, DiffSummary
from ..builds.scanner import ScanRow
from ..readers import ReadProblem
from ..values.documented import DOCUMENTED
from . import SCHEMA_VERSION


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


def diff_report(
    diff: Diff,
    *,
    names: tuple[str, str],
    threshold: float = 0,
    only_changes: bool = False,
    problems: tuple[ReadProblem, ...] = (),
) -> DiffReport:
    """Everything that is shown of two builds.

    Args:
        diff: What became of their kernels.
        names: What the two are called.
        threshold: The one that they were compared with.
        only_changes: Whether to leave out the kernels that are the same; the summary counts them.
        problems: What could not be read of the two.
    """
    shown = tuple(row for row in diff.rows if row.verdict != "same" or not only_changes)
    return DiffReport(
        SCHEMA_VERSION, *names, threshold, diff.summary, shown, diff.added, diff.removed, problems
    )
