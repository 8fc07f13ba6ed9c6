"""What to change for a higher occupancy, by itself; `occupancy calc` shows it beside the answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, get_args

from ..advice.launch_bounds import RegisterCap, cap_in_triton, fewer_registers
from ..advice.next_steps import NextStep, may_be_divided
from ..engine import Answer, Model
from ..render import words
from ..render.document import Block, Column, Document, Paragraph, Table
from ..values.asking import Asking
from ..values.dataclass import dataclass
from ..values.resources import Changeable, amount_of
from .base import Report
from .inputs import Inputs, inputs_of
from .other_warps import with_other_warps

COLUMNS = (Column("Occupancy"), Column("Blocks"), Column("What must change, all of it", is_number=False))

FULL = "The occupancy is 100% already."
NONE = "Nothing is known that would give a higher occupancy."

BY_ITS_RULES = "by the spreadsheet's rules"
"""Whose steps they are, where the hardware needs others."""

ON_HARDWARE = Asking.of("on the hardware (", Asking("without --model", "without model"), ")")

SKIP_FEWER = "if warpgroups use setmaxnreg, skip steps to fewer registers"

OF_A_PERMIT = (
    "A block holds the permit to allocate tensor memory, and lets no other in. For the steps of a kernel "
    "that relinquishes it give 0 virtual resources."
)


@dataclass(frozen=True, slots=True)
class NextStepsReport(Report):
    """The next steps of a kernel."""

    model: Model
    cc: str
    inputs: Inputs
    occupancy: float
    """As it is now, 0 to 1."""
    next_steps: tuple[NextStep, ...]
    fewer_registers: tuple[RegisterCap, ...]
    """How the compiler is told the registers of the steps that ask for fewer, the most first."""
    registers_may_be_divided: bool
    """Whether the block looks like one whose warpgroups divide its registers (``setmaxnreg``): for such a one
    fewer registers are no advice.
    """
    holds_permit: bool
    """Whether a block holds the permit to allocate tensor memory, so that using less helps only once it is
    relinquished.
    """

    def _each_row(self) -> Iterable[Mapping[str, Any]]:
        """A row for each step; what need not change is None."""
        for step in self.next_steps:
            changes = dict.fromkeys(get_args(Changeable)) | step.requires
            yield {"active_blocks": step.active_blocks, "occupancy": step.occupancy, **changes}

    def document(self) -> Document:
        """A row for each step, and how the fewer registers of those are had."""
        more: list[Block] = [Paragraph(OF_A_PERMIT)] if self.holds_permit else []
        if not self.next_steps:
            return Paragraph(FULL if self.occupancy == 1 else NONE), *more
        rows = [self._cells(step) for step in self.next_steps]
        return Table(COLUMNS, rows), *map(Paragraph, self._registers()), *more

    def _cells(self, step: NextStep) -> tuple[str, str, str]:
        changes = changes_in_words(step.requires, self.inputs)
        return words.percent(step.occupancy), str(step.active_blocks), changes

    def _registers(self) -> Iterator[str]:
        how = how_registers_are_had(self.next_steps, self.fewer_registers)
        if not self.registers_may_be_divided:
            yield from how
        elif any(how) and not self.inputs.reallocates_registers:
            yield f"{SKIP_FEWER.capitalize()}."


def next_steps_report(given: Answer, steps: tuple[NextStep, ...]) -> NextStepsReport:
    """Everything that is shown of some next steps."""
    cc, fewer = str(given.limits.compute_capability), fewer_registers(given, steps)
    is_divided = bool(fewer) and may_be_divided(given)
    inputs = inputs_of(given.kernel)
    is_held = inputs.tensor_memory is not None and "virtual_resources" in given.limiters
    return NextStepsReport(given.model, cc, inputs, given.occupancy, steps, fewer, is_divided, is_held)


def changes_in_words(requires: Mapping[Changeable, int], inputs: Inputs) -> str:
    """``registers 72 -> 64 and shared memory 40 KiB -> 32.25 KiB``: what must change of a kernel."""
    if not requires:
        return "with no other change"
    if inputs.triton_warps and "threads" in requires:
        return with_other_warps(requires, inputs.triton_warps, inputs.threads)
    changes = [_change(resource, amount, inputs) for resource, amount in requires.items()]
    kept: list[Changeable] = ["smem", "tensor_memory"]  # of which some kernels need more for more threads
    if list(requires) == ["threads"] and (still := [each for each in kept if amount_of(each, inputs)]):
        amounts = [words.amount(each, amount_of(each, inputs) or 0) for each in still]
        changes[0] += f", still {words.listing(amounts)} per block"
    return words.listing(changes)


def _change(resource: Changeable, amount: int, inputs: Inputs) -> str:
    now = amount_of(resource, inputs)
    if resource == "threads" and now == amount:
        return f"{amount} threads in another shape"
    return words.change(resource, now, amount)


def how_registers_are_had(steps: Iterable[NextStep], caps: Sequence[RegisterCap]) -> Iterator[str]:
    """How the compiler is asked for the registers of some steps, in a line; none where none asks for fewer.

    Args:
        steps: Those that are shown.
        caps: How the registers of these, and of others, are had; the most first.
    """
    asked = {step.requires.get("regs") for step in steps}
    shown = [cap for cap in caps if cap.regs in asked]
    if shown:
        yield "; ".join((how_to_cap(shown[0]), *([_briefly(shown[1:])] if shown[1:] else [])))


def how_to_cap(cap: RegisterCap, *, may_spill: bool = True) -> str:
    """How the compiler is asked for so many registers, and that fewer than it took may be too few."""
    ways = cap_in_triton(cap.regs) if cap.maxrregcount is None else f"{cap.in_source} or {cap.maxrregcount}"
    return f"{cap.regs} {'regs (may spill)' if may_spill else 'registers'}: {ways}"


def _briefly(caps: Sequence[RegisterCap]) -> str:
    """``(256, 6) for 40, (256, 8) for 32``: how further registers are had, beside the first in full."""
    return ", ".join(
        cap.maxnreg if cap.launch_bounds is None else f"({cap.launch_bounds.partition('(')[2]} for {cap.regs}"
        for cap in caps
    )
