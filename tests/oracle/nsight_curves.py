"""The curves of an Nsight Compute report: six launches on an H200, and what its axes mean."""

from __future__ import annotations

from typing import Any

from occupancy.tables import shipped
from occupancy.values.kernel import Carveout, Kernel

from .golden import H200, read_json

LIMITS = shipped.limits(H200)
LAUNCHES: list[dict[str, Any]] = read_json("nsight_compute_curves_h200")


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
