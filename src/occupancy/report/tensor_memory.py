"""A kernel that allocates tensor memory: how many of its blocks are at work with its permit, and without."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from ..advice.tensor_memory import LimiterOrColumns, TensorMemory
from ..advice.waves import FullWave, count_waves
from ..render import words
from ..values.kernel import VIRTUAL_RESOURCES_OF_TENSOR_MEMORY, Kernel, Launch
from .gpu import WavesReport, waves_report

if TYPE_CHECKING:
    from .calc import CalcReport

WHICH_IS_YOURS = (
    "--virtual-resources 0 answers for a kernel that relinquishes its permit, as those of CUTLASS and "
    "nvFuser do (tcgen05.relinquish_alloc_permit), "
    f"{VIRTUAL_RESOURCES_OF_TENSOR_MEMORY} for one that does not."
)


RELINQUISHES = "if the kernel relinquishes its permit to allocate tensor memory (inferred)"


class State(NamedTuple):
    """The blocks of an SM that are at work while its kernel holds the permit to allocate, or has none."""

    name: Literal["held", "relinquished"]
    blocks: int
    occupancy: float
    """Their warps by the most warps of an SM, 0 to 1."""
    limiters: tuple[LimiterOrColumns, ...]


def states(report: CalcReport) -> tuple[State, ...]:
    """The states that the kernel can be in; none of one that is not known to allocate, or does not launch.

    Both where nothing says whether it relinquishes its permit, and another block is at work once it has.
    """
    columns = report.tensor_memory
    if columns is None or not report.launchable:
        return ()
    limiters: list[LimiterOrColumns] = [*report.limiters]
    if columns.blocks <= report.active_blocks:
        limiters.append("tensor_memory")
    held = State("held", report.active_blocks, report.occupancy, tuple(limiters))
    relinquished = State(
        "relinquished",
        columns.blocks_without_permit,
        columns.occupancy_without_permit,
        columns.limiters_without_permit,
    )
    if "virtual_resources" not in report.limiters or columns.blocks < report.active_blocks:
        return (relinquished,)
    is_open = report.inputs.virtual_resources is None and relinquished.blocks > held.blocks
    return (held, relinquished) if is_open else (held,)


def limiters_of(report: CalcReport) -> tuple[LimiterOrColumns, ...]:
    """What allows no more blocks than the screen says first."""
    found = states(report)
    return found[0].limiters if found else report.limiters


def waits_for_columns(report: CalcReport) -> bool:
    """Whether the header counts blocks as resident that find no columns."""
    found = states(report)
    return bool(found) and found[0].blocks < report.active_blocks


def one_more_waits(columns: TensorMemory) -> str:
    """What becomes of the block that comes in once those with columns have relinquished; empty of none."""
    if columns.limiters_without_permit != ("tensor_memory",):
        return ""
    at_work = words.count(columns.blocks, "block")
    return f"Beside {at_work} at work one more may wait for columns, with the permit."


def on_the_whole_gpu(report: CalcReport) -> tuple[FullWave | None, WavesReport | None]:
    """The blocks of the whole GPU that have their columns, and how the grid runs with so many at once.

    Clusters are as the header counts them: which of their blocks find columns is not known.
    """
    wave, waves = report.full_wave, report.waves
    if wave is None or wave.cluster_size is not None or not waits_for_columns(report):
        return wave, waves
    blocks = wave.multiprocessor_count * states(report)[0].blocks
    fewer = replace(wave, blocks=blocks, places=blocks)
    if waves is None:
        return fewer, None
    launch = Launch(Kernel(report.inputs.threads), waves.grid_dim)
    return fewer, waves_report(count_waves(launch, fewer))
