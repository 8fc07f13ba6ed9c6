"""What would make a kernel meet a rule that it breaks, in words."""

from __future__ import annotations

from ...advice.launch_bounds import bounds_in_source, cap_in_triton
from ...advice.next_steps import NextStep
from ...builds.scan_row import ScanRow
from ...compare.register_caps import bounds_within, has_bound
from ...compare.rules import CRITERIA, Measure
from ...compare.same_sizes import is_ours
from ...compare.violations import Violation
from ...render import words
from ...values.resources import amount_of


def mending(row: ScanRow, violation: Violation) -> str:
    """What would help, as a sentence."""
    measure = CRITERIA[violation.criterion].measure
    step = violation.next_step
    if step is None and measure == "occupancy" and row.spill_smem:
        measure = "spill_smem"
    if step is None and measure == "regs" and _is_of_triton(row):
        return f"{cap_in_triton()} make them fewer; the rest spills."
    if step is None and measure == "regs" and has_bound(row):
        return _by_bounds(row, violation)
    if step is None and is_ours(row):
        return _UNSIZED.get(measure, _NO_STEP.get(measure, "Use less of what limits it."))
    if step is None:
        return _NO_STEP.get(measure, "Neither using less nor another block size is known to reach it.")
    changes = [
        words.change(resource, amount_of(resource, row), value) for resource, value in step.requires.items()
    ]
    fewer_spills = measure in ("spill_bytes", "spill_smem", "stack_bytes")
    result = "need fewer spills, at" if fewer_spills else "give"
    at = f" at {violation.threads:,} threads" if is_ours(row) and violation.threads else ""
    share = words.percent(step.occupancy)
    return f"{words.listing(changes)} would {result} {share} occupancy{at}{_how(row, step)}."


_UNSIZED: dict[Measure, str] = {
    "spill_bytes": "More registers, or fewer values alive, would need fewer spills.",
    "stack_bytes": "It holds spills, arrays indexed by variables, or frames of calls.",
}
"""Where the block size is not known, which says how many registers there are."""

_NO_STEP: dict[Measure, str] = {
    "spill_bytes": "No more registers are available: keep fewer values alive.",
    "spill_smem": "More registers, launch bounds of fewer threads, or fewer values alive shrink the shared "
    "memory that registers spill to.",
    "stack_bytes": "More registers would not help: it holds arrays indexed by variables, or frames of calls.",
    "smem": "Use less of it.",
    "regs": "-maxrregcount, maxnreg or launch bounds cap them; the rest spills.",
    "barriers": "Use fewer named barriers.",
}


def _by_bounds(row: ScanRow, violation: Violation) -> str:
    """How to have fewer registers of a kernel with launch bounds: the compiler takes no other cap of it."""
    start = (violation.was or 0) if CRITERIA[violation.criterion].compares else 0
    bounds = bounds_within(row, int(start + violation.bound))
    if bounds is None:
        return "Launch bounds with more blocks per SM cap them, as far as so many fit; the rest spills."
    return f"{bounds.launch_bounds} caps them at {bounds.register_cap}; the rest spills."


def _how(row: ScanRow, step: NextStep) -> str:
    """How to have the compiler use so many registers."""
    if set(step.requires) != {"regs"} or is_ours(row) or row.threads is None or not step.active_blocks:
        return ""
    if _is_of_triton(row):
        wanted = step.requires["regs"]
        return f"; {cap_in_triton(wanted, are_fewer=wanted < (row.regs or 0))} asks Triton for that"
    return f"; {bounds_in_source(row.threads, step.active_blocks)} asks the compiler for that"


def _is_of_triton(row: ScanRow) -> bool:
    return row.format == "triton"
