"""One thing that a rule asks of one kernel."""

from __future__ import annotations

from ..advice.budget import TOLERANCE
from ..builds.scan_row import ScanRow
from ..builds.scanner import Scanner
from ..values.dataclass import dataclass
from .measures import HIGHER_IS_BETTER, measure
from .remedies import mending_step
from .rules import CRITERIA, Criterion, Rule
from .same_sizes import AtSize
from .violations import Violation


@dataclass(frozen=True, slots=True)
class Question:
    """Whether a kernel meets one criterion of a rule."""

    name: str
    """The criterion's name, such as ``min_occupancy``."""
    rule: Rule
    bound: float
    """In the unit of the measure; an occupancy from 0 to 1."""
    row: ScanRow
    value: float | None
    old: ScanRow | None
    """The kernel in the baseline."""
    was: float | None
    shown: AtSize | None = None
    """The occupancies at the launch bound or a usual size, where another size decides."""

    @classmethod
    def of(
        cls,
        name: str,
        rule: Rule,
        bound: float,
        row: ScanRow,
        old: ScanRow | None,
        shown: AtSize | None = None,
    ) -> Question:
        """The question that a rule asks of a kernel.

        Args:
            name: The criterion's name.
            rule: The rule.
            bound: As the rule has it.
            row: The kernel, at the block size that counts for the question.
            old: The kernel in the baseline, at the same size.
            shown: The occupancies at the launch bound or a usual size, where another one counts.
        """
        measured = CRITERIA[name].measure
        if measured == "occupancy":
            bound /= 100
        was = None if old is None else measure(old, measured)
        return cls(name, rule, bound, row, measure(row, measured), old, was, shown)

    @property
    def criterion(self) -> Criterion:
        """What is asked for."""
        return CRITERIA[self.name]

    @property
    def start(self) -> float | None:
        """What a change is counted from: a kernel that is new has brought all of its spills."""
        is_new_spill = self.old is None and self.criterion.measure == "spill_bytes"
        return 0 if is_new_spill else self.was

    @property
    def limit(self) -> float:
        """The value that just holds; for a question that can be answered."""
        if not self.criterion.compares:
            return self.bound
        assert self.start is not None
        return self.start - self.bound if self._higher_is_better else self.start + self.bound

    @property
    def holds(self) -> bool:
        """The answer; for a question that has one."""
        assert self.value is not None
        excess = self.limit - self.value if self._higher_is_better else self.value - self.limit
        return excess <= TOLERANCE

    @property
    def _higher_is_better(self) -> bool:
        return self.criterion.measure in HIGHER_IS_BETTER

    def violation(self, scanner: Scanner) -> Violation:
        """What to say of a kernel that does not meet it."""
        assert self.value is not None
        step = mending_step(self.row, self.criterion.measure, self.limit, scanner)
        is_about_a_size = self.criterion.measure == "occupancy"
        return Violation(
            rule=self.rule.number,
            criterion=self.name,
            bound=self.bound,
            was=self.was,
            value=self.value,
            threads=self.row.threads if is_about_a_size else None,
            threads_from=self.row.threads_from if is_about_a_size else None,
            shown=self.shown if is_about_a_size else None,
            next_step=step,
        )
