"""A launch in Nsight Compute's metrics, which its report and its CSV pages share."""

from __future__ import annotations

from math import isfinite, prod

from .record import Format, KernelRecord, Shape

REGISTERS = "launch__registers_per_thread"
STATIC_SMEM = "launch__shared_mem_per_block_static"
DYNAMIC_SMEM = "launch__shared_mem_per_block_dynamic"
SMEM_CONFIG = "launch__shared_mem_config_size"
BLOCK_SIZE = "launch__block_size"
BARRIERS = "launch__barrier_count"
BLOCK = ("launch__block_dim_x", "launch__block_dim_y", "launch__block_dim_z")
GRID = ("launch__grid_dim_x", "launch__grid_dim_y", "launch__grid_dim_z")
CLUSTER = ("launch__cluster_dim_x", "launch__cluster_dim_y", "launch__cluster_dim_z")
THEORETICAL_OCCUPANCY = "sm__maximum_warps_per_active_cycle_pct"
ACHIEVED_OCCUPANCY = "sm__warps_active.avg.pct_of_peak_sustained_active"
DURATION = "gpu__time_duration.sum"
"""In nanoseconds."""
COMPUTE_CAPABILITY = (
    "device__attribute_compute_capability_major",
    "device__attribute_compute_capability_minor",
)
MULTIPROCESSOR_COUNT = "device__attribute_multiprocessor_count"
DISPLAY_NAME = "device__attribute_display_name"
"""The only text of interest among the metrics."""

MOST_OF_A_GPU = 96
"""Characters of a GPU's name; the driver has room for as many."""

SIZES = frozenset({STATIC_SMEM, DYNAMIC_SMEM, SMEM_CONFIG})
"""The metrics that are sizes in bytes."""

METRICS = (
    SIZES
    | {REGISTERS, BARRIERS, BLOCK_SIZE, *BLOCK, *GRID, *CLUSTER}
    | {THEORETICAL_OCCUPANCY, ACHIEVED_OCCUPANCY, DURATION, MULTIPROCESSOR_COUNT, *COMPUTE_CAPABILITY}
)
"""The metrics that a record is made of."""

FEWEST_REGISTERS_SHOWN = 16
"""Nsight shows this for every kernel with fewer. It changes no occupancy, since blocks of so few
registers are limited by their warps."""


def launch_record(
    metrics: dict[str, float],
    *,
    source: str,
    format: Format,
    name: str,
    block: Shape | None,
    grid: Shape | None,
    arch: str | None = None,
    gpu: str = "",
    compiled_regs: int | None = None,
    notes: tuple[str, ...] = (),
) -> KernelRecord:
    """The record of a launch.

    Args:
        metrics: Values in base units by metric name, as many as are there: older versions lack some.
        source: What the record names as its source.
        format: What the record names as its format.
        name: The kernel.
        block: The block's shape, where it is not among the metrics.
        grid: The grid, likewise.
        arch: The architecture, likewise.
        gpu: The name of the GPU; empty where the file does not tell it.
        compiled_regs: The registers by a better source, which will take the place of Nsight's.
        notes: What else to say.
    """
    block = block or _shape(metrics, BLOCK)
    threads = prod(block) if block else _whole(metrics, BLOCK_SIZE)
    registers = _whole(metrics, REGISTERS)
    if registers == FEWEST_REGISTERS_SHOWN and compiled_regs != registers:
        here = "" if compiled_regs is None else "; Regs are those of the code"
        notes = (*notes, f"Nsight shows {FEWEST_REGISTERS_SHOWN} registers where there are fewer{here}")
    major, minor = (_whole(metrics, name) for name in COMPUTE_CAPABILITY)
    return KernelRecord(
        source=source,
        format=format,
        name=name,
        arch=arch if major is None or minor is None else f"sm_{major}{minor}",
        regs=registers,
        static_smem=_whole(metrics, STATIC_SMEM),
        dynamic_smem=_whole(metrics, DYNAMIC_SMEM),
        barriers=_whole(metrics, BARRIERS),
        # All three are 0 for a launch without clusters.
        cluster_dim=_shape(metrics, CLUSTER),
        threads=threads,
        threads_from="launch" if threads else None,
        block_dim=block,
        launches=1,
        grid_dim=grid or _shape(metrics, GRID),
        profiled_on=gpu[:MOST_OF_A_GPU] or None,
        multiprocessor_count=_whole(metrics, MULTIPROCESSOR_COUNT),
        shared_memory_configuration=_whole(metrics, SMEM_CONFIG),
        duration_us=_scaled(metrics, DURATION, 1000),
        reported_occupancy=_scaled(metrics, THEORETICAL_OCCUPANCY, 100),
        achieved_occupancy=_scaled(metrics, ACHIEVED_OCCUPANCY, 100),
        notes=notes,
    )


def _whole(metrics: dict[str, float], name: str) -> int | None:
    value = metrics.get(name)
    return round(value) if value is not None and isfinite(value) else None


def _scaled(metrics: dict[str, float], name: str, unit: int) -> float | None:
    value = metrics.get(name)
    return value / unit if value is not None and isfinite(value) else None


def _shape(metrics: dict[str, float], names: tuple[str, str, str]) -> Shape | None:
    x, y, z = (_whole(metrics, name) for name in names)
    return (x, y, z) if x and y and z else None
