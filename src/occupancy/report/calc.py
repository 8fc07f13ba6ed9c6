"""The report of a kernel on one GPU or on several: the result, its resources, and the advice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from operator import itemgetter
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
from ..values.numbers import count, join_and, percent, plain, size
from ..values.resources import QUANTITIES, Adjustable
from .model import Block, Column, Facts, Note, Paragraph, Report, Table, values_of
from .notes import NOTES

if TYPE_CHECKING:
    from ..advice.waves import FullWave, Waves


class WholeGpu(NamedTuple):
    """A kernel on all SMs: what is resident at once and, for a grid, its waves."""

    wave: FullWave
    waves: Waves | None = None


class Row:
    """A result with the advice on it, each part computed when a column or a detail needs it."""

    def __init__(
        self, result: Any, whole: WholeGpu | None = None, explanation: Sequence[Any] | None = None
    ) -> None:
        self.result = result
        self.gpu: Gpu = result.gpu
        self.kernel: Kernel = result.kernel
        self.wave: FullWave | None = None if whole is None else whole.wave
        self.waves: Waves | None = None if whole is None else whole.waves
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
        return register_cap(self.result, registers, step.active_blocks)

    @cached_property
    def slack(self) -> Slack:
        """Most of each resource that keeps the blocks."""
        return slack(self.result)

    @property
    def compile_error(self) -> str | None:
        """Reason for which no compiler accepts the kernel."""
        return compile_error(self.result)

    @property
    def opt_ins(self) -> list[str]:
        """Calls that a launch needs before it."""
        size = None if self.wave is None else self.wave.cluster_size
        return list(opt_ins(self.result, size))

    @property
    def carveout(self) -> dict[str, Any] | None:
        """Smallest shared memory of the SM that keeps the blocks."""
        smallest = carveout(self.result).smallest
        return None if smallest is None else values_of(smallest, "shared_memory", "percent", "l1")

    @property
    def resident_blocks(self) -> int | None:
        """Blocks on the whole GPU at once; None if its number of SMs is not known."""
        if self.wave is not None:
            return self.wave.blocks
        sms = self.gpu.multiprocessor_count
        blocks: int = self.result.active_blocks if self.result.launchable else 0
        return None if sms is None else sms * blocks


def label(resource: str) -> str:
    """Return the name of a resource as people write it."""
    return resource.replace("_", " ")


def labels(resources: Iterable[str]) -> str:
    """Return the names of resources with commas."""
    return ", ".join(map(label, resources))


def _resources(row: Row) -> dict[str, dict[str, int | None]]:
    return {
        name: {**values_of(use, "per_block", "per_multiprocessor"), "blocks": blocks}
        for (name, use), blocks in zip(row.result.uses.items(), row.result.block_limits, strict=True)
    }


def _next_steps(row: Row) -> list[dict[str, Any]]:
    caps = [(step, row.cap(step)) for step in row.steps]
    return [
        {
            **step_values(step),
            "launch_bounds": None if cap is None else cap.launch_bounds,
            "maxnreg": None if cap is None else cap.maxnreg,
        }
        for step, cap in caps
    ]


def step_values(step: NextStep) -> dict[str, Any]:
    """Return a next step as plain values."""
    return {**values_of(step, "active_blocks", "occupancy"), "requires": dict(step.requires)}


def _clusters(row: Row) -> dict[str, Any] | None:
    if row.wave is None or row.wave.cluster_size is None:
        return None
    return values_of(row.wave, "cluster_size", "clusters", "blocks", "is_upper_bound")


def _waves(row: Row) -> dict[str, Any] | None:
    if row.waves is None:
        return None
    return {
        "grid": row.waves.launch.blocks,
        "blocks_per_wave": row.waves.full_wave.blocks,
        **values_of(row.waves, "waves", "full_waves"),
        "last_wave_blocks": row.waves.partial_wave_blocks,
        **values_of(row.waves, "last_wave_fill", "idle_share"),
    }


def _explanation(row: Row) -> list[dict[str, Any]] | None:
    if row.explanation is None:
        return None
    return [values_of(each, "resource", "steps", "why") for each in row.explanation]


RESULT_COLUMNS = (
    Column("gpu", "GPU", "gpu.name", lambda row: row.gpu.label.removeprefix("GeForce "),
           "Name of the GPU, if one was given", "left", type="string"),
    Column("cc", "CC", "gpu.cc", None, "Compute capability", "left", optional=2, type="string"),
    Column("model", "", "result.model", about='"cuda" or "spreadsheet"', type="string"),
    Column("launchable", "", "result.launchable", about="True if a launch succeeds", type="boolean"),
    Column("reason", "", "result.reason", about="First limit that a launch breaks", type="string"),
    Column("occupancy", "Occupancy", "result.occupancy",
           lambda row: percent(row.result.occupancy) if row.result.launchable else "no launch",
           "Active warps by the most warps of an SM, 0 to 1", type="number"),
    Column("active_blocks", "Blocks", "result.active_blocks", None, "Resident blocks per SM", type="integer"),
    Column("active_warps", "", "result.active_warps", about="Warps of those blocks", type="integer"),
    Column("limiters", "Limited by", "result.limiters", lambda row: labels(row.result.limiters),
           "Every resource that allows no more blocks", "left", wraps=True, unbroken=14, type="array"),
    Column("resources", "", _resources, type="object",
           about="Per resource: use of a block, amount of an SM, blocks that fit; null: no limit"),
    Column("multiprocessor_count", "SMs", "gpu.multiprocessor_count", None, "SMs of the GPU", optional=3,
           type="integer"),
    Column("resident_blocks", "Per GPU", type="integer",
           about="Blocks on the whole GPU at once, in whole clusters: the grid of a persistent kernel"),
)  # fmt: skip
"""Keys of `Occupancy.to_dict`, too."""

COLUMNS = (
    *RESULT_COLUMNS,
    Column("clusters", "", _clusters, about="Clusters resident on the whole GPU, for a given cluster",
           type="object"),
    Column("waves", "", _waves, about="Waves of a given grid", type="object"),
    Column("next_steps", "Next step", _next_steps, lambda row: first_step(row),
           "Each higher occupancy, and all that must change to reach it", "left", optional=1, wraps=True,
           unbroken=14, type="array"),
    Column("headroom", "", lambda row: values_of(row.slack, "regs", "smem", "barriers", "tensor_memory"),
           about="Largest amount of each resource that keeps the blocks", type="object"),
    Column("carveout", about="Smallest shared memory of the SM that keeps the blocks", type="object"),
    Column("opt_ins", about="Calls that a launch needs before it", type="array"),
    Column("compile_error", about="Reason for which no compiler accepts the kernel", type="string"),
    Column("explanation", "", _explanation, about="Arithmetic of each resource, for --explain", type="array"),
)  # fmt: skip

_GETTERS = tuple((column.key, column.getter) for column in RESULT_COLUMNS)


def record(result: Any) -> dict[str, Any]:
    """Return a result as plain values, without advice."""
    row = Row(result)
    return {key: value(row) for key, value in _GETTERS}


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
    if set(step.requires) == {"threads"}:
        shape = kernel.block_dim  # a step is a block along x
        now = f"{kernel.threads:,}" if shape is None else " x ".join(map(str, shape))
        along = "" if shape is None else " x 1 x 1"
        return f"{now} -> {step.requires['threads']:,}{along} threads (block size only)"
    values = {"regs": kernel.regs, "smem": kernel.shared_memory, "barriers": kernel.barriers,
              "tensor_memory": kernel.tensor_memory, "threads": kernel.threads}  # fmt: skip
    text = ", ".join(change(name, values[name], after) for name, after in step.requires.items())
    if set(step.requires) == {"regs"} and kernel.regs:
        text += f" ({kernel.regs - step.requires['regs']} fewer)"
    return text


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
    """Return the inputs: ``256 threads per block, 72 registers per thread, 40 KiB of shared memory``."""
    shape = kernel.block_dim
    threads = count(kernel.threads, "thread") if shape is None else f"{' x '.join(map(str, shape))} threads"
    parts = [f"{threads} per block"]
    if kernel.regs is not None:
        parts.append(f"{count(kernel.regs, 'register')} per thread")
    if kernel.has_shared_memory:
        parts.append(f"{size(kernel.shared_memory)} of shared memory")
    if kernel.barriers is not None:
        parts.append(count(kernel.barriers, "barrier"))
    if kernel.tensor_memory is not None:
        parts.append(f"{count(kernel.tensor_memory, 'column')} of tensor memory")
    settings = [
        kernel.max_threads is not None and f"compiled for up to {kernel.max_threads:,} threads",
        kernel.carveout is not None and f"carveout {kernel.carveout}",
        kernel.opt_in is False and "no opt-in",
        kernel.caching and f"caching {kernel.caching}",
        kernel.shared_memory_mode,
    ]
    return ", ".join([*parts, *(each for each in settings if each)])


def gpu_text(gpu: Gpu) -> str:
    """Return ``H100 SXM5, compute capability 9.0 (Hopper)``."""
    about = f"compute capability {gpu.cc} ({gpu.limits.architecture})"
    return f"{gpu.name}, {about}" if gpu.name else about


def gpu_values(gpu: Gpu) -> dict[str, Any]:
    """Return the name of a GPU, if one was given, and its compute capability."""
    return {"gpu": gpu.name, "cc": gpu.cc}


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
    """Return the report of a kernel on each of some GPUs."""
    from .explain import explain as arithmetic  # only --explain needs it

    rows = [
        Row(result, each, arithmetic(result) if explain else None)
        for result, each in zip(results, whole or [None] * len(results), strict=True)
    ]
    kernel = rows[0].kernel
    one = len(rows) == 1
    return Report(
        name="calc",
        headline=tuple(_headline(rows[0])) if one else (kernel_text(kernel),),
        columns=COLUMNS,
        rows=rows,
        rows_key="gpus",
        inputs=kernel.to_dict(),
        shows_rows=not one,
        details=list(_details_of_one(rows[0]) if one else _details_of_several(rows)),
        notes=(*dict.fromkeys(each for row in rows for each in _notes(row)), *notes),
    )


def _headline(row: Row) -> Iterator[str]:
    result = row.result
    yield result_text(row)
    yield f"{kernel_text(row.kernel)} on {gpu_text(row.gpu)}"
    if result.launchable:
        most = result.limits.max_warps_per_multiprocessor
        where = "" if row.compile_error is None else "With dynamic shared memory instead, "
        yield f"{where}{count(result.active_blocks, 'block')} per SM: {result.active_warps} of {most} warps"
    if row.waves is not None:
        yield wave_text(row.waves)


RESOURCE_TABLE = (
    Column("resource", "Resource", itemgetter(0), align="left"),
    Column("per_block", "Per block", itemgetter(1)),
    Column("per_multiprocessor", "Per SM", itemgetter(2), optional=1),
    Column("blocks", "Blocks that fit", itemgetter(3)),
    Column("remark", "", itemgetter(4), align="left", wraps=True),
)
STEP_TABLE = (
    Column("occupancy", "", itemgetter(0), align="left"),
    Column("active_blocks", "", itemgetter(1), align="left"),
    Column("changes", "", itemgetter(2), align="left", wraps=True),
    Column("launch_bounds", "", itemgetter(3), align="left", optional=1),
)


def _resource_rows(row: Row) -> Iterator[tuple[str, ...]]:
    result = row.result
    reserved = result.limits.reserved_shared_memory_per_block if result.model == "cuda" else 0
    for (name, use), blocks in zip(result.uses.items(), result.block_limits, strict=True):
        if blocks is None and name in ("virtual_resources", "tensor_memory", "barriers"):
            continue
        remarks = ["<- limiter"] if name in result.limiters else []
        if name == "shared_memory" and reserved and use.per_block:
            remarks.append(f"includes {size(reserved)} reserved")
        text = size if name == "shared_memory" else plain
        mark = "*" if getattr(row.kernel, {"registers": "regs"}.get(name, name), 0) is None else ""
        per_sm = "-" if use.per_multiprocessor is None else text(use.per_multiprocessor)
        fitting = "no limit" if blocks is None else plain(blocks)
        yield label(name), f"{text(use.per_block)}{mark}", per_sm, fitting, ", ".join(remarks)


def _details_of_one(row: Row) -> Iterator[Block]:
    rows = list(_resource_rows(row))
    yield Table("", RESOURCE_TABLE, rows)
    if row.compile_error is None:
        if row.result.occupancy < 1 or not row.result.launchable:
            yield _steps_block(row)
        if facts := list(_facts(row)):
            yield Facts(facts)
    if any(per_block.endswith("*") for _, per_block, *_ in rows):
        yield Paragraph([NOTES["assumed"].text])
    if row.waves is not None:
        yield _waves_table([row])
    for each in row.explanation or ():
        why = [each.why] if each.why else []
        yield Paragraph([label(each.resource), *(f"  {line}" for line in (*each.steps, *why))])


def _steps_block(row: Row) -> Block:
    title = "To raise occupancy" if row.result.launchable else "To make it launch"
    if not row.steps:
        return Paragraph((f"{title}: fewer registers or less shared memory do not help.",))
    rows, lines = [], []
    for step in row.steps:
        cap = row.cap(step)
        bounds = "" if cap is None else cap.launch_bounds or cap.maxnreg
        if bounds.startswith("__launch_bounds__"):
            bounds = bounds.removeprefix("__launch_bounds__")
            lines = [f"({row.kernel.threads}, N): arguments of __launch_bounds__."]
        blocks = count(step.active_blocks, "block")
        rows.append((percent(step.occupancy), blocks, step_changes(row.kernel, step), bounds))
    if any("regs" in step.requires for step in row.steps):
        lines.append(NOTES["registers-may-spill"].text)
    return Table(title, STEP_TABLE, rows, [" ".join(lines)] if lines else [])


def _facts(row: Row) -> Iterator[tuple[str, str]]:
    if row.result.launchable:
        if grows := ", ".join(_headroom(row)):
            yield "Headroom", grows
        smallest = row.carveout
        if smallest is not None and smallest["percent"] is not None and smallest["l1"] is not None:
            memory, l1 = size(smallest["shared_memory"]), size(smallest["l1"])
            yield "Carveout", f"{smallest['percent']}% ({memory}) is enough and leaves {l1} of L1"
    for call in row.opt_ins:
        yield "Opt in", call
    if row.resident_blocks and row.waves is None:
        sms, clusters = row.gpu.multiprocessor_count or 0, ""
        if row.wave is not None:
            sms = row.wave.multiprocessor_count
            if row.wave.clusters is not None:
                clusters = f" in {'up to ' * row.wave.is_upper_bound}{count(row.wave.clusters, 'cluster')}"
        resident = f"{count(sms, 'SM')} hold{'s' * (sms == 1)} {count(row.resident_blocks, 'block')}"
        yield "Whole GPU", f"{resident}{clusters}: one wave, the largest cooperative grid"


def _headroom(row: Row) -> Iterator[str]:
    kernel = row.kernel
    used: list[tuple[Adjustable, int | None]] = [("regs", kernel.regs), ("smem", kernel.shared_memory)]
    if kernel.barriers is not None and row.result.block_limits.barriers is not None:
        used.append(("barriers", kernel.barriers))
    for name, now in used:
        most = getattr(row.slack, name)
        if most is not None and (now is None or most > now):
            yield f"{QUANTITIES[name].resource.replace('_', ' ')} up to {size(most) if name == 'smem' else plain(most)}"


def wave_text(waves: Waves) -> str:
    """Return the line on the last wave and the grids without a tail."""
    wave = waves.full_wave
    unit = ""
    if wave.clusters is not None and wave.is_upper_bound:
        unit = f" of up to {count(wave.clusters, 'cluster')}"
    if not waves.partial_wave_blocks:
        return f"{count(waves.full_waves, 'full wave')}{unit}, no tail"
    return (
        f"Last wave: {percent(waves.last_wave_fill)} full ({count(waves.rounds, 'wave')}{unit}); full waves at "
        f"multiples of {wave.blocks:,} blocks"
    )


WAVE_TABLE = (
    Column("gpu", "GPU", "gpu.label", align="left"),
    Column("multiprocessor_count", "SMs", "wave.multiprocessor_count"),
    Column("blocks", "Blocks at once", "wave.blocks"),
    Column("clusters", "Clusters", "wave.clusters", optional=1),
    Column("waves", "Waves", lambda row: f"{row.waves.waves:,.2f}"),
    Column("last", "Last wave", lambda row: percent(row.waves.last_wave_fill)),
    Column("idle", "GPU idle", lambda row: percent(row.waves.idle_share)),
    Column("below", "Full below", "waves.filling_grid_below", optional=2),
    Column("above", "Full above", "waves.filling_grid_above", optional=2),
)


def _waves_table(rows: Sequence[Row]) -> Table:
    has_clusters = any(row.wave is not None and row.wave.clusters is not None for row in rows)
    columns = [column for column in WAVE_TABLE if has_clusters or column.key != "clusters"]
    waves = rows[0].waves
    assert waves is not None
    return Table(f"A grid of {waves.launch.blocks:,} blocks", columns, rows)


def _details_of_several(rows: Sequence[Row]) -> Iterator[Block]:
    if with_waves := [row for row in rows if row.waves is not None]:
        yield _waves_table(with_waves)
    if failures := [row for row in rows if not row.result.launchable or row.compile_error]:
        yield Facts([(row.gpu.label, result_text(row)) for row in failures])
    if any(row.steps for row in rows):
        yield Paragraph(("For limits that hold on all of these GPUs, run occupancy budget.",))


def _notes(row: Row) -> Iterator[Note]:
    from .explain import is_limited_to_half  # few results need it

    result, kernel = row.result, row.kernel
    if result.model == "spreadsheet" and result.active_blocks and not result.launchable:
        yield NOTES["spreadsheet-no-launch"]
    if result.model == "cuda" and result.launchable:
        if kernel.carveout is not None and (
            shared_memory_configuration(result.limits, kernel.carveout) < result.allocated.shared_memory
        ):
            yield NOTES["carveout-raised"]
        if kernel.caching == "ca" and not is_limited_to_half(result):
            yield NOTES["caching-dropped"]
        if kernel.tensor_memory is not None and kernel.virtual_resources_at_start:
            free = evaluate(result.limits, kernel.replace(virtual_resources=0), result.model)
            if free.active_blocks > result.active_blocks:
                yield NOTES["tensor-memory"]
    if may_be_divided(result) and not kernel.reallocates_registers:
        yield NOTES["setmaxnreg"]
    if row.wave is not None and row.wave.is_upper_bound:
        yield NOTES["cluster-bound"]
    if row.gpu.variants:
        sms = " or ".join(map(str, sorted({each.multiprocessor_count or 0 for each in row.gpu.variants})))
        text = f"{row.gpu.label} has {sms} SMs. For the whole GPU, name the product or give `--sms`."
        yield NOTES["sms-vary"]._replace(text=text)
