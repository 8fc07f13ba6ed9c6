"""The GPUs of this machine, as values.

The CUDA driver reports the limits; NVML reports the driver's version, and whether a GPU is divided. Where
only one of their packages is installed, the rest is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import partial
from typing import Any

from ..errors import DeviceError, InputError, MissingDependencyError, UnknownComputeCapabilityError
from ..tables import shipped
from ..values.dataclass import dataclass
from ..values.limits import ComputeCapability, Limits
from .driver import VISIBLE_DEVICES, Driver
from .management import Management

# Field of `Limits` -> the driver's attribute, which is called CU_DEVICE_ATTRIBUTE_ and then this.
ATTRIBUTES = {
    "warp_size": "WARP_SIZE",
    "max_threads_per_multiprocessor": "MAX_THREADS_PER_MULTIPROCESSOR",
    "max_blocks_per_multiprocessor": "MAX_BLOCKS_PER_MULTIPROCESSOR",
    "max_registers_per_multiprocessor": "MAX_REGISTERS_PER_MULTIPROCESSOR",
    "max_registers_per_block": "MAX_REGISTERS_PER_BLOCK",
    "max_shared_memory_per_multiprocessor": "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR",
    "max_shared_memory_per_block": "MAX_SHARED_MEMORY_PER_BLOCK",
    "max_shared_memory_per_block_optin": "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN",
    "reserved_shared_memory_per_block": "RESERVED_SHARED_MEMORY_PER_BLOCK",
    "max_threads_per_block": "MAX_THREADS_PER_BLOCK",
}
BLOCK_DIM_ATTRIBUTES = ("MAX_BLOCK_DIM_X", "MAX_BLOCK_DIM_Y", "MAX_BLOCK_DIM_Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """A GPU of this machine. ``None`` where neither the driver nor NVML reports it."""

    index: int
    """Its number: CUDA's, or without cuda-bindings that of nvidia-smi, which may differ."""
    name: str
    compute_capability: ComputeCapability
    multiprocessor_count: int | None
    """SMs; those of the part that this program sees, where the GPU is divided."""
    driver_version: str | None
    cuda_version: tuple[int, int] | None
    """The newest CUDA that the driver can run."""
    mig: bool | None
    """Whether it is divided (multi-instance GPU)."""
    told: Mapping[str, Any] = field(default_factory=dict)
    """Fields of `Limits` that the driver reported, with their values."""
    missing: tuple[str, ...] = ()
    """Packages that would have reported more, and why they did not."""

    @property
    def row(self) -> Limits:
        """The table's row of the same compute capability.

        Raises:
            UnknownComputeCapabilityError: The table has none.
        """
        return shipped.limits(self.compute_capability)

    @property
    def limits(self) -> Limits:
        """What one SM offers: what the driver reported, and the rest from the table.

        Raises:
            UnknownComputeCapabilityError: The table does not know the compute capability.
            TableError: What the driver reported contradicts the rest.
        """
        row = self.row
        changes = {name: value for name, value in self.told.items() if getattr(row, name) != value}
        return row.replace(**changes) if changes else row


def read_device(index: int = 0) -> Device:
    """A GPU of this machine.

    Args:
        index: Its number, from 0, among those that CUDA_VISIBLE_DEVICES shows.

    Raises:
        MissingDependencyError: Neither cuda-bindings nor nvidia-ml-py is installed.
        DeviceError: There is no GPU, no driver, or it does not work.
        InputError: There is no GPU of that number.
    """
    count, read = _reader()
    if not 0 <= index < count:
        raise InputError(
            f"there is no GPU {index}",
            where="device",
            allowed="0" if count == 1 else f"0 to {count - 1}",
            hint=f"{VISIBLE_DEVICES} may hide others.",
        )
    return read(index)


def read_devices() -> tuple[Device, ...]:
    """Every GPU of this machine that CUDA_VISIBLE_DEVICES shows.

    Raises:
        MissingDependencyError: Neither cuda-bindings nor nvidia-ml-py is installed.
        DeviceError: There is no GPU, no driver, or it does not work.
    """
    count, read = _reader()
    return tuple(read(index) for index in range(count))


def _reader() -> tuple[int, Callable[[int], Device]]:
    """How many GPUs there are, and how to read one of them."""
    try:
        driver = Driver()
    except MissingDependencyError as no_bindings:
        try:
            nvml = Management()
        except MissingDependencyError:
            raise no_bindings from None
        return nvml.device_count(), partial(_from_management, nvml, (no_bindings.problem,))
    count = driver.device_count()
    try:
        return count, partial(_from_driver, driver, Management(), ())
    except (MissingDependencyError, DeviceError) as no_management:
        return count, partial(_from_driver, driver, None, (no_management.problem,))


def _from_driver(driver: Driver, nvml: Management | None, missing: tuple[str, ...], index: int) -> Device:
    gpu = driver.handle(index)
    asked = {name: driver.attribute(gpu, attribute) for name, attribute in ATTRIBUTES.items()}
    told: dict[str, Any] = {name: value for name, value in asked.items() if value is not None}
    sides = tuple(driver.attribute(gpu, attribute) for attribute in BLOCK_DIM_ATTRIBUTES)
    if None not in sides:
        told["max_block_dim"] = sides
    major, minor = (driver.attribute(gpu, f"COMPUTE_CAPABILITY_{part}") for part in ("MAJOR", "MINOR"))
    return Device(
        index=index,
        name=driver.device_name(gpu),
        compute_capability=ComputeCapability(major or 0, minor or 0),
        multiprocessor_count=driver.attribute(gpu, "MULTIPROCESSOR_COUNT"),
        driver_version=None if nvml is None else nvml.driver_version(),
        cuda_version=driver.cuda_version(),
        mig=None if nvml is None else nvml.mig(nvml.handle_at(driver.pci_bus_id(gpu))),
        told=told,
        missing=missing,
    )


def _from_management(nvml: Management, missing: tuple[str, ...], index: int) -> Device:
    gpu = nvml.handle(index)
    cc = ComputeCapability(*nvml.compute_capability(gpu))
    mig = nvml.mig(gpu)
    return Device(
        index=index,
        name=nvml.device_name(gpu),
        compute_capability=cc,
        multiprocessor_count=None if mig else _multiprocessors(cc, nvml.cores(gpu)),
        driver_version=nvml.driver_version(),
        cuda_version=nvml.cuda_version(),
        mig=mig,
        missing=missing,
    )


def _multiprocessors(cc: ComputeCapability, cores: int | None) -> int | None:
    """SMs of a GPU of so many CUDA cores, which are NVIDIA's name for FP32 lanes."""
    try:
        lanes = shipped.limits(cc).fp32_lanes_per_multiprocessor
    except UnknownComputeCapabilityError:
        return None
    return None if cores is None else cores // lanes
