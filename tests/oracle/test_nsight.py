"""The model `cuda` compared with Nsight Compute 2025.3: its calculator, 5.0 to 12.1, and curves of a report."""

import json
from typing import Any

import numpy as np
import pytest

import occupancy
from occupancy.engine import Result
from occupancy.engine.common import divide_up, round_up
from occupancy.tables import shipped
from occupancy.values.fields import MAX_REGISTERS_PER_THREAD, Carveout
from occupancy.values.kernel import Kernel
from tests.samples import unpacked

from .golden import H200, Comparison, read_rows

FILE = "nsight_compute_2025_3"
ROWS = 41_679
ROWS_BEYOND_REGISTERS = 1_420
ROWS_WITH_OTHER_FIGURES = 1_484

REGISTERS_PER_BLOCK = {"5.2": 32768, "6.2": 65536}
"""Nsight's limits that differ from the devices, which report 65,536 on 5.2 and 32,768 on 6.2."""


def test_occupancy() -> None:
    comparison = Comparison()
    for row in read_rows(FILE):
        if is_beyond_registers(row) or has_other_register_share(row) or is_one_byte_above(row):
            comparison.skipped += 1
        else:
            limits = shipped.limits(row["cc"])
            comparison.check(row, expected_warps(row), Result(limits, read_kernel(row)).active_warps)
    skipped = ROWS_BEYOND_REGISTERS + ROWS_WITH_OTHER_FIGURES
    comparison.conclude(compared=ROWS - skipped, skipped=skipped)


def test_occupancy_with_the_other_figures_of_nsight() -> None:
    """Compare the skipped rows, except for 256 registers, with Nsight's own limits."""
    comparison = Comparison()
    for row in read_rows(FILE):
        if is_beyond_registers(row) or not (has_other_register_share(row) or is_one_byte_above(row)):
            continue
        limits, kernel = shipped.limits(row["cc"]), read_kernel(row)
        if has_other_register_share(row):
            limits = limits.replace(max_registers_per_block=REGISTERS_PER_BLOCK[row["cc"]])
        if is_one_byte_above(row):
            kernel = kernel.replace(smem=kernel.shared_memory - 1)
        comparison.check(row, expected_warps(row), Result(limits, kernel).active_warps)
    comparison.conclude(compared=ROWS_WITH_OTHER_FIGURES)


def is_beyond_registers(row: dict[str, str]) -> bool:
    """Return True for 256 registers per thread, which Nsight accepts, although instructions encode only 255."""
    return int(row["registers_per_thread"]) > MAX_REGISTERS_PER_THREAD


def has_other_register_share(row: dict[str, str]) -> bool:
    """Return True if Nsight's different limit of registers per block on 5.2 and 6.2 affects the result.

    Nsight has 32,768 on 5.2 and 65,536 on 6.2; the devices report 65,536 and 32,768.
    """
    if row["cc"] not in REGISTERS_PER_BLOCK:
        return False
    limits, kernel = shipped.limits(row["cc"]), read_kernel(row)
    per_warp = round_up((kernel.regs or 0) * limits.warp_size, limits.register_allocation_unit)
    return per_warp * round_up(divide_up(kernel.threads, limits.warp_size), limits.sub_partitions) > 32768


def is_one_byte_above(row: dict[str, str]) -> bool:
    """Return True for sizes one byte above a multiple of 128 bytes, which Nsight rounds down to the multiple.

    On 8.6 with the 16 KiB configuration, 1 byte (1,025 with the reserved bytes, so 1,152) gives 16 blocks
    of 1,152 bytes, more than the configuration has, and 4,294,967,294 bytes "unallocated".
    """
    unit = shipped.limits(row["cc"]).shared_memory_allocation_unit
    return unit == 128 and int(row["shared_mem_per_block"]) % unit == 1


def read_kernel(row: dict[str, str]) -> Kernel:
    return Kernel(
        int(row["threads_per_block"]), int(row["registers_per_thread"]),
        smem=int(row["shared_mem_per_block"]), carveout=Carveout(int(row["shared_mem_size"]), "bytes"),
    )  # fmt: skip


def expected_warps(row: dict[str, str]) -> int:
    """Return the number of warps for Nsight's result, a percentage in single precision."""
    warps = float(row["occupancy_percent"]) / 100 * shipped.limits(row["cc"]).max_warps_per_multiprocessor
    assert abs(warps - round(warps)) < 1e-5, f"not a whole number of warps: {row}"
    return round(warps)


LIMITS = shipped.limits(H200)
LAUNCHES: list[dict[str, Any]] = json.loads(unpacked("golden/nsight_compute_curves_h200.json"))
"""Six launches of a report of an H200."""

CURVES = {
    "block_size": ("threads", 65, 65), "register_count": ("regs", 256, 257),
    "barrier_count": ("barriers", 17, 65), "shared_mem_size": ("smem", 456, 456),
}  # fmt: skip
"""Curve -> input, number of valid points, number of all points. Nsight continues to 256 registers, and to the
64 barriers of an SM."""


def test_launches() -> None:
    comparison = Comparison()
    for launch in LAUNCHES:
        result = Result(LIMITS, launched_kernel(launch))
        limits = result.block_limits._asdict()
        found = {f"launch__occupancy_limit_{name}": limits[name] for name in ("warps", "blocks", "registers")}
        found["launch__occupancy_limit_shared_mem"] = limits["shared_memory"]
        found["sm__maximum_warps_avg_per_active_cycle"] = result.active_warps
        found["launch__shared_mem_per_block_allocated"] = result.allocated.shared_memory
        comparison.check(launch["name"], {name: launch[name] for name in found}, found)
    comparison.conclude(compared=6)


@pytest.mark.parametrize("launch", LAUNCHES, ids=lambda launch: launch["name"])
def test_curves(launch: dict[str, Any]) -> None:
    """Compare warps per SM along each input, point by point and as one sweep."""
    kernel, opt_in, skipped = launched_kernel(launch), is_opted_in(launch), 0
    for curve, (name, count, points) in CURVES.items():
        every = launch[f"launch__occupancy_per_{curve}_curve"]
        assert len(every) == points
        x, warps = np.array(every[:count]).T
        if name == "smem":
            is_refused = is_reservation_counted(launch, x)
            skipped = int(is_refused.sum())
            x = np.maximum(x - LIMITS.reserved_shared_memory_per_block, 0)[~is_refused]
            warps = warps[~is_refused]
        common: dict[str, Any] = {"carveout": kernel.carveout, "opt_in": opt_in if name == "smem" else None}
        inputs = {each: getattr(kernel, each) for each, _, _ in CURVES.values()} | common
        alone = [Result(LIMITS, kernel.replace(**common | {name: each})) for each in x.tolist()]
        assert [each.active_warps for each in alone] == warps.tolist()
        np.testing.assert_array_equal(occupancy.sweep(LIMITS, **inputs | {name: x}).active_warps, warps)
    assert skipped == (1 if opt_in else 2)  # 232960, or 49664 and 50176


def is_opted_in(launch: dict[str, Any]) -> bool:
    """Return True if Nsight allows more than 48 KiB: the launch had more, or some static shared memory."""
    dynamic = launch["launch__shared_mem_per_block_dynamic"]
    return bool(launch["launch__shared_mem_per_block_static"] or dynamic > LIMITS.max_shared_memory_per_block)


def is_reservation_counted(launch: dict[str, Any], size: Any) -> Any:
    """Return True if Nsight rejects a size only because its axis includes the reserved shared memory.

    It compares the size on the axis with the maximum that a kernel can request, which excludes the reserved
    1,024 bytes. So it rejects the last 1,024 bytes.
    """
    most = LIMITS.max_shared_memory_per_block
    if is_opted_in(launch):
        most = LIMITS.max_shared_memory_per_block_optin
    return (most < size) & (size <= most + LIMITS.reserved_shared_memory_per_block)


def launched_kernel(launch: dict[str, Any]) -> Kernel:
    return Kernel(
        launch["launch__block_size"],
        launch["launch__registers_per_thread"],
        smem=launch["launch__shared_mem_per_block_static"] + launch["launch__shared_mem_per_block_dynamic"],
        barriers=launch["launch__barrier_count"],
        carveout=Carveout(launch["launch__shared_mem_config_size"], "bytes"),
    )
