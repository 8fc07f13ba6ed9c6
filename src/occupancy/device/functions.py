"""Kernels loaded by the driver, and its own answers about them."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from .driver import Driver, DriverCallError

DEFAULT_STREAM = 0


class Context:
    """The primary context of a GPU, in which kernels are loaded; use it in a ``with`` statement.

    Args:
        index: The number of the GPU.

    Raises:
        MissingDependencyError: The package cuda-bindings is not installed.
        DeviceError: There is no GPU of that number, or it does not work.
    """

    def __init__(self, index: int) -> None:
        self.driver = Driver()
        self._device = self.driver.handle(index)
        self._modules: list[Any] = []

    def __enter__(self) -> Context:
        context = self.driver.call("cuDevicePrimaryCtxRetain", self._device)
        self.driver.call("cuCtxSetCurrent", context)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for module in self._modules:
            self.driver.call("cuModuleUnload", module)
        self.driver.call("cuDevicePrimaryCtxRelease", self._device)

    def is_idle(self) -> bool:
        """Whether all that was launched has ended.

        Raises:
            DriverCallError: A launch has failed.
        """
        try:
            self.driver.call("cuStreamQuery", DEFAULT_STREAM)
        except DriverCallError as answer:
            if answer.code == "CUDA_ERROR_NOT_READY":
                return False
            raise
        return True

    def synchronize(self) -> None:
        """Wait for all that was launched.

        Raises:
            DriverCallError: A launch has failed.
        """
        self.driver.call("cuCtxSynchronize")

    def load(self, image: bytes) -> Module:
        """Load compiled code: a cubin, or PTX that the driver compiles.

        Raises:
            DriverCallError: It is for another GPU.
        """
        module = self.driver.call("cuModuleLoadData", image)
        self._modules.append(module)
        return Module(self.driver, module)


class Module:
    """Loaded code."""

    def __init__(self, driver: Driver, handle: Any) -> None:
        self._driver = driver
        self._handle = handle

    def function(self, name: str) -> Function:
        """The kernel of a name."""
        return Function(self._driver, self._driver.call("cuModuleGetFunction", self._handle, name.encode()))


class Function:
    """A loaded kernel, and what the driver says of it. Sizes are in bytes."""

    def __init__(self, driver: Driver, handle: Any) -> None:
        self._driver = driver
        self._handle = handle

    @property
    def num_regs(self) -> int:
        """Registers per thread."""
        return self._attribute("NUM_REGS")

    @property
    def static_smem(self) -> int:
        """Shared memory that the kernel declares."""
        return self._attribute("SHARED_SIZE_BYTES")

    def allow_dynamic_smem(self, size: int) -> None:
        """Opt in to so much dynamic shared memory."""
        self._set("MAX_DYNAMIC_SHARED_SIZE_BYTES", size)

    def prefer_carveout(self, percent: int) -> None:
        """Ask for so much of the SM's memory to be shared memory; -1 is the default."""
        self._set("PREFERRED_SHARED_MEMORY_CARVEOUT", percent)

    def allow_non_portable_clusters(self) -> None:
        """Allow clusters of more blocks than every chip of the compute capability has."""
        self._set("NON_PORTABLE_CLUSTER_SIZE_ALLOWED", 1)

    def active_blocks(self, threads: int, dynamic_smem: int) -> int:
        """Blocks that can be resident on one SM: cuOccupancyMaxActiveBlocksPerMultiprocessor."""
        blocks: int = self._driver.call(
            "cuOccupancyMaxActiveBlocksPerMultiprocessor", self._handle, threads, dynamic_smem
        )
        return blocks

    def available_dynamic_smem(self, blocks: int, threads: int) -> int:
        """Dynamic shared memory for each of so many blocks: cuOccupancyAvailableDynamicSMemPerBlock.

        Raises:
            DriverCallError: So many blocks do not fit.
        """
        size: int = self._driver.call(
            "cuOccupancyAvailableDynamicSMemPerBlock", self._handle, blocks, threads
        )
        return size

    def potential_block_size(self, dynamic_smem: int, limit: int = 0) -> tuple[int, int]:
        """Blocks that fill the GPU, and their threads: cuOccupancyMaxPotentialBlockSize."""
        grid, threads = self._driver.call(
            "cuOccupancyMaxPotentialBlockSize", self._handle, None, dynamic_smem, limit
        )
        return grid, threads

    def launch(self, blocks: int, threads: int, dynamic_smem: int = 0, *, cooperative: bool = False) -> None:
        """Launch the kernel, which must have no parameters, and do not wait for it.

        Args:
            blocks: Blocks of the grid.
            threads: Threads per block.
            dynamic_smem: Dynamic shared memory per block.
            cooperative: Whether all blocks must be resident at once: cuLaunchCooperativeKernel.

        Raises:
            DriverCallError: The driver refuses.
        """
        shape = (blocks, 1, 1, threads, 1, 1, dynamic_smem, DEFAULT_STREAM)
        if cooperative:
            self._driver.call("cuLaunchCooperativeKernel", self._handle, *shape, 0)
        else:
            self._driver.call("cuLaunchKernel", self._handle, *shape, 0, 0)

    def active_clusters(self, cluster_size: int, threads: int, dynamic_smem: int) -> int:
        """Clusters that can be resident on the GPU: cuOccupancyMaxActiveClusters."""
        bindings = self._driver.bindings
        attribute = bindings.CUlaunchAttribute()
        attribute.id = bindings.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
        shape = attribute.value.clusterDim
        shape.x, shape.y, shape.z = cluster_size, 1, 1
        config = bindings.CUlaunchConfig()
        config.gridDimX, config.gridDimY, config.gridDimZ = cluster_size, 1, 1
        config.blockDimX, config.blockDimY, config.blockDimZ = threads, 1, 1
        config.sharedMemBytes = dynamic_smem
        config.attrs, config.numAttrs = [attribute], 1
        clusters: int = self._driver.call("cuOccupancyMaxActiveClusters", self._handle, config)
        return clusters

    def _attribute(self, name: str) -> int:
        value: int = self._driver.call("cuFuncGetAttribute", self._named(name), self._handle)
        return value

    def _set(self, name: str, value: int) -> None:
        self._driver.call("cuFuncSetAttribute", self._handle, self._named(name), value)

    def _named(self, name: str) -> Any:
        return self._driver.named(f"CU_FUNC_ATTRIBUTE_{name}", of="CUfunction_attribute")
