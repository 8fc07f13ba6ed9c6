"""The reports of `budget` and `bounds`: limits on a kernel that hold on one GPU or on all of several."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from ..advice.budget import BudgetFields, BudgetLevel
from ..advice.launch_bounds import LaunchBoundsFields, bounds_in_source, launch_bounds, maxnreg_in_source
from ..errors import InputError
from ..tables.gpus import Gpu
from ..values.kernel import Kernel
from ..values.numbers import count, join_and, percent, size
from .calc import RESULT_COLUMNS, gpu_text, kernel_text, labels
from .model import NOTES, Column, Paragraph, Report, chosen

MACRO = "MIN_BLOCKS"
"""Second launch bound, if it depends on the architecture."""


class BudgetRow(NamedTuple):
    """Resident blocks on each GPU, and the most that a kernel may use to have them on all."""

    active_blocks: tuple[int, ...]
    """Per GPU."""
    occupancies: tuple[float, ...]
    regs: int
    smem: int
    needs_opt_in: bool
    launch_bounds: str
    """Or ``__maxnreg__`` where no launch bounds are legal and mean these registers on every GPU."""
    stages: tuple[int, ...] | None
    """Per GPU."""


def _occupancy_text(level: BudgetRow) -> str:
    """Return the lowest occupancy, or that of each GPU if their blocks differ."""
    shares = level.occupancies if len(set(level.active_blocks)) > 1 else [min(level.occupancies)]
    return _each(list(map(percent, shares))).replace("% /", " /")


def _each(numbers: Sequence[object]) -> str:
    """Return the number that all GPUs share, or that of each."""
    return " / ".join(map(str, numbers if len(set(numbers)) > 1 else numbers[:1]))


BUDGET_COLUMNS = (
    Column("active_blocks", "Blocks", show=lambda level: _each(level.active_blocks),
           about="Resident blocks per SM, for each GPU", type="array"),
    Column("occupancies", about="Occupancy on each GPU, 0 to 1", type="array"),
    Column("occupancy", "Occupancy", lambda level: min(level.occupancies), _occupancy_text,
           "Lowest occupancy, 0 to 1", type="number"),
    Column("regs", "Registers", about="Maximum registers per thread", type="integer"),
    Column("smem", "Shared", "smem", lambda level: size(level.smem), "Maximum shared memory per block in bytes",
           type="integer"),
    Column("stages", "Stages", show=lambda level: _each(level.stages or ()),
           about="Pipeline stages that fit on each GPU, with --stage-smem", type="array"),
    Column("launch_bounds", "In the source", about="Launch bounds (MIN_BLOCKS: blocks by GPU) or __maxnreg__",
           align="left", optional=1, wraps=True, unbroken=25, type="string"),
    Column("needs_opt_in", about="True if this shared memory needs cudaFuncSetAttribute", type="boolean"),
)  # fmt: skip


def budget_report(budgets: Sequence[BudgetFields], stage_smem: int | None = None) -> Report:
    """Return the most registers and shared memory that reach the targets of the budgets on all GPUs.

    Without targets, every number of blocks is a row.
    """
    gpus, kernel = [budget.gpu for budget in budgets], budgets[0].kernel
    targets = [budget.wanted.active_blocks for budget in budgets if budget.wanted is not None]
    if targets:
        wanted = [targets]
    else:
        numbers = {level.active_blocks for budget in budgets for level in budget.levels}
        most = min(budget.levels[0].active_blocks for budget in budgets)
        wanted = [[blocks] * len(gpus) for blocks in sorted(numbers, reverse=True) if blocks <= most]
    levels: list[BudgetRow] = []
    for blocks in wanted:
        reached = [
            [level for level in budget.levels if level.active_blocks >= least][-1]
            for budget, least in zip(budgets, blocks, strict=True)
        ]
        level = _level(gpus, kernel, reached, stage_smem)
        is_new = not levels or (level.regs, level.smem) != (levels[-1].regs, levels[-1].smem)
        if is_new and (targets or level.stages is None or any(level.stages)):
            levels.append(level)
    where = gpu_text(gpus[0]) if len(gpus) == 1 else join_and([gpu.label for gpu in gpus])
    headline = [f"{kernel_text(kernel)} on {where}"]
    if targets:
        memory = f"{size(levels[0].smem)} of shared memory per block"
        result = f"Up to {count(levels[0].regs, 'register')} per thread and {memory}"
        if stage_smem is not None:
            stages = zip(levels[0].stages or (), gpus, strict=True)
            result = f"Stages of {size(stage_smem)} that fit: "
            result += join_and([f"{number} on {gpu.label}" for number, gpu in stages])
        headline.insert(0, result)
    values = {"gpus": [{"gpu": gpu.name, "cc": gpu.cc} for gpu in gpus]}
    notes = [NOTES["budget-both"], *([NOTES["registers-may-spill"]] if targets else [])]
    details = [_macro(gpus, targets)] if any(MACRO in level.launch_bounds for level in levels) else []
    return Report(
        "budget", headline, BUDGET_COLUMNS, levels, "levels", kernel.to_dict(), values, details, notes
    )


def _level(
    gpus: Sequence[Gpu], kernel: Kernel, levels: Sequence[BudgetLevel], stage_smem: int | None
) -> BudgetRow:
    blocks = tuple(level.active_blocks for level in levels)
    regs, smem = min(level.regs for level in levels), min(level.smem for level in levels)
    return BudgetRow(
        active_blocks=blocks,
        occupancies=tuple(level.occupancy for level in levels),
        regs=regs,
        smem=smem,
        needs_opt_in=any(level.needs_opt_in for level in levels),
        launch_bounds=_in_source(gpus, kernel.threads, blocks, regs),
        stages=None
        if stage_smem is None
        else tuple(max(level.smem - kernel.shared_memory, 0) // stage_smem for level in levels),
    )


def _in_source(gpus: Sequence[Gpu], threads: int, blocks: Sequence[int], regs: int) -> str:
    """Return launch bounds that cap the registers at ``regs`` or fewer on every GPU, or ``__maxnreg__``."""
    with suppress(InputError):
        bounds = [launch_bounds(gpu, Kernel(threads), each) for gpu, each in zip(gpus, blocks, strict=True)]
        if all(each.legal for each in bounds):
            return bounds_in_source(threads, blocks[0] if len(set(blocks)) == 1 else MACRO)
    return maxnreg_in_source(regs)


def _macro(gpus: Sequence[Gpu], blocks: Iterable[int]) -> Paragraph:
    """Return the definition of the macro for different second bounds. Host code has no ``__CUDA_ARCH__``."""
    by_arch = dict(zip((gpu.limits.compute_capability for gpu in gpus), blocks, strict=True))
    newest_first = groupby(sorted(by_arch.items(), reverse=True), itemgetter(1))
    *newer, (oldest, _) = ((number, list(group)[-1][0]) for number, group in newest_first)
    lines: list[str] = []
    for number, cc in newer:
        lines += [f"#{'el' * bool(lines)}if __CUDA_ARCH__ >= {cc[0]}{cc[1]}0", f"#define {MACRO} {number}"]
    return Paragraph([*lines, "#else", f"#define {MACRO} {oldest}", "#endif"], is_code=True)


BOUNDS_COLUMNS = (
    *chosen(RESULT_COLUMNS, "gpu", "cc"),
    Column("legal", "Honored", "", None, "True if an SM can hold the blocks", "left", type="boolean"),
    Column("register_cap", "Register cap", "", None,
           "Maximum registers per thread that ptxas allocates", type="integer"),
    Column("regs", "", "", about="Register cap, or registers of the kernel if fewer", type="integer"),
    Column("active_blocks", "Blocks", "", None, "Resident blocks per SM", type="integer"),
    Column("occupancy", "Occupancy", "", lambda row: percent(row.occupancy),
           "Resident warps divided by the maximum per SM, 0 to 1", type="number"),
    Column("limiters", "Limited by", "", lambda row: labels(row.limiters),
           "Limiting resources", "left", optional=1, wraps=True, unbroken=14, type="array"),
    Column("most_blocks", "", "", about="Largest second bound that ptxas honors", type="integer"),
    Column("warning", "", "", about="Warning that ptxas prints", type="string"),
)  # fmt: skip


def bounds_report(bounds: Sequence[LaunchBoundsFields]) -> Report:
    """Return the report of launch bounds on each GPU."""
    kernel, blocks = bounds[0].kernel, [each.min_blocks for each in bounds]
    refused = [each for each in bounds if each.warning]
    warnings = [f"{each.gpu.label}: {each.warning}. Use {each.most_blocks} or fewer." for each in refused]
    details = [Paragraph(warnings)] if warnings else []
    honored = {each.register_cap for each in bounds if not each.warning}
    caps, text = sorted(honored or {each.register_cap for each in bounds}), bounds[0].launch_bounds
    if len(set(blocks)) > 1:
        text = bounds_in_source(kernel.threads, MACRO)
        details.append(_macro([each.gpu for each in bounds], filter(None, blocks)))
    exception = " (not on every GPU)" if honored and refused else ""
    cap = f"at most {' or '.join(map(str, caps))} registers per thread{exception}"
    headline = [f"{text}: {cap}", kernel_text(kernel)]
    inputs, notes = kernel.to_dict(), [NOTES["launch-bounds-caps"]]
    return Report("bounds", headline, BOUNDS_COLUMNS, bounds, "gpus", inputs, {}, details, notes)
