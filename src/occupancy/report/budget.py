"""The reports of `budget` and `bounds`: limits on a kernel that hold on one GPU or on all of several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..advice.budget import Budget
from ..advice.launch_bounds import LaunchBounds, bounds_in_source, launch_bounds, maxnreg_in_source
from ..errors import InputError
from ..tables.gpus import Gpu
from ..values.kernel import Kernel
from ..values.numbers import count, join_and, percent, size
from .calc import gpu_text, kernel_text, label
from .model import Block, Column, Facts, Note, Paragraph, Report
from .notes import note


class BudgetRow(NamedTuple):
    """Resident blocks on each GPU, and the most that a kernel may use to have them on all."""

    blocks: tuple[int, ...]
    """Per GPU."""
    occupancies: tuple[float, ...]
    regs: int
    smem: int
    needs_opt_in: bool
    launch_bounds: str
    """Or ``__maxnreg__`` where no launch bounds are legal and mean these registers on every GPU."""
    stages: int | None

    @property
    def occupancy(self) -> float:
        """The lowest of all GPUs."""
        return min(self.occupancies)


def _shown_blocks(level: BudgetRow) -> str:
    return " / ".join(str(each) for each in dict.fromkeys(level.blocks))


BUDGET_COLUMNS = (
    Column("active_blocks", "Blocks", lambda level: list(level.blocks), _shown_blocks,
           "Resident blocks per SM, for each GPU", type="array"),
    Column("occupancies", "", lambda level: list(level.occupancies), about="Occupancy on each GPU, 0 to 1",
           type="array"),
    Column("occupancy", "Occupancy", lambda level: level.occupancy, lambda level: percent(level.occupancy),
           "The lowest of them", type="number"),
    Column("regs", "Registers", lambda level: level.regs, None, "Most registers per thread", type="integer"),
    Column("smem", "Shared memory", lambda level: level.smem, lambda level: size(level.smem),
           "Most bytes of shared memory per block", type="integer"),
    Column("stages", "Stages", lambda level: level.stages, None, "Pipeline stages that fit, for --stage-smem",
           type="integer"),
    Column("launch_bounds", "In the source", lambda level: level.launch_bounds, None,
           "Launch bounds, or __maxnreg__, that cap the registers", "left", optional=1, type="string"),
    Column("needs_opt_in", "", lambda level: level.needs_opt_in,
           about="True if this shared memory needs cudaFuncSetAttribute", type="boolean"),
)  # fmt: skip


def budget_report(
    gpus: Sequence[Gpu],
    kernel: Kernel,
    budgets: Sequence[Budget],
    *,
    has_target: bool,
    has_threads: bool = True,
    stage_smem: int | None = None,
) -> Report:
    """Return the most registers and shared memory that reach targets on all of some GPUs.

    Args:
        gpus: The GPUs.
        kernel: What was given of it.
        budgets: The levels of each GPU, with the one that reaches its target.
        has_target: Whether one was given; else every number of blocks is a row.
        has_threads: Whether the block size was given; without it only shared memory counts.
        stage_smem: Bytes of one pipeline stage, to count the stages that fit.
    """
    if has_target:
        wanted = [[budget.wanted.active_blocks if budget.wanted else 1 for budget in budgets]]
    else:
        numbers = {level.active_blocks for budget in budgets for level in budget.levels}
        most = min(budget.levels[0].active_blocks for budget in budgets)
        wanted = [[blocks] * len(gpus) for blocks in sorted(numbers, reverse=True) if blocks <= most]
    levels: list[BudgetRow] = []
    for blocks in wanted:
        level = _level(gpus, kernel, budgets, blocks, stage_smem)
        if not levels or (level.regs, level.smem) != (levels[-1].regs, levels[-1].smem):
            levels.append(level)
    hidden = {"launch_bounds"} if has_target else set()
    hidden |= set() if has_threads else {"occupancy", "regs", "launch_bounds"}
    hidden |= {"stages"} if stage_smem is None else set()
    target = levels[0] if has_target else None
    return Report(
        name="budget",
        headline=tuple(_budget_headline(gpus, kernel, target, has_threads, stage_smem)),
        columns=[column._replace(title="") if column.key in hidden else column for column in BUDGET_COLUMNS],
        rows=levels,
        rows_key="levels",
        inputs=kernel.to_dict() if has_threads else {**kernel.to_dict(), "threads": None},
        values={"gpus": [{"gpu": gpu.name, "cc": gpu.cc} for gpu in gpus]},
        details=tuple(_budget_details(target)) if has_threads else (),
        notes=[note("budget-both")] * has_threads
        + [note("registers-may-spill")] * (has_target and has_threads),
    )


def _level(
    gpus: Sequence[Gpu],
    kernel: Kernel,
    budgets: Sequence[Budget],
    blocks: Sequence[int],
    stage_smem: int | None,
) -> BudgetRow:
    found = [
        [level for level in budget.levels if level.active_blocks >= wanted][-1]
        for budget, wanted in zip(budgets, blocks, strict=True)
    ]
    regs, smem = min(level.regs for level in found), min(level.smem for level in found)
    reached = [level.active_blocks for level in found]
    per_block = [level.occupancy / level.active_blocks for level in found]
    return BudgetRow(
        tuple(reached),
        tuple(share * number for share, number in zip(per_block, reached, strict=True)),
        regs,
        smem,
        any(level.needs_opt_in for level in found),
        _in_source(gpus, kernel.threads, reached, regs),
        None if stage_smem is None else max(smem - kernel.shared_memory, 0) // stage_smem,
    )


def _in_source(gpus: Sequence[Gpu], threads: int, blocks: Sequence[int], regs: int) -> str:
    """Return launch bounds that cap the registers at ``regs`` or fewer on every GPU, or ``__maxnreg__``."""
    try:
        bounds = [
            launch_bounds(gpu, Kernel(threads), number) for gpu, number in zip(gpus, blocks, strict=True)
        ]
    except InputError:
        return maxnreg_in_source(regs)
    if not all(each.legal for each in bounds):
        return maxnreg_in_source(regs)
    if len(set(blocks)) == 1:
        return bounds_in_source(threads, blocks[0])
    by_arch = {gpu.limits.compute_capability: number for gpu, number in zip(gpus, blocks, strict=True)}
    return f"__launch_bounds__({threads}, {_by_arch(by_arch)})"


def _by_arch(blocks: Mapping[Any, int]) -> str:
    """Return an expression of the preprocessor: ``__CUDA_ARCH__ >= 1200 ? 4 : 2``."""
    newest_first = sorted(blocks.items(), reverse=True)
    cases: list[tuple[Any, int]] = []
    for cc, number in newest_first:
        if cases and cases[-1][1] == number:
            cases[-1] = (cc, number)
        else:
            cases.append((cc, number))
    *conditions, (_, last) = cases
    text = "".join(f"__CUDA_ARCH__ >= {cc[0]}{cc[1]}0 ? {number} : " for cc, number in conditions)
    return f"{text}{last}"


def _budget_headline(
    gpus: Sequence[Gpu], kernel: Kernel, level: BudgetRow | None, has_threads: bool, stage_smem: int | None
) -> Iterator[str]:
    names = gpu_text(gpus[0]) if len(gpus) == 1 else join_and([gpu.label for gpu in gpus])
    if level is None:
        yield f"{kernel_text(kernel)} on {names}"
        return
    if level.stages is not None and stage_smem is not None:
        yield f"{count(level.stages, 'stage')} of {size(stage_smem)} fit in {size(level.smem)} of shared memory"
    elif has_threads:
        memory = f"{size(level.smem)} of shared memory per block"
        yield f"Up to {count(level.regs, 'register')} per thread and {memory}"
    blocks = " / ".join(map(str, dict.fromkeys(level.blocks)))
    if has_threads:
        blocks = f"{blocks} blocks of {kernel.threads:,} threads per SM, {percent(level.occupancy)} occupancy"
        yield f"{blocks}, on {names}"
    else:
        yield f"{blocks} blocks per SM on {names}"


def _budget_details(level: BudgetRow | None) -> Iterator[Block]:
    if level is None:
        return
    yield Facts([("In the source", level.launch_bounds)])


BOUNDS_COLUMNS = (
    Column("gpu", "GPU", lambda row: row[0].name, lambda row: row[0].label, "Name of the GPU, if one was given",
           "left", type="string"),
    Column("cc", "CC", lambda row: row[0].cc, None, "Compute capability", "left", optional=2, type="string"),
    Column("legal", "Legal", lambda row: row[1].legal, None, "True if an SM can hold the blocks", "left",
           type="boolean"),
    Column("register_cap", "Register cap", lambda row: row[1].register_cap, None,
           "Registers per thread that ptxas does not exceed", type="integer"),
    Column("regs", "", lambda row: row[1].regs, about="The cap, or the kernel's registers if fewer", type="integer"),
    Column("active_blocks", "Blocks", lambda row: row[1].active_blocks, None, "Resident blocks with them",
           type="integer"),
    Column("occupancy", "Occupancy", lambda row: row[1].occupancy, lambda row: percent(row[1].occupancy),
           "Active warps by the most warps of an SM, 0 to 1", type="number"),
    Column("limiters", "Limited by", lambda row: list(row[1].limiters),
           lambda row: ", ".join(map(label, row[1].limiters)), "Limiting resources", "left", wraps=True, type="array"),
    Column("most_blocks", "", lambda row: row[1].most_blocks, about="Largest legal second bound", type="integer"),
    Column("launch_bounds", "", lambda row: row[1].launch_bounds, about="The bounds in the source", type="string"),
    Column("maxrregcount", "", lambda row: row[1].maxrregcount, about="The same cap for a whole file", type="string"),
    Column("warning", "", lambda row: row[1].warning, about="Warning of ptxas", type="string"),
)  # fmt: skip


def bounds_report(gpus: Sequence[Gpu], kernel: Kernel, bounds: Sequence[LaunchBounds]) -> Report:
    """Return the register cap of launch bounds on each of some GPUs.

    Args:
        gpus: The GPUs.
        kernel: The kernel.
        bounds: The result for each GPU.
    """
    cap = min(each.register_cap for each in bounds)
    texts = dict.fromkeys(each.launch_bounds for each in bounds)
    where = "" if len(bounds) == 1 else " on all of them"
    notes: list[Note] = [note("launch-bounds-caps")]
    warnings = [
        f"{gpu.label}: {each.warning}." for gpu, each in zip(gpus, bounds, strict=True) if each.warning
    ]
    return Report(
        name="bounds",
        headline=(
            f"{join_and(list(texts))}: at most {count(cap, 'register')} per thread{where}",
            kernel_text(kernel),
        ),
        columns=BOUNDS_COLUMNS,
        rows=list(zip(gpus, bounds, strict=True)),
        rows_key="gpus",
        inputs=kernel.to_dict(),
        details=(Paragraph(warnings),) if warnings else (),
        notes=notes,
    )
