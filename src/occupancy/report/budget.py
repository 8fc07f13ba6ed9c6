"""Reports of registers and shared memory: `budget`, `bounds`, and `registers` (setmaxnreg)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import groupby
from operator import attrgetter, itemgetter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from ..advice.budget import BudgetFields
from ..advice.launch_bounds import LaunchBoundsFields, bounds_in_source, launch_bounds, maxnreg_in_source
from ..advice.launch_requirements import ALLOW_SIZE
from ..engine import Result
from ..errors import InputError
from ..tables.gpus import Gpu
from ..values.kernel import Kernel
from ..values.numbers import count, join_and, percent, size
from ..values.spellings import in_range
from .model import Column, Paragraph, Report, Section, chosen, facts, note, values_of
from .results import RESULT_COLUMNS, gpu_notes, gpu_remarks
from .words import given_name, gpu_name, gpu_text, kernel_text, labels, uses_of

if TYPE_CHECKING:
    from ..advice.registers import RegisterSplitFields  # only `registers` needs this module

MACRO = "MIN_BLOCKS"
"""Second launch bound, if it depends on the architecture."""
MOST_LISTED = 3  # GPUs; the values of more are a range


class BudgetRow(NamedTuple):
    """Level of each GPU. Within the least of each amount, a kernel reaches all."""

    gpus: Sequence[str]
    active_blocks: Sequence[int]
    occupancies: Sequence[float]
    regs: Sequence[int]
    smem: Sequence[int]
    needs_opt_in: Sequence[bool]
    launch_bounds: str
    """Or ``__maxnreg__`` where no launch bounds are legal and mean these registers on every GPU."""
    stages: Sequence[int]
    macro: Sequence[str]
    """Lines that define the second bound, if it depends on the GPU."""


def _each_or_range(values: Sequence[Any], text: Callable[[Any], str] = str) -> str:
    """Return the values of some GPUs: ``75 / 100%``; of many ``50 to 100%``."""
    is_range = len(values) > MOST_LISTED
    texts = list(map(text, [min(values), max(values)] if is_range else values))
    return (" to " if is_range else " / ").join(texts).replace("% ", " ") if len(set(texts)) > 1 else texts[0]


ON_GPUS = Column("gpus", about="GPUs, in the order of the arrays", type="array")
BLOCKS = Column("active_blocks", "Blocks", text=_each_or_range, about="Resident blocks per SM, for each GPU",
                type="array")  # fmt: skip

BUDGET_COLUMNS = (
    ON_GPUS,
    BLOCKS,
    Column("occupancies", "Occupancy", text=partial(_each_or_range, text=percent), optional=1, type="array",
           about="Occupancy with active_blocks on each GPU, 0 to 1; the limits of the row can allow more"),
    Column("occupancy", value=lambda row: min(row.occupancies), about="Lowest occupancy, 0 to 1", type="number"),
    Column("regs", "Registers", lambda row: min(row.regs), about="Maximum registers per thread", type="integer"),
    Column("smem", "Shared", lambda row: min(row.smem), size, about="Maximum shared memory per block in bytes",
           type="integer"),
    Column("launch_bounds", "In the source", align="left", optional=2, wraps=True, unbroken=25, type="string",
           about="Launch bounds or __maxnreg__"),
    Column("macro", value=lambda row: "\n".join(row.macro) or None, about="Definition of MIN_BLOCKS", type="string"),
    Column("needs_opt_in", value=lambda row: all(row.needs_opt_in), type="boolean",
           about="True if this shared memory needs cudaFuncSetAttribute"),
)  # fmt: skip

STAGES_COLUMNS = (
    ON_GPUS,
    BLOCKS,
    Column("smem", "Shared", text=partial(_each_or_range, text=size), optional=1, type="array",
           about="Maximum shared memory per block in bytes, for each GPU"),
    Column("stages", "Stages", text=lambda stages: " / ".join(map(str, stages)), wraps=True, type="array",
           about="Pipeline stages that fit, for each GPU"),
)  # fmt: skip


def budget_report(budgets: Sequence[BudgetFields], targets: Mapping[str, Any] | None = None) -> Report:
    """Return the most registers and shared memory for the targets on all GPUs."""
    gpus, kernel = [budget.gpu for budget in budgets], budgets[0].kernel
    has_target = budgets[0].wanted is not None
    rows = list[BudgetRow]()
    for (regs, _), run in groupby(_rows(budgets), lambda row: (min(row.regs), min(row.smem))):
        row = next(run)
        blocks = row.active_blocks if has_target else [min(row.active_blocks)] * len(gpus)
        text = _in_source(gpus, kernel, blocks, regs)
        rows.append(row._replace(launch_bounds=text, macro=_macro(gpus, blocks) if MACRO in text else ()))
    described = kernel if has_target else kernel.replace(regs=None, smem=None)  # rows are for any amounts
    least = (Result(gpu.limits, kernel.replace(regs=0, smem=0)) for gpu in gpus)
    headline = [kernel_text(described, *gpus)]
    opt_in = [note("opt-in")] if any(all(row.needs_opt_in) for row in rows) else []
    notes = [*gpu_notes(gpus, least), *opt_in, note("budget-both")]
    if has_target:
        registers, memory = count(min(rows[0].regs), "register"), size(min(rows[0].smem))
        headline.insert(0, f"Up to {registers} per thread and {memory} of shared memory per block")
    macros = [Paragraph(row.macro, is_code=True) for row in rows if row.macro]
    inputs = {**kernel.to_dict(), **(targets or {})}
    values = {"gpus": [{"gpu": given_name(gpu), "cc": gpu.cc} for gpu in gpus]}
    return Report("budget", headline, BUDGET_COLUMNS, rows, "levels", inputs, macros, notes, values=values)


def stages_report(budgets: Sequence[BudgetFields], targets: Mapping[str, Any]) -> Report:
    """Return the stages that fit; without threads, for any block size."""
    stage = targets["stage_smem"]
    gpus, kernel = [budget.gpu for budget in budgets], budgets[0].kernel
    own, has_target = kernel.shared_memory, budgets[0].wanted is not None
    described = kernel if has_target else kernel.replace(regs=None)
    in_range(stage, "stage_smem", 1, max(1, *(budget.levels[-1].smem - own for budget in budgets)))
    each = (row._replace(stages=[max(smem - own, 0) // stage for smem in row.smem]) for row in _rows(budgets))
    rows = [next(run) for stages, run in groupby(each, attrgetter("stages")) if has_target or any(stages)]
    result = f"Stages of {size(stage)} that fit{f' in addition to {size(own)}' if own else ''}"
    if has_target:
        fitting = zip(rows[0].stages, map(gpu_name, gpus), strict=True)
        result += f": {join_and([f'{number} on {name}' for number, name in fitting])}"
    any_size = [gpu_text(*gpus), *uses_of(kernel.replace(regs=None)), "counting shared memory only"]
    headline = result, ", ".join(any_size) if targets["threads"] is None else kernel_text(described, *gpus)
    inputs = {**kernel.to_dict(), **targets}
    values = {"gpus": [{"gpu": given_name(gpu), "cc": gpu.cc} for gpu in gpus]}
    notes = gpu_notes(gpus, (Result(gpu.limits, kernel.replace(regs=0, smem=0)) for gpu in gpus))
    if any(own + stage * max(row.stages) > gpus[0].limits.max_shared_memory_per_block for row in rows):
        notes.append(note("opt-in"))
    return Report("stages", headline, STAGES_COLUMNS, rows, "levels", inputs, notes=notes, values=values)


def _rows(budgets: Sequence[BudgetFields]) -> Iterator[BudgetRow]:
    wanted = [budget.wanted for budget in budgets if budget.wanted is not None]
    most = min(budget.levels[0].active_blocks for budget in budgets)
    names = [budget.gpu.label for budget in budgets]
    numbers = {level.active_blocks for budget in budgets for level in budget.levels}
    for blocks in [most] if wanted else sorted(filter(most.__ge__, numbers), reverse=True):
        reaching = ([level for level in budget.levels if level.active_blocks >= blocks] for budget in budgets)
        levels = wanted or [each[-1] for each in reaching]
        yield BudgetRow._make([names, *zip(*levels, strict=True), "", (), ()])


def _in_source(gpus: Sequence[Gpu], kernel: Kernel, blocks: Sequence[int], regs: int) -> str:
    """Return launch bounds that cap the registers on every GPU, or ``__maxnreg__``."""
    with suppress(InputError):
        bounds = [launch_bounds(gpu, kernel, each) for gpu, each in zip(gpus, blocks, strict=True)]
        # The blocks of a kernel that was compiled for larger ones are no second bound.
        if all(each.legal for each in bounds) and kernel.launch_bound == kernel.threads:
            return bounds_in_source(kernel.threads, blocks[0] if len(set(blocks)) == 1 else MACRO)
    return maxnreg_in_source(regs)


def _macro(gpus: Sequence[Gpu], blocks: Iterable[int]) -> list[str]:
    """Return the definition of the macro for different second bounds. Host code has no ``__CUDA_ARCH__``."""
    by_arch = sorted(zip((gpu.limits.compute_capability for gpu in gpus), blocks, strict=True))
    lines: list[str] = []
    for number, run in groupby(by_arch, itemgetter(1)):
        (major, minor), _ = next(run)  # this architecture and newer ones
        lines[:0] = [f"#elif __CUDA_ARCH__ >= {major}{minor}0", f"#define {MACRO} {number}"]
    lines[0] = lines[0].replace("elif", "if")
    lines[-2] = "#else"
    return [*lines, "#endif"]


BOUNDS_COLUMNS = (
    *chosen(RESULT_COLUMNS, "gpu", "cc"),
    Column("blocks", value="min_blocks", about="Second bound", type="integer"),
    Column("launch_bounds", about="Launch bounds in the source", type="string"),
    Column("legal", "Honored", about="True if an SM can hold the blocks", align="left", type="boolean"),
    Column("most_blocks", "Max bound", about="Largest second bound that ptxas honors", type="integer"),
    Column("register_cap", "Register cap", about="Maximum registers per thread that ptxas allocates", type="integer"),
    Column("regs", about="Register cap, or registers of the kernel if fewer", type="integer"),
    Column("active_blocks", "Blocks", about="Resident blocks per SM", type="integer"),
    Column("occupancy", "Occupancy",
           show=lambda row: percent(row.occupancy) if row.active_blocks else "no launch",
           about="Resident warps divided by the maximum per SM, 0 to 1", type="number"),
    Column("limiters", "Limited by", text=labels,
           about="Limiting resources", align="left", optional=1, wraps=True, unbroken=14, type="array"),
    Column("warning", about="Warning that ptxas prints", type="string"),
    Column("reason", about="Reason why the kernel does not launch", type="string"),
)  # fmt: skip


def bounds_report(bounds: Sequence[LaunchBoundsFields]) -> Report:
    kernel, blocks = bounds[0].kernel, [each.min_blocks for each in bounds]
    text, details = bounds[0].launch_bounds, list[Section]()
    if len(set(blocks)) > 1:
        text = bounds_in_source(kernel.launch_bound, MACRO)
        details.append(Paragraph(_macro([each.gpu for each in bounds], filter(None, blocks)), is_code=True))
    honored, caps = [each for each in bounds if not each.warning], dict[int, list[str]]()
    for each in honored or bounds:
        caps.setdefault(each.register_cap, []).append(gpu_name(each.gpu))
    limits = [f"{cap} ({join_and(gpus)})" if len(caps) > 1 else f"{cap}" for cap, gpus in caps.items()]
    refused = ", ".join(gpu_name(each.gpu) for each in bounds if each.warning)
    exception = f" (ptxas ignores the second bound{f' on {refused}' if honored else ''})" if refused else ""
    details += gpu_remarks(bounds, [each.reason for each in bounds])
    cap = f"at most {' or '.join(limits)} registers per thread{exception}"
    notes = [note("launch-bounds-caps")]
    if kernel.regs is None:
        notes.insert(0, note("at-the-cap"))
    elif exceeded := [text for cap, text in zip(caps, limits, strict=True) if kernel.regs > cap]:
        notes = [note("above-the-cap", regs=kernel.regs, cap=join_and(exceeded))]
    notes[:0] = gpu_notes(each.gpu for each in bounds)
    headline, inputs = [f"{text}: {cap}", kernel_text(kernel)], {**kernel.to_dict(), "blocks": blocks}
    return Report("bounds", headline, BOUNDS_COLUMNS, bounds, "gpus", inputs, details, notes)


SPLIT_COLUMNS = (
    Column("warpgroups", "Warpgroups", about="Warpgroups in the group, of 128 threads each", type="integer"),
    Column("regs", "Registers per thread", about="Registers per thread after setmaxnreg", type="integer"),
    Column("instruction", "Instruction", type="string", align="left",
           about="setmaxnreg.inc or setmaxnreg.dec; null if the registers do not change"),
    Column("most", "At most", about="Maximum registers per thread if the other groups stay", type="integer"),
    Column("can_run", value="split.can_run", about="True if the kernel launches and does not hang", type="boolean"),
    Column("reason", value="split.reason", about="Reason why it does not launch, or why it hangs", type="string"),
    Column("launch_regs", value="split.launch_regs", about="Registers per thread at launch", type="integer"),
    Column("needed_regs", value="split.needed_regs", about="Minimum of them for all groups", type="integer"),
    Column("launch_bounds", value="split.launch_bounds", about="Launch bounds for launch_regs", type="string"),
    Column("maxnreg", value="split.maxnreg", about="__maxnreg__ for launch_regs", type="string"),
    Column("active_blocks", value="split.active_blocks", about="Resident blocks per SM", type="integer"),
    Column("occupancy", value="split.occupancy", about="Occupancy, 0 to 1", type="number"),
)  # fmt: skip


def registers_report(split: RegisterSplitFields) -> Report:
    result = f"Runs: the warpgroups use {split.taken:,} of the block's {split.pool:,} registers"
    if split.reason is not None:
        effect = "No effect" if split.suffices else "Hangs"
        result = f"{effect if split.active_blocks else 'Does not launch'}: {split.reason}"
    groups = count(sum(group.warpgroups for group in split.groups), "warpgroup")
    headline = result, f"{split.threads:,} threads, {groups}, compute capability {split.cc}"
    inputs, details = values_of(split, "cc", "threads", "smem"), [facts(_split_facts(split))]
    rows = [SimpleNamespace(split=split, **group._asdict()) for group in split.groups]
    return Report("registers", headline, SPLIT_COLUMNS, rows, "groups", inputs, details)


def _split_facts(split: RegisterSplitFields) -> Iterator[tuple[str, str]]:
    yield "At launch", f"{split.launch_regs} registers per thread with {split.launch_bounds or split.maxnreg}"
    if not split.suffices:
        fix = f"{split.needed_regs} registers per thread at launch"
        if split.enough_at_launch is not None:
            fix += f": {split.enough_at_launch}"
        elif split.needed_regs > split.launch_regs:
            fix = 'reduce a group to its value in the "At most" column'
        yield "Fix", fix
    if split.active_blocks:
        yield "Occupancy", f"{percent(split.occupancy)}, {count(split.active_blocks, 'block')} per SM"
    if split.suffices and split.launch_regs_if_fitting is not None:
        bounds = bounds_in_source(split.threads, split.active_blocks)
        blocks = f"still {count(split.active_blocks, 'block')} per SM"
        yield "Better bound", f"{bounds}: {split.launch_regs_if_fitting} registers per thread, and {blocks}"
    if split.needs_opt_in:
        yield "Opt in", ALLOW_SIZE.format(split.smem)
