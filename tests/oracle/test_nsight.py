"""The model `cuda` against Nsight Compute 2025.3: its calculator, 5.0 to 12.1, and curves of a report."""

from typing import Any

import numpy as np
import pytest

import occupancy
from occupancy.engine import evaluate
from occupancy.engine.common import divide_up, round_up
from occupancy.tables import shipped
from occupancy.values.fields import MAX_REGISTERS_PER_THREAD, Carveout
from occupancy.values.kernel import Kernel

from .golden import H200, Comparison, read_json, read_rows

FILE = "nsight_compute_2025_3"
ROWS = 41_679
ROWS_BEYOND_REGISTERS = 1_420
ROWS_WITH_OTHER_FIGURES = 1_484

REGISTERS_PER_BLOCK = {"5.2": 32768, "6.2": 65536}
"""Nsight's, where they are not the chip's: 65536 on 5.2 and 32768 on 6.2, as the devices report."""


def test_occupancy() -> None:
    comparison = Comparison()
    for row in read_rows(FILE):
        if is_beyond_registers(row) or has_other_register_share(row) or is_one_byte_above(row):
            comparison.left_out += 1
        else:
            limits = shipped.limits(row["cc"])
            comparison.check(row, expected_warps(row), evaluate(limits, read_kernel(row)).active_warps)
    left_out = ROWS_BEYOND_REGISTERS + ROWS_WITH_OTHER_FIGURES
    comparison.conclude(compared=ROWS - left_out, left_out=left_out)


def test_occupancy_with_the_other_figures_of_nsight() -> None:
    """The rows that were left out, but for 256 registers, once Nsight's own figures are put in."""
    comparison = Comparison()
    for row in read_rows(FILE):
        if is_beyond_registers(row) or not (has_other_register_share(row) or is_one_byte_above(row)):
            continue
        limits, kernel = shipped.limits(row["cc"]), read_kernel(row)
        if has_other_register_share(row):
            limits = limits.replace(max_registers_per_block=REGISTERS_PER_BLOCK[row["cc"]])
        if is_one_byte_above(row):
            kernel = kernel.replace(smem=kernel.shared_memory - 1)
        comparison.check(row, expected_warps(row), evaluate(limits, kernel).active_warps)
    comparison.conclude(compared=ROWS_WITH_OTHER_FIGURES)


def is_beyond_registers(row: dict[str, str]) -> bool:
    """Nsight answers for 256 registers per thread, more than an instruction can name; here it is refused."""
    return int(row["registers_per_thread"]) > MAX_REGISTERS_PER_THREAD


def has_other_register_share(row: dict[str, str]) -> bool:
    """Nsight has another number of registers per block on 5.2 and 6.2, which matters above the smaller one.

    It has 32768 on 5.2 and 65536 on 6.2; the devices themselves report 65536 and 32768.
    """
    if row["cc"] not in REGISTERS_PER_BLOCK:
        return False
    limits, kernel = shipped.limits(row["cc"]), read_kernel(row)
    per_warp = round_up((kernel.regs or 0) * limits.warp_size, limits.register_allocation_unit)
    warps = round_up(divide_up(kernel.threads, limits.warp_size), limits.sub_partitions)
    return per_warp * warps > 32768


def is_one_byte_above(row: dict[str, str]) -> bool:
    """Nsight is off by one: one byte above a multiple of a 128-byte unit, it answers for the multiple.

    On 8.6 with the 16 KiB configuration, 1 byte (with the reservation 1025, so 1152) gives 16 blocks
    of 1152 bytes, more than the configuration has, and 4294967294 bytes "unallocated".
    """
    unit = shipped.limits(row["cc"]).shared_memory_allocation_unit
    return unit == 128 and int(row["shared_mem_per_block"]) % unit == 1


def read_kernel(row: dict[str, str]) -> Kernel:
    return Kernel(
        int(row["threads_per_block"]), int(row["registers_per_thread"]),
        smem=int(row["shared_mem_per_block"]), carveout=Carveout(int(row["shared_mem_size"]), "bytes"),
    )  # fmt: skip


def expected_warps(row: dict[str, str]) -> int:
    """Nsight's answer, a percentage in single precision, as the whole number of warps that it stands for."""
    limits = shipped.limits(row["cc"])
    warps = float(row["occupancy_percent"]) / 100 * limits.max_warps_per_multiprocessor
    assert abs(warps - round(warps)) < 1e-5, f"not a whole number of warps: {row}"
    return round(warps)


LIMITS = shipped.limits(H200)
LAUNCHES: list[dict[str, Any]] = read_json("nsight_compute_curves_h200")
"""Six launches of a report of an H200."""

CURVES = {
    "block_size": ("threads", 65, 65), "register_count": ("regs", 256, 257),
    "barrier_count": ("barriers", 17, 65), "shared_mem_size": ("smem", 456, 456),
}  # fmt: skip
"""Curve -> its input, its points that a kernel can have, and all of its points. Nsight goes on
to 256 registers, and to the 64 barriers of an SM."""


def test_launches() -> None:
    """The launches of the report as they were."""
    comparison = Comparison()
    for launch in LAUNCHES:
        result = evaluate(LIMITS, launched_kernel(launch))
        limits = result.block_limits._asdict()
        answer = {
            f"launch__occupancy_limit_{name}": limits[name] for name in ("warps", "blocks", "registers")
        }
        answer["launch__occupancy_limit_shared_mem"] = limits["shared_memory"]
        answer["sm__maximum_warps_avg_per_active_cycle"] = result.active_warps
        answer["launch__shared_mem_per_block_allocated"] = result.allocated.shared_memory
        comparison.check(launch["name"], {name: launch[name] for name in answer}, answer)
    comparison.conclude(compared=6)


@pytest.mark.parametrize("launch", LAUNCHES, ids=lambda launch: launch["name"])
def test_curves(launch: dict[str, Any]) -> None:
    """Warps per SM along each input, point by point and as one sweep."""
    kernel, opt_in, left_out = launched_kernel(launch), is_opted_in(launch), 0
    for curve, (name, count, points) in CURVES.items():
        every = launch[f"launch__occupancy_per_{curve}_curve"]
        assert len(every) == points
        x, warps = np.array(every[:count]).T
        if name == "smem":
            is_refused = is_reservation_counted(launch, x)
            left_out = int(is_refused.sum())
            x = np.maximum(x - LIMITS.reserved_shared_memory_per_block, 0)[~is_refused]
            warps = warps[~is_refused]
        common: dict[str, Any] = {"carveout": kernel.carveout, "opt_in": opt_in if name == "smem" else None}
        inputs = {each: getattr(kernel, each) for each, _, _ in CURVES.values()} | common
        alone = [evaluate(LIMITS, kernel.replace(**common | {name: each})) for each in x.tolist()]
        assert [each.active_warps for each in alone] == warps.tolist()
        np.testing.assert_array_equal(occupancy.sweep(LIMITS, **inputs | {name: x}).active_warps, warps)
    assert left_out == (1 if opt_in else 2)  # 232960, or 49664 and 50176


def is_opted_in(launch: dict[str, Any]) -> bool:
    """Whether Nsight lets a launch have more than 48 KiB: if it had more, or some static shared memory."""
    dynamic = launch["launch__shared_mem_per_block_dynamic"]
    return bool(launch["launch__shared_mem_per_block_static"] or dynamic > LIMITS.max_shared_memory_per_block)


def is_reservation_counted(launch: dict[str, Any], size: Any) -> Any:
    """Whether Nsight refuses sizes only because its axis counts the system's reservation.

    It compares the size on the axis with the most that the kernel may ask for, which does not count the
    1024 bytes of the reservation: the last 1024 bytes that a kernel may have are refused.
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
