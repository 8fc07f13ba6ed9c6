"""NVML, the library behind nvidia-smi, through the package nvidia-ml-py."""

from __future__ import annotations

import os
from typing import Any

from ..errors import DeviceError, MissingDependencyError
from .driver import INSTEAD, VISIBLE_DEVICES, no_visible_device, split_cuda_version


class Management:
    """NVML of this machine, initialised.

    It knows what the CUDA driver does not report: the driver's own version, and whether a GPU is
    divided (MIG).

    Raises:
        MissingDependencyError: The package nvidia-ml-py is not installed.
        DeviceError: NVML does not answer.
    """

    def __init__(self) -> None:
        self._nvml = _load_nvml()
        try:
            self._nvml.nvmlInit()
        except self._nvml.NVMLError as error:
            raise DeviceError(f"NVML does not answer: {error}", where="device", hint=INSTEAD) from error

    def ask(self, name: str, *arguments: Any) -> Any:
        """What a function of NVML answers; None where this GPU or this version has no answer."""
        try:
            return getattr(self._nvml, name)(*arguments)
        except self._nvml.NVMLError:
            return None

    def device_count(self) -> int:
        """GPUs of the machine.

        Raises:
            DeviceError: There are none, or CUDA_VISIBLE_DEVICES, of which NVML knows nothing, hides them all.
        """
        count: int = self.ask("nvmlDeviceGetCount") or 0
        if not count or os.environ.get(VISIBLE_DEVICES) in ("", "-1"):
            raise no_visible_device()
        return count

    def handle(self, index: int) -> Any:
        """NVML's handle of a GPU, in the order of nvidia-smi."""
        return self.ask("nvmlDeviceGetHandleByIndex", index)

    def handle_at(self, pci_bus_id: str) -> Any:
        """NVML's handle of the GPU at a place of the PCI bus; None if it knows none there."""
        return self.ask("nvmlDeviceGetHandleByPciBusId", pci_bus_id)

    def driver_version(self) -> str | None:
        """The version of the driver, such as ``"580.159.04"``."""
        version: str | None = self.ask("nvmlSystemGetDriverVersion")
        return version

    def cuda_version(self) -> tuple[int, int] | None:
        """The newest CUDA that the driver can run."""
        version = self.ask("nvmlSystemGetCudaDriverVersion_v2")
        return None if version is None else split_cuda_version(version)

    def device_name(self, handle: Any) -> str:
        """The name of a GPU, such as ``"NVIDIA H200"``."""
        return self.ask("nvmlDeviceGetName", handle) or "unknown"

    def compute_capability(self, handle: Any) -> tuple[int, int]:
        """The compute capability of a GPU.

        Raises:
            DeviceError: NVML does not report it.
        """
        told = self.ask("nvmlDeviceGetCudaComputeCapability", handle)
        if told is None:
            raise DeviceError("NVML does not report the compute capability", where="device", hint=INSTEAD)
        major, minor = told
        return major, minor

    def cores(self, handle: Any) -> int | None:
        """What NVIDIA calls the CUDA cores of a GPU."""
        cores: int | None = self.ask("nvmlDeviceGetNumGpuCores", handle)
        return cores

    def mig(self, handle: Any) -> bool | None:
        """Whether the GPU is divided (MIG); None if it cannot be, or NVML does not say."""
        mode = None if handle is None else self.ask("nvmlDeviceGetMigMode", handle)
        return None if mode is None else bool(mode[0])


def _load_nvml() -> Any:
    try:
        import pynvml
    except ImportError as error:
        raise MissingDependencyError(
            "the package nvidia-ml-py is not installed",
            where="device",
            hint=f"Install it: pip install 'occupancy[device]'. {INSTEAD}",
        ) from error
    return pynvml
