"""Commands for a kernel: calc, fits, budget, bounds, block-sizes, registers, sweep."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..errors import DeviceError, InputError, MissingDependencyError
from ..values.fields import FIELDS
from ..values.spellings import parse_count, parse_optional, parse_shape, parse_share, parse_size
from .command import Option, command
from .options import GPU, INPUTS, LAUNCH, ON_ALL, SMS, chosen_gpu, chosen_gpus, named_gpus, option_of
from .printing import FORMAT, format_option, formats_of, output_option, save_picture, show, written_to

if TYPE_CHECKING:
    from ..api.occupancy import Occupancy
    from ..report.results import ResultRow
    from ..tables.gpus import Gpu

BLOCKS = ("--blocks", "--min-blocks", "blocks")
Dim3 = tuple[int, int, int]
VARIED = {name for name, field in FIELDS.items() if field.can_vary}


@command(
    *LAUNCH, *INPUTS, SMS,
    Option("--explain", is_flag=True, help="Show the arithmetic."),
    Option("--exit-code", is_flag=True, help="Exit with 1 if the kernel does not compile or launch."),
    FORMAT,
)  # fmt: skip
def calc(
    grid: str | None, max_active_clusters: str | None, multiprocessor_count: str | None, explain: bool,
    exit_code: bool, output_format: str | None, **inputs: Any,
) -> None:  # fmt: skip
    """Compute resident blocks per SM, their limiter, and the changes that raise occupancy.

    \b
    occupancy calc --cc 7.0 --threads 128 --regs 37
    occupancy calc --gpu "H100 SXM,RTX 4090" --threads 256 --regs 72 --smem 40k
    occupancy calc --gpu "H100 SXM" -t 384 -r 168 --grid 1000 --cluster 4
    """
    from ..api.occupancy import compute
    from ..report.calc import calc_report

    results = compute(chosen_gpus(inputs), **inputs)
    blocks = parse_optional(parse_shape, grid, "grid")
    clusters = parse_optional(parse_count, max_active_clusters, "max_active_clusters")
    if clusters is not None and len(results) > 1:
        raise InputError("applies to one GPU", where="max_active_clusters", hint="Run each GPU on its own.")
    rows = [_row(result, blocks, clusters, multiprocessor_count) for result in results]
    launch = {"grid": blocks, "max_active_clusters": clusters}
    show(calc_report(rows, launch, is_explained=explain), output_format)
    if exit_code and not all(result.launchable for result in results):
        sys.exit(1)


def _row(result: Occupancy, grid: Dim3 | None, clusters: int | None, sms: str | None) -> ResultRow:
    from ..report.results import ResultRow

    gpu, size = result.gpu, result.kernel.cluster_size
    if {grid, clusters, sms} == {None} and (size is None or gpu.device is None):
        return ResultRow(result)
    from ..advice.waves import WavesFields, full_wave
    from ..api.occupancy import multiprocessors
    from ..values.kernel import Launch

    if size is not None and gpu.device is not None and clusters is None and sms is None and result.launchable:
        from ..device.driver import count_active_clusters

        with suppress(DeviceError, MissingDependencyError):
            clusters = count_active_clusters(gpu.device, result.limits, result.active_blocks, size)
    wave = full_wave(result, multiprocessors(gpu, sms), clusters)
    return ResultRow(result, wave, grid and WavesFields(Launch(result.kernel, grid), wave))


@command(
    *ON_ALL,
    Option("--occupancy", metavar="PERCENT", help="Only GPUs that reach this occupancy, highest first: 75%."),
    Option("--exit-code", is_flag=True, help="Exit with 1 if the kernel runs on none of the GPUs."),
    FORMAT,
)  # fmt: skip
def fits(occupancy: str | None, exit_code: bool, output_format: str | None, **inputs: Any) -> None:
    """List the compute capabilities or GPUs that can run a kernel, with a reason for each that cannot.

    \b
    occupancy fits --threads 256 --regs 64 --smem 96k
    occupancy fits --threads 256 --regs 64 --smem 96k --gpu "RTX 4090,A100"
    """
    from ..api.gpus import fits as fitting
    from ..report.calc import fits_report

    rows = fitting(chosen_gpus(inputs), **inputs)
    show(fits_report(rows, parse_optional(parse_share, occupancy, "occupancy")), output_format)
    if exit_code and not any(row.runs for row in rows):
        sys.exit(1)


@command(
    option_of("threads", help="Threads per block: 256 or 16x16.  [required, except with --stage-smem]"),
    *(each for each in INPUTS if each.name != "threads"),
    Option("--occupancy", metavar="PERCENT", help="Target occupancy: 75%, 75 or 0.75."),
    Option(*BLOCKS, metavar="N|CC=N,...", help="Target blocks per SM: 4, or 8.0=2,12.0=4."),
    Option("--stage-smem", metavar="SIZE", help="Count pipeline stages of this size that fit beside --smem."),
    FORMAT,
)  # fmt: skip
def budget(
    occupancy: str | None, blocks: str | None, stage_smem: str | None, output_format: str | None, model: Any,
    **inputs: Any,
) -> None:  # fmt: skip
    """Find the most registers and shared memory that reach a target on all GPUs.

    A kernel must stay within both limits of a row. With a target, --regs and --smem must allow it. Without a target,
    the table has one row per number of blocks, and ignores --regs and --smem.

    \b
    occupancy budget --cc 9.0 --threads 256 --occupancy 75%
    occupancy budget --threads 384 --cc 8.0,9.0,12.0 --blocks 8.0=2,9.0=2,12.0=4
    occupancy budget --gpu "H100,RTX 4090" --blocks 2 --stage-smem 16k
    """
    from ..advice.budget import budgets
    from ..api.occupancy import kernel_of_inputs
    from ..report.budget import budget_report, stages_report

    limits_file, gpus = inputs["limits_file"], chosen_gpus(inputs)
    stage = parse_optional(parse_size, stage_smem, "stage_smem")
    is_any_size = stage is not None and occupancy is None and inputs["threads"] is None
    kernel = kernel_of_inputs(None, {**inputs, "threads": 1} if is_any_size else inputs, gpus=gpus)
    share = parse_optional(parse_share, occupancy, "occupancy")
    numbers = _targets(gpus, blocks, limits_file)
    cases = [(gpu, kernel, model, number) for gpu, number in zip(gpus, numbers, strict=True)]
    threads = None if is_any_size else kernel.threads
    targets = {"threads": threads, "occupancy": share, "blocks": blocks and numbers, "stage_smem": stage}
    show((budget_report if stage is None else stages_report)(budgets(cases, share), targets), output_format)


def _targets(gpus: list[Gpu], blocks: str | None, limits_file: str | None) -> list[int | None]:
    """Return the target of each GPU: one number for all, or ``8.0=2,12.0=4``."""
    from ..tables.gpus import LimitsTable

    if blocks is None:
        return [None] * len(gpus)
    hint = "Write 4 for all GPUs, or 8.0=2,12.0=4."
    if "=" not in blocks:
        return [parse_count(blocks, "blocks", hint)] * len(gpus)
    by_cc = {}
    for part in blocks.split(","):
        name, _, count = part.rpartition("=")
        if not name or not count:
            raise InputError(f"{part!r} is not a target of a GPU", where="blocks", hint=hint)
        for gpu in named_gpus("blocks", [name], LimitsTable(limits_file)):
            by_cc[gpu.cc] = parse_count(count, "blocks", hint)
    ccs = dict.fromkeys(gpu.cc for gpu in gpus)
    if ccs.keys() != by_cc.keys():
        problem = f"has targets for {', '.join(by_cc)}, but needs them for {', '.join(ccs)}"
        raise InputError(problem, where="blocks", hint=f"Write {','.join(f'{cc}=2' for cc in ccs)}.")
    return [by_cc[gpu.cc] for gpu in gpus]


@command(
    *ON_ALL,
    Option(*BLOCKS, metavar="N|CC=N,...", help="Second argument of __launch_bounds__: 4, or 8.0=2,12.0=4."),
    FORMAT,
)  # fmt: skip
def bounds(blocks: str | None, output_format: str | None, model: Any, **inputs: Any) -> None:
    """Show the register cap that __launch_bounds__ sets on each GPU.

    \b
    occupancy bounds --threads 256 --blocks 4 --cc 8.0,8.6,9.0,12.0
    occupancy bounds --threads 384 --blocks 8.0=2,9.0=2,12.0=4 --cc 8.0,9.0,12.0
    """
    from ..advice.launch_bounds import launch_bounds
    from ..api.occupancy import kernel_of_inputs
    from ..report.budget import bounds_report

    limits_file, gpus = inputs["limits_file"], chosen_gpus(inputs)
    kernel = kernel_of_inputs(None, inputs, gpus=gpus)
    targets = _targets(gpus, blocks, limits_file)
    rows = [launch_bounds(gpu, kernel, target, model) for gpu, target in zip(gpus, targets, strict=True)]
    show(bounds_report(rows), output_format)


@command(
    *(each for each in INPUTS if each.name != "threads"),
    Option("--smem-per-thread", metavar="SIZE", help="Dynamic shared memory per thread, in bytes."),
    Option("--all", "wants_all", is_flag=True, help="Show all block sizes."),
    output_option("Draw a chart instead: .svg, .png or .pdf."),
    FORMAT,
)  # fmt: skip
def block_sizes(
    smem_per_thread: str | None, wants_all: bool, output: tuple[str, ...], output_format: str | None,
    **inputs: Any,
) -> None:  # fmt: skip
    """Rank block sizes by occupancy, or by the lowest occupancy on several GPUs.

    \b
    occupancy block-sizes --cc 8.6 --regs 40
    occupancy block-sizes --cc 9.0 --regs 64 --static-smem 1k --smem-per-thread 32
    occupancy block-sizes --gpu "H100,RTX 4090" --regs 72 --smem 40k -o sizes.png
    """
    from ..advice.runtime import max_potential_block_size
    from ..api.occupancy import compute
    from ..report.block_sizes import block_sizes_picture, block_sizes_report

    results = compute(chosen_gpus(inputs), threads=32, **inputs)  # any block size
    added = parse_optional(parse_size, smem_per_thread, "smem_per_thread")
    fixed = results[0].kernel.dynamic_smem or 0
    sizer = None if added is None else lambda threads: fixed + added * threads
    launches = [
        max_potential_block_size(result.limits, result.kernel, result.gpu.multiprocessor_count or 1, sizer)
        if result.model == "cuda"
        else None
        for result in results
    ]
    sizes = [result.block_sizes(smem_of_threads=sizer) for result in results]
    if output and output_format is not None:
        raise InputError("is not used with --output", where="output_format", hint="Remove it.")
    for path in output:
        save_picture(block_sizes_picture(sizes, added), path)
    if not output:
        show(block_sizes_report(sizes, launches, added, wants_all), output_format)


@command(
    *GPU,
    Option("--groups", required=True, metavar="COUNT:REGS,...",
           help="Warpgroups and their registers after setmaxnreg: 1:40,2:232. ? is the maximum."),
    Option(*BLOCKS, metavar="N", help="Second argument of __launch_bounds__.  [default: as many as fit]"),
    Option("--exit-code", is_flag=True, help="Exit with 1 if the kernel hangs or does not launch."),
    option_of("threads", metavar="N", help="Threads per block, a multiple of 128.  [default: the threads of --groups]"),
    option_of("regs", help="Registers per thread of the compiled kernel."),
    option_of("smem"),
    FORMAT,
)  # fmt: skip
def registers(groups: str, exit_code: bool, output_format: str | None, **inputs: Any) -> None:
    """Check the register counts of setmaxnreg, or compute the maximum.

    Without --cc or --gpu, the compute capability is 9.0.

    \b
    occupancy registers --threads 384 --groups 1:40,2:232
    occupancy registers --groups '1:24,2:?'
    """
    from ..api.gpus import register_split

    split = register_split(groups, gpu=chosen_gpu(inputs) or "9.0", **inputs)
    show(split.report(), output_format)
    if exit_code and not split.can_run:
        sys.exit(1)


@command(
    *(option_of(each.name, metavar="VALUES", help=each.help) if each.name in VARIED else each for each in INPUTS),
    output_option("Draw a .svg, .png or .pdf, or write a .csv, .html, .json, .jsonl, .md or .txt file."),
    Option("--title", group="output", metavar="TEXT", help="Title of the picture."),
    Option("--mark", "marks", group="output", multiple=True, metavar="VALUE,...",
           help="Values to mark on a curve: 64,128, or best."),
    format_option("html"),
)  # fmt: skip
def sweep(
    output: tuple[str, ...], title: str | None, marks: tuple[str, ...], output_format: str | None, model: Any,
    **inputs: Any,
) -> None:  # fmt: skip
    """Vary inputs of a kernel, and show the results as charts, heat maps or rows.

    VALUES is a value, a list (128,256) or a range (FIRST:LAST[:STEP]). One varied input gives a chart, and two give a
    heat map. Three or more give the best combinations, or all with --format csv. Several GPUs count as a varied
    input. If no input varies, it shows the three charts of NVIDIA's spreadsheet.

    \b
    occupancy sweep --cc 7.0 --threads 128 --regs 37
    occupancy sweep --cc 9.0 --threads 128 --regs 16:128:8
    occupancy sweep --gpu H100,L4 -t 192 -r 16:255 --mark 72 -o curves.png
    occupancy sweep --cc 9.0 --threads 32:1024:32 --regs 16:128:8 -o map.svg
    occupancy sweep --cc 9.0 -t 32:1024:32 -r 16:255:8 -s 0:227k:16k -o all.csv
    """
    from ..api.sweep import combinations, grid_picture
    from ..render.pictures import PICTURE_FILES
    from ..report.sweep import sweep_report

    gpus = chosen_gpus(inputs)
    formats = formats_of(output, output_format, PICTURE_FILES)
    if (title is not None or marks) and "picture" not in formats.values():
        raise InputError("needs a picture", where="marks" if marks else "title", hint="Add -o chart.png.")
    for path, each in formats.items():
        if each == "picture":
            save_picture(grid_picture(gpus, inputs, model, title=title, marks=marks), path)
            continue
        has_screen = each in (None, "text", "markdown", "html")
        report = sweep_report(combinations(gpus, inputs, model), has_screen=has_screen)
        with written_to(path):
            show(report, each)
