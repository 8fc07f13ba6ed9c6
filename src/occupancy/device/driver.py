"""The CUDA driver and NVRTC through cuda-bindings."""

from __future__ import annotations

import os
from bisect import bisect_left
from contextlib import ExitStack
from functools import partial
from typing import Any, NamedTuple

from ..errors import DeviceError, MissingDependencyError, importing
from ..values.limits import ComputeCapability, Limits

VISIBLE_DEVICES = "CUDA_VISIBLE_DEVICES"


class DriverCallError(DeviceError):
    """Error returned by a driver call; ``code`` is its name, such as CUDA_ERROR_NO_DEVICE."""

    def __init__(self, call: str, code: str, text: str) -> None:
        self.code = code
        super().__init__(f"{call} returned {code}: {text}", where="CUDA driver")


class Driver:
    def __init__(self) -> None:
        hint = "To read local GPUs, run: pip install 'cuda-bindings[all]' nvidia-ml-py"
        with importing("the package cuda-bindings", hint=hint):
            from cuda.bindings import driver
        self.bindings: Any = driver
        try:
            self.call("cuInit", 0)
        except DriverCallError as error:
            problem, where, hint = error.problem, error.where, "Run nvidia-smi to check the driver."
            if error.code == "CUDA_ERROR_NO_DEVICE":
                problem, where = "the driver finds no NVIDIA GPU", ""
                if (visible := os.environ.get(VISIBLE_DEVICES)) is not None:
                    problem = f"{VISIBLE_DEVICES} is {visible!r}, which hides every GPU"
                    hint = "Unset it, or list GPUs in it by the numbers that nvidia-smi shows."
            raise DeviceError(problem, where=where, hint=hint) from error

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a driver function and return its result, or a list of several or none."""
        try:
            status, *values = getattr(self.bindings, name)(*arguments)
        except RuntimeError as error:  # no driver, or a driver without the function
            problem, hint = "no NVIDIA driver was found", "Run nvidia-smi to check."
            if name != "cuInit":
                problem = f"the NVIDIA driver is too old for the package cuda-bindings: {error}"
                hint = "Install a newer driver, or the cuda-bindings of the driver's CUDA version."
            raise DeviceError(problem, hint=hint) from error
        if status != self.bindings.CUresult.CUDA_SUCCESS:
            names = self.bindings.cuGetErrorName(status)[1], self.bindings.cuGetErrorString(status)[1]
            texts = (f"error {int(status)}" if text is None else text.decode() for text in names)
            raise DriverCallError(name, *texts)
        return values[0] if len(values) == 1 else values

    def attribute(self, handle: Any, name: str) -> int | None:
        """Return a device attribute by name without prefix; None if the driver does not support it."""
        attribute = getattr(self.bindings.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
        try:
            return int(self.call("cuDeviceGetAttribute", attribute, handle))
        except DriverCallError as error:
            if error.code == "CUDA_ERROR_INVALID_VALUE":
                return None
            raise


class Context(ExitStack):
    """Primary context of a GPU, for loading kernels; use it in a ``with`` statement."""

    def __init__(self, index: int) -> None:
        super().__init__()
        self.driver = Driver()
        device = self.driver.call("cuDeviceGet", index)
        primary = self.driver.call("cuDevicePrimaryCtxRetain", device)
        self.callback(self.driver.call, "cuDevicePrimaryCtxRelease", device)
        self.driver.call("cuCtxSetCurrent", primary)

    def load(self, image: bytes) -> Any:
        """Load a cubin, or PTX that the driver compiles, and return the module."""
        module = self.driver.call("cuModuleLoadData", image)
        self.callback(self.driver.call, "cuModuleUnload", module)
        return module

    def function(self, module: Any, name: str) -> Function:
        return Function(self.driver, self.driver.call("cuModuleGetFunction", module, name.encode()))


class Function(NamedTuple):
    """Loaded kernel, with its attributes and the driver's occupancy calls. Sizes are in bytes."""

    driver: Driver
    handle: Any

    def attribute(self, name: str) -> int:
        """Return an attribute by name without prefix, such as ``NUM_REGS``."""
        return int(self.driver.call("cuFuncGetAttribute", self._attribute(name), self.handle))

    def set_attribute(self, name: str, value: int) -> None:
        self.driver.call("cuFuncSetAttribute", self.handle, self._attribute(name), value)

    def _attribute(self, name: str) -> Any:
        return getattr(self.driver.bindings.CUfunction_attribute, f"CU_FUNC_ATTRIBUTE_{name}")

    def _call(self, name: str, *arguments: Any) -> Any:
        return self.driver.call(name, self.handle, *arguments)

    def active_blocks(self, threads: int, dynamic_smem: int) -> int:
        return int(self._call("cuOccupancyMaxActiveBlocksPerMultiprocessor", threads, dynamic_smem))

    def available_dynamic_smem(self, blocks: int, threads: int) -> int:
        return int(self._call("cuOccupancyAvailableDynamicSMemPerBlock", blocks, threads))

    def potential_block_size(self, dynamic_smem: int) -> tuple[int, ...]:
        """Return the smallest grid that fills the GPU, and its threads per block."""
        return tuple(self._call("cuOccupancyMaxPotentialBlockSize", None, dynamic_smem, 0))

    def active_clusters(self, cluster_size: int, threads: int, dynamic_smem: int) -> int:
        bindings = self.driver.bindings
        attribute = bindings.CUlaunchAttribute()
        attribute.id = bindings.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
        shape = attribute.value.clusterDim
        shape.x, shape.y, shape.z = cluster_size, 1, 1
        config = bindings.CUlaunchConfig()
        config.gridDimX, config.gridDimY, config.gridDimZ = cluster_size, 1, 1
        config.blockDimX, config.blockDimY, config.blockDimZ = threads, 1, 1
        config.sharedMemBytes = dynamic_smem
        config.attrs, config.numAttrs = [attribute], 1
        return int(self._call("cuOccupancyMaxActiveClusters", config))


STAND_IN = b"""
.version 7.8
.target sm_90
.address_size 64
.visible .entry stand_in() { ret; }
\0"""
"""Empty kernel in PTX 7.8, the first version with sm_90 and so with clusters (PTX ISA, release notes)."""

THREADS = 32
"""Threads per block of the empty kernel: one warp, so that only shared memory limits its resident blocks."""


class ClusterCounter:
    """Resident clusters reported by the driver for an empty kernel in place of the real one.

    The number depends only on the resident blocks per SM of the kernel, as in all 4,272 cases on an H200.
    """

    def __init__(self, context: Context, limits: Limits) -> None:
        self._most = limits.max_shared_memory_per_block_optin
        self._kernel = context.function(context.load(STAND_IN), "stand_in")
        self._kernel.set_attribute("MAX_DYNAMIC_SHARED_SIZE_BYTES", self._most)
        self._kernel.set_attribute("NON_PORTABLE_CLUSTER_SIZE_ALLOWED", 1)

    def active_clusters(self, blocks: int, cluster_size: int) -> int:
        count = partial(self._kernel.active_blocks, THREADS)
        sizes = range(self._most, -1, -1)  # descending, because a smaller size never has fewer blocks
        size = sizes[bisect_left(sizes, blocks, hi=self._most, key=count)]
        if count(size) != blocks:
            raise DeviceError(f"no test kernel has {blocks} resident blocks per SM", where="clusters")
        return self._kernel.active_clusters(cluster_size, THREADS, size)


def count_active_clusters(index: int, limits: Limits, blocks: int, cluster_size: int) -> int:
    """Return the resident clusters of a local GPU for a kernel with these blocks per SM, by its driver."""
    with Context(index) as context:
        return ClusterCounter(context, limits).active_clusters(blocks, cluster_size)


def compile_cuda(source: str, cc: ComputeCapability, variant: str = "") -> bytes:
    """Compile CUDA C++ for a GPU, with the variant ``"a"`` for architecture-specific features.

    An NVRTC older than the GPU returns PTX for its newest compute capability, which the driver compiles.
    """
    from cuda.bindings import nvrtc

    wanted = cc.major * 10 + cc.minor
    supported = [arch for arch in _call_nvrtc("nvrtcGetSupportedArchs") if arch <= wanted]
    if not supported or (variant and wanted not in supported):
        hint = "Install another version of cuda-bindings[all]. Before 7.5, it must be older than 13."
        raise DeviceError(f"the installed NVRTC does not compile for {cc}{variant}", where="NVRTC", hint=hint)
    kind, prefix = ("CUBIN", "sm") if wanted in supported else ("PTX", "compute")
    target = f"--gpu-architecture={prefix}_{max(supported)}{variant}"
    program = _call_nvrtc("nvrtcCreateProgram", source.encode(), b"occupancy.cu", 0, [], [])
    try:
        (status,) = nvrtc.nvrtcCompileProgram(program, 1, [target.encode()])
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            log = _output("ProgramLog", program).rstrip(b"\0\n").decode(errors="replace")
            raise DeviceError(f"NVRTC reports errors: {log}", where="NVRTC")
        return _output(kind, program)
    finally:
        nvrtc.nvrtcDestroyProgram(program)


def nvrtc_version() -> str:
    return ".".join(map(str, _call_nvrtc("nvrtcVersion")))


def _call_nvrtc(name: str, *arguments: Any) -> Any:
    from cuda.bindings import nvrtc

    hint = "Install NVRTC: pip install 'cuda-bindings[all]', or a CUDA toolkit."
    try:
        status, *values = getattr(nvrtc, name)(*arguments)
    except RuntimeError as error:  # the library is missing
        raise MissingDependencyError("NVRTC is not installed", where="NVRTC", hint=hint) from error
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        _, text = nvrtc.nvrtcGetErrorString(status)
        raise DeviceError(f"{name} returned {text.decode()}", where="NVRTC", hint=hint)
    return values[0] if len(values) == 1 else values


def _output(kind: str, program: Any) -> bytes:
    buffer = bytearray(_call_nvrtc(f"nvrtcGet{kind}Size", program))  # output parameter
    _call_nvrtc(f"nvrtcGet{kind}", program, buffer)
    return bytes(buffer)
