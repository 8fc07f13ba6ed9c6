"""The report of a kernel on one GPU or on several: the result, its resources, and the advice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from ..advice.carveout import carveout
from ..advice.launch_bounds import RegisterCap, register_cap
from ..advice.next_steps import NextStep, may_be_divided, next_steps
from ..advice.opt_in import compile_error, opt_ins
from ..advice.slack import Slack, slack
from ..engine import evaluate
from ..engine.common import shared_memory_configuration
from ..tables.gpus import Gpu
from ..values.kernel import Kernel
from ..values.numbers import count, join_and, percent, size
from ..values.resources import QUANTITIES, Adjustable, Resource
from .model import Block, Column, Facts, Note, Paragraph, Report, Table
from .notes import note

if TYPE_CHECKING:
    from ..advice.waves import FullWave, Waves


class Row:
    """A result with the advice on it, each part computed when a column or a detail needs it."""

    def __init__(self, result: Any, whole: Any = None, explanation: Sequence[Any] | None = None) -> None:
        self.result = result
        self.gpu: Gpu = result.gpu
        self.kernel: Kernel = result.kernel
        self.whole = whole
        self.explanation = explanation

    @cached_property
    def steps(self) -> tuple[NextStep, ...]:
        """Every higher occupancy."""
        return tuple(next_steps(self.result))

    def cap(self, step: NextStep) -> RegisterCap | None:
        """Return how a step's registers are requested from the compiler; None if it needs no others."""
        registers = step.requires.get("regs")
        if registers is None or "threads" in step.requires:
            return None
        return register_cap([self.result], registers, step.active_blocks)

    @cached_property
    def slack(self) -> Slack:
        """Most of each resource that keeps the blocks."""
        return slack(self.result)

    @property
    def compile_error(self) -> str | None:
        """Reason for which no compiler accepts the kernel."""
        return compile_error(self.result)


class WholeGpu(NamedTuple):
    """A kernel on all SMs: what is resident at once and, for a grid, its waves."""

    wave: FullWave
    waves: Waves | None = None


def label(resource: str) -> str:
    """Return the name of a resource as people write it."""
    return resource.replace("_", " ")


def limiters(row: Row) -> str:
    """Return the names of the limiting resources."""
    return ", ".join(map(label, row.result.limiters))


def resources(result: Any) -> dict[str, dict[str, int | None]]:
    """Return what a block takes of each resource, what an SM has, and the blocks that fit by it alone."""
    return {
        name: {"per_block": use.per_block, "per_multiprocessor": use.per_multiprocessor, "blocks": blocks}
        for (name, use), blocks in zip(result.uses.items(), result.block_limits, strict=True)
    }


def _step(row: Row, step: NextStep) -> dict[str, Any]:
    cap = row.cap(step)
    return {
        "active_blocks": step.active_blocks,
        "occupancy": step.occupancy,
        "requires": dict(step.requires),
        "launch_bounds": None if cap is None else cap.launch_bounds,
        "maxnreg": None if cap is None else cap.maxnreg,
    }


def _headroom(row: Row) -> dict[str, int | None]:
    found = row.slack
    return {name: getattr(found, name) for name in ("regs", "smem", "barriers", "tensor_memory")}


def _carveout(row: Row) -> dict[str, Any] | None:
    smallest = carveout(row.result).smallest
    if smallest is None:
        return None
    return {"shared_memory": smallest.shared_memory, "percent": smallest.percent, "l1": smallest.l1}


def _clusters(row: Row) -> dict[str, Any] | None:
    if row.whole is None or row.whole.wave.cluster_size is None:
        return None
    wave = row.whole.wave
    return {
        "cluster_size": wave.cluster_size,
        "clusters": wave.clusters,
        "blocks": wave.blocks,
        "is_upper_bound": wave.is_upper_bound,
    }


def _waves(row: Row) -> dict[str, Any] | None:
    if row.whole is None or row.whole.waves is None:
        return None
    waves, wave = row.whole.waves, row.whole.wave
    return {
        "grid": waves.launch.blocks,
        "blocks_per_wave": wave.blocks,
        "waves": waves.waves,
        "full_waves": waves.full_waves,
        "last_wave_blocks": waves.partial_wave_blocks,
        "last_wave_fill": waves.last_wave_fill,
        "idle_share": waves.idle_share,
    }


RESULT_COLUMNS = (
    Column("gpu", "GPU", lambda row: row.gpu.name, lambda row: row.gpu.label.removeprefix("GeForce "),
           "Name of the GPU, if one was given", "left", type="string"),
    Column("cc", "CC", lambda row: row.gpu.cc, None, "Compute capability", "left", optional=2, type="string"),
    Column("model", "", lambda row: row.result.model, about='"cuda" or "spreadsheet"', type="string"),
    Column("launchable", "", lambda row: row.result.launchable, about="True if a launch succeeds", type="boolean"),
    Column("reason", "", lambda row: row.result.reason, about="First limit that a launch breaks", type="string"),
    Column("occupancy", "Occupancy", lambda row: row.result.occupancy,
           lambda row: percent(row.result.occupancy) if row.result.launchable else "no launch",
           "Active warps by the most warps of an SM, 0 to 1", type="number"),
    Column("active_blocks", "Blocks", lambda row: row.result.active_blocks, None, "Resident blocks per SM",
           type="integer"),
    Column("active_warps", "", lambda row: row.result.active_warps, about="Warps of those blocks", type="integer"),
    Column("limiters", "Limited by", lambda row: list(row.result.limiters), limiters,
           "Every resource that allows no more blocks", "left", wraps=True, unbroken=14, type="array"),
    Column("resources", "", lambda row: resources(row.result), type="object",
           about="Per resource: use of a block, amount of an SM, blocks that fit; null: no limit"),
    Column("multiprocessor_count", "SMs", lambda row: row.gpu.multiprocessor_count, None, "SMs of the GPU",
           optional=3, type="integer"),
    Column("resident_blocks", "Per GPU", lambda row: _resident(row), None,
           "Blocks on the whole GPU at once, in whole clusters: the grid of a persistent kernel", type="integer"),
)  # fmt: skip
"""Keys of `Occupancy.to_dict`, too."""

ADVICE_COLUMNS = (
    Column("clusters", "", lambda row: _clusters(row), about="Clusters resident on the whole GPU, for a given cluster",
           type="object"),
    Column("waves", "", _waves, about="Waves of a given grid", type="object"),
    Column("next_steps", "Next step", lambda row: [_step(row, each) for each in row.steps],
           lambda row: first_step(row), "Each higher occupancy, and all that must change to reach it",
           "left", optional=1, wraps=True, unbroken=14, type="array"),
    Column("headroom", "", _headroom, about="Largest amount of each resource that keeps the blocks",
           type="object"),
    Column("carveout", "", _carveout, about="Smallest shared memory of the SM that keeps the blocks",
           type="object"),
    Column("opt_ins", "", lambda row: [each.call for each in opt_ins(row.result, _cluster_size(row))],
           about="Calls that a launch needs before it", type="array"),
    Column("compile_error", "", lambda row: row.compile_error, about="Reason for which no compiler accepts the kernel",
           type="string"),
    Column("explanation", "", lambda row: None if row.explanation is None else [
        {"resource": each.resource, "steps": list(each.steps), "why": each.why} for each in row.explanation
    ], about="Arithmetic of each resource, for --explain", type="array"),
)  # fmt: skip


def record(result: Any) -> dict[str, Any]:
    """Return a result as plain values, without advice."""
    row = Row(result)
    return {column.key: column.value(row) for column in RESULT_COLUMNS}


def _resident(row: Row) -> int | None:
    if row.whole is not None:
        blocks: int = row.whole.wave.blocks
        return blocks
    count_of_sms = row.gpu.multiprocessor_count
    return None if count_of_sms is None else count_of_sms * row.result.active_blocks * row.result.launchable


def _cluster_size(row: Row) -> int | None:
    return None if row.whole is None else row.whole.wave.cluster_size


def change(name: str, before: int | None, after: int) -> str:
    """Return ``72 -> 64 registers``, or ``40 -> 37 KiB``."""
    if name == "smem":
        old, new = size(before or 0), size(after)
        number, _, unit = new.partition(" ")
        return f"{old.removesuffix(f' {unit}')} -> {number} {unit}"
    noun = {"regs": "registers", "tensor_memory": "columns"}.get(name, name)
    return f"{before or 0:,} -> {after:,} {noun}"


def step_changes(kernel: Kernel, step: NextStep) -> str:
    """Return all changes of a step: ``72 -> 40 registers, 40 -> 37 KiB``."""
    now = {"regs": kernel.regs, "smem": kernel.shared_memory, "barriers": kernel.barriers,
           "tensor_memory": kernel.tensor_memory, "threads": kernel.threads}  # fmt: skip
    return ", ".join(change(name, now[name], after) for name, after in step.requires.items())


def first_step(row: Row) -> str:
    """Return ``50%: 64 regs``: the nearest higher occupancy; empty if there is none."""
    for step in row.steps:
        changes = ", ".join(target(*each) for each in step.requires.items())
        return f"{percent(step.occupancy)}: {changes.replace('registers', 'regs')}"
    return ""


def target(name: str, amount: int) -> str:
    """Return ``64 registers`` or ``32.25 KiB``."""
    if name == "smem":
        return size(amount)
    return count(amount, {"regs": "register", "tensor_memory": "column"}.get(name, name.removesuffix("s")))


def kernel_text(kernel: Kernel) -> str:
    """Return the inputs on a line: ``256 threads, 72 registers, 40 KiB of shared memory per block``."""
    parts = [count(kernel.threads, "thread")]
    if kernel.block_dim is not None:
        parts = [f"{' x '.join(map(str, kernel.block_dim))} threads"]
    if kernel.regs is not None:
        parts.append(count(kernel.regs, "register"))
    if kernel.has_shared_memory:
        parts.append(f"{size(kernel.shared_memory)} of shared memory")
    if kernel.barriers is not None:
        parts.append(count(kernel.barriers, "barrier"))
    if kernel.tensor_memory is not None:
        parts.append(f"{count(kernel.tensor_memory, 'column')} of tensor memory")
    settings = []
    if kernel.max_threads is not None:
        settings.append(f"compiled for up to {kernel.max_threads:,} threads")
    if kernel.carveout is not None:
        settings.append(f"carveout {kernel.carveout}")
    if kernel.opt_in is False:
        settings.append("no opt-in")
    settings += [
        each for each in (kernel.caching and f"caching {kernel.caching}", kernel.shared_memory_mode) if each
    ]
    return ", ".join([f"{', '.join(parts)} per block", *settings])


def gpu_text(gpu: Gpu) -> str:
    """Return ``H100 SXM5, compute capability 9.0 (Hopper)``."""
    about = f"compute capability {gpu.cc} ({gpu.limits.architecture})"
    return f"{gpu.name}, {about}" if gpu.name else about


def result_text(row: Row) -> str:
    """Return the first line: ``37.5% occupancy, limited by registers``, or why it does not launch."""
    result = row.result
    if not result.launchable:
        return f"Does not launch: {result.reason}"
    if row.compile_error is not None:
        return f"Does not compile. {row.compile_error}"
    by = ", by NVIDIA's spreadsheet" if result.model == "spreadsheet" else ""
    limited = join_and([label(each) for each in result.limiters])
    return f"{percent(result.occupancy)} occupancy, limited by {limited}{by}"


def calc_report(
    results: Sequence[Any],
    *,
    whole: Sequence[WholeGpu | None] | None = None,
    explain: bool = False,
    notes: Sequence[Note] = (),
) -> Report:
    """Return the report of a kernel on each of some GPUs.

    Args:
        results: An `Occupancy` for each GPU, of one kernel.
        whole: What is resident on each whole GPU, with the waves of a grid; by default without clusters.
        explain: Whether to show the arithmetic.
        notes: Further notes.
    """
    from .explain import explain as arithmetic  # only --explain needs it

    wholes = whole or [None] * len(results)
    rows = [
        Row(result, each, arithmetic(result) if explain else None)
        for result, each in zip(results, wholes, strict=True)
    ]
    kernel = rows[0].kernel
    one = len(rows) == 1
    details = list(_details_of_one(rows[0]) if one else _details_of_several(rows))
    return Report(
        name="calc",
        headline=tuple(_headline(rows[0])) if one else (kernel_text(kernel),),
        columns=(*RESULT_COLUMNS, *ADVICE_COLUMNS),
        rows=rows,
        rows_key="gpus",
        inputs=kernel.to_dict(),
        shows_rows=not one,
        details=details,
        notes=(*dict.fromkeys(each for row in rows for each in _notes(row)), *notes),
    )


def _headline(row: Row) -> Iterator[str]:
    result = row.result
    yield result_text(row)
    yield f"{kernel_text(row.kernel)} on {gpu_text(row.gpu)}"
    if result.launchable:
        most = result.limits.max_warps_per_multiprocessor
        blocks = count(result.active_blocks, "block")
        yield f"{blocks} per SM: {result.active_warps} of {most} warps"
    if row.whole is not None and row.whole.waves is not None:
        yield wave_text(row.whole)


class _Use(NamedTuple):
    resource: Resource
    per_block: int
    per_sm: int | None
    blocks: int | None
    is_limiter: bool
    is_assumed: bool
    remark: str


def _amount(resource: Resource, amount: int | None) -> str:
    if amount is None:
        return "-"
    return size(amount) if resource == "shared_memory" else f"{amount:,}"


RESOURCE_TABLE = (
    Column("resource", "Resource", lambda use: label(use.resource), None, align="left"),
    Column("per_block", "Per block", lambda use: use.per_block,
           lambda use: _amount(use.resource, use.per_block) + "*" * use.is_assumed),
    Column("per_multiprocessor", "Per SM", lambda use: use.per_sm, lambda use: _amount(use.resource, use.per_sm),
           optional=1),
    Column("blocks", "Blocks that fit", lambda use: use.blocks,
           lambda use: "no limit" if use.blocks is None else f"{use.blocks:,}"),
    Column("remark", "", lambda use: use.remark, align="left", wraps=True),
)  # fmt: skip


def _uses(row: Row) -> Iterator[_Use]:
    result, kernel = row.result, row.kernel
    for (name, use), blocks in zip(result.uses.items(), result.block_limits, strict=True):
        is_limiter = name in result.limiters
        if name in ("virtual_resources", "tensor_memory", "barriers") and blocks is None:
            continue
        remark = "<- limiter" if is_limiter else ""
        reserved = result.limits.reserved_shared_memory_per_block
        if name == "shared_memory" and reserved and use.per_block and result.model == "cuda":
            remark = f"{remark}{', ' if remark else ''}includes {size(reserved)} reserved"
        is_assumed = name == "barriers" and kernel.barriers is None
        yield _Use(name, use.per_block, use.per_multiprocessor, blocks, is_limiter, is_assumed, remark)


STEP_TABLE = (
    Column("occupancy", "", lambda step: percent(step[0].occupancy), align="left"),
    Column("active_blocks", "", lambda step: count(step[0].active_blocks, "block"), align="left"),
    Column("changes", "", lambda step: step[1], align="left", wraps=True),
    Column("launch_bounds", "", lambda step: step[2], align="left", optional=1),
)


def _details_of_one(row: Row) -> Iterator[Block]:
    result = row.result
    yield Table("", RESOURCE_TABLE, list(_uses(row)))
    if result.occupancy < 1 or not result.launchable:
        yield _steps_block(row)
    facts = list(_facts(row))
    if facts:
        yield Facts(facts)
    if any(use.is_assumed for use in _uses(row)):
        yield Paragraph(("* assumed",))
    if row.whole is not None and row.whole.waves is not None:
        yield _waves_table([row])
    for each in row.explanation or ():
        lines = [f"  {step}" for step in each.steps]
        yield Paragraph((label(each.resource), *lines, *([f"  {each.why}"] if each.why else [])))


def _steps_block(row: Row) -> Block:
    title = "To raise occupancy" if row.result.launchable else "To make it launch"
    if not row.steps:
        return Paragraph((f"{title}: no smaller amount and no other block size helps.",))
    rows, has_cap = [], False
    for step in row.steps:
        cap = row.cap(step)
        bounds = ""
        if cap is not None and cap.launch_bounds is not None:
            bounds = cap.launch_bounds.removeprefix("__launch_bounds__")
        elif cap is not None:
            bounds = cap.maxnreg
        has_cap = has_cap or bounds.startswith("(")
        changes = step_changes(row.kernel, step)
        if set(step.requires) == {"threads"}:
            shape = row.kernel.block_dim  # a step is a block along x
            now = f"{row.kernel.threads:,}" if shape is None else " x ".join(map(str, shape))
            along = "" if shape is None else " x 1 x 1"
            changes = f"{now} -> {step.requires['threads']:,}{along} threads, nothing else"
        elif set(step.requires) == {"regs"} and row.kernel.regs:
            changes += f" ({row.kernel.regs - step.requires['regs']} fewer)"
        rows.append((step, changes, bounds))
    lines = ["(256, N) is __launch_bounds__.".replace("256", str(row.kernel.threads))] if has_cap else []
    if any("regs" in step.requires for step in row.steps):
        lines.append(note("registers-may-spill").text)
    return Table(title, STEP_TABLE, rows, [" ".join(lines)] if lines else [])


def _facts(row: Row) -> Iterator[tuple[str, str]]:
    result, kernel = row.result, row.kernel
    if result.launchable:
        grows = []
        used: list[tuple[Adjustable, int | None]] = [("regs", kernel.regs), ("smem", kernel.shared_memory)]
        if kernel.barriers is not None:
            used.append(("barriers", kernel.barriers))
        for name, now in used:
            most = getattr(row.slack, name)
            limits = name != "barriers" or result.block_limits.barriers is not None
            if most is not None and limits and (now is None or most > now):
                grows.append(
                    f"{QUANTITIES[name].label} up to {size(most) if name == 'smem' else f'{most:,}'}"
                )
        if grows:
            yield "Headroom", ", ".join(grows)
        smallest = _carveout(row)
        if smallest is not None and smallest["percent"] is not None and smallest["l1"] is not None:
            memory, l1 = size(smallest["shared_memory"]), size(smallest["l1"])
            yield "L1 carveout", f"{smallest['percent']}% ({memory}) is enough and leaves {l1} of L1"
    for each in opt_ins(result, _cluster_size(row)):
        yield "Opt-in", each.call
    blocks = _resident(row)
    if blocks and (row.whole is None or row.whole.waves is None):
        wave = None if row.whole is None else row.whole.wave
        sms = (row.gpu.multiprocessor_count or 0) if wave is None else wave.multiprocessor_count
        clusters = ""
        if wave is not None and wave.clusters is not None:
            clusters = f" in {'up to ' * wave.is_upper_bound}{count(wave.clusters, 'cluster')}"
        resident = f"{count(sms, 'SM')} hold{'s' * (sms == 1)} {count(blocks, 'block')}{clusters}"
        yield "Whole GPU", f"{resident}: the grid of a persistent kernel"


def wave_text(whole: WholeGpu) -> str:
    """Return the line on the last wave and the grids without a tail."""
    waves, wave = whole.waves, whole.wave
    assert waves is not None
    unit = (
        f" of up to {count(wave.clusters, 'cluster')}"
        if wave.clusters is not None and wave.is_upper_bound
        else ""
    )
    if not waves.partial_wave_blocks:
        return f"{count(waves.full_waves, 'full wave')}{unit}, no tail"
    return (
        f"Last wave: {percent(waves.last_wave_fill)} full ({count(waves.rounds, 'wave')}{unit}); no tail at "
        f"multiples of {wave.blocks:,} blocks"
    )


WAVE_TABLE = (
    Column("gpu", "GPU", lambda row: row.gpu.label, align="left"),
    Column("multiprocessor_count", "SMs", lambda row: row.whole.wave.multiprocessor_count),
    Column("blocks", "Blocks at once", lambda row: row.whole.wave.blocks),
    Column("clusters", "Clusters", lambda row: row.whole.wave.clusters, optional=1),
    Column("waves", "Waves", lambda row: f"{row.whole.waves.waves:,.2f}"),
    Column("last", "Last wave", lambda row: percent(row.whole.waves.last_wave_fill)),
    Column("idle", "GPU idle", lambda row: percent(row.whole.waves.idle_share)),
    Column("below", "Full below", lambda row: row.whole.waves.filling_grid_below, optional=2),
    Column("above", "Full above", lambda row: row.whole.waves.filling_grid_above, optional=2),
)


def _waves_table(rows: Sequence[Row]) -> Table:
    shown = [row for row in rows if row.whole is not None and row.whole.waves is not None]
    columns = [
        column for column in WAVE_TABLE
        if column.key != "clusters" or any(row.whole.wave.clusters is not None for row in shown)
    ]  # fmt: skip
    blocks = shown[0].whole.waves.launch.blocks
    return Table(f"A grid of {blocks:,} blocks", columns, shown)


def _details_of_several(rows: Sequence[Row]) -> Iterator[Block]:
    if any(row.whole is not None and row.whole.waves is not None for row in rows):
        yield _waves_table(rows)
    failures = [
        (row.gpu.label, result_text(row)) for row in rows if not row.result.launchable or row.compile_error
    ]
    if failures:
        yield Facts(failures)
    if any(row.steps for row in rows):
        yield Paragraph(
            ("One setting for all: occupancy budget with the same GPUs lists what each target allows.",)
        )


def _notes(row: Row) -> Iterator[Note]:
    from .explain import is_limited_to_half  # few results need it

    result, kernel = row.result, row.kernel
    if result.model == "spreadsheet" and result.active_blocks and not result.launchable:
        yield note("spreadsheet-no-launch")
    if result.model == "cuda" and result.launchable:
        if kernel.carveout is not None and (
            shared_memory_configuration(result.limits, kernel.carveout) < result.allocated.shared_memory
        ):
            yield note("carveout-raised")
        if kernel.caching == "ca" and not is_limited_to_half(result):
            yield note("caching-dropped")
        if kernel.tensor_memory is not None and kernel.virtual_resources_at_start:
            free = evaluate(result.limits, kernel.replace(virtual_resources=0), result.model)
            if free.active_blocks > result.active_blocks:
                yield note("tensor-memory")
    if may_be_divided(result) and not kernel.reallocates_registers:
        yield note("setmaxnreg")
    if row.whole is not None and row.whole.wave.is_upper_bound:
        yield note("cluster-bound")
    if row.gpu.variants:
        yield note("sms-vary")
