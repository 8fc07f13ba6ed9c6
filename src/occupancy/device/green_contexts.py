"""How the driver divides the SMs of a GPU among green contexts."""

from __future__ import annotations

from .driver import Driver


def split_by_count(driver: Driver, index: int, wanted: int, coscheduled: bool) -> tuple[int, int]:
    """The groups that a GPU is split into, and the SMs of each: cuDevSmResourceSplitByCount.

    Args:
        driver: The driver.
        index: The number of the GPU.
        wanted: The least SMs of a group.
        coscheduled: Whether the SMs of a group are to run large clusters.

    Raises:
        DeviceError: The driver, or cuda-bindings, is too old for it, or the driver refuses.
    """
    kinds, flags = (driver.named(name) for name in ("CUdevResourceType", "CUdevSmResourceSplitByCount_flags"))
    resource = driver.call("cuDeviceGetDevResource", driver.handle(index), kinds.CU_DEV_RESOURCE_TYPE_SM)
    flag = 0 if coscheduled else flags.CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING
    groups, count, _ = driver.call(
        "cuDevSmResourceSplitByCount", resource.sm.smCount // wanted, resource, int(flag), wanted
    )
    return count, groups[0].sm.smCount
