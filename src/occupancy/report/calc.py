"""The report of a kernel on one GPU or on several: the result, its resources, and the advice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import groupby
from operator import itemgetter, methodcaller
from typing import Any

from ..advice.launch_bounds import RegisterCap, register_cap
from ..advice.launch_requirements import opt_ins
from ..advice.next_steps import NextStep, probably_uses_setmaxnreg
from ..advice.slack import SlackFields
from ..advice.waves import FullWave, WavesFields, full_wave
from ..engine.common import shared_memory_configuration
from ..tables.gpus import Gpu
from ..values.kernel import Kernel, Launch
from ..values.numbers import count, percent, plain, size
from ..values.resources import QUANTITIES
from .model import LABELS, NOTES, Block, Column, Note, Paragraph, Report, Table, facts, is_size, values_of
from .words import gpu_name, gpu_text, kernel_text, label, labels, result_text, step_changes, step_text


class Row:
    """An `Occupancy` with the advice on it, each part computed when a column or a detail needs it."""

    def __init__(self, result: Any, wave: FullWave | None = None, waves: WavesFields | None = None) -> None:
        self.result, self.waves = result, waves
        self.gpu: Gpu = result.gpu
        self.kernel: Kernel = result.kernel
        sms = self.gpu.multiprocessor_count
        self.wave = full_wave(result, sms) if wave is None and sms is not None else wave

    @cached_property
    def steps(self) -> tuple[NextStep, ...]:
        """Higher occupancies; none for a grid of at most one wave, whose blocks are all resident."""
        return () if self.is_one_wave else tuple(self.result.next_steps())

    @property
    def is_one_wave(self) -> bool:
        return self.waves is not None and self.waves.waves <= 1

    def cap(self, step: NextStep) -> RegisterCap | None:
        """Return how a step's registers are requested from the compiler; None if it needs no others."""
        registers = step.requires.get("regs")
        if registers is None or "threads" in step.requires:
            return None
        return register_cap(self.result, registers, step.active_blocks)

    @property
    def opt_ins(self) -> list[str]:
        return list(opt_ins(self.result, None if self.wave is None else self.wave.cluster_size))

    @property
    def carveout(self) -> dict[str, Any] | None:
        smallest = self.result.carveout().smallest
        return smallest and values_of(smallest, "shared_memory", "percent", "l1", "active_blocks")


def _resources(row: Row) -> dict[str, dict[str, int | None]]:
    return {
        name: {**values_of(use, "per_block", "per_multiprocessor"), "blocks": blocks}
        for (name, use), blocks in zip(row.result.uses.items(), row.result.block_limits, strict=True)
    }


def _next_steps(row: Row) -> list[dict[str, Any]]:
    return [
        {**step._asdict(), "launch_bounds": cap and cap.launch_bounds, "maxnreg": cap and cap.maxnreg}
        for step, cap in zip(row.steps, map(row.cap, row.steps), strict=True)
    ]


WAVE_COLUMNS = (
    Column("gpu", "GPU", lambda waves: gpu_name(waves.full_wave.result.gpu), align="left"),
    Column("multiprocessor_count", "SMs", "full_wave.multiprocessor_count"),
    Column("grid", "", "launch.blocks"),
    Column("blocks_per_wave", "Full wave", "full_wave.blocks", lambda waves: _most(waves.full_wave)),
    Column("waves", "Waves", show=lambda waves: f"{waves.waves:,.2f}"),
    Column("full_waves"),
    Column("last_wave_blocks", "", "partial_wave_blocks"),
    Column("last_wave_fill", "Last wave", show=lambda waves: percent(waves.last_wave_fill)),
    Column("idle_share", "GPU idle", show=lambda waves: percent(waves.idle_share), optional=1),
)

RESULT_COLUMNS = (
    Column("gpu", "GPU", "gpu.name", lambda row: gpu_name(row.gpu) if row.gpu.name else "-",
           "Name of the GPU, if one was given", "left", type="string"),
    Column("cc", "CC", "gpu.cc", about="Compute capability", align="left", type="string"),
    Column("model", "", "result.model", about='"cuda" or "spreadsheet"', type="string"),
    Column("launchable", "", "result.launchable", about="True if the kernel launches", type="boolean"),
    Column("reason", "", "result.reason", about="Reason why the kernel does not launch", type="string"),
    Column("occupancy", "Occupancy", "result.occupancy",
           lambda row: percent(row.result.occupancy) if row.result.launchable else "no launch",
           "Resident warps divided by the maximum per SM, 0 to 1", type="number"),
    Column("active_blocks", "Blocks", "result.active_blocks", about="Resident blocks per SM", type="integer"),
    Column("multiprocessor_count", "SMs", "gpu.multiprocessor_count", about="SMs of the GPU", optional=3,
           type="integer"),
    Column("resident_blocks", "On GPU", lambda row: row.wave and row.wave.blocks, optional=1, type="integer",
           about="Resident blocks of the whole GPU, in whole clusters"),
    Column("active_warps", "", "result.active_warps", about="Resident warps per SM", type="integer"),
    Column("limiters", "Limited by", "result.limiters", lambda row: labels(row.result.limiters),
           "Limiting resources", "left", wraps=True, unbroken=14, type="array"),
    Column("resources", "", _resources, type="object",
           about="Amount per block, amount per SM and block limit of each resource; null: no limit"),
)  # fmt: skip
"""Keys of `Occupancy.to_dict`, too."""

COLUMNS = (
    *RESULT_COLUMNS,
    Column("clusters", "", lambda row: values_of(row.wave, "cluster_size", "clusters", "blocks", "is_upper_bound")
           if row.wave and row.wave.cluster_size else None,
           about="Upper bound of resident clusters, with --cluster", type="object"),
    Column("waves", "", lambda row: row.waves and {each.key: each.getter(row.waves) for each in WAVE_COLUMNS[2:]},
           about="Waves and tail of the grid, with --grid", type="object"),
    Column("next_steps", "Next step", _next_steps, lambda row: step_text(row.steps[0]) if row.steps else "",
           "Higher levels of occupancy, each with all required changes", "left", optional=1, wraps=True,
           unbroken=14, type="objects"),
    Column("headroom", "", lambda row: values_of(row.result.slack(), *QUANTITIES),
           about="Largest value of each input that keeps the blocks", type="object"),
    Column("carveout", about="Smallest shared memory configuration that keeps the blocks", type="object"),
    Column("opt_ins", about="Calls required before the launch", type="array"),
    Column("compile_error", "", "result.compile_error", type="string", about="Reason why the kernel does not compile"),
)  # fmt: skip

_GETTERS = tuple((column.key, column.getter) for column in RESULT_COLUMNS)


def record(result: Any) -> dict[str, Any]:
    row = Row(result)
    return {key: value(row) for key, value in _GETTERS}


def calc_report(rows: Sequence[Row], *, explain: bool = False) -> Report:
    """Return the report of a kernel on each of some GPUs."""
    kernel = rows[0].kernel
    one = len(rows) == 1
    headline = tuple(_headline(rows[0])) if one else (kernel_text(kernel),)
    details = list(_details_of_one(rows[0]) if one else _details_of_several(rows))
    for row in rows if explain else ():
        if not one:
            details.append(Table(gpu_text(row.gpu), RESOURCE_TABLE, list(_resource_rows(row))))
        details += row.result.explain().report().details
    notes = list(dict.fromkeys(_note(row, code) for row in rows for code in _notes(row, is_only=one)))
    inputs = kernel.to_dict()
    return Report("calc", headline, COLUMNS, rows, "gpus", inputs, {}, details, notes, shows_rows=not one)


def part_report(
    parts: Sequence[Any], name: str, rows: list[dict[str, Any]], details: Sequence[Block] = ()
) -> Report:
    """Return the report of some advice on each of some results; details replace the table of its rows."""
    first, *others = (part.result for part in parts)
    headline = [] if others else [result_text(first)]
    headline.append(kernel_text(first.kernel, first.gpu, *(each.gpu for each in others)))
    columns = list(map(keyed_column, dict.fromkeys(key for row in rows for key in row)))
    inputs = first.kernel.to_dict()
    return Report(name, headline, columns, rows, inputs=inputs, details=details, shows_rows=not details)


def keyed_column(key: str) -> Column:
    """Return the column of a key of dictionaries, an input or part of a result."""
    column = next((each for each in RESULT_COLUMNS if each.key == key), Column(key))
    title = LABELS.get(key, label(key)).partition(" per ")[0]
    texts = dict[str, Callable[[Any], str]](occupancy=percent, limiters=labels, shared_memory=size, l1=size)
    text = texts.get(key, size if is_size(key) else plain)

    def show(row: dict[str, Any]) -> str:
        return "-" if row.get(key) is None else text(row[key])

    title = column.title or title[:1].upper() + title[1:]
    return column._replace(title=title, value=methodcaller("get", key), show=show)


def steps_report(parts: Sequence[Any]) -> Report:
    rows, details = list[dict[str, Any]](), list[Block]()
    for steps in parts:
        row = Row(steps.result)
        row.steps = tuple(steps)  # perhaps some of them
        on_gpu = {"gpu": row.gpu.name, "cc": row.gpu.cc}
        rows += [{**on_gpu, **step.pop("requires"), **step} for step in _next_steps(row)]
        details += [Paragraph([f"{gpu_name(row.gpu)}: {result_text(row.result)}"])] if len(parts) > 1 else []
        details += _steps_blocks(row)
    return part_report(parts, "next-steps", rows, details)


def slack_report(slack: SlackFields) -> Report:
    unused = {f"unused_{name}": left.amount for name, left in slack.left_over.items()}
    texts = [f"{label(name.removeprefix('unused_'))} {amount:,}" for name, amount in unused.items() if amount]
    details = facts([("Headroom", ", ".join(_headroom(slack))), ("Unused", ", ".join(texts))])
    return part_report([slack], "slack", [values_of(slack, *QUANTITIES) | unused], [details])


def explain_report(parts: Sequence[Any]) -> Report:
    (explained,) = parts
    details = [Paragraph([label(each.resource), *(f"  {step}" for step in each.steps)]) for each in explained]
    return part_report(parts, "explain", [each._asdict() for each in explained], details)


def waves_report(waves: Sequence[WavesFields]) -> Report:
    results: list[Any] = [each.full_wave.result for each in waves]
    launch, gpus = waves[0].launch, [result.gpu for result in results]
    first = waves_text(waves[0]) if len(waves) == 1 else _grid_text(launch)
    headline = first, kernel_text(launch.kernel, *gpus)
    return Report("waves", headline, WAVE_COLUMNS, waves, "gpus", launch.kernel.to_dict())


def _headline(row: Row) -> Iterator[str]:
    result = row.result
    yield result_text(result)
    if row.waves is not None:
        yield waves_text(row.waves)
    yield kernel_text(row.kernel, row.gpu)
    if result.launchable:
        most = result.limits.max_warps_per_multiprocessor
        where = "" if result.compile_error is None else "With dynamic shared memory instead, "
        yield f"{where}{count(result.active_blocks, 'block')} per SM: {result.active_warps} of {most} warps"


MOST_STEPS = 10
"""Next steps of a screen: the first ones and the last two."""
RESOURCE_TABLE = (
    Column("resource", "Resource", itemgetter(0), align="left"),
    Column("per_block", "Per block", itemgetter(1)),
    Column("per_multiprocessor", "Per SM", itemgetter(2), optional=1),
    Column("blocks", "Block limit", itemgetter(3)),
    Column("remark", "", itemgetter(4), align="left", wraps=True, unbroken=len("<- limiter")),
)
STEP_TABLE = (
    Column("occupancy", "Occupancy", itemgetter(0)),
    Column("active_blocks", "Blocks", itemgetter(1)),
    Column("changes", "Changes", itemgetter(2), align="left", wraps=True),
    Column("launch_bounds", "__launch_bounds__", itemgetter(3), align="left", optional=1),
)


def _resource_rows(row: Row) -> Iterator[tuple[str, ...]]:
    result = row.result
    reserved = result.limits.reserved_shared_memory_per_block if result.model == "cuda" else 0
    for (name, use), blocks in zip(result.uses.items(), result.block_limits, strict=True):
        is_limiter = name in result.limiters
        if name == "barriers" and row.kernel.barriers is None and not is_limiter:
            continue
        if blocks is None and name in ("virtual_resources", "tensor_memory", "barriers"):
            continue
        remarks = ["<- limiter"] if is_limiter else []
        if name == "warps" and result.failure is not None and not blocks:
            remarks.append(f"up to {result.failure.allowed:,} threads")
        if name == "shared_memory" and reserved and use.per_block:
            remarks.append(f"{size(reserved)} reserved")
        text = size if name == "shared_memory" else plain
        mark = "*" if name == "registers" and row.kernel.regs is None else ""
        per_sm = "-" if use.per_multiprocessor is None else text(use.per_multiprocessor)
        fitting = "no limit" if blocks is None else plain(blocks)
        yield label(name), f"{text(use.per_block)}{mark}", per_sm, fitting, ", ".join(remarks)


def _details_of_one(row: Row) -> Iterator[Block]:
    yield Table("", RESOURCE_TABLE, list(_resource_rows(row)))
    if row.result.compile_error is None:
        if row.result.occupancy < 1 or not row.result.launchable:
            yield from _steps_blocks(row)
        if remarks := list(_remarks(row)):
            yield facts(remarks)


def _steps_blocks(row: Row) -> Iterator[Block]:
    title = "To raise occupancy" if row.result.launchable else "To make it launch"
    if row.is_one_wave:
        yield Paragraph(("The whole grid fits in one wave, so higher occupancy would not help.",))
    elif not row.steps:
        yield Paragraph((f"Fewer registers or less shared memory would not {title.removeprefix('To ')}.",))

    def cells(step: NextStep) -> tuple[Any, ...]:
        cap = row.cap(step)
        bounds = (cap.launch_bounds or cap.maxnreg).removeprefix("__launch_bounds__") if cap else ""
        return percent(step.occupancy), step.active_blocks, step_changes(row.kernel, step), bounds

    hidden = row.steps[MOST_STEPS - 2 : -2]
    shown = (step for step in row.steps if step not in hidden)
    for is_other, steps in groupby(shown, lambda step: "threads" in step.requires):
        rows = list(map(cells, steps))
        columns = STEP_TABLE if any(bounds for *_, bounds in rows) else STEP_TABLE[:-1]
        yield Table(title + " with another block size" * is_other, columns, rows)
    if hidden:
        yield Paragraph([f"{count(len(hidden), 'level')} in between: --format json lists them."])


def _remarks(row: Row) -> Iterator[tuple[str, str]]:
    if row.result.launchable:
        if grows := ", ".join(_headroom(row.result.slack())):
            yield "Headroom", grows
        best = row.result.carveout().smallest
        largest = row.result.limits.max_shared_memory_per_multiprocessor
        if best and best.percent is not None and best.l1 is not None and best.shared_memory < largest:
            memory, l1 = size(best.shared_memory), size(best.l1)
            yield "Carveout", f"{best.percent}% selects {memory}, which is enough and leaves {l1} of L1"
    for call in row.opt_ins:
        yield "Opt in", call
    if row.wave is not None and row.wave.blocks:
        wave, sms = row.wave, count(row.wave.multiprocessor_count, "SM")
        clusters = f" ({count(wave.clusters, 'cluster')})" if wave.clusters else ""
        yield "Whole GPU", f"{_most(wave)} blocks{clusters} on {sms}: largest cooperative grid"


def _headroom(slack: SlackFields) -> Iterator[str]:
    for name, quantity in QUANTITIES.items():
        now, most = getattr(slack.result.kernel, quantity.field), getattr(slack, name)
        if most is not None and (most > now if now is not None else name == "regs"):
            yield f"{label(quantity.resource)} up to {size(most) if name == 'smem' else plain(most)}"


def _most(wave: FullWave) -> str:
    """Return the blocks of a full wave: ``528``, ``up to 132``."""
    return f"{'up to ' * wave.is_upper_bound}{wave.blocks:,}"


def waves_text(waves: WavesFields) -> str:
    """Return the grid, the number of waves, their size, and the fill of the last one."""
    grid, most = count(waves.launch.blocks, "block"), _most(waves.full_wave)
    filled = percent(waves.last_wave_fill)
    idle = f", GPU {percent(waves.idle_share)} idle" if waves.idle_share else ""
    if not waves.full_waves:
        return f"{grid} in one wave of {most}: {filled} full"
    if not waves.partial_wave_blocks:
        return f"{grid} in {count(waves.rounds, 'wave')} of {most}: no tail{idle}"
    return f"{grid} in {waves.waves:,.2f} waves of {most}: last wave {filled} full{idle}"


def _grid_text(launch: Launch) -> str:
    clusters = "" if launch.cluster_dim is None else f" in clusters of {launch.cluster_size}"
    return f"Grid of {launch.blocks:,} blocks{clusters}"


def _details_of_several(rows: Sequence[Row]) -> Iterator[Block]:
    if waves := [row.waves for row in rows if row.waves is not None]:
        shown = [column for column in WAVE_COLUMNS if column.title]
        yield Table(_grid_text(waves[0].launch), shown, waves)
    if failures := [row for row in rows if not row.result.launchable or row.result.compile_error]:
        yield facts([(gpu_name(row.gpu), result_text(row.result)) for row in failures])
    if any(row.steps for row in rows):
        yield Paragraph(("For limits that hold on all GPUs, run `occupancy budget` with the same inputs.",))


def _note(row: Row, code: str) -> Note:
    example = (row.gpu.variants or (row.gpu,))[-1].name
    return NOTES[code]._replace(text=NOTES[code].text.format(gpu=gpu_name(row.gpu), example=example))


def _notes(row: Row, *, is_only: bool) -> Iterator[str]:
    result, kernel = row.result, row.kernel
    if is_only and kernel.regs is None:
        yield "assumed"
    if kernel.carveout is not None and result.launchable:
        requested = shared_memory_configuration(result.limits, kernel.carveout)
        if result.shared_memory_pool > requested:
            yield "carveout-raised"
    if kernel.tensor_memory is not None and result.limiters == ("virtual_resources",):
        yield "tensor-memory"
    if probably_uses_setmaxnreg(result) and not kernel.reallocates_registers:
        yield "setmaxnreg"
    elif is_only and result.compile_error is None and any("regs" in step.requires for step in row.steps):
        yield "registers-may-spill"
    if row.wave is not None and row.wave.is_upper_bound:
        yield "cluster-bound"
    if row.gpu.variants and not is_only:
        yield "sms-vary"
