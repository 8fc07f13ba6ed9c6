"""What the readers found, with the occupancy that it comes to."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

from ..advice.block_sizes import best_block_size
from ..advice.next_steps import USUAL_SIZE, NextStep, at_other_sizes, next_steps
from ..advice.waves import Waves, count_waves, full_wave
from ..engine import Result, evaluate
from ..errors import InputError, OccupancyError
from ..readers import KernelRecord
from ..readers.limits import ReadLimits
from ..readers.record import RECORD_FIELDS, ThreadsFrom
from ..tables.gpus import Gpu
from ..values.asking import Asking, said_by
from ..values.dataclass import copier
from ..values.kernel import Kernel, Launch
from ..values.limits import ComputeCapability, Limits
from ..values.resources import Resource
from .notes import LIBRARY_NOTE, NO_ADVICE_NOTE, ONE_WAVE_NOTE, is_of_a_library, notes_of
from .scan_row import ScanRow
from .spill_cost import SpillCost, is_possible, occupancies
from .stages import at_whole_stages

LimitsOf = Callable[[ComputeCapability], Limits]

MOST_VERDICTS = 1 << 16
"""That are kept."""


_PLAYS_NO_PART = frozenset({
    "source", "also_in", "code", "is_static", "format", "name", "linked", "file", "line", "fuses", "chosen",
    "num_warps", "num_stages", "stack_bytes",
    "spill_store_bytes", "spill_load_bytes", "spills_from",
    "min_blocks", "register_cap", "required_threads", "max_cluster_rank", "cluster_dim", "threads_from",
    "launches", "grid_dim", "profiled_on", "multiprocessor_count", "duration_us", "reported_occupancy",
    "achieved_occupancy", "notes",
})  # fmt: skip
_needs = attrgetter(*(name for name in RECORD_FIELDS if name not in _PLAYS_NO_PART))
"""All of a record that its occupancy can depend on; most kernels of a library share it with hundreds."""


class Verdict(NamedTuple):
    """The answer for a record in short; all of it is None or empty where something needed is not known."""

    occupancy: float | None = None
    limiters: tuple[Resource, ...] = ()
    launchable: bool | None = None
    loses_to_spills: bool = False
    """Whether it were more without the shared memory that registers are spilled to."""


class Scanner:
    """Answers for records, one by one; they are kept, because a library has the same needs over and over.

    Args:
        limits_of: From a compute capability to what its SM offers; raises for an unknown one.
        threads: Threads per block for kernels whose source does not state them.
        chip: The chip to answer for, instead of the one that each kernel was compiled for.
        multiprocessor_count: SMs of the GPU, for the waves of launches; None for those that a file states.
        with_advice: Whether to find the next steps, which take a hundred times as long as the rest.
        common: What the question may cost; None: as much as it takes.
    """

    def __init__(
        self,
        limits_of: LimitsOf,
        threads: int | None = None,
        chip: Gpu | None = None,
        multiprocessor_count: int | None = None,
        with_advice: bool = True,
        common: ReadLimits | None = None,
    ) -> None:
        self._limits_of = limits_of
        self._threads = threads
        self.chip = chip
        self.multiprocessor_count = multiprocessor_count
        self._best_block_size = lru_cache(maxsize=1 << 14)(best_block_size)
        self._answer = lru_cache(maxsize=1 << 14)(evaluate)
        self._advice = lru_cache(maxsize=1 << 14)(self._next_step)
        self._verdicts: dict[object, Verdict] = {}
        self._occupancies = lru_cache(maxsize=1 << 14)(occupancies)
        self._spill_cost = lru_cache(maxsize=1 << 14)(self._cost_of_spills)
        self._with_advice = with_advice
        self._common = common
        self._with_bound = lru_cache(maxsize=1 << 12)(_with_bound)

    def __reduce__(self) -> tuple[Any, ...]:
        """What is kept of answers stays here where it is copied or pickled."""
        asked = self._limits_of, self._threads, self.chip, self.multiprocessor_count
        return Scanner, (*asked, self._with_advice, self._common)

    def row(self, record: KernelRecord) -> ScanRow:
        """The record with its answer; where there is none, a note says why."""
        values = record.values() | {"smem": record.shared_memory}
        try:
            limits = self._limits(record)
            if record.regs is not None:
                values |= self._answered(record, limits)
        except OccupancyError as error:
            values["notes"] = (*record.notes, said_by(error))
        return ScanRow(**values, modules=record.modules)

    def verdict(self, record: KernelRecord) -> Verdict:
        """The answer in short: what it takes to count kernels and to choose among them."""
        needs = _needs(record)
        known = self._verdicts.get(needs)
        if known is None:
            if len(self._verdicts) > MOST_VERDICTS:  # launches of a trace may have any number of grids
                self._verdicts.clear()
            known = self._verdicts[needs] = self._new_verdict(record)
        return known

    def _new_verdict(self, record: KernelRecord) -> Verdict:
        if record.regs is None:
            return Verdict()
        try:
            limits = self._limits(record)
            threads, _ = self._block_size(record, limits)
            kernel = _kernel(record, limits, threads)
            answer = self._answer(limits, kernel)
            other = answer
        except OccupancyError:
            return Verdict()
        is_less = answer.occupancy < other.occupancy
        return Verdict(answer.occupancy, answer.limiters, answer.launchable, is_less)

    def is_stated(self, record: KernelRecord) -> bool:
        """Whether the block size is that of a file or of the user, and not one of ours."""
        return record.threads is not None or self._threads is not None

    def occupancies(self, record: KernelRecord) -> tuple[float, ...]:
        """The occupancy with blocks of one warp, of two, and so on up to the largest that the chip and the
        kernel's launch bound allow; 0 where a block does not launch.

        Raises:
            OccupancyError: Something needed is not known, or out of range.
        """
        limits = self._limits(record)
        unsized = _with_threads(record, limits.warp_size, None)
        return self._occupancies(limits, _kernel(unsized, limits, None))

    def question(self, row: ScanRow) -> tuple[Limits, Kernel]:
        """What the engine was asked for a row that has an answer."""
        limits = self._limits(row)
        return limits, _kernel(row, limits, row.threads)

    def _limits(self, record: KernelRecord) -> Limits:
        if self.chip is not None:
            limits = self.chip.limits
        else:
            compiled_for = record.compute_capability
            if compiled_for is None:
                raise InputError(
                    "is not known",
                    where="architecture",
                    hint=Asking.of("Say which one to answer for: ", Asking("--cc 9.0", 'cc="9.0"'), "."),
                )
            limits = self._limits_of(compiled_for)
        # No launch of a kernel may have more threads than its bound, whatever the chip allows. Triton writes
        # the bound that goes with its num_warps, so that other warps have another one.
        is_bound = record.max_threads is not None and record.num_warps is None
        return self._with_bound(limits, record.max_threads) if is_bound else limits

    def _answered(self, record: KernelRecord, limits: Limits) -> dict[str, Any]:
        """What the answer adds to a record, and what it takes the place of."""
        threads, threads_from = self._block_size(record, limits)
        notes = list(record.notes)
        kernel = _kernel(record, limits, threads)
        answer = self._answer(limits, kernel)
        usual = self._answer(limits, _kernel(record, limits, USUAL_SIZE)) if threads_from == "best" else None
        next_step, warps, is_left_out = self._advice(limits, kernel, threads_from == "best")
        if next_step is not None:
            next_step = at_whole_stages(next_step, record, answer)
        if next_step is not None and is_of_a_library(record):
            next_step = None
            notes.append(LIBRARY_NOTE)
        reason = answer.reason
        if record.max_threads is not None and threads > record.max_threads:
            most = f"{record.max_threads:,}"
            reason = f"{threads:,} threads in one block, but it was compiled for at most {most}."
        if is_left_out:
            notes.append(NO_ADVICE_NOTE)
        what_if = _is_what_if(record, limits)
        notes += notes_of(record, answer, what_if=what_if)
        waves = None
        try:
            waves = self._waves(record, answer, None if what_if else record.multiprocessor_count)
        except InputError as error:  # clusters on a chip that has none, or a grid that no launch has
            notes.append(said_by(error))
        if waves is not None and waves.waves <= 1 and (next_step is not None or warps):
            next_step, warps = None, ()
            notes.append(ONE_WAVE_NOTE)
        return {
            "cc": str(limits.compute_capability),
            "what_if": what_if,
            "threads": threads,
            "threads_from": threads_from,
            "occupancy": answer.occupancy,
            "usual_threads": usual and USUAL_SIZE,
            "usual_occupancy": usual and usual.occupancy,
            "usual_limiters": usual.limiters if usual else (),
            "active_blocks": answer.active_blocks,
            "limiters": answer.limiters,
            "launchable": answer.launchable,
            "reason": reason,
            "next_step": next_step,
            "other_warps": warps,
            "spill_cost": self._spill_cost(limits, kernel),
            "waves": None if waves is None else waves.waves,
            "idle_share": None if waves is None else waves.idle_share,
            "notes": tuple(notes),
        }

    def _next_step(
        self, limits: Limits, kernel: Kernel, is_best_size: bool
    ) -> tuple[NextStep | None, tuple[NextStep, ...], bool]:
        """The next step, those with other warps, and whether they were left out."""
        if not self._with_advice:
            return None, (), False
        if self._common is not None and not self._common.try_consume("advice", 1):
            return None, (), True
        now = evaluate(limits, kernel)
        step = next((step for step in next_steps(now) if is_possible(step, kernel)), None)
        if step is None and is_best_size:
            step = next(at_other_sizes(limits, kernel), None)
        return step, (), False

    def _cost_of_spills(self, limits: Limits, kernel: Kernel) -> SpillCost | None:
        return None

    def _waves(self, record: KernelRecord, answer: Result, of_its_gpu: int | None) -> Waves | None:
        count = self.multiprocessor_count or of_its_gpu
        if count is None or record.grid_dim is None or not answer.launchable:
            return None
        launch = Launch(answer.kernel, record.grid_dim, record.cluster_dim)
        return count_waves(launch, full_wave(answer, count, cluster_size=launch.cluster_size))

    def _block_size(self, record: KernelRecord, limits: Limits) -> tuple[int, ThreadsFrom]:
        if record.threads is not None:
            return record.threads, record.threads_from or "launch"
        if self._threads is not None:
            return self._threads, "option"
        if record.max_threads is not None:
            return record.max_threads, "launch_bounds"
        return self._best_block_size(limits, record.kernel(limits.warp_size)), "best"


_with_threads = copier(KernelRecord, "threads", "block_dim")


def _with_bound(limits: Limits, max_threads: int) -> Limits:
    return limits.replace(max_threads_per_block=min(limits.max_threads_per_block, max_threads))


def _is_what_if(record: KernelRecord, limits: Limits) -> bool:
    return record.compute_capability not in (None, limits.compute_capability)


def _kernel(record: KernelRecord, limits: Limits, threads: int | None) -> Kernel:
    kernel = record.kernel(threads)
    if kernel.carveout is not None and (
        _is_what_if(record, limits) or kernel.carveout.amount not in limits.shared_memory_configurations
    ):
        return kernel.replace(carveout=None)
    return kernel
