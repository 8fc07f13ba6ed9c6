"""The answer to ``occupancy scan``: what the readers found, with the occupancy that it comes to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from typing import Any, ClassVar

from .. import advice
from ..advice import NextStep
from ..documented import DOCUMENTED, DOCUMENTED_WITH_NAME
from ..engine import Occupancy, Resource, evaluate
from ..errors import InputError, OccupancyError
from ..kernel import Kernel, Launch
from ..readers import KernelRecord, ReadProblem
from ..readers.record import FIELD_NAMES, ThreadsFrom
from ..sm_limits import ComputeCapability, Limits
from ..waves import Waves, count_waves, full_wave

LimitsOf = Callable[[ComputeCapability], Limits]

LEAST_DIFFERENCE = 0.006
"""PyTorch's profiler rounds to whole percents; a smaller difference is none."""

NOT_LINKED_NOTE = "Not linked yet: registers, shared memory and stack lack what its callees need."
GRID_NOTE = "PyTorch's profiler counts no more blocks than the grid has for each SM."


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanRow(KernelRecord):
    """One kernel of one architecture, or one launch, with the answer."""

    __pydantic_config__: ClassVar[dict[str, Any]] = DOCUMENTED_WITH_NAME

    cc: str | None = None
    """The compute capability that is answered for."""
    what_if: bool = False
    """Whether the kernel was compiled for another one."""
    occupancy: float | None = None
    """Active warps by the most warps of an SM, 0 to 1; None where something needed is not known."""
    active_blocks: int | None = None
    limiters: tuple[Resource, ...] = ()
    launchable: bool | None = None
    reason: str | None = None
    """Why it does not launch."""
    next_step: NextStep | None = None
    """The nearest higher occupancy, and what must change to reach it."""
    waves: float | None = None
    """Waves of a launch on the whole GPU, where the number of its SMs was given."""
    idle_share: float | None = None
    """The share of the GPU's time that the last wave leaves idle, 0 to 1, where the waves are known."""

    def to_dict(self) -> dict[str, Any]:
        """The row as plain dictionaries, lists and numbers: one object of the JSON."""
        values = {name: getattr(self, name) for name in ROW_FIELDS}
        if self.next_step is not None:
            values["next_step"] = asdict(self.next_step)
        return values


_FIRST = ("source", "format", "name", "demangled")
ROW_FIELDS = (*_FIRST, *(each.name for each in fields(ScanRow) if each.name not in _FIRST))
"""The fields of a row in the order in which they are printed."""


@dataclass(frozen=True, slots=True)
class ScanReport:
    """Everything that ``occupancy scan`` found."""

    __pydantic_config__: ClassVar[dict[str, Any]] = DOCUMENTED

    schema_version: int
    kernels: tuple[ScanRow, ...]
    found: int
    """How many kernels and launches the sources hold, shown or not."""
    problems: tuple[ReadProblem, ...]
    """What could not be read."""


class Scanner:
    """Answers for records, one by one.

    Args:
        limits_of: From a compute capability to what its SM offers; raises for an unknown one.
        threads: Threads per block for kernels whose source does not state them.
        what_if: The SM to answer for, instead of the one that each kernel was compiled for.
        multiprocessors: SMs of the GPU, for the waves of launches; None where they are not asked for.
        with_advice: Whether to find the next steps, which take a hundred times as long as the rest.
    """

    def __init__(
        self,
        limits_of: LimitsOf,
        threads: int | None = None,
        what_if: Limits | None = None,
        multiprocessors: int | None = None,
        with_advice: bool = True,
    ) -> None:
        self._limits_of = limits_of
        self._threads = threads
        self._what_if = what_if
        self._multiprocessors = multiprocessors
        # A library has the same needs over and over.
        self._best_block_size = lru_cache(maxsize=1 << 14)(_best_block_size)
        self._answer = lru_cache(maxsize=1 << 14)(_advised_answer if with_advice else _answer)
        self._with_bound = lru_cache(maxsize=1 << 12)(_with_bound)

    def row(self, record: KernelRecord) -> ScanRow:
        """The record with its answer; where there is none, a note says why."""
        row = ScanRow(**{name: getattr(record, name) for name in FIELD_NAMES})
        compiled_for = record.compute_capability
        try:
            limits = self._limits(compiled_for)
            if record.registers is None:
                return row
            return self._answered(row, limits, compiled_for)
        except OccupancyError as error:
            return replace(row, notes=(*row.notes, str(error)))

    def question(self, row: ScanRow) -> tuple[Limits, Kernel]:
        """What the engine was asked for a row that has an answer."""
        limits = self._limits(row.compute_capability)
        return limits, _kernel(row, limits, row.threads)

    def _limits(self, compiled_for: ComputeCapability | None) -> Limits:
        if self._what_if is not None:
            return self._what_if
        if compiled_for is None:
            raise InputError(
                "is not known", where="architecture", cure="Say which one to answer for: --cc 9.0."
            )
        return self._limits_of(compiled_for)

    def _answered(self, row: ScanRow, limits: Limits, compiled_for: ComputeCapability | None) -> ScanRow:
        what_if = compiled_for is not None and compiled_for != limits.compute_capability
        if row.max_threads is not None:  # no launch of this kernel may have more, whatever the chip allows
            limits = self._with_bound(limits, row.max_threads)
        threads, threads_from = self._block_size(row, limits)
        notes = list(row.notes)
        answer, next_step = self._answer(limits, _kernel(row, limits, threads))
        if row.max_threads is not None and threads > row.max_threads:
            notes.append(f"It was compiled for blocks of {row.max_threads} threads at most.")
        if row.linked is False:
            notes.append(NOT_LINKED_NOTE)
        if not what_if and _is_less_for_the_grid(row, answer):
            notes.append(GRID_NOTE)
        waves = None
        try:
            waves = self._waves(row, answer)
        except InputError as error:  # clusters on a chip that has none, or a grid that no launch has
            notes.append(str(error))
        return replace(
            row,
            cc=str(limits.compute_capability),
            what_if=what_if,
            threads=threads,
            threads_from=threads_from,
            occupancy=answer.occupancy,
            active_blocks=answer.active_blocks,
            limiters=answer.limiters,
            launchable=answer.launchable,
            reason=answer.reason,
            next_step=next_step,
            waves=None if waves is None else waves.waves,
            idle_share=None if waves is None else waves.idle_share,
            notes=tuple(notes),
        )

    def _waves(self, row: ScanRow, answer: Occupancy) -> Waves | None:
        if self._multiprocessors is None or row.grid is None or not answer.launchable:
            return None
        launch = Launch(answer.kernel, row.grid, row.cluster)
        return count_waves(launch, full_wave(answer, self._multiprocessors, cluster_size=launch.cluster_size))

    def _block_size(self, row: ScanRow, limits: Limits) -> tuple[int, ThreadsFrom]:
        if row.threads is not None:
            return row.threads, row.threads_from or "launch"
        if self._threads is not None:
            return self._threads, "option"
        if row.max_threads is not None:
            return row.max_threads, "launch_bounds"
        return self._best_block_size(limits, row.kernel(limits.warp_size)), "best"


def _best_block_size(limits: Limits, kernel: Kernel) -> int:
    return advice.block_sizes(limits, kernel)[0].threads


def _with_bound(limits: Limits, max_threads: int) -> Limits:
    return limits.replace(max_threads_per_block=min(limits.max_threads_per_block, max_threads))


def _kernel(row: ScanRow, limits: Limits, threads: int | None) -> Kernel:
    kernel, cc = row.kernel(threads), row.compute_capability
    what_if = cc is not None and cc != limits.compute_capability
    if kernel.carveout is not None and (
        what_if or kernel.carveout.amount not in limits.shared_memory_configurations
    ):
        return replace(kernel, carveout=None)
    return kernel


def _answer(limits: Limits, kernel: Kernel) -> tuple[Occupancy, NextStep | None]:
    return evaluate(limits, kernel), None


def _advised_answer(limits: Limits, kernel: Kernel) -> tuple[Occupancy, NextStep | None]:
    return evaluate(limits, kernel), next(iter(advice.next_steps(limits, kernel)), None)


def _is_less_for_the_grid(row: ScanRow, answer: Occupancy) -> bool:
    # Its reader has said so already where PyTorch's profiler takes a kernel as not opted in.
    if row.format != "pytorch-trace" or row.reported_occupancy is None or row.notes:
        return False
    return row.reported_occupancy < answer.occupancy_by_threads - LEAST_DIFFERENCE
