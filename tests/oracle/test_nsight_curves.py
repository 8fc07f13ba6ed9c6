"""The model `cuda` against the curves of an Nsight Compute report: warps per SM against each resource."""

from __future__ import annotations

from dataclasses import replace

from occupancy.engine import evaluate
from occupancy.values.kernel import MAX_BARRIERS_PER_BLOCK, MAX_REGISTERS_PER_THREAD

from .golden import Comparison
from .nsight_curves import LAUNCHES, LIMITS, is_opted_in, is_reservation_counted, kernel_of, points


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
        kernel = replace(kernel_of(launch), regs=registers)
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
