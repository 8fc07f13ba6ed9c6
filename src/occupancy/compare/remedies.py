"""What would make a kernel meet a rule that it breaks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..advice.budget import TOLERANCE
from ..advice.next_steps import NextStep, each_step
from ..advice.search import changed
from ..advice.slack import slack
from ..builds.attention import spilled_bytes
from ..builds.scan_row import ScanRow
from ..builds.scanner import Scanner
from ..builds.spill_cost import is_possible
from ..engine import evaluate
from ..values.kernel import Kernel
from ..values.limits import Limits
from ..values.resources import Changeable
from .rules import Measure
from .same_sizes import is_ours


def mending_step(row: ScanRow, measure: Measure, bound: float, scanner: Scanner) -> NextStep | None:
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
        for step in each_step(evaluate(limits, kernel))
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
            most = slack(limits, replace(kernel, regs=registers)).regs
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
