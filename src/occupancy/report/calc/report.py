"""The answer to ``occupancy calc``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from ...advice.carveout import CarveoutAdvice, Configuration, carveout
from ...advice.launch_bounds import RegisterCap, fewer_registers
from ...advice.next_steps import NextStep, may_be_divided, next_steps
from ...advice.opt_in import OptIn, opt_ins, refused_by_compiler
from ...advice.partitions import GreenContext
from ...advice.register_split import RegisterSplit
from ...advice.slack import Slack, slack
from ...advice.tensor_memory import TensorMemory, tensor_memory
from ...advice.waves import FullWave
from ...engine import Answer, Model, default_model, evaluate
from ...render import words
from ...values.dataclass import dataclass
from ...values.limits import Limits
from ...values.resources import Resource, amount_of
from ..base import Document, Report, empty
from ..gpu.report import WAVES, NamedGpu, WavesReport, WholeGpu, fill
from ..inputs import Inputs, inputs_of
from ..of_chips import later_name
from .notes import notes_on, why_it_differs


@dataclass(frozen=True, slots=True)
class ResourceUse:
    """One resource: what a block takes after rounding, what the SM has, how many blocks fit."""

    per_block: int | None
    """None where it was not given and counts as none."""
    per_multiprocessor: int | None
    """None where no source gives it."""
    blocks: int | None
    """None where the resource sets no limit."""
    reserved: int
    """What the system takes of ``per_block`` for itself: bytes of shared memory, from 8.0 on."""


@dataclass(frozen=True, slots=True)
class RuntimeAnswer:
    """What the CUDA runtime gives, and so the hardware."""

    active_blocks: int
    occupancy: float
    next_step: NextStep | None
    """The nearest step to a higher occupancy; null at full occupancy, and where nothing helps."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """How one resource's number of blocks comes about."""

    resource: Resource
    steps: tuple[str, ...]
    why: str | None
    """The reason for a step that surprises."""
    why_of: int | None
    """The number of that step, counted from 0."""
    runtime_steps: tuple[str, ...] = ()
    """The CUDA runtime's steps, where the answer is the spreadsheet's and they come to another number."""

    def __str__(self) -> str:
        """``warps: 4 warps of 64 fit 16 times``, and why."""
        why = f" ({self.why})" if self.why else ""
        return f"{words.name(self.resource)}: {'; '.join(self.steps)}{why}"


@dataclass(frozen=True, slots=True)
class CalcReport(Report):
    """The whole answer to ``occupancy calc``."""

    model: Model
    spreadsheet_version: str | None
    """The version of NVIDIA's spreadsheet, where the answer is its."""
    runtime: RuntimeAnswer | None
    """What the CUDA runtime gives, where the answer is the spreadsheet's and the runtime knows the chip."""
    cc: str
    architecture: str
    what_if: dict[str, Any]
    """Limits that differ from the table's, as given by the user; empty for the real chip."""
    inputs: Inputs
    occupancy: float
    """Active warps by the most warps of an SM, 0 to 1."""
    occupancy_by_threads: float
    """Resident threads by the most threads of an SM, 0 to 1; PyTorch's profiler prints it for large grids."""
    active_blocks: int
    active_warps: int
    active_threads: int
    limiters: tuple[Resource, ...]
    launchable: bool
    """Whether the SM holds a block; `can_run` asks the compiler and the split of the registers, too."""
    reason: str | None
    opt_ins: tuple[OptIn, ...]
    """The calls that the launch needs before it."""
    refused_by_compiler: str | None
    """Why no compiler makes such a kernel; null where one does, and where it does not launch anyway."""
    resources: dict[Resource, ResourceUse]
    registers_checked: int | None
    """Registers that a block is refused for, where they are more than it takes: its warps are counted as if
    each sub-partition had as many.
    """
    tensor_memory: TensorMemory | None
    """What the header answers, and what there is without the permit to allocate; null where the kernel was
    not said to allocate tensor memory.
    """
    next_steps: tuple[NextStep, ...]
    """What to change for a higher occupancy, nearest first."""
    fewer_registers: tuple[RegisterCap, ...]
    """How the compiler is told the registers of the steps that ask for fewer, the most first; of a kernel
    that allocates tensor memory of those without its permit.
    """
    registers_may_be_divided: bool
    """Whether the block looks like one whose warpgroups divide its registers (``setmaxnreg``): for such a one
    fewer registers are no advice.
    """
    split: RegisterSplit | None
    """How the warpgroups divide the registers, where that was asked."""
    slack: Slack
    """How far each resource may grow before a block is lost, and what is left over."""
    carveout: CarveoutAdvice
    """The sizes that the SM's shared memory can be set to."""
    gpu: NamedGpu | None
    """The GPU, where one was named or found."""
    full_wave: FullWave | None
    """What is resident on the whole GPU at once, where the number of its SMs is known."""
    green_context: GreenContext | None
    """What a green context gets that asks for the SMs, where they are a part of the GPU's."""
    waves: WavesReport | None
    """How the grid runs, where one was given and the kernel launches; of clusters as many as may fit."""
    measured_waves: WavesReport | None
    """How it runs with the clusters that one GPU was measured to hold, where there is only a bound."""
    waves_without_clusters: WavesReport | None
    """How it runs without clusters, where it has some."""
    notes: tuple[str, ...]
    explanation: tuple[Explanation, ...] | None
    """The arithmetic, where it was asked for."""

    @property
    def can_run(self) -> bool:
        """Whether it compiles and launches, and does not wait for registers for ever."""
        suffices = self.split is None or self.split.suffices
        return self.launchable and self.refused_by_compiler is None and suffices

    def _each_row(self) -> Iterable[Mapping[str, Any]]:
        """The answer as one row; what is a list of records becomes one cell of short phrases."""
        row = self.to_dict()
        row["opt_ins"] = [each.call for each in self.opt_ins]
        row["what_if"] = [f"{name}={value}" for name, value in self.what_if.items()]
        fill(row, _OPTIONAL)
        row["carveout"]["smallest"] = row["carveout"]["smallest"] or empty(Configuration)
        row["next_steps"] = list(map(in_a_cell, self.next_steps))
        row["fewer_registers"] = [f"{cap.regs}: {cap.in_source}" for cap in self.fewer_registers]
        if self.runtime is not None and (step := self.runtime.next_step) is not None:
            row["runtime"]["next_step"] = in_a_cell(step)
        if (columns := self.tensor_memory) is not None:
            steps = columns.next_steps_without_permit
            row["tensor_memory"]["next_steps_without_permit"] = list(map(in_a_cell, steps))
        if self.split is not None:
            row["split"]["groups"] = [f"{each.warpgroups}: {each.regs}" for each in self.split.groups]
        sizes = self.carveout.configurations
        row["carveout"]["configurations"] = [f"{each.shared_memory}: {each.active_blocks}" for each in sizes]
        row["explanation"] = in_cells(self.explanation or ())
        return [row]

    def document(self) -> Document:
        """The answer first, then whether it launches, each resource, the advice, and what it rests on."""
        from .document import document

        return document(self)


_OPTIONAL = {
    "runtime": RuntimeAnswer,
    "tensor_memory": TensorMemory,
    "gpu": NamedGpu,
    "green_context": GreenContext,
    "split": RegisterSplit,
    **WAVES,
}
"""What not every answer has; its columns of the CSV are there all the same."""


def in_cells(explanation: Iterable[Explanation]) -> list[str]:
    """The arithmetic in the cells of a list: ``warps: 64 // 8 = 8``."""
    return [f"{words.name(each.resource)}: {', '.join(each.steps)}" for each in explanation]


def in_a_cell(step: NextStep) -> str:
    """A next step in one cell of CSV: ``8 blocks: regs=32, smem=20480``."""
    changes = ", ".join(f"{name}={amount}" for name, amount in step.requires.items())
    return f"{words.count(step.active_blocks, 'block')}: {changes}"


def calc_report(
    result: Answer,
    *,
    table_limits: Limits | None,
    explanation: tuple[Explanation, ...] | None = None,
    whole: WholeGpu | None = None,
    split: RegisterSplit | None = None,
    compiled_for: int | None = None,
) -> CalcReport:
    """Everything that is shown of an answer.

    Args:
        result: The engine's answer.
        table_limits: The table's row of the same compute capability, to tell a what-if from the real
            chip; None where the table has none.
        explanation: The arithmetic, where it was asked for.
        whole: The whole GPU, where it is known.
        split: How the warpgroups divide the registers, where that was asked.
        compiled_for: The most threads per block that a kernel was compiled for, where these are the limits'
            most: nobody asked what if.
    """
    limits, kernel, model = result.limits, result.kernel, result.model
    whole = whole or WholeGpu()
    steps = tuple(next_steps(result))
    columns = tensor_memory(result)
    fewer = fewer_registers(result, steps if columns is None else columns.next_steps_without_permit)
    what_if = _changed_limits(limits, table_limits)
    is_bound = compiled_for is not None and what_if.get("max_threads_per_block") == compiled_for
    if is_bound:
        del what_if["max_threads_per_block"]
    return CalcReport(
        model=model,
        spreadsheet_version=_spreadsheet_version(result),
        runtime=_runtime(result),
        cc=str(limits.compute_capability),
        architecture=limits.architecture,
        what_if=what_if,
        inputs=inputs_of(kernel),
        occupancy=result.occupancy,
        occupancy_by_threads=result.occupancy_by_threads,
        active_blocks=result.active_blocks,
        active_warps=result.active_warps,
        active_threads=result.active_threads,
        limiters=result.limiters,
        launchable=result.launchable,
        reason=result.reason,
        opt_ins=opt_ins(result, whole.cluster_size),
        refused_by_compiler=refused_by_compiler(result),
        resources=_resources(result),
        registers_checked=registers_checked(result),
        tensor_memory=columns,
        next_steps=steps,
        fewer_registers=fewer,
        registers_may_be_divided=bool(fewer) and may_be_divided(result),
        split=split,
        slack=slack(result),
        carveout=carveout(result),
        gpu=whole.gpu,
        full_wave=whole.full_wave,
        green_context=whole.green_context,
        **whole.runs,
        notes=(
            *filter(None, (later_name(limits.compute_capability),)),
            *((f"It was compiled for at most {compiled_for:,} threads in one block.",) if is_bound else ()),
            *notes_on(result),
            *why_it_differs(result),
            *whole.notes,
        ),
        explanation=explanation,
    )


def _spreadsheet_version(result: Answer) -> str | None:
    column = result.limits.spreadsheet
    return None if column is None or result.model != "spreadsheet" else column.version


def _runtime(result: Answer) -> RuntimeAnswer | None:
    if result.model != "spreadsheet" or default_model(result.limits) != "cuda":
        return None
    runtime = evaluate(result.limits, result.kernel, "cuda")
    return RuntimeAnswer(runtime.active_blocks, runtime.occupancy, next(next_steps(runtime), None))


def _resources(result: Answer) -> dict[Resource, ResourceUse]:
    given = inputs_of(result.kernel)
    uses = {}
    for (name, use), blocks in zip(result.uses.items(), result.block_limits, strict=True):
        is_missing = amount_of(name, given) is None and not use.per_block
        per_block = None if is_missing else use.per_block
        reserved = reserved_by_system(result) if name == "shared_memory" else 0
        uses[name] = ResourceUse(per_block, use.per_multiprocessor, blocks, min(reserved, per_block or 0))
    return uses


def registers_checked(result: Answer) -> int | None:
    failure = result.failure
    if failure is None or "max_registers_per_block" not in failure.limit:
        return None
    return failure.needed if failure.needed != result.allocated.registers else None


def reserved_by_system(result: Answer) -> int:
    column = result.limits.spreadsheet
    if result.model == "spreadsheet" and column is not None:
        return column.reserved_shared_memory_per_block
    return result.limits.reserved_shared_memory_per_block


def _changed_limits(limits: Limits, table_limits: Limits | None) -> dict[str, Any]:
    if table_limits is None or limits is table_limits:
        return {}
    ours, theirs = asdict(limits), asdict(table_limits)
    return {name: value for name, value in ours.items() if value != theirs[name]}
