"""Comparison of the table and the engine with the driver of a GPU.

Users can run it on GPUs that the authors do not have. Kernels are compiled and loaded, but not launched.
"""

from __future__ import annotations

import datetime
import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any, NamedTuple, TypeVar

from .. import __version__
from ..advice import runtime
from ..engine import Result, cuda
from ..errors import DeviceError, InputError
from ..readers.record import MAX_WITHOUT_OPT_IN
from ..values.fields import Carveout
from ..values.kernel import Kernel
from .driver import ClusterCounter, Context, DriverCallError, Function, compile_cuda, nvrtc_version
from .live import Device, read_device

T = TypeVar("T")

KEPT_DIFFERENCES = 20
"""Maximum differences listed by each check; all are counted."""
INVALID_VALUE = "CUDA_ERROR_INVALID_VALUE"
"""Error of the driver for invalid arguments (``CUresult`` 1 in cuda.h)."""
CLUSTER_SIZES = (1, 2, 4, 8, 16)


class Difference(NamedTuple):
    """Difference between the driver's result and the computed result."""

    case: str
    """Kernel and arguments of the call."""
    driver: str
    """Result of the driver, or its error."""
    computed: str


@dataclass(slots=True)
class Check:
    """Comparisons with one driver call, counted."""

    name: str
    call: str
    """Driver function."""
    compared: int = 0
    different: int = 0
    documented: int = 0
    """Comparisons, included in `compared`, that a known driver bug explains."""
    differences: list[Difference] = field(default_factory=list)
    """First differences."""

    def compare(self, case: object, driver: object, computed: object, documented: object = None) -> None:
        """Count a comparison; ``documented`` is the known wrong result of some drivers."""
        self.compared += 1
        if driver not in (computed, documented):
            self.different += 1
            if len(self.differences) < KEPT_DIFFERENCES:
                self.differences.append(Difference(str(case), str(driver), str(computed)))
        elif driver != computed:
            self.documented += 1


@dataclass(frozen=True, slots=True, eq=False)
class Verification:
    """All comparisons on one GPU."""

    date: datetime.date
    versions: dict[str, str]
    """Versions of the software."""
    device: Device
    kernels: int
    """Number of compiled kernels."""
    checks: tuple[Check, ...]

    def __str__(self) -> str:
        return f"{self.device.name}: {self.compared:,} results compared, {self.different:,} differ"

    @property
    def compared(self) -> int:
        """Number of comparisons."""
        return sum(check.compared for check in self.checks)

    @property
    def documented(self) -> int:
        """Number of results that a known driver bug explains."""
        return sum(check.documented for check in self.checks)

    @property
    def different(self) -> int:
        """Number of all other differences."""
        return sum(check.different for check in self.checks)


class Specimen(NamedTuple):
    """Kernel generated with target amounts of each resource; the driver reports the actual amounts."""

    live_values: int
    register_cap: int | None = None
    static_smem: int = 0
    barriers: int = 1
    launch_bound: int | None = None

    @property
    def name(self) -> str:
        registers = f"_registers{self.register_cap}" if self.register_cap else ""
        bound = f"_threads{self.launch_bound}" if self.launch_bound else ""
        return f"live{self.live_values}{registers}_static{self.static_smem}_barriers{self.barriers}{bound}"

    def source(self) -> str:
        cap = f"__maxnreg__({self.register_cap})" if self.register_cap else ""
        bound = f"__launch_bounds__({self.launch_bound})" if self.launch_bound else ""
        loop = f"    #pragma unroll\n    for (int i = 0; i < {self.live_values}; ++i)"
        lines = [f'extern "C" __global__ void {cap} {bound} {self.name}(volatile float *data)', "{"]
        if self.static_smem:
            lines.append(f"    __shared__ volatile char scratch[{self.static_smem}];")
            lines.append(f"    scratch[threadIdx.x % {self.static_smem}] = 1;")
        # Volatile accesses: all values are read before the first is written, so all are live at once.
        lines += [f"    float values[{self.live_values}];", f"{loop} values[i] = data[i];"]
        lines += [f'    asm volatile("barrier.sync {number};");' for number in range(self.barriers)]
        return "\n".join([*lines, f"{loop} data[i] = values[i];", "}", ""])


# With NVRTC 13.0, kernels use 4 registers for addresses besides the values; below 33 the number varies.
# Other compilers work too, because the driver reports the actual registers.
SPECIMENS = (
    *(Specimen(values) for values in (1, 4, 7, 10, 13, 25, 31, 250)),
    *(Specimen(registers - 4, register_cap=registers) for registers in range(33, 255, 7)),
    *(Specimen(13, None, *each) for each in product((1, 1000, 16384, MAX_WITHOUT_OPT_IN), (0, 2, 5, 16))),
    *(Specimen(200, launch_bound=threads) for threads in (96, 256, 512, 768)),
)


class Plan(NamedTuple):
    specimens: tuple[Specimen, ...]
    threads: tuple[int, ...]
    sizes: int
    """Number of sizes of dynamic shared memory, from 0 to the maximum."""
    carveouts: tuple[int, ...]
    """Carveouts in percent, besides the default."""
    stride: int
    """Step between block sizes in slow calls."""


PARTIAL_WARPS = (1, 31, 33, 63, 65, 100, 127, 129, 200, 250, 333, 500, 639, 769, 1000, 1023)
FULL = Plan(SPECIMENS, (*range(32, 1025, 32), *PARTIAL_WARPS), 9, (0, 25, 50, 75, 100), 8)
QUICK = Plan(SPECIMENS[::6], (1, 32, 33, 128, 192, 256, 500, 1024), 4, (0, 50), 4)


def verify(index: int = 0, *, quick: bool = False) -> Verification:
    """Compare limits and results with the driver of a local GPU.

    Args:
        index: CUDA device number.
        quick: Reduce the number of comparisons to about one in fifty.

    Raises:
        MissingDependencyError: cuda-bindings or NVRTC is not installed.
        DeviceError: There is no GPU, or the driver fails.
        UnknownComputeCapabilityError: The table does not contain its compute capability.
    """
    plan, device = QUICK if quick else FULL, read_device(index)
    import cuda.bindings

    limits = Check("limits of the table", "cuDeviceGetAttribute")
    for name, value in device.reported.items():
        limits.compare(name, value, getattr(device.row, name))
    with Context(index) as context:
        source = "".join(specimen.source() for specimen in plan.specimens)
        module = context.load(compile_cuda(source, device.compute_capability))
        comparison = _Comparison(plan, device, context)
        for specimen in plan.specimens:
            comparison.run(specimen, context.function(module, specimen.name))
    versions = {"occupancy": __version__, "Python": platform.python_version()}
    versions["system"] = f"{platform.system()} {platform.machine()}"
    versions |= {"cuda-bindings": cuda.bindings.__version__, "NVRTC": nvrtc_version()}
    checks = limits, *comparison.checks
    return Verification(datetime.date.today(), versions, device, len(plan.specimens), checks)


class _Comparison:
    def __init__(self, plan: Plan, device: Device, context: Context) -> None:
        self._plan = plan
        self._limits = device.row
        self._multiprocessor_count = device.multiprocessor_count
        has_clusters = self._limits.max_portable_cluster_size is not None
        self._counter = ClusterCounter(context, self._limits) if has_clusters else None
        self._blocks = Check("blocks per SM", "cuOccupancyMaxActiveBlocksPerMultiprocessor")
        self._memory = Check("available shared memory", "cuOccupancyAvailableDynamicSMemPerBlock")
        self._block_size = Check("potential block size", "cuOccupancyMaxPotentialBlockSize")
        self._bound = Check("upper bound of clusters", "cuOccupancyMaxActiveClusters")
        self._stand_in = Check("clusters at the same blocks per SM", "cuOccupancyMaxActiveClusters")
        self.checks = (self._blocks, self._memory, self._block_size, self._bound, self._stand_in)

    def run(self, specimen: Specimen, function: Function) -> None:
        stride, most = self._plan.stride, specimen.launch_bound or self._limits.max_threads_per_block
        threads = [count for count in self._plan.threads if count <= most]
        for kernel in self._with_settings(specimen, function):
            sizes = self._dynamic_sizes(kernel)
            for launched in _launches(kernel, threads, [*sizes, self._most_dynamic(kernel) + 1]):
                driver = _result(function.active_blocks, launched.threads, launched.dynamic_smem)
                self._blocks.compare(launched, driver, Result(self._limits, launched, "cuda").active_blocks)
            for launched in _launches(kernel, threads[::stride], [0]):
                self._compare_available_smem(function, launched)
            for launched in _launches(kernel, [1], sizes):
                self._compare_block_size(function, launched, specimen.launch_bound or 0)
            if self._counter is not None:
                function.set_attribute("NON_PORTABLE_CLUSTER_SIZE_ALLOWED", 1)
                for launched in _launches(kernel, threads[::stride], sizes[::stride]):
                    self._compare_clusters(function, launched, self._counter)

    def _with_settings(self, specimen: Specimen, function: Function) -> Iterator[Kernel]:
        """Apply each setting to the function; yield the kernel with the same setting."""
        static = function.attribute("SHARED_SIZE_BYTES")
        kernel = Kernel(1, function.attribute("NUM_REGS"), static, barriers=specimen.barriers)
        yield kernel.replace(opt_in=False)
        optin = self._limits.max_shared_memory_per_block_optin
        function.set_attribute("MAX_DYNAMIC_SHARED_SIZE_BYTES", optin - static)
        yield kernel.replace(opt_in=True)
        if self._limits.compute_capability >= cuda.FIRST_WITH_FLEXIBLE_CARVEOUT:
            for percent in self._plan.carveouts:
                function.set_attribute("PREFERRED_SHARED_MEMORY_CARVEOUT", percent)
                yield kernel.replace(opt_in=True, carveout=Carveout(percent, "percent"))

    def _most_dynamic(self, kernel: Kernel) -> int:
        most = cuda.max_shared_memory_allocation(self._limits, kernel)
        return most - self._limits.reserved_shared_memory_per_block - kernel.shared_memory

    def _dynamic_sizes(self, kernel: Kernel) -> list[int]:
        """Return sizes of dynamic shared memory from 0 to the maximum; every other one is in whole units."""
        most, last = self._most_dynamic(kernel), self._plan.sizes - 1
        sizes = [most * step // last for step in range(last + 1)]
        unit = self._limits.shared_memory_allocation_unit
        return sorted({size // unit * unit if step % 2 else size for step, size in enumerate(sizes)})

    def _compare_available_smem(self, function: Function, kernel: Kernel) -> None:
        limits, reserved = self._limits, self._limits.reserved_shared_memory_per_block
        call = partial(_result, runtime.available_dynamic_shared_memory_per_block, limits, kernel)
        fitting = Result(limits, kernel, "cuda").active_blocks
        for blocks in range(1, fitting + 2):  # includes one block too many: both sides return an error
            driver, right = _result(function.available_dynamic_smem, blocks, kernel.threads), call(blocks)
            # Driver 580 forgets the reserved bytes: it returns that much more, up to the result for one block.
            seen = right if isinstance(right, str) else min(right + reserved, call(1))
            self._memory.compare((blocks, kernel), driver, right, seen)

    def _compare_block_size(self, function: Function, kernel: Kernel, launch_bound: int) -> None:
        def computed(kernel: Kernel) -> tuple[int, int]:
            launched = self._limits, kernel, self._multiprocessor_count
            return runtime.max_potential_block_size(*launched, block_size_limit=launch_bound)[:2]

        driver = _result(function.potential_block_size, kernel.dynamic_smem)
        # Driver 580 ignores carveouts other than 0% and 100% here, and so contradicts its own resident blocks.
        self._block_size.compare(kernel, driver, computed(kernel), computed(kernel.replace(carveout=None)))

    def _compare_clusters(self, function: Function, kernel: Kernel, counter: ClusterCounter) -> None:
        blocks = Result(self._limits, kernel, "cuda").active_blocks
        for size in filter(self._limits.most_blocks_per_cluster.__ge__, CLUSTER_SIZES):
            driver = _result(function.active_clusters, size, kernel.threads, kernel.dynamic_smem)
            clustered = kernel.replace(cluster=size)
            bound = runtime.max_active_clusters(self._limits, clustered, self._multiprocessor_count)
            is_within = isinstance(driver, int) and driver <= bound
            self._bound.compare((size, kernel), driver, driver if is_within else f"at most {bound}")
            if blocks:
                self._stand_in.compare((size, kernel), driver, _result(counter.active_clusters, blocks, size))


def _launches(kernel: Kernel, threads: Sequence[int], sizes: Sequence[int]) -> Iterator[Kernel]:
    return (kernel.replace(threads=count, dynamic_smem=size) for count, size in product(threads, sizes))


def _result(call: Callable[..., T], *arguments: Any) -> T | str:
    try:
        return call(*arguments)
    except InputError:
        return INVALID_VALUE
    except DriverCallError as error:
        return error.code
    except DeviceError as error:
        return error.problem
