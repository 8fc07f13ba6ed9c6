"""The reports of `budget` and `bounds`: limits on a kernel that hold on one GPU or on all of several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from ..advice.budget import BudgetFields, BudgetLevel
from ..advice.launch_bounds import LaunchBoundsFields, bounds_in_source, launch_bounds, maxnreg_in_source
from ..errors import InputError
from ..tables.gpus import Gpu
from ..values.kernel import Kernel
from ..values.limits import ComputeCapability
from ..values.numbers import count, join_and, percent, size
from .model import Column, Paragraph, Report, chosen, note
from .results import RESULT_COLUMNS
from .words import gpu_name, kernel_text, labels

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


def budget_report(
    budgets: Sequence[BudgetFields], stage_smem: int | None = None, *, with_threads: bool = True
) -> Report:
    """Return the most registers and shared memory that reach the targets of the budgets on all GPUs.

    Without targets, every number of blocks is a row. Without threads, only stages and shared memory are shown.
    """
    gpus, kernel = [budget.gpu for budget in budgets], budgets[0].kernel
    targets = [budget.wanted.active_blocks for budget in budgets if budget.wanted is not None]
    rows = list(_rows(budgets, targets, stage_smem))
    inputs_text = kernel_text(kernel, *gpus)
    headline = [inputs_text if with_threads else inputs_text.replace("1 thread per block", "any block size")]
    if stage_smem is not None:
        added = f" in addition to {size(kernel.shared_memory)}" if kernel.shared_memory else ""
        result = f"Stages of {size(stage_smem)} that fit{added}"
        if targets:
            fitting = zip(rows[0].stages or (), gpus, strict=True)
            result += f": {join_and([f'{number} on {gpu_name(gpu)}' for number, gpu in fitting])}"
        headline.insert(0, result)
    elif targets:
        registers, memory = count(min(rows[0].per_gpu("regs")), "register"), size(*rows[0].sizes)
        headline.insert(0, f"Up to {registers} per thread and {memory} of shared memory per block")
    values = {"gpus": [{"gpu": gpu.name, "cc": gpu.cc} for gpu in gpus]}
    details = [_macro(gpus, targets)] if any(MACRO in row.launch_bounds for row in rows) else []
    inputs, notes, columns = kernel.to_dict(), [note("budget-both")], list(BUDGET_COLUMNS)
    if not with_threads:
        inputs["threads"], notes, details = None, [], []
        kept = ("active_blocks", "smem", "stages", "needs_opt_in")
        columns = [each if each.key in kept else Column(each.key, value=lambda _: None) for each in columns]
    return Report("budget", headline, columns, rows, "levels", inputs, details, notes, values=values)


def _rows(budgets: Sequence[BudgetFields], targets: list[int], stage_smem: int | None) -> Iterator[BudgetRow]:
    """Yield the row of the targets, or of each number of blocks with other amounts than the one before."""
    gpus, kernel = [budget.gpu for budget in budgets], budgets[0].kernel
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
    by_arch = dict(zip((gpu.limits.compute_capability for gpu in gpus), blocks, strict=True))
    branches: list[tuple[ComputeCapability, int]] = []
    for cc, number in sorted(by_arch.items()):
        if not branches or number != branches[-1][1]:
            branches.append((cc, number))  # for this architecture and newer ones
    lines: list[str] = []
    for cc, number in reversed(branches):
        lines += [f"#elif __CUDA_ARCH__ >= {cc[0]}{cc[1]}0", f"#define {MACRO} {number}"]
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
