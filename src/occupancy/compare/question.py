"""One thing that a rule asks of one kernel, and what would make the kernel meet it."""

from __future__ import annotations

from collections.abc import Callable

from ..advice.budget import TOLERANCE
from ..advice.next_steps import NextStep, next_steps
from ..advice.search import changed
from ..advice.slack import slack
from ..builds.attention import spilled_bytes
from ..builds.scan_row import ScanRow
from ..builds.scanner import Scanner
from ..builds.spill_cost import is_possible
from ..engine import evaluate
from ..values.dataclass import dataclass
from ..values.kernel import Kernel
from ..values.limits import Limits
from ..values.resources import Changeable
from .measures import HIGHER_IS_BETTER, measure, meets
from .rules import CRITERIA, Criterion, Measure, Rule
from .same_sizes import AtSize, is_ours
from .violations import Violation


@dataclass(frozen=True, slots=True)
class Question:
    """Whether a kernel meets one criterion of a rule."""

    name: str
    """The criterion's name, such as ``min_occupancy``."""
    rule: Rule
    asked: float
    """The bound as the rule has it: an occupancy in percent, a drop of it in points."""
    row: ScanRow
    """The kernel, at the block size that counts for the question."""
    old: ScanRow | None
    """The kernel in the baseline, at the same size."""
    shown: AtSize | None = None
    """The occupancies at the launch bound or a usual size, where another size decides."""

    @property
    def criterion(self) -> Criterion:
        """What is asked for."""
        return CRITERIA[self.name]

    @property
    def bound(self) -> float:
        """In the unit of the measure; an occupancy from 0 to 1."""
        return self.asked / 100 if self.criterion.measure == "occupancy" else self.asked

    @property
    def value(self) -> float | None:
        """What the kernel has; None where it is not known."""
        return measure(self.row, self.criterion.measure)

    @property
    def was(self) -> float | None:
        """What it had in the baseline."""
        return None if self.old is None else measure(self.old, self.criterion.measure)

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
        higher_is_better = self.criterion.measure in HIGHER_IS_BETTER
        return self.start - self.bound if higher_is_better else self.start + self.bound

    @property
    def holds(self) -> bool:
        """The answer; for a question that has one."""
        value = self.value
        assert value is not None
        return meets(self.criterion.measure, value, self.limit)

    def violation(self, scanner: Scanner) -> Violation:
        """What to say of a kernel that does not meet it."""
        value = self.value
        assert value is not None
        step = _mending_step(self.row, self.criterion.measure, self.limit, scanner)
        is_about_a_size = self.criterion.measure == "occupancy"
        return Violation(
            rule=self.rule.number,
            criterion=self.name,
            bound=self.bound,
            was=self.was,
            value=value,
            threads=self.row.threads if is_about_a_size else None,
            threads_from=self.row.threads_from if is_about_a_size else None,
            shown=self.shown if is_about_a_size else None,
            next_step=step,
        )


def _mending_step(row: ScanRow, measure: Measure, bound: float, scanner: Scanner) -> NextStep | None:
    """The nearest change with which a kernel meets a rule, and its occupancy then.

    For an occupancy that is too low, the next step that reaches it. For anything else that is too much,
    the bound itself. For spills, more registers: those that cost no block, else the fewest blocks;
    likewise for a stack that may be of spills.

    Args:
        row: The kernel.
        measure: What breaks the rule.
        bound: The least, or the most, that the rule allows; an occupancy from 0 to 1.
        scanner: What the row was answered by.

    Returns:
        None where no single change is known to help.
    """
    if row.occupancy is None or (measure == "stack_bytes" and spilled_bytes(row) == 0):
        return None
    if not is_ours(row):
        return _MENDINGS[measure](*scanner.question(row), bound)
    # The size is one that we chose to compare at. What else gains there is worth to be told; another size
    # is no advice, and neither is what only holds at this one.
    return _more_occupancy(*scanner.question(row), bound, sized=False) if measure == "occupancy" else None


Mending = Callable[[Limits, Kernel, float], NextStep | None]


def _more_occupancy(limits: Limits, kernel: Kernel, bound: float, *, sized: bool = True) -> NextStep | None:
    steps = (
        step
        for step in next_steps(evaluate(limits, kernel))
        if (sized or "threads" not in step.requires) and is_possible(step, kernel)
    )
    return next((step for step in steps if step.occupancy >= bound - TOLERANCE), None)


def _more_registers(limits: Limits, kernel: Kernel, _: float) -> NextStep | None:
    """As many as cost no block; if there are none, as many as cost the fewest."""
    now = kernel.regs
    if now is None:
        return None
    for registers in (now, now + 1):
        if registers <= limits.max_registers_per_thread:
            most = slack(evaluate(limits, kernel.replace(regs=registers))).regs
            if most is not None and most > now:
                return _with(limits, kernel, "regs", most)
    return None


def _at_the_bound(resource: Changeable) -> Mending:
    return lambda limits, kernel, bound: _with(limits, kernel, resource, int(bound))


def _with(limits: Limits, kernel: Kernel, resource: Changeable, amount: int) -> NextStep | None:
    """None where it would not launch with that either."""
    requires: dict[Changeable, int] = {resource: amount}
    answer = evaluate(limits, changed(kernel, requires))
    return NextStep(answer.active_blocks, answer.occupancy, requires) if answer.active_blocks else None


_MENDINGS: dict[Measure, Mending] = {
    "occupancy": _more_occupancy,
    "regs": _at_the_bound("regs"),
    "spill_bytes": _more_registers,
    "spill_smem": _more_registers,
    "stack_bytes": _more_registers,
    "smem": _at_the_bound("smem"),
    "barriers": _at_the_bound("barriers"),
}
