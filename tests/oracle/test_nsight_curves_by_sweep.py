"""The curves of an Nsight Compute report again, each launch's curve as one sweep."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import occupancy

from .nsight_curves import LAUNCHES, LIMITS, is_opted_in, is_reservation_counted, kernel_of

RANGES = {"block_size": 65, "register_count": 256, "shared_mem_size": 456, "barrier_count": 17}
"""Points of each curve that a kernel can have; the others are left out as in `test_nsight_curves`."""


@pytest.mark.parametrize("launch", LAUNCHES, ids=lambda launch: launch["name"])
def test_each_curve_is_one_sweep(launch: dict[str, Any]) -> None:
    compared = 0
    for curve, count in RANGES.items():
        x, warps = np.array(launch[f"launch__occupancy_per_{curve}_curve"][:count]).T
        is_comparable = np.ones(count, bool)
        if curve == "shared_mem_size":
            is_comparable = np.array([not is_reservation_counted(launch, size) for size in x.tolist()])
        found = sweep_along(launch, curve, x)
        np.testing.assert_array_equal(found.active_warps[is_comparable], warps[is_comparable])
        compared += int(is_comparable.sum())
    assert compared == sum(RANGES.values()) - (1 if is_opted_in(launch) else 2)


def sweep_along(launch: dict[str, Any], curve: str, x: Any) -> Any:
    kernel = kernel_of(launch)
    inputs: dict[str, Any] = {
        "threads": kernel.threads,
        "regs": kernel.regs,
        "smem": kernel.smem,
        "barriers": kernel.barriers,
        "carveout": kernel.carveout,
    }
    if curve == "shared_mem_size":
        own = np.maximum(x - LIMITS.reserved_shared_memory_per_block, 0)
        return occupancy.sweep(LIMITS, **{**inputs, "smem": own, "opt_in": is_opted_in(launch)})
    name = {"block_size": "threads", "register_count": "regs", "barrier_count": "barriers"}[curve]
    return occupancy.sweep(LIMITS, **{**inputs, name: x})
