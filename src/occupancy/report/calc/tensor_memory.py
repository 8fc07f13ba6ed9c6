"""A kernel that allocates tensor memory: how many of its blocks are at work with its permit, and without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from ...advice.tensor_memory import without_permit
from ...engine import Answer
from ...render import words
from ...values.asking import Asking
from ...values.kernel import VIRTUAL_RESOURCES_OF_TENSOR_MEMORY, Kernel
from ...values.resources import Resource

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
    if columns is None or not report.launchable or report.inputs.virtual_resources is not None:
        return None
    if columns.blocks_without_permit <= report.active_blocks:
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
