"""NVML, the library behind nvidia-smi, through the package nvidia-ml-py.

It reports two facts that the CUDA driver does not: the driver's version, and whether MIG divides a GPU.
"""

from __future__ import annotations

import os
from typing import Any

from ..errors import DeviceError
from .driver import NO_GPU_HINT, VISIBLE_DEVICES, missing_package, no_visible_device


class Nvml:
    """The initialized NVML of this machine.

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
