"""The model `cuda` against the curves of an Nsight Compute report: warps per SM against each resource."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from occupancy.engine import evaluate
from occupancy.tables import shipped
from occupancy.values.kernel import MAX_BARRIERS_PER_BLOCK, MAX_REGISTERS_PER_THREAD, Carveout, Kernel

from .golden import Comparison, read_json

LIMITS = shipped.limits("9.0")
LAUNCHES: list[dict[str, Any]] = read_json("nsight_compute_curves_h200")


def test_launches() -> None:
    """What the report says of each launch as it was."""
    comparison = Comparison()
    for launch in LAUNCHES:
        result = evaluate(LIMITS, kernel_of(launch))
        limits = result.block_limits
        answer = {
            "sm__maximum_warps_avg_per_active_cycle": result.active_warps,
            "launch__occupancy_limit_warps": limits.warps,
            "launch__occupancy_limit_blocks": limits.blocks,
            "launch__occupancy_limit_registers": limits.registers,
            "launch__occupancy_limit_shared_mem": limits.shared_memory,
            "launch__shared_mem_per_block_allocated": result.allocated.shared_memory,
        }
        comparison.check(launch["name"], {name: launch[name] for name in answer}, answer)
    comparison.conclude(compared=6)


def test_block_size_curve() -> None:
    comparison = Comparison()
    for launch, threads, warps in points("block_size"):
        kernel = replace(kernel_of(launch), threads=threads)
        comparison.check((launch["name"], threads), warps, evaluate(LIMITS, kernel).active_warps)
    comparison.conclude(compared=6 * 65)


def test_register_count_curve() -> None:
    """Nsight goes on to 256 registers, more than an instruction can name; here they are refused."""
    comparison = Comparison()
    for launch, registers, warps in points("register_count"):
        if registers > MAX_REGISTERS_PER_THREAD:
            comparison.left_out += 1
            continue
        kernel = replace(kernel_of(launch), registers=registers)
        comparison.check((launch["name"], registers), warps, evaluate(LIMITS, kernel).active_warps)
    comparison.conclude(compared=6 * 256, left_out=6)


def test_barrier_count_curve() -> None:
    """Nsight goes on to the 64 barriers of an SM, where a block has 16 to name; here more are refused."""
    comparison = Comparison()
    for launch, barriers, warps in points("barrier_count"):
        if barriers > MAX_BARRIERS_PER_BLOCK:
            comparison.left_out += 1
            continue
        kernel = replace(kernel_of(launch), barriers=barriers)
        comparison.check((launch["name"], barriers), warps, evaluate(LIMITS, kernel).active_warps)
    comparison.conclude(compared=6 * 17, left_out=6 * 48)


def test_shared_memory_curve() -> None:
    comparison = Comparison()
    for launch, size, warps in points("shared_mem_size"):
        if is_reservation_counted(launch, size):
            comparison.left_out += 1
            continue
        own = max(size - LIMITS.reserved_shared_memory_per_block, 0)
        kernel = replace(kernel_of(launch), smem=own, opt_in=is_opted_in(launch))
        comparison.check((launch["name"], size), warps, evaluate(LIMITS, kernel).active_warps)
    # Two points of each launch without opt-in, 49664 and 50176; one of each with, 232960.
    comparison.conclude(compared=6 * 456 - 9, left_out=3 * 2 + 3 * 1)


def is_opted_in(launch: dict[str, Any]) -> bool:
    """Whether Nsight lets a launch have more than 48 KiB: if it had more, or some static shared memory."""
    static, dynamic = (
        launch["launch__shared_mem_per_block_static"],
        launch["launch__shared_mem_per_block_dynamic"],
    )
    return bool(static or dynamic > LIMITS.max_shared_memory_per_block)


def is_reservation_counted(launch: dict[str, Any], size: int) -> bool:
    """Whether Nsight refuses a size only because its axis counts the system's reservation.

    It compares the size on the axis with the most that the kernel may ask for, which does not count the
    1024 bytes of the reservation: the last 1024 bytes that a kernel may have are refused.
    """
    most = (
        LIMITS.max_shared_memory_per_block_optin
        if is_opted_in(launch)
        else LIMITS.max_shared_memory_per_block
    )
    return most < size <= most + LIMITS.reserved_shared_memory_per_block


def points(curve: str) -> list[tuple[dict[str, Any], int, int]]:
    return [(launch, x, y) for launch in LAUNCHES for x, y in launch[f"launch__occupancy_per_{curve}_curve"]]


def kernel_of(launch: dict[str, Any]) -> Kernel:
    return Kernel(
        launch["launch__block_size"],
        launch["launch__registers_per_thread"],
        smem=launch["launch__shared_mem_per_block_static"] + launch["launch__shared_mem_per_block_dynamic"],
        barriers=launch["launch__barrier_count"],
        carveout=Carveout(launch["launch__shared_mem_config_size"], "bytes"),
    )
