"""Reports of registers and shared memory: `budget`, `bounds`, and `registers` (setmaxnreg)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from ..advice.budget import BudgetFields, BudgetLevel
from ..advice.launch_bounds import LaunchBoundsFields, bounds_in_source, launch_bounds, maxnreg_in_source
from ..advice.launch_requirements import ALLOW_SIZE
from ..errors import InputError
from ..tables.gpus import Gpu
from ..values.kernel import Kernel
from ..values.numbers import count, join_and, percent, size
from .model import Column, Paragraph, Report, chosen, facts, note, values_of
from .results import RESULT_COLUMNS
from .words import gpu_name, gpu_text, kernel_text, labels, uses_of

if TYPE_CHECKING:
    from ..advice.registers import RegisterSplitFields  # only `registers` needs this module

MACRO = "MIN_BLOCKS"
"""Second launch bound, if it depends on the architecture."""


class BudgetRow(NamedTuple):
    """Levels of all GPUs, which a kernel reaches within the least of each amount."""

    levels: Sequence[BudgetLevel]
    launch_bounds: str
    """Or ``__maxnreg__`` where no launch bounds are legal and mean these registers on every GPU."""
    stages: Sequence[int] | None

    def per_gpu(self, name: str) -> list[Any]:
        return [getattr(level, name) for level in self.levels]

    @property
    def sizes(self) -> list[int]:
        """Shared memory of each GPU if stages are counted, else the least of all."""
        sizes = self.per_gpu("smem")
        return [min(sizes)] if self.stages is None else sizes


def _common_or_each(numbers: Iterable[object], text: Callable[[Any], str] = str) -> str:
    """Return the number that all GPUs share, or each one: ``75 / 100%``."""
    texts = list(map(text, numbers))
    return (" / ".join(texts) if len(set(texts)) > 1 else texts[0]).replace("% /", " /")


BUDGET_COLUMNS = (
    Column("active_blocks", "Blocks", lambda row: row.per_gpu("active_blocks"),
           show=lambda row: _common_or_each(row.per_gpu("active_blocks")),
           about="Resident blocks per SM, for each GPU", type="array"),
    Column("occupancies", value=lambda row: row.per_gpu("occupancy"), about="Occupancy per GPU, 0 to 1", type="array"),
    Column("occupancy", "Occupancy", lambda row: min(row.per_gpu("occupancy")),
           show=lambda row: _common_or_each(row.per_gpu("occupancy"), percent),
           about="Lowest occupancy, 0 to 1", type="number"),
    Column("regs", "Registers", lambda row: min(row.per_gpu("regs")), about="Maximum registers per thread",
           type="integer"),
    Column("smem", "Shared", lambda row: min(row.sizes), show=lambda row: _common_or_each(row.sizes, size),
           about="Maximum shared memory per block in bytes", type="integer"),
    Column("stages", "Stages", show=lambda row: _common_or_each(row.stages or [""]),
           about="Pipeline stages that fit on each GPU, with --stage-smem", type="array"),
    Column("launch_bounds", "In the source", about="Launch bounds (MIN_BLOCKS: blocks by GPU) or __maxnreg__",
           align="left", optional=1, wraps=True, unbroken=25, type="string"),
    Column("needs_opt_in", value=lambda row: all(row.per_gpu("needs_opt_in")), type="boolean",
           about="True if this shared memory needs cudaFuncSetAttribute"),
)  # fmt: skip

STAGE_COLUMNS = chosen(BUDGET_COLUMNS, "active_blocks", "smem", "stages", "needs_opt_in")


def budget_report(
    budgets: Sequence[BudgetFields], stage_smem: int | None = None, *, is_any_size: bool = False
) -> Report:
    """Return the most registers and shared memory that reach the targets of the budgets on all GPUs.

    Without targets, every number of blocks is a row. For any block size, only shared memory and stages are known.
    """
    gpus, kernel = [budget.gpu for budget in budgets], budgets[0].kernel
    rows = list(_rows(budgets, stage_smem))
    result, inputs = list(_result_text(budgets, rows, stage_smem)), kernel.to_dict()
    values = {"gpus": [{"gpu": gpu.name, "cc": gpu.cc} for gpu in gpus]}
    if is_any_size:
        headline = [*result, ", ".join([f"Any block size on {gpu_text(*gpus)}", *uses_of(kernel)])]
        inputs["threads"] = None
        return Report("stages", headline, STAGE_COLUMNS, rows, "levels", inputs, values=values)
    headline, notes = [*result, kernel_text(kernel, *gpus)], [note("budget-both")]
    macros = [_macro(gpus, row.per_gpu("active_blocks")) for row in rows if MACRO in row.launch_bounds]
    return Report("budget", headline, BUDGET_COLUMNS, rows, "levels", inputs, macros, notes, values=values)


def _result_text(
    budgets: Sequence[BudgetFields], rows: Sequence[BudgetRow], stage_smem: int | None
) -> Iterator[str]:
    has_target, own = budgets[0].wanted is not None, budgets[0].kernel.shared_memory
    if stage_smem is not None:
        text = f"Stages of {size(stage_smem)} that fit{f' in addition to {size(own)}' if own else ''}"
        if has_target:
            fitting = zip(rows[0].stages or (), budgets, strict=True)
            text += f": {join_and([f'{number} on {gpu_name(budget.gpu)}' for number, budget in fitting])}"
        yield text
    elif has_target:
        registers, memory = count(min(rows[0].per_gpu("regs")), "register"), size(*rows[0].sizes)
        yield f"Up to {registers} per thread and {memory} of shared memory per block"


def _rows(budgets: Sequence[BudgetFields], stage_smem: int | None) -> Iterator[BudgetRow]:
    """Yield the row of the targets, or of each number of blocks with other amounts than the one before."""
    gpus, kernel = [budget.gpu for budget in budgets], budgets[0].kernel
    targets = [budget.wanted.active_blocks for budget in budgets if budget.wanted is not None]
    numbers = {level.active_blocks for budget in budgets for level in budget.levels}
    most = min(budget.levels[0].active_blocks for budget in budgets)
    wanted = [[blocks] * len(gpus) for blocks in sorted(numbers, reverse=True) if blocks <= most]
    amounts_before = None
    for blocks in [targets] if targets else wanted:
        levels = [
            [level for level in budget.levels if level.active_blocks >= least][-1]
            for budget, least in zip(budgets, blocks, strict=True)
        ]
        rooms = [max(level.smem - kernel.shared_memory, 0) for level in levels]
        stages = None if stage_smem is None else [room // stage_smem for room in rooms]
        regs = min(level.regs for level in levels)
        row = BudgetRow(levels, _in_source(gpus, kernel, blocks, regs), stages)
        amounts = regs, row.sizes
        if amounts != amounts_before and (targets or stages is None or any(stages)):
            yield row
            amounts_before = amounts


def _in_source(gpus: Sequence[Gpu], kernel: Kernel, blocks: Sequence[int], regs: int) -> str:
    """Return launch bounds that cap the registers on every GPU, or ``__maxnreg__``."""
    with suppress(InputError):
        bounds = [launch_bounds(gpu, kernel, each) for gpu, each in zip(gpus, blocks, strict=True)]
        # The blocks of a kernel that was compiled for larger ones are no second bound.
        if all(each.legal for each in bounds) and kernel.launch_bound == kernel.threads:
            return bounds_in_source(kernel.threads, blocks[0] if len(set(blocks)) == 1 else MACRO)
    return maxnreg_in_source(regs)


def _macro(gpus: Sequence[Gpu], blocks: Iterable[int]) -> Paragraph:
    """Return the definition of the macro for different second bounds. Host code has no ``__CUDA_ARCH__``."""
    by_arch = sorted(zip((gpu.limits.compute_capability for gpu in gpus), blocks, strict=True))
    lines: list[str] = []
    for number, run in groupby(by_arch, itemgetter(1)):
        (major, minor), _ = next(run)  # this architecture and newer ones
        lines[:0] = [f"#elif __CUDA_ARCH__ >= {major}{minor}0", f"#define {MACRO} {number}"]
    lines[0] = lines[0].replace("elif", "if")
    lines[-2] = "#else"
    return Paragraph([*lines, "#endif"], is_code=True)


BOUNDS_COLUMNS = (
    *chosen(RESULT_COLUMNS, "gpu", "cc"),
    Column("legal", "Honored", about="True if an SM can hold the blocks", align="left", type="boolean"),
    Column("most_blocks", "Max bound", about="Largest second bound that ptxas honors", type="integer"),
    Column("register_cap", "Register cap",
           about="Maximum registers per thread that ptxas allocates", type="integer"),
    Column("regs", about="Register cap, or registers of the kernel if fewer", type="integer"),
    Column("active_blocks", "Blocks", about="Resident blocks per SM", type="integer"),
    Column("occupancy", "Occupancy", text=percent,
           about="Resident warps divided by the maximum per SM, 0 to 1", type="number"),
    Column("limiters", "Limited by", text=labels,
           about="Limiting resources", align="left", optional=1, wraps=True, unbroken=14, type="array"),
    Column("warning", about="Warning that ptxas prints", type="string"),
)  # fmt: skip


def bounds_report(bounds: Sequence[LaunchBoundsFields]) -> Report:
    """Return the report of launch bounds on each GPU."""
    kernel, blocks = bounds[0].kernel, [each.min_blocks for each in bounds]
    text, details = bounds[0].launch_bounds, list[Paragraph]()
    if len(set(blocks)) > 1:
        text = bounds_in_source(kernel.launch_bound, MACRO)
        details.append(_macro([each.gpu for each in bounds], filter(None, blocks)))
    honored = {each.register_cap for each in bounds if not each.warning}
    caps = sorted(honored or {each.register_cap for each in bounds})
    refused = ", ".join(gpu_name(each.gpu) for each in bounds if each.warning)
    where = f" on {refused}" if honored else ""
    exception = f" (ptxas ignores the second bound{where})" if refused else ""
    cap = f"at most {' or '.join(map(str, caps))} registers per thread{exception}"
    notes = [note("launch-bounds-caps")]
    if kernel.regs is None or kernel.regs > caps[0]:
        notes.insert(0, note("at-the-cap"))
    headline, inputs = [f"{text}: {cap}", kernel_text(kernel)], kernel.to_dict()
    return Report("bounds", headline, BOUNDS_COLUMNS, bounds, "gpus", inputs, details, notes)


SPLIT_COLUMNS = (
    Column("warpgroups", "Warpgroups", about="Warpgroups in the group, of 128 threads each", type="integer"),
    Column("regs", "Registers per thread", about="Registers per thread after setmaxnreg", type="integer"),
    Column("instruction", "Instruction", type="string", align="left",
           about="setmaxnreg.inc or setmaxnreg.dec; null if the registers do not change"),
    Column("most", "At most", about="Maximum registers per thread if the other groups stay", type="integer"),
)  # fmt: skip

_SPLIT_VALUES = (
    "cc", "can_run", "suffices", "reason", "launch_regs", "needed_regs", "pool", "taken", "launch_bounds",
    "maxnreg", "active_blocks", "occupancy", "limiters",
)  # fmt: skip


def registers_report(split: RegisterSplitFields) -> Report:
    if split.reason is not None:
        result = f"Does not launch: {split.reason}"
    elif split.suffices:
        result = f"Runs: the warpgroups use {split.taken:,} of the block's {split.pool:,} registers"
    else:
        result = f"Hangs: the warpgroups need {split.taken:,} registers, but the block has {split.pool:,}"
    groups = count(sum(group.warpgroups for group in split.groups), "warpgroup")
    headline = result, f"{split.threads:,} threads, {groups}, compute capability {split.cc}"
    inputs, details = values_of(split, "threads", "smem"), [facts(_split_facts(split))]
    values = values_of(split, *_SPLIT_VALUES)
    return Report(
        "registers", headline, SPLIT_COLUMNS, split.groups, "groups", inputs, details, values=values
    )


def _split_facts(split: RegisterSplitFields) -> Iterator[tuple[str, str]]:
    at_launch = split.launch_bounds or split.maxnreg
    yield "At launch", f"{split.launch_regs} registers per thread with {at_launch}"
    if not split.suffices:
        fix = f"{split.needed_regs} registers per thread at launch"
        if split.enough_at_launch is not None:
            fix += f": {split.enough_at_launch}"
        elif split.needed_regs > split.launch_regs:
            fix = 'reduce a group to its value in the "At most" column'
        yield "Fix", fix
    if split.reason is None:
        yield "Occupancy", f"{percent(split.occupancy)}, {count(split.active_blocks, 'block')} per SM"
    if split.suffices and split.launch_regs_if_fitting is not None:
        bounds = bounds_in_source(split.threads, split.active_blocks)
        blocks = f"still {count(split.active_blocks, 'block')} per SM"
        yield "Better bound", f"{bounds}: {split.launch_regs_if_fitting} registers per thread, and {blocks}"
    if split.needs_opt_in:
        yield "Opt in", ALLOW_SIZE.format(split.smem)
