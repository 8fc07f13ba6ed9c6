"""The GPUs of this machine as values.

The CUDA driver reports the limits; NVML the driver's version and MIG. Without one of the two packages, its
part is None or comes from the table.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ..errors import DeviceError, InputError, MissingDependencyError
from ..tables import shipped
from ..tables.gpus import Gpu
from ..values.limits import ComputeCapability, Limits
from ..values.numbers import count
from .driver import NO_GPU_HINT, VISIBLE_DEVICES, Driver, missing_package, no_visible_device

ATTRIBUTES = (
    "warp_size", "max_threads_per_multiprocessor", "max_blocks_per_multiprocessor",
    "max_registers_per_multiprocessor", "max_registers_per_block", "max_shared_memory_per_multiprocessor",
    "max_shared_memory_per_block", "max_shared_memory_per_block_optin", "reserved_shared_memory_per_block",
    "max_threads_per_block",
)  # fmt: skip
"""Fields of `Limits` that the driver reports: an attribute has the name of its field in capitals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """A GPU of this machine. None: neither the driver nor NVML reports the value."""

    index: int
    """CUDA's device number; without cuda-bindings that of nvidia-smi, which may differ."""
    name: str
    compute_capability: ComputeCapability
    multiprocessor_count: int | None
    """Number of SMs; under MIG, those of the instance visible to this program."""
    driver_version: str | None
    cuda_version: tuple[int, int] | None
    """Newest CUDA version that the driver can run."""
    mig: bool | None
    """True if MIG (multi-instance GPU) divides it."""
    reported: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """Fields of `Limits` that the driver reported, with their values."""
    missing: tuple[str, ...] = ()
    """Reasons why one of the two packages reported nothing."""

    def __str__(self) -> str:
        """Return ``GPU 0: NVIDIA H200, compute capability 9.0, 132 SMs``."""
        sms = "" if self.multiprocessor_count is None else f", {count(self.multiprocessor_count, 'SM')}"
        return f"GPU {self.index}: {self.name}, compute capability {self.compute_capability}{sms}"

    @property
    def gpu(self) -> Gpu:
        """The same GPU as a `Gpu`.

        Raises:
            UnknownComputeCapabilityError: The table lacks the compute capability.
            TableError: The driver's values contradict the table.
        """
        return Gpu(self.limits, self.name, self.multiprocessor_count, self.index)

    @property
    def row(self) -> Limits:
        """Limits of the same compute capability in the table.

        Raises:
            UnknownComputeCapabilityError: The table lacks it.
        """
        return shipped.limits(self.compute_capability)

    @property
    def limits(self) -> Limits:
        """Limits of one SM: those that the driver reported, and the others from the table.

        Raises:
            UnknownComputeCapabilityError: The table lacks the compute capability.
            TableError: The driver's values contradict the others.
        """
        row = self.row
        changes = {name: value for name, value in self.reported.items() if getattr(row, name) != value}
        return row.replace(**changes) if changes else row


class Nvml:
    """NVML, the library behind nvidia-smi, through the package nvidia-ml-py.

    It reports two facts that the CUDA driver does not: the driver's version, and whether MIG divides a GPU.

    Raises:
        MissingDependencyError: The package nvidia-ml-py is not installed.
        DeviceError: NVML cannot be initialized.
    """

    def __init__(self) -> None:
        try:
            import pynvml
        except ImportError as error:
            raise missing_package("nvidia-ml-py") from error
        self._nvml: Any = pynvml
        try:
            self._nvml.nvmlInit()
        except self._nvml.NVMLError as error:
            raise DeviceError(f"NVML failed: {error}", where="device", hint=NO_GPU_HINT) from error

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a function and return its result; None if this GPU or this NVML has none."""
        try:
            return getattr(self._nvml, name)(*arguments)
        except self._nvml.NVMLError:
            return None

    def device_count(self) -> int:
        """Return the number of GPUs of the machine.

        Raises:
            DeviceError: There are none, or CUDA_VISIBLE_DEVICES, which NVML ignores, hides them all.
        """
        count: int = self.call("nvmlDeviceGetCount") or 0
        if not count or os.environ.get(VISIBLE_DEVICES) in ("", "-1"):
            raise no_visible_device()
        return count

    def driver_version(self) -> str | None:
        """Return the version of the driver, such as ``"580.159.04"``."""
        version: str | None = self.call("nvmlSystemGetDriverVersion")
        return version

    def mig(self, handle: Any) -> bool | None:
        """Return whether MIG divides the GPU; None if it cannot, or NVML does not report it."""
        mode = None if handle is None else self.call("nvmlDeviceGetMigMode", handle)
        return None if mode is None else bool(mode[0])


def read_device(index: int = 0) -> Device:
    """Return a GPU of this machine by its number among those in CUDA_VISIBLE_DEVICES.

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
    """Return every GPU of this machine in CUDA_VISIBLE_DEVICES.

    Raises:
        MissingDependencyError: Neither cuda-bindings nor nvidia-ml-py is installed.
        DeviceError: There is no GPU, no driver, or it does not work.
    """
    count, read = _reader()
    return tuple(map(read, range(count)))


def _reader() -> tuple[int, Callable[[int], Device]]:
    """Return the number of GPUs, and a function that reads one of them."""
    try:
        driver = Driver()
    except MissingDependencyError as no_bindings:
        try:
            nvml = Nvml()
        except MissingDependencyError:
            raise no_bindings from None
        return nvml.device_count(), partial(_read_with_nvml, nvml, (no_bindings.problem,))
    count: int = driver.call("cuDeviceGetCount")
    try:
        return count, partial(_read_with_driver, driver, Nvml(), ())
    except (MissingDependencyError, DeviceError) as no_nvml:
        return count, partial(_read_with_driver, driver, None, (no_nvml.problem,))


def _read_with_driver(driver: Driver, nvml: Nvml | None, missing: tuple[str, ...], index: int) -> Device:
    gpu = driver.call("cuDeviceGet", index)
    values = {name: driver.attribute(gpu, name.upper()) for name in ATTRIBUTES}
    reported: dict[str, Any] = {name: value for name, value in values.items() if value is not None}
    sides = tuple(driver.attribute(gpu, f"MAX_BLOCK_DIM_{axis}") for axis in "XYZ")
    if None not in sides:
        reported["max_block_dim"] = sides
    major, minor = (driver.attribute(gpu, f"COMPUTE_CAPABILITY_{part}") for part in ("MAJOR", "MINOR"))
    mig = None
    if nvml is not None:
        bus_id = _text(driver.call("cuDeviceGetPCIBusId", 32, gpu))
        mig = nvml.mig(nvml.call("nvmlDeviceGetHandleByPciBusId", bus_id))
    return Device(
        index=index,
        name=_text(driver.call("cuDeviceGetName", 256, gpu)),
        compute_capability=ComputeCapability(major or 0, minor or 0),
        multiprocessor_count=driver.attribute(gpu, "MULTIPROCESSOR_COUNT"),
        driver_version=None if nvml is None else nvml.driver_version(),
        cuda_version=_cuda_version(driver.call("cuDriverGetVersion")),
        mig=mig,
        reported=reported,
        missing=missing,
    )


def _read_with_nvml(nvml: Nvml, missing: tuple[str, ...], index: int) -> Device:
    gpu = nvml.call("nvmlDeviceGetHandleByIndex", index)
    found = nvml.call("nvmlDeviceGetCudaComputeCapability", gpu)
    if found is None:
        raise DeviceError("NVML does not report the compute capability", where="device", hint=NO_GPU_HINT)
    cc = ComputeCapability(*found)
    mig, cores = nvml.mig(gpu), nvml.call("nvmlDeviceGetNumGpuCores", gpu)
    sms = None
    if cores is not None and not mig and cc in shipped.known():
        sms = cores // shipped.limits(cc).fp32_lanes_per_multiprocessor
    return Device(
        index=index,
        name=nvml.call("nvmlDeviceGetName", gpu) or "unknown",
        compute_capability=cc,
        multiprocessor_count=sms,
        driver_version=nvml.driver_version(),
        cuda_version=_cuda_version(nvml.call("nvmlSystemGetCudaDriverVersion_v2")),
        mig=mig,
        missing=missing,
    )


def _cuda_version(number: int | None) -> tuple[int, int] | None:
    """Split the driver's number of a CUDA version: 13010 is 13.1."""
    return None if number is None else (number // 1000, number % 1000 // 10)


def _text(padded: bytes) -> str:
    return padded.split(b"\0", 1)[0].decode()
