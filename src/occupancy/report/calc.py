"""Reports of a kernel on one GPU or on several: result, resources, advice, and fitting GPUs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from math import prod
from operator import itemgetter
from typing import Any

from ..advice.budget import TOLERANCE
from ..advice.launch_requirements import needs_opt_in
from ..advice.next_steps import NextStep, probably_uses_setmaxnreg
from ..advice.slack import SlackFields, carveout, slack
from ..advice.waves import FullWave, WavesFields
from ..engine import Result, limiting, max_static_smem
from ..engine.common import shared_memory_configuration
from ..values.kernel import Launch
from ..values.numbers import count, decimal, percent, plain, size
from ..values.resources import QUANTITIES
from ..values.spellings import INT_MAX
from .explain import Explanation, explain
from .model import Column, Note, Paragraph, Report, Section, Table, chosen, facts, filled, note, values_of
from .results import RESULT_COLUMNS, ResultRow, gpu_notes, gpu_remarks, part_report, wave_blocks
from .words import gpu_name, gpu_text, kernel_text, label, labels, result_text, step_changes, step_text


def _exact(name: str) -> Callable[[WavesFields], Any]:
    """Return a getter that is None without blocks, and for a bound: fewer clusters move the tail."""
    return lambda waves: (
        None if (wave := waves.full_wave).is_upper_bound or not wave.blocks else getattr(waves, name)
    )


WAVE_COLUMNS = (
    Column("gpu", "GPU", lambda waves: gpu_name(waves.full_wave.result.gpu), align="left"),
    Column("multiprocessor_count", "SMs", "full_wave.multiprocessor_count"),
    Column("grid", value="launch.blocks"),
    Column("blocks_per_wave", "Full wave", "full_wave.blocks", show=lambda waves: wave_blocks(waves.full_wave)),
    Column("is_upper_bound", value="full_wave.is_upper_bound"),
    Column("clusters", value="full_wave.clusters"),
    Column("waves", "Waves", lambda waves: waves.waves if waves.full_wave.blocks else None,
           show=lambda waves: _number_of_waves(waves)),
    Column("full_waves", value=_exact("full_waves")),
    Column("partial_wave_blocks", value=_exact("partial_wave_blocks")),
    Column("last_wave_fill", "Last wave", _exact("last_wave_fill"), percent),
    Column("idle_share", "GPU idle", _exact("idle_share"), percent, optional=1),
    Column("filling_grid_below", value=_exact("filling_grid_below")),
    Column("filling_grid_above", "No tail", _exact("filling_grid_above")),
)  # fmt: skip

COLUMNS = (
    *RESULT_COLUMNS,
    Column("clusters", about="Upper bound of resident clusters, with --cluster and SMs", type="object"),
    Column("waves", value=lambda row: row.waves and {each.key: each.getter(row.waves) for each in WAVE_COLUMNS[2:]},
           about="Waves and tail of the grid, with --grid", type="object"),
    Column("next_steps", "Next step",
           show=lambda row: step_text(row.result, row.steps[0]) if row.steps else "",
           about="Higher levels of occupancy, each with all required changes", align="left", optional=1, wraps=True,
           unbroken=14, type="objects"),
    Column("headroom", value=lambda row: values_of(slack(row.result), *QUANTITIES),
           about="Largest value of each input that does not reduce the resident blocks", type="object"),
    Column("carveout", about="Smallest shared memory configuration that holds as many blocks", type="object"),
    Column("opt_ins", about="Calls required before the launch", type="array"),
)  # fmt: skip

RESOURCE_TABLE = (
    Column("resource", "Resource", itemgetter(0), align="left"),
    Column("per_block", "Per block", itemgetter(1)),
    Column("per_multiprocessor", "Per SM", itemgetter(2), optional=1),
    Column("blocks", "Block limit", itemgetter(3)),
    Column("remark", value=itemgetter(4), align="left", wraps=True, unbroken=len("<- limiter")),
)

MOST_STEPS = 10
"""Next steps of a screen: the first ones, the highest one, and other block sizes; twice as many with a carveout."""
STEP_TABLE = (
    Column("occupancy", "Occupancy", itemgetter(0)),
    Column("active_blocks", "Blocks", itemgetter(1)),
    Column("changes", "Changes", itemgetter(2), align="left", wraps=True),
    Column("launch_bounds", "__launch_bounds__", itemgetter(3), align="left", optional=1),
)


def calc_report(
    rows: Sequence[ResultRow], launch: Mapping[str, Any] | None = None, *, is_explained: bool = False
) -> Report:
    """Return the report of a kernel on each of some GPUs; ``launch`` has its grid and active clusters."""
    kernel = rows[0].kernel
    one = len(rows) == 1
    headline = list(_headline(rows[0])) if one else [kernel_text(kernel)]
    details = list(_details_of_one(rows[0]) if one else _details_of_several(rows))
    for row in rows if is_explained else ():
        if not one:
            details.append(Table(gpu_text(row.gpu), RESOURCE_TABLE, list(_resource_rows(row))))
        details += _explanation(explain(row.result))
    notes = gpu_notes((row.gpu for row in rows), (row.result for row in rows))
    notes += dict.fromkeys(each for row in rows for each in _notes(row, is_only=one))
    inputs = {**kernel.to_dict(), **(launch or {})}
    return Report("calc", headline, COLUMNS, rows, "gpus", inputs, details, notes, has_table=not one)


def _headline(row: ResultRow) -> Iterator[str]:
    result = row.result
    yield result_text(result)
    if row.waves is not None and row.waves.full_wave.blocks:
        yield _waves_text(row.waves)
    yield kernel_text(row.kernel, row.gpu)
    if result.launchable:
        most = result.limits.max_warps_per_multiprocessor
        yield f"{count(result.active_blocks, 'block')} per SM: {result.active_warps} of {most} warps"


def _details_of_one(row: ResultRow) -> Iterator[Section]:
    yield Table("", RESOURCE_TABLE, list(_resource_rows(row)))
    if row.result.occupancy < 1 or not row.result.launchable:
        yield from _steps_sections(row)
    if remarks := list(_remarks(row)):
        yield facts(remarks)


def _resource_rows(row: ResultRow) -> Iterator[tuple[str, ...]]:
    result, given = row.result, {"registers": row.kernel.regs, "barriers": row.kernel.barriers}
    reserved = result.limits.reserved_shared_memory_per_block if result.model == "cuda" else 0
    limiters = limiting(result)
    for name, use in result.resources.items():
        allowed = 0 if name == "shared_memory" and not result.compiles else use.blocks
        is_limiter = name in limiters
        if name == "barriers" and row.kernel.barriers is None and not is_limiter:
            continue
        if use.blocks is None and name in ("virtual_resources", "tensor_memory", "barriers"):
            continue
        remarks = ["<- limiter"] if is_limiter else []
        if name == "shared_memory" and not result.compiles:
            remarks.append(f"up to {size(max_static_smem(result.limits, row.kernel))} static")
        if name == "warps" and (failure := result.failure) and not use.blocks:
            most = min(failure.allowed, row.kernel.max_threads or failure.allowed)
            remarks.append(f"up to {most:,} threads{failure.axis and f' along {failure.axis}'}")
        if name == "shared_memory" and reserved and use.per_block:
            remarks.append(f"{size(reserved)} reserved")
        mark = "*" if given.get(name, "") is None else ""
        per_block, per_sm = f"{_amount(name, use.per_block)}{mark}", _amount(name, use.per_multiprocessor)
        fitting = "no limit" if allowed is None else plain(allowed)
        yield label(name), per_block, per_sm, fitting, ", ".join(remarks)


def _amount(resource: str, amount: int | None) -> str:
    return size(amount) if resource == "shared_memory" and amount is not None else plain(amount)


def _steps_sections(row: ResultRow) -> Iterator[Section]:
    aim = "raise occupancy" if row.result.launchable else "make it launch"
    if row.is_one_wave:
        yield Paragraph(("The whole grid fits in one wave, so higher occupancy would not help.",))
    elif not row.steps:
        yield Paragraph((f"Fewer registers or less shared memory would not {aim}.",))

    def cells(step: NextStep) -> tuple[Any, ...]:
        cap = row.cap(step)
        bounds = (cap.launch_bounds or cap.maxnreg).removeprefix("__launch_bounds__") if cap else ""
        return percent(step.occupancy), step.active_blocks, step_changes(row.result, step), bounds

    levels = [step for step in row.steps if "threads" not in step.requires]
    most = MOST_STEPS * (1 if row.kernel.carveout is None else 2) - (len(row.steps) - len(levels))
    shown = [step for step in row.steps if step not in levels[most - 1 : -1]]
    for is_other_size, steps in groupby(shown, lambda step: "threads" in step.requires):
        rows = list(map(cells, steps))
        columns = STEP_TABLE if any(bounds for *_, bounds in rows) else STEP_TABLE[:-1]
        yield Table(f"To {aim}{' with another block size' if is_other_size else ''}", columns, rows)
        if len(shown) < len(row.steps) and not is_other_size:
            more = count(len(row.steps) - len(shown), "more step")
            yield Paragraph([f"{more} not shown: see `next_steps().rows()` (`--format json`)."])


def _remarks(row: ResultRow) -> Iterator[tuple[str, str]]:
    if row.result.launchable:
        if headroom := _headroom(slack(row.result)):
            yield "Headroom", headroom
        best = carveout(row.result).smallest
        largest = row.result.limits.max_shared_memory_per_multiprocessor
        if best and best.percent is not None and best.l1 is not None and best.shared_memory < largest:
            memory, l1 = size(best.shared_memory), size(best.l1)
            yield "Carveout", f"{best.percent}% selects {memory}, which is enough and leaves {l1} of L1"
    for call in row.opt_ins:
        yield "Opt in", call
    if row.wave is not None and row.result.launchable:
        whole = f"{_whole_wave(row.wave)} on {count(row.wave.multiprocessor_count, 'SM')}: largest cooperative grid"
        yield "Whole GPU", row.wave.reason or whole


def _headroom(found: SlackFields) -> str:
    """Return ``registers up to 80, shared memory up to 75 KiB``: the inputs that can grow."""
    texts = []
    for name, quantity in QUANTITIES.items():
        now, most = getattr(found.result.kernel, quantity.field), getattr(found, name)
        if most is not None and (most > now if now is not None else name == "regs"):
            amount = f"{_amount(quantity.resource, most)}{' columns' if name == 'tensor_memory' else ''}"
            texts.append(f"{label(quantity.resource)} up to {amount}")
    return ", ".join(texts)


def _details_of_several(rows: Sequence[ResultRow]) -> Iterator[Section]:
    if waves := [row.waves for row in rows if row.waves is not None]:
        yield Table(_grid_text(waves[0].launch), filled(WAVE_COLUMNS, waves), waves)
    yield from gpu_remarks(rows, [row.result.reason for row in rows])


def _notes(row: ResultRow, *, is_only: bool) -> Iterator[Note]:
    result, kernel = row.result, row.kernel
    if is_only and any(per_block.endswith("*") for _, per_block, *_ in _resource_rows(row)):
        yield note("assumed")
    requested = shared_memory_configuration(result.limits, kernel.carveout)
    if result.launchable and result.shared_memory_pool > requested:
        yield note("carveout-raised")
    if probably_uses_setmaxnreg(result) and not kernel.reallocates_registers:
        yield note("setmaxnreg")
    elif is_only and any("regs" in step.requires for step in row.steps):
        yield note("registers-may-spill")
    most = result.limits.max_shared_memory_per_block
    is_larger = any(step.requires.get("smem", 0) > most for step in row.steps)
    if is_larger and not (result.launchable or needs_opt_in(result.limits, kernel)):
        yield note("opt-in")
    yield from _cluster_notes(result, row.steps)
    if row.wave is not None and row.wave.is_upper_bound:
        yield note("cluster-bound")
    if row.gpu.variants and not is_only:
        yield note("sms-vary", gpu=gpu_name(row.gpu), example=row.gpu.variants[-1].name)


def _cluster_notes(result: Result, steps: Sequence[NextStep] = ()) -> Iterator[Note]:
    """Yield notes on clusters beyond the portable size, of the kernel and of its next steps."""
    portable = result.limits.max_portable_cluster_size or INT_MAX
    if result.limits.max_non_portable_cluster_size is None and (result.kernel.cluster_size or 0) > portable:
        yield note("unknown-clusters", cc=result.gpu.cc, most=portable)
    if any(prod(step.requires.get("cluster", ())) > portable for step in steps):
        yield note("non-portable")


def steps_report(parts: Sequence[Any]) -> Report:
    rows, details, notes = list[dict[str, Any]](), list[Section](), dict[Note, None]()
    for steps in parts:
        row = ResultRow(steps.result)
        row.steps = tuple(steps)  # perhaps some of them
        on_gpu = {each.key: each.getter(row) for each in chosen(RESULT_COLUMNS, "gpu", "cc")}
        for step in row.next_steps:
            rows.append({**steps.result.replace(**step.pop("requires")).kernel.to_dict(), **on_gpu, **step})
        details += [Paragraph([f"{gpu_name(row.gpu)}: {result_text(row.result)}"])] if len(parts) > 1 else []
        details += _steps_sections(row)
        notes |= dict.fromkeys(_cluster_notes(row.result, row.steps))
    return part_report(parts, "next-steps", rows, details, notes)


def slack_report(found: SlackFields) -> Report:
    texts = [f"{label(name)} {_amount(name, amount)}" for name, amount in found.unused.items() if amount]
    pairs = [("Headroom", _headroom(found)), ("Unused", ", ".join(texts))]
    row = values_of(found, *QUANTITIES) | {f"unused_{name}": amount for name, amount in found.unused.items()}
    return part_report([found], "slack", [row], [facts(pair for pair in pairs if pair[1])])


def waves_report(waves: Sequence[WavesFields]) -> Report:
    results = [each.full_wave.result for each in waves]
    launch, kernel = waves[0].launch, results[0].kernel
    is_bound = any(each.full_wave.is_upper_bound for each in waves)
    largest = "Largest possible wave" if is_bound else "One full wave"
    common = _grid_text(launch) if len({each.launch for each in waves}) == 1 else f"{largest} on each GPU"
    first = _waves_text(waves[0]) if len(waves) == 1 else common
    headline = first, kernel_text(kernel, *(each.gpu for each in results))
    details = gpu_remarks(results, [each.full_wave.reason for each in waves]) if len(waves) > 1 else ()
    notes = gpu_notes(results)
    notes += dict.fromkeys(each for result in results for each in _cluster_notes(result))
    notes += [note("cluster-bound")] if is_bound else []
    return Report("waves", headline, WAVE_COLUMNS, waves, "gpus", kernel.to_dict(), details, notes)


def _waves_text(waves: WavesFields) -> str:
    if waves.full_wave.reason:
        return f"Does not launch: {waves.full_wave.reason}"
    grid, most = count(waves.launch.blocks, "block"), wave_blocks(waves.full_wave)
    filled = percent(waves.last_wave_fill)
    idle = f", GPU {percent(waves.idle_share)} idle" if waves.idle_share else ""
    if waves.full_wave.is_upper_bound:
        number = f"{_number_of_waves(waves)} waves" if waves.waves > 1 else "at least one wave"
        return f"{grid} in {number} of {_whole_wave(waves.full_wave)}"
    if not waves.full_waves:
        return f"{grid} in one wave of {most}: {filled} full"
    if not waves.partial_wave_blocks:
        return f"{grid} in {count(waves.rounds, 'wave')} of {most}: no tail{idle}"
    run = f"{grid} in {_number_of_waves(waves)} waves of {most}: last wave {filled} full{idle}"
    return f"{run} (no tail with {waves.filling_grid_below:,} or {waves.filling_grid_above:,} blocks)"


def _number_of_waves(waves: WavesFields) -> str:
    number = f"{'at least ' if waves.full_wave.is_upper_bound else ''}{decimal(waves.waves)}"
    return number if waves.full_wave.blocks else "no launch"


def _whole_wave(wave: FullWave) -> str:
    size = wave.result.kernel.cluster_size
    clusters = f" ({count(wave.clusters, 'cluster')} of {size})" if wave.clusters and size != 1 else ""
    return f"{wave_blocks(wave)} blocks{clusters}"


def _grid_text(launch: Launch) -> str:
    clusters = f" in clusters of {launch.kernel.cluster_size}" if launch.kernel.cluster else ""
    return f"Grid of {launch.blocks:,} blocks{clusters}"


def explain_report(parts: Sequence[Any]) -> Report:
    (explained,) = parts
    return part_report(parts, "explain", [each._asdict() for each in explained], _explanation(explained))


def _explanation(explained: Iterable[Explanation]) -> list[Section]:
    return [Paragraph([label(each.resource), *(f"  {step}" for step in each.steps)]) for each in explained]


FITS_COLUMNS = (
    chosen(RESULT_COLUMNS, "gpu")[0]._replace(
        show=lambda fit: fit.gpu.limits.architecture if fit.gpu.label == fit.gpu.cc else gpu_name(fit.gpu)),
    *chosen(RESULT_COLUMNS, "cc"),
    Column("runs", about="True if the kernel compiles and launches", type="boolean"),
    Column("occupancy", "Occupancy", show=lambda fit: percent(fit.occupancy) if fit.runs else "no launch",
           about="Resident warps divided by the maximum per SM, 0 to 1", type="number"),
    Column("active_blocks", "Blocks", lambda fit: fit.result.active_blocks if fit.runs else 0,
           about="Resident blocks per SM", type="integer"),
    Column("limiters", "Limited by", lambda fit: list(fit.result.limiters) if fit.runs else [], text=labels,
           about="Limiting resources", align="left", wraps=True, type="array"),
    Column("opt_ins", about="Calls required before the launch", type="array"),
    Column("reason", about="Reason why the kernel does not run", type="string"),
)  # fmt: skip


def fits_report(fits: Sequence[Any], least: float | None = None) -> Report:
    running = [fit for fit in fits if fit.runs]
    kernel = fits[0].kernel
    columns, noun = FITS_COLUMNS, "GPU"
    if not any(fit.gpu.name for fit in fits):
        noun, columns = "compute capability", (columns[0]._replace(title="Architecture"), *columns[1:])
    runs = f"Launches on {len(running)} of {count(len(fits), noun)}"
    if least is not None:
        reached = [fit for fit in running if fit.occupancy >= least - TOLERANCE]
        fits = sorted(reached, key=lambda fit: -fit.occupancy)
        runs += f", {len(fits)} with at least {percent(least)}"
    details = gpu_remarks(fits, [fit.reason for fit in fits])
    results = [fit.result for fit in fits if fit.result is not None]
    notes = gpu_notes((fit.gpu for fit in fits), results)
    notes += dict.fromkeys(each for result in results for each in _cluster_notes(result))
    headline = [runs, kernel_text(kernel)]
    return Report("fits", headline, columns, fits, "gpus", kernel.to_dict(), details, notes)
