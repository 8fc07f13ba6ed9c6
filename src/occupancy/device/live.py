"""Local GPUs: limits from the CUDA driver, driver version and MIG mode from NVML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import InputError
from ..tables import shipped
from ..tables.gpus import Gpu
from ..values.limits import ComputeCapability, Limits
from ..values.numbers import count
from .driver import VISIBLE_DEVICES, Driver

ATTRIBUTES = (
    "warp_size", "max_threads_per_multiprocessor", "max_blocks_per_multiprocessor",
    "max_registers_per_multiprocessor", "max_registers_per_block", "max_shared_memory_per_multiprocessor",
    "max_shared_memory_per_block", "max_shared_memory_per_block_optin", "reserved_shared_memory_per_block",
    "max_threads_per_block",
)  # fmt: skip
"""Fields of `Limits` that the driver reports. The attribute has the same name in capitals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """A local GPU."""

    index: int
    """CUDA device number."""
    name: str
    compute_capability: ComputeCapability
    multiprocessor_count: int
    """Number of SMs of the GPU, or of the visible MIG instance."""
    driver_version: str | None
    """Version of the driver; None if NVML does not report it."""
    cuda_version: tuple[int, int]
    """Newest CUDA version that the driver supports."""
    mig: bool | None
    """True if MIG is enabled; None if the GPU does not support it, or NVML does not report it."""
    reported: Mapping[str, Any] = field(hash=False)
    """Fields of `Limits` that the driver reported, with their values."""
    nvml_error: str | None
    """Reason why NVML reported no values; None if it did."""

    def __str__(self) -> str:
        sms = count(self.multiprocessor_count, "SM")
        return f"GPU {self.index}: {self.name}, compute capability {self.compute_capability}, {sms}"

    @property
    def gpu(self) -> Gpu:
        """This GPU as a `Gpu`; errors as in `limits`."""
        return Gpu(self.limits, self.name, self.multiprocessor_count, self.index)

    @property
    def row(self) -> Limits:
        """Limits of this compute capability in the table; errors as in `limits`."""
        return shipped.limits(self.compute_capability)

    @property
    def limits(self) -> Limits:
        """Limits of one SM, from the driver if it reports them, and from the table otherwise.

        Raises:
            UnknownComputeCapabilityError: The table does not contain the compute capability.
            TableError: The driver's values contradict the table.
        """
        return self.row.replace(**self.reported)


def read_device(index: int = 0) -> Device:
    """Return a local GPU by its CUDA device number.

    Raises:
        MissingDependencyError: The package cuda-bindings is not installed.
        DeviceError: There is no GPU or driver, or the driver fails.
        InputError: No GPU has this number.
    """
    driver = Driver()
    gpus: int = driver.call("cuDeviceGetCount")
    if not 0 <= index < gpus:
        allowed, hint = "0" if gpus == 1 else f"0 to {gpus - 1}", f"{VISIBLE_DEVICES} may hide others."
        raise InputError(f"there is no GPU {index}", where="device", allowed=allowed, hint=hint)
    return _read(driver, index)


def read_devices() -> tuple[Device, ...]:
    """Return all visible local GPUs (CUDA_VISIBLE_DEVICES); errors as in `read_device`."""
    driver = Driver()
    return tuple(_read(driver, index) for index in range(driver.call("cuDeviceGetCount")))


def _read(driver: Driver, index: int) -> Device:
    gpu = driver.call("cuDeviceGet", index)
    values = {name: driver.attribute(gpu, name.upper()) for name in ATTRIBUTES}
    reported: dict[str, Any] = {name: value for name, value in values.items() if value is not None}
    reported["max_block_dim"] = tuple(driver.attribute(gpu, f"MAX_BLOCK_DIM_{axis}") for axis in "XYZ")
    major, minor = (driver.attribute(gpu, f"COMPUTE_CAPABILITY_{part}") for part in ("MAJOR", "MINOR"))
    cuda_version: int = driver.call("cuDriverGetVersion")  # 13010 is 13.1
    driver_version, mig, nvml_error = _query_nvml(_text(driver.call("cuDeviceGetPCIBusId", 32, gpu)))
    return Device(
        index=index,
        name=_text(driver.call("cuDeviceGetName", 256, gpu)),
        compute_capability=ComputeCapability(major or 0, minor or 0),
        multiprocessor_count=driver.attribute(gpu, "MULTIPROCESSOR_COUNT") or 0,
        cuda_version=(cuda_version // 1000, cuda_version % 1000 // 10),
        driver_version=driver_version, mig=mig, reported=reported, nvml_error=nvml_error,
    )  # fmt: skip


def _query_nvml(bus_id: str) -> tuple[str | None, bool | None, str | None]:
    """Return the driver version, the MIG mode, and the error if NVML reports neither."""
    try:
        import pynvml
    except ImportError:
        return None, None, "the package nvidia-ml-py is not installed"
    try:
        pynvml.nvmlInit()
        version: str = pynvml.nvmlSystemGetDriverVersion()
    except pynvml.NVMLError as error:
        return None, None, f"NVML failed: {error}"
    try:
        mode, _ = pynvml.nvmlDeviceGetMigMode(pynvml.nvmlDeviceGetHandleByPciBusId(bus_id))
    except pynvml.NVMLError:  # a GPU without MIG
        return version, None, None
    return version, bool(mode), None


def _text(padded: bytes) -> str:
    return padded.split(b"\0", 1)[0].decode()
