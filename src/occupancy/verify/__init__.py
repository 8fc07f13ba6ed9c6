"""Whether the table and the engine are right on a GPU: both are compared with what its driver says.

This is how anyone can check the library on a GPU that its authors never had. Of the package it uses `values`,
`readers`, `engine`, `advice` and `device`; `report` says what was found.
"""

from __future__ import annotations

import datetime
import platform

from .. import __version__
from ..device import Device, read_device
from ..device.clusters import ClusterCounter
from ..device.compiler import compile_cuda, nvrtc_version
from ..device.driver import bindings_version
from ..device.functions import Context
from ..errors import DeviceError
from . import questions
from .questions import FULL_PLAN, QUICK_PLAN, Plan
from .result import Check, Difference, Verification
from .spilling import ask_spills
from .splits import ask_splits
from .whole_gpu import ask_cooperative_launches, ask_green_contexts

__all__ = ["FULL_PLAN", "QUICK_PLAN", "Check", "Difference", "Plan", "Verification", "verify_device"]


def verify_device(index: int = 0, plan: Plan = FULL_PLAN) -> Verification:
    """Compare the table and the engine with what the driver of a GPU says.

    Kernels are compiled and loaded. Where the plan says so, some are launched: cooperative ones, and in
    processes of their own those of which some wait for ever.

    Args:
        index: The number of the GPU.
        plan: How much is asked.

    Raises:
        MissingDependencyError: cuda-bindings or NVRTC is not installed.
        DeviceError: There is no GPU, or it does not work.
        UnknownComputeCapabilityError: The table has no row to compare.
    """
    device = read_device(index)
    if not device.told:
        raise DeviceError("the driver cannot be asked: " + "; ".join(device.missing), where="verify")
    blocks = Check("blocks per SM", "cuOccupancyMaxActiveBlocksPerMultiprocessor")
    memory = Check("available shared memory", "cuOccupancyAvailableDynamicSMemPerBlock")
    sizes = Check("potential block size", "cuOccupancyMaxPotentialBlockSize")
    bound = Check("bound of the clusters", "cuOccupancyMaxActiveClusters")
    stand_in = Check("clusters by a stand-in", "cuOccupancyMaxActiveClusters")
    with Context(index) as context:
        code = compile_cuda(
            "".join(specimen.source() for specimen in plan.specimens), device.compute_capability
        )
        module = context.load(code)
        counter = ClusterCounter(context, device.row) if device.row.most_blocks_per_cluster else None
        for specimen in plan.specimens:
            for subject in questions.subjects(device, specimen, module.function(specimen.name), plan):
                questions.ask_active_blocks(blocks, subject, plan)
                questions.ask_available_smem(memory, subject, plan)
                questions.ask_potential_block_size(sizes, subject, plan)
                if counter is not None:
                    questions.ask_active_clusters(bound, stand_in, counter, subject, plan)
        launched = _launched(context, device) if plan.launches else ()
    return Verification(
        date=datetime.date.today(),
        versions=_versions(),
        device=device,
        kernels=len(plan.specimens),
        checks=(_compare_limits(device), blocks, memory, sizes, bound, stand_in, *launched),
    )


def _launched(context: Context, device: Device) -> tuple[Check, ...]:
    spills = Check("spills into shared memory", "cuFuncGetAttribute")
    cooperative = Check("cooperative launches", "cuLaunchCooperativeKernel")
    green = Check("green contexts", "cuDevSmResourceSplitByCount")
    split = Check("registers of warpgroups", "cuLaunchKernel")
    ask_spills(spills, context, device)
    ask_cooperative_launches(cooperative, context, device)
    ask_green_contexts(green, context, device)
    ask_splits(split, context, device)
    return spills, cooperative, green, split


def _versions() -> dict[str, str]:
    return {
        "occupancy": __version__,
        "Python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cuda-bindings": bindings_version(),
        "NVRTC": nvrtc_version(),
    }


def _compare_limits(device: Device) -> Check:
    check = Check("limits of the table", "cuDeviceGetAttribute")
    for name, value in device.told.items():
        check.compare(name, value, getattr(device.row, name))
    return check
