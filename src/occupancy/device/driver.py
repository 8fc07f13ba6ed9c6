"""The CUDA driver, through the package cuda-bindings: every call is checked, every error explained."""

from __future__ import annotations

import os
from typing import Any

from ..errors import DeviceError, MissingDependencyError

INSTEAD = "Without a GPU, give its compute capability, such as 9.0, or its name, such as H100 SXM."
VISIBLE_DEVICES = "CUDA_VISIBLE_DEVICES"


class DriverCallError(DeviceError):
    """A call that the driver answered with an error; ``code`` is the driver's name of the error."""

    def __init__(self, call: str, code: str, text: str) -> None:
        self.code = code
        super().__init__(f"{call} answers {code}, {text}", where="CUDA driver")


class Driver:
    """The CUDA driver of this machine, initialised.

    Raises:
        MissingDependencyError: The package cuda-bindings is not installed.
        DeviceError: There is no driver, it is too old, or it shows no GPU.
    """

    def __init__(self) -> None:
        self.bindings = _load_bindings()
        try:
            self.call("cuInit", 0)
        except DriverCallError as refusal:
            raise _no_device(refusal) from refusal

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a function of the driver.

        Args:
            name: The driver's name of it.
            arguments: As in the bindings.

        Returns:
            What it answers: None, a value, or a tuple of values.

        Raises:
            DriverCallError: It answers with an error.
            DeviceError: There is no driver, or it is too old to have the function.
        """
        try:
            status, *values = getattr(self.bindings, name)(*arguments)
        except RuntimeError as error:  # so the bindings say that they find no driver, or no such function
            raise _no_function(name, error) from error
        if status != self.bindings.CUresult.CUDA_SUCCESS:
            raise DriverCallError(name, *self._words_for(status))
        if len(values) > 1:
            return tuple(values)
        return values[0] if values else None

    def named(self, name: str, *, of: str | None = None) -> Any:
        """An enumeration or a structure of the bindings, or a value of an enumeration, by the driver's name.

        Raises:
            DeviceError: The package cuda-bindings is too old to have it.
        """
        found = getattr(self.bindings if of is None else getattr(self.bindings, of), name, None)
        if found is None:
            raise DeviceError(f"cuda-bindings is too old to know {name}", where="device", hint="Upgrade it.")
        return found

    def _words_for(self, status: Any) -> tuple[str, str]:
        known, code = self.bindings.cuGetErrorName(status)
        if known != self.bindings.CUresult.CUDA_SUCCESS:
            return f"error {int(status)}", "which it does not explain"
        _, text = self.bindings.cuGetErrorString(status)
        return code.decode(), text.decode()

    def device_count(self) -> int:
        """GPUs that the driver shows to this program."""
        count: int = self.call("cuDeviceGetCount")
        return count

    def handle(self, index: int) -> Any:
        """The driver's handle of a GPU."""
        return self.call("cuDeviceGet", index)

    def device_name(self, handle: Any) -> str:
        """The name of a GPU, such as ``"NVIDIA H200"``."""
        return _text(self.call("cuDeviceGetName", 256, handle))

    def pci_bus_id(self, handle: Any) -> str:
        """Where a GPU is plugged in, by which NVML finds it too."""
        return _text(self.call("cuDeviceGetPCIBusId", 32, handle))

    def cuda_version(self) -> tuple[int, int]:
        """The newest CUDA that the driver can run."""
        return split_cuda_version(self.call("cuDriverGetVersion"))

    def attribute(self, handle: Any, name: str) -> int | None:
        """A device attribute, by its name without the prefix; None where driver or bindings lack it."""
        attribute = getattr(self.bindings.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}", None)
        if attribute is None:
            return None
        try:
            value: int = self.call("cuDeviceGetAttribute", attribute, handle)
        except DriverCallError as refusal:
            if refusal.code == "CUDA_ERROR_INVALID_VALUE":
                return None
            raise
        return value


def split_by_count(driver: Driver, index: int, wanted: int, coscheduled: bool) -> tuple[int, int]:
    """The groups that green contexts divide a GPU into, and the SMs of each: cuDevSmResourceSplitByCount.

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


def bindings_version() -> str:
    """The version of the package cuda-bindings, which must be installed."""
    import cuda.bindings

    version: str = cuda.bindings.__version__
    return version


def split_cuda_version(version: int) -> tuple[int, int]:
    """Major and minor of a version of CUDA as the driver gives it: 13010 is 13.1."""
    return version // 1000, version % 1000 // 10


def _text(padded: bytes) -> str:
    return padded.split(b"\0", 1)[0].decode()


def _load_bindings() -> Any:
    try:
        from cuda.bindings import driver
    except ImportError as error:
        raise MissingDependencyError(
            "the package cuda-bindings is not installed",
            where="device",
            hint=f"Install it: pip install 'occupancy[device]'. {INSTEAD}",
        ) from error
    return driver


def _no_function(name: str, error: RuntimeError) -> DeviceError:
    if name == "cuInit":
        return DeviceError(
            "this machine has no NVIDIA driver, or none is found", where="device", hint=INSTEAD
        )
    return DeviceError(
        f"the NVIDIA driver is too old for the package cuda-bindings: {error}",
        where="device",
        hint=f"Install a newer driver, or the cuda-bindings of the driver's own CUDA version. {INSTEAD}",
    )


def _no_device(refusal: DriverCallError) -> DeviceError:
    if refusal.code == "CUDA_ERROR_NO_DEVICE":
        return no_visible_device()
    return DeviceError(
        refusal.problem, where="device", hint=f"nvidia-smi shows whether the driver works. {INSTEAD}"
    )


def no_visible_device() -> DeviceError:
    """The error for a machine with a driver and without a GPU that programs may use."""
    visible = os.environ.get(VISIBLE_DEVICES)
    if visible is None:
        return DeviceError("the driver finds no NVIDIA GPU", where="device", hint=INSTEAD)
    return DeviceError(
        f"{VISIBLE_DEVICES} is {visible!r}, which leaves no GPU to be seen",
        where="device",
        hint=f"Unset it, or list GPUs in it by the numbers that nvidia-smi shows. {INSTEAD}",
    )
