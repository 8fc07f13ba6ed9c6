"""Results of the program as plain numbers: the only adapter between the golden files and the API.

Each function takes plain input (the first columns of a golden row) and returns results by stable names. If the
API changes, only this module changes, and the recorded files stay valid.
"""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import occupancy
from occupancy import cuda
from occupancy.advice.next_steps import probably_uses_setmaxnreg
from occupancy.builds.names import base_name
from occupancy.errors import OccupancyError
from occupancy.values.fields import Carveout
from occupancy.values.kernel import Kernel, Launch
from occupancy.values.resources import RESOURCES

Inputs = Mapping[str, Any]
"""Given fields of a kernel; a carveout is text in percent or a number of bytes."""
Values = dict[str, Any]

LIMITS = (
    "max_threads_per_multiprocessor", "max_blocks_per_multiprocessor", "max_registers_per_multiprocessor",
    "max_registers_per_block", "max_registers_per_thread", "max_shared_memory_per_multiprocessor",
    "max_shared_memory_per_block", "max_shared_memory_per_block_optin", "reserved_shared_memory_per_block",
    "max_oversized_shared_memory_per_block", "shared_memory_configurations", "unified_l1_and_shared_memory",
    "max_threads_per_block", "max_block_dim", "max_portable_cluster_size", "max_non_portable_cluster_size",
    "max_barriers_per_block", "max_barriers_per_multiprocessor", "virtual_resources_per_multiprocessor",
    "tensor_memory_per_multiprocessor", "register_allocation_unit", "shared_memory_allocation_unit",
    "warp_allocation_granularity", "sub_partitions", "launch_check_sub_partitions", "warp_size",
)  # fmt: skip

IMAGE = (
    "regs", "static_smem", "spill_smem", "dynamic_smem", "smem", "barriers", "virtual_resources",
    "tensor_memory", "reallocates_registers", "stack_bytes", "spill_store_bytes", "spill_load_bytes",
    "spills_from", "max_threads", "required_threads", "min_blocks", "register_cap", "cluster_dim",
    "threads", "block_dim", "launches", "grid_dim", "multiprocessor_count",
    "shared_memory_configuration", "duration_us", "achieved_occupancy", "num_warps",
    "num_stages", "code", "linked", "line",
)  # fmt: skip

COMPARED = (
    "regs", "smem", "barriers", "stack_bytes", "spill_store_bytes", "spill_load_bytes", "spill_smem",
    "max_threads", "min_blocks", "occupancy",
)  # fmt: skip

FAILURE = ("limit", "needed", "allowed", "error")


def plain(value: Any) -> Any:
    """Return a value for JSON, with lists, and floats rounded to nine digits."""
    if isinstance(value, float):
        return round(value, 9)
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value


def kernel_from(inputs: Inputs) -> Kernel:
    fields = dict(inputs)
    carveout = fields.pop("carveout", None)
    if isinstance(carveout, str):
        fields["carveout"] = Carveout(int(carveout.rstrip("%")), "percent")
    elif carveout is not None:
        fields["carveout"] = Carveout(carveout, "bytes")
    if "block_dim" in fields:
        fields["block_dim"] = tuple(fields["block_dim"])
    return Kernel(**fields)


def result(cc: str, model: Any, inputs: Inputs) -> occupancy.Occupancy:
    return occupancy.compute(cc, kernel_from(inputs), model=model)


def limits(cc: str) -> Values:
    row = occupancy.limits(cc)
    named = {name: getattr(row, name) for name in LIMITS}
    return named | {"granularity": row.register_allocation_granularity}


def gpus(name: str) -> Values:
    try:
        found = occupancy.gpu(name)
    except OccupancyError:
        return {"cc": "ambiguous", "sms": None}
    return {"cc": found.cc, "sms": found.multiprocessor_count}


def gpu_names() -> list[str]:
    return [gpu.label for gpu in occupancy.gpus()]


def calc(cc: str, model: str, inputs: Inputs) -> Values:
    """Return the resident blocks, and the limit and allocation of every resource."""
    r = result(cc, model, inputs)
    allocated, failure = r.allocated, r.failure
    return {
        "active_blocks": r.active_blocks, "active_warps": r.active_warps,
        "active_threads": r.active_threads, "occupancy": r.occupancy, "block_limits": list(r.block_limits),
        "allocated": [allocated.warps, allocated.registers, allocated.shared_memory],
        "limiters": [RESOURCES.index(each) for each in r.limiters], "launchable": r.launchable,
        "failure": None if failure is None else [*(getattr(failure, each) for each in FAILURE)],
        "shared_memory_pool": r.shared_memory_pool,
        "uses": [[use.per_block, use.per_multiprocessor] for use in r.resources.values()],
    }  # fmt: skip


def advice(cc: str, model: str, inputs: Inputs) -> Values:
    r = result(cc, model, inputs)
    slack, carveout = r.slack(), r.carveout()
    smallest = carveout.smallest
    return {
        "next_steps": [[step.active_blocks, step.occupancy, dict(step.requires)] for step in r.next_steps()],
        "headroom": [slack.regs, slack.smem, slack.barriers, slack.tensor_memory],
        "left_over": [slack.unused[each] for each in RESOURCES],
        "carveout": None if smallest is None else [smallest.percent, smallest.shared_memory, smallest.l1],
        "configurations": [[each.shared_memory, each.active_blocks] for each in carveout.configurations],
        "needs_opt_in": carveout.needs_opt_in,
        "may_be_divided": probably_uses_setmaxnreg(r),
    }


def accepts(inputs: Inputs) -> Values:
    """Return True if the values of a kernel and its grid are valid."""
    fields = dict(inputs)
    grid = fields.pop("grid", None)
    try:
        kernel = kernel_from(fields)
        if grid is not None:
            Launch(kernel, tuple(grid))
    except (OccupancyError, TypeError):
        return {"accepted": False}
    return {"accepted": True}


def fits(inputs: Inputs) -> Values:
    """Return the resident blocks on every compute capability; null if the kernel does not launch."""
    kernel, blocks = kernel_from(inputs), []
    for cc in compute_capabilities():
        with contextlib.suppress(OccupancyError):
            r = occupancy.compute(cc, kernel)
            blocks.append([cc, r.active_blocks if r.launchable else None])
    return {"blocks": blocks}


def compute_capabilities() -> list[str]:
    return [str(cc) for cc in occupancy.compute_capabilities()]


def budget(cc: str, inputs: Inputs, percent: float | None, blocks: int | None) -> Values:
    """Return the maximum registers and shared memory for a target, and for every number of blocks."""
    try:
        report = result(cc, None, inputs).budget(occupancy=percent, blocks=blocks)
    except OccupancyError:
        return {"wanted": "unreachable", "levels": None}
    return {"wanted": _level(report.wanted), "levels": [_level(each) for each in report.levels]}


def _level(level: Any) -> list[Any] | None:
    return None if level is None else [level.active_blocks, level.regs, level.smem, level.needs_opt_in]


def bounds(cc: str, inputs: Inputs, min_blocks: int | None) -> Values:
    found = result(cc, None, inputs).launch_bounds(blocks=min_blocks)
    names = ("register_cap", "legal", "most_blocks", "regs", "active_blocks", "occupancy")
    return {name: getattr(found, name) for name in names}


def block_sizes(cc: str, inputs: Inputs, sms: int | None) -> Values:
    sizes = result(cc, None, inputs).block_sizes()
    blocks = sorted([each.threads, each.active_blocks] for each in sizes)
    runtime = None
    if sms is not None:
        arguments = {name: value for name, value in inputs.items() if name != "threads"}
        chosen = cuda.max_potential_block_size(cc, multiprocessor_count=sms, **arguments)
        runtime = [chosen.block_size, chosen.min_grid_size]
    return {"sizes": blocks, "best": max(each.occupancy for each in sizes), "runtime": runtime}


def registers(
    cc: str, groups: str, threads: int | None, regs: int | None, min_blocks: int | None, smem: int | None
) -> Values:
    """Return the split of a block's registers among its warpgroups, and if they suffice."""
    names = (
        "threads", "launch_regs", "needed_regs", "pool", "taken", "suffices", "min_blocks", "active_blocks",
        "needs_opt_in", "launch_regs_if_fitting",
    )  # fmt: skip
    try:
        kernel: Values = {"threads": threads, "regs": regs, "blocks": min_blocks, "smem": smem}
        split = occupancy.register_split(groups, gpu=cc, **kernel)
    except OccupancyError:
        return {"groups": "impossible", **dict.fromkeys(names)}
    shares = [[share.warpgroups, share.regs, share.most] for share in split.groups]
    return {"groups": shares, **{name: getattr(split, name) for name in names}}


def waves(cc: str, inputs: Inputs, sms: int, grid: Sequence[int], cluster: int | None) -> Values:
    names = ("rounds", "full_waves", "partial_wave_blocks", "last_wave_fill", "idle_share", "waves")
    try:
        found = result(cc, None, {**inputs, "cluster": cluster}).waves(tuple(grid), multiprocessor_count=sms)
    except OccupancyError:
        found = None
    if not (found and found.full_wave.blocks):
        return {"wave": "impossible", **dict.fromkeys(names)}
    wave = found.full_wave
    values = {"wave": [wave.blocks, wave.clusters, wave.is_upper_bound]}
    return values | {name: getattr(found, name) for name in names}


def sweep(cc: str, values: Mapping[str, Sequence[int]]) -> Values:
    threads, regs, smem = np.ix_(*map(np.asarray, (values["threads"], values["regs"], values["smem"])))
    found = occupancy.sweep(cc, threads=threads, regs=regs, smem=smem)
    highest = np.float32(found.occupancy.max()).item()  # recorded in single precision
    return {"active_blocks": found.active_blocks.ravel().tolist(), "highest": highest}


def records(path: Path) -> Values:
    """Return the kernels of one file, with the occupancy at the block size, the launch bound, or 256."""
    found = [each for each in occupancy.stream_kernels(path) if isinstance(each, occupancy.KernelRecord)]
    rows = [[each.name, each.arch, *(getattr(each, name) for name in IMAGE), *_at(each)] for each in found]
    return {"kernels": sorted(plain(rows), key=repr)}


def _at(record: occupancy.KernelRecord) -> list[Any]:
    threads = record.threads or record.required_threads or record.max_threads or 256
    with contextlib.suppress(OccupancyError):
        if record.arch:
            r = occupancy.compute(record.arch, record.kernel(threads))
            return [threads, r.active_blocks, r.active_warps, r.launchable]
    return [threads, None, None, None]


def scan(paths: Sequence[Path], threads: int) -> Values:
    """Return the merged kernels of files, with the occupancy at a given block size."""
    found = occupancy.scan(list(map(str, paths)), threads=threads)
    return {"kernels": sorted(([each.name, each.arch, *_compared(each)] for each in found), key=repr)}


def _compared(row: Any) -> list[Any]:
    return [plain(getattr(row, name)) for name in COMPARED]


def diff(old: Path, new: Path, threads: int) -> Values:
    """Return the matched kernels of two builds, and separately those with other template arguments."""
    report = occupancy.diff(old, new, threads=threads, with_same=True)
    pairs: dict[bool, list[Any]] = {False: [], True: []}
    for row in report.kernels:
        pair = [[each.name, each.arch, *_compared(each)] for each in (row.old, row.new)]
        pairs[row.matched_by == "code" and base_name(row.old.name) == base_name(row.new.name)].append(pair)
    return {
        "kernels": sorted(pairs[False], key=repr),
        "new_templates": sorted(pairs[True], key=repr),
        "added": sorted([each.name, each.arch] for each in report.added),
        "removed": sorted([each.name, each.arch] for each in report.removed),
    }


def check(old: Path, new: Path, threads: int, rules: str, folder: Path) -> Values:
    """Return the broken rules of each kernel in a new build, with the old build as the baseline."""
    baseline, file = folder / "baseline.json", folder / "rules.toml"
    occupancy.save_baseline(old, baseline, threads=threads)
    file.write_text(rules, encoding="utf-8")
    report = occupancy.check(new, file, baseline=baseline, threads=threads)
    broken = [
        [each.kernel.name, each.kernel.arch, one.rule, one.criterion, one.was, one.value]
        for each in report.broken
        for one in each.violations
    ]
    missing = sorted([each.name, each.arch] for each in report.removed)
    return {"broken": sorted(plain(broken), key=repr), "missing": missing}


PURE: dict[str, Callable[..., Values]] = {
    "accepts": accepts,
    "limits": limits, "gpus": gpus, "calc": calc, "advice": advice, "fits": fits, "budget": budget,
    "bounds": bounds, "block_sizes": block_sizes, "registers": registers, "waves": waves, "sweep": sweep,
}  # fmt: skip
"""Functions that need only numbers."""


def from_files(question: str, inputs: Sequence[Any], data: Path, scratch: Path) -> Values:
    """Return the results of a function of files, with paths relative to ``data``."""
    match question, inputs:
        case "records", [path]:
            return records(data / path)
        case "scan", [paths, threads]:
            return scan([data / path for path in paths], threads)
        case "diff", [old, new, threads]:
            return diff(data / old, data / new, threads)
        case "check", [old, new, threads, rules]:
            return check(data / old, data / new, threads, rules, scratch)
    raise ValueError(f"{question} is not recorded")
