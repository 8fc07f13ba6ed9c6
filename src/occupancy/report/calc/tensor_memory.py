"""A kernel that allocates tensor memory: how many of its blocks are at work with its permit, and without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from ...advice.next_steps import NextStep
from ...advice.tensor_memory import TensorMemory, without_permit
from ...engine import Answer
from ...render import words
from ...values.asking import Asking
from ...values.kernel import VIRTUAL_RESOURCES_OF_TENSOR_MEMORY, Kernel
from ...values.resources import Resource
from ..inputs import Inputs, name_of

if TYPE_CHECKING:
    from .report import CalcReport

IF_RELINQUISHED = Asking("--virtual-resources 0", "virtual_resources=0")

WHICH_IS_YOURS = Asking.of(
    "An SM has one permit to allocate tensor memory, and a block holds it to its end or relinquishes it "
    "(tcgen05.relinquish_alloc_permit, as in CUTLASS and nvFuser). ",
    IF_RELINQUISHED,
    " answers for a kernel that relinquishes it, "
    f"{VIRTUAL_RESOURCES_OF_TENSOR_MEMORY} for one that does not.",
)

RELINQUISHES = "if the kernel relinquishes its permit to allocate tensor memory (inferred)"

COUNTED_AS_HELD = Asking.of(
    "The permit to allocate tensor memory counts as held; ",
    IF_RELINQUISHED,
    " is for a kernel that relinquishes it.",
)
"""Of answers that show one of the two states alone."""


HOLDS_ALL = "a block that allocates tensor memory starts with all virtual resources of the SM"

NO_SECOND = "none within reach for a second block"


class State(NamedTuple):
    """The blocks of an SM that are at work while its kernel holds the permit to allocate, or has none."""

    name: Literal["held", "relinquished"]
    blocks: int
    occupancy: float
    """Their warps by the most warps of an SM, 0 to 1."""
    limiters: tuple[Resource, ...]


def both_states(report: CalcReport) -> tuple[State, State] | None:
    """The states that the kernel can be in, where nothing says whether it relinquishes its permit, and more
    blocks are at work once it has; None elsewhere: then the answer is that of the state which it is in."""
    columns = report.tensor_memory
    if columns is None or not is_either(report, report.inputs, columns):
        return None
    return (
        State("held", report.active_blocks, report.occupancy, report.limiters),
        State(
            "relinquished",
            columns.blocks_without_permit,
            columns.occupancy_without_permit,
            columns.limiters_without_permit,
        ),
    )


def is_either(now: Answer | CalcReport, asked: Kernel | Inputs, columns: TensorMemory | None) -> bool:
    """Whether the kernel can be in both states, and more blocks are at work in that without the permit."""
    if columns is None or not now.launchable or asked.virtual_resources is not None:
        return False
    return columns.blocks_without_permit > now.active_blocks


def is_held(now: Answer | CalcReport) -> bool:
    """Whether the resident blocks hold all virtual resources of the SM."""
    return "virtual_resources" in now.limiters and now.active_blocks > 0


def limited_by(now: Answer | CalcReport, asked: Kernel | Inputs, columns: TensorMemory | None) -> str:
    """What allows no more blocks than there are, and what of it is inferred, in sentences."""
    limiters = words.listing([name_of(limiter, asked) for limiter in now.limiters])
    if columns is not None and columns.resident_blocks > now.active_blocks:
        waits = one_more_waits(now.active_blocks, now.limiters)
        return f"Limited by {limiters} (inferred): so many blocks have their columns at once. {waits}"
    if columns is not None and is_held(now):
        return f"Limited by {limiters}: until a block relinquishes its permit, no other comes in."
    return f"Limited by {limiters}{' (the most that the SM holds)' if now.occupancy == 1 else ''}."


class StepsOfState(NamedTuple):
    """The next steps of the state that a kernel can be brought into."""

    lead: str
    """What must be done before any of them gives a block more, or why none does; empty of nothing."""
    occupancy: float
    """Where they start."""
    at_once: list[NextStep]
    """What the lead alone gives, which requires nothing else; empty where it is no block more."""
    levels: list[NextStep]
    """By using less."""


def steps_of_state(
    now: Answer | CalcReport, steps: Sequence[NextStep], columns: TensorMemory | None
) -> StepsOfState:
    """The steps by using less once the permit is relinquished, where that is what stops a second block; else
    those of the answer."""
    if not is_held(now):
        levels = [step for step in steps if "threads" not in step.requires]
        return StepsOfState("", now.occupancy, [], levels)
    if columns is None:
        return StepsOfState(f"{NO_SECOND}: {HOLDS_ALL}", now.occupancy, [], [])
    blocks, occupancy = columns.blocks_without_permit, columns.occupancy_without_permit
    levels = list(columns.next_steps_without_permit)
    at_once = [NextStep(blocks, occupancy, {})] if blocks > now.active_blocks else []
    if not levels and not at_once:
        return StepsOfState(f"{NO_SECOND}: it does not fit without the permit either", occupancy, [], [])
    lead = "relinquish the permit right after tcgen05.alloc (inferred), then"
    return StepsOfState(lead, occupancy, at_once, levels)


def once_relinquished(held: Answer) -> str | None:
    """How many blocks are at work without the permit to allocate; None where they are no more, or where it
    was said whether the kernel relinquishes it."""
    if not counts_as_held(held.kernel):
        return None
    free = without_permit(held)
    if free.active_blocks <= held.active_blocks:
        return None
    limiters = words.listing([words.name(each) for each in free.limiters])
    return f"{words.held(free.active_blocks, free.occupancy)}, limited by {limiters}, {RELINQUISHES}."


def counts_as_held(kernel: Kernel) -> bool:
    """Whether a kernel may relinquish its permit, and nothing says so."""
    return kernel.tensor_memory is not None and kernel.virtual_resources is None


def waits_for_columns(report: CalcReport) -> bool:
    """Whether cuda_occupancy.h counts blocks as resident that find no columns."""
    return report.tensor_memory is not None and report.tensor_memory.resident_blocks > report.active_blocks


def one_more_waits(blocks: int, limiters: tuple[Resource, ...]) -> str:
    """What becomes of the block that comes in once those with columns have relinquished; empty of none."""
    if limiters != ("tensor_memory",):
        return ""
    at_work = words.count(blocks, "block")
    return f"Beside {at_work} at work one more may wait for columns, with the permit."
