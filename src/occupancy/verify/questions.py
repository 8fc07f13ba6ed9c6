"""What both the driver and the library are asked: kernels, with their CUDA C++, and questions about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

from ..advice.runtime import (
    available_dynamic_shared_memory_per_block,
    max_active_clusters,
    max_potential_block_size,
)
from ..device import Device
from ..device.clusters import ClusterCounter
from ..device.driver import DriverCallError
from ..device.functions import Function
from ..engine import cuda, evaluate
from ..errors import DeviceError, InputError
from ..values.dataclass import dataclass
from ..values.kernel import Carveout, Kernel
from ..values.limits import Limits
from .result import Check

Answer = TypeVar("Answer")

INVALID_VALUE = "CUDA_ERROR_INVALID_VALUE"
"""The driver's answer to a question that has none (``CUresult`` 1 of cuda.h)."""
MOST_STATIC = 49152
"""Static shared memory that the compiler allows, in bytes: 48 KiB on every chip from 2.0.

CUDA C++ Programming Guide, Compute Capabilities: more than that must be dynamic."""


@dataclass(frozen=True, slots=True)
class Specimen:
    """A kernel made to need a given amount of each resource; the driver reports what it came to."""

    live_values: int
    """Values that the kernel has in registers at the same time."""
    register_cap: int | None = None
    """Registers per thread that it is compiled for; None leaves it to the compiler."""
    static_smem: int = 0
    barriers: int = 1
    launch_bound: int | None = None
    """The largest block that it is compiled for; None: no launch bounds."""

    @property
    def name(self) -> str:
        """Its name in the compiled code, which says what it is made for."""
        registers = f"_registers{self.register_cap}" if self.register_cap else ""
        bound = f"_threads{self.launch_bound}" if self.launch_bound else ""
        return f"live{self.live_values}{registers}_static{self.static_smem}_barriers{self.barriers}{bound}"

    def source(self) -> str:
        """CUDA C++ of the kernel."""
        attributes = []
        if self.register_cap:
            attributes.append(f"__maxnreg__({self.register_cap})")
        if self.launch_bound:
            attributes.append(f"__launch_bounds__({self.launch_bound})")
        lines = [f'extern "C" __global__ void {" ".join(attributes)} {self.name}(volatile float *data)', "{"]
        if self.static_smem:
            lines += [
                f"    __shared__ volatile char scratch[{self.static_smem}];",
                f"    scratch[threadIdx.x % {self.static_smem}] = 1;",
            ]
        lines.append(f"    float values[{self.live_values}];")
        # The accesses are volatile, so that every value is read before the first is written.
        lines.append(_loop(self.live_values, "values[i] = data[i];"))
        lines += [f'    asm volatile("barrier.sync {number};");' for number in range(self.barriers)]
        lines.append(_loop(self.live_values, "data[i] = values[i];"))
        return "\n".join([*lines, "}", ""])


def _loop(count: int, statement: str) -> str:
    return f"    #pragma unroll\n    for (int i = 0; i < {count}; ++i) {statement}"


# As NVRTC 13.0 compiles them: 4 registers beside the values hold addresses; with fewer than 33 the compiler
# takes other numbers. The driver is asked what each came to, so that a compiler that differs does no harm.
_LADDER = tuple(Specimen(registers - 4, register_cap=registers) for registers in range(33, 255, 7))
_SMALL = tuple(Specimen(values) for values in (1, 4, 7, 10, 13, 25, 31, 250))
_MEMORY_AND_BARRIERS = tuple(
    Specimen(13, static_smem=static, barriers=barriers)
    for static in (1, 1000, 16384, MOST_STATIC)
    for barriers in (0, 2, 5, 16)
)
_BOUNDED = tuple(Specimen(200, launch_bound=threads) for threads in (96, 256, 512, 768))

SPECIMENS = (*_SMALL, *_LADDER, *_MEMORY_AND_BARRIERS, *_BOUNDED)


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is asked."""

    specimens: tuple[Specimen, ...]
    threads: tuple[int, ...]
    """Threads per block."""
    sizes: int
    """Sizes of dynamic shared memory, from none to the most."""
    carveouts: tuple[int, ...]
    """In percent; beside the default, which is always asked."""
    cluster_sizes: tuple[int, ...] = (1, 2, 4, 8, 16)
    sparse: int = 8
    """The questions that take longer are asked of one block size in so many."""
    launches: bool = False
    """Whether kernels are also launched, and the GPU is divided."""


BROKEN_SIZES = (1, 31, 33, 63, 65, 100, 127, 129, 200, 250, 333, 500, 639, 769, 1000, 1023)
"""Threads per block that are no whole warps, beside each number of warps."""

FULL_PLAN = Plan(
    specimens=SPECIMENS,
    threads=(*range(32, 1025, 32), *BROKEN_SIZES),
    sizes=9,
    carveouts=(0, 25, 50, 75, 100),
    launches=True,
)
QUICK_PLAN = Plan(
    specimens=SPECIMENS[::6],
    threads=(1, 32, 33, 128, 192, 256, 500, 1024),
    sizes=4,
    carveouts=(0, 50),
    sparse=4,
)


@dataclass(frozen=True, slots=True)
class Subject:
    """A compiled kernel with its settings, as the driver and as the library knows it."""

    function: Function
    kernel: Kernel
    """Its block size and dynamic shared memory do not matter."""
    limits: Limits
    multiprocessor_count: int
    launch_bound: int | None

    def in_blocks_of(self, threads: int, dynamic_smem: int) -> Kernel:
        """The kernel as it is launched."""
        return replace(self.kernel, threads=threads, dynamic_smem=dynamic_smem)

    @property
    def most_dynamic(self) -> int:
        """The most dynamic shared memory that a launch can ask for."""
        limits = self.limits
        most = (
            limits.max_shared_memory_per_block
            if self.kernel.opt_in is False
            else limits.max_shared_memory_per_block_optin
        )
        return most - (self.kernel.static_smem or 0)

    def threads(self, plan: Plan) -> tuple[int, ...]:
        """The block sizes of a plan that the kernel is compiled for."""
        return tuple(
            each for each in plan.threads if each <= (self.launch_bound or self.limits.max_threads_per_block)
        )

    def dynamic_sizes(self, plan: Plan) -> list[int]:
        """Sizes of dynamic shared memory, from none to the most, every other one in whole units."""
        sizes = [self.most_dynamic * step // (plan.sizes - 1) for step in range(plan.sizes)]
        unit = self.limits.shared_memory_allocation_unit
        return sorted({size // unit * unit if step % 2 else size for step, size in enumerate(sizes)})


def subjects(device: Device, specimen: Specimen, function: Function, plan: Plan) -> Iterator[Subject]:
    """The kernel with each of its settings; asking for the next one changes the function's."""
    limits = device.row
    static = function.static_smem
    kernel = Kernel(1, function.num_regs, static, barriers=specimen.barriers)
    multiprocessor_count = device.multiprocessor_count or 1

    def subject(kernel: Kernel) -> Subject:
        return Subject(function, kernel, limits, multiprocessor_count, specimen.launch_bound)

    yield subject(replace(kernel, opt_in=False))
    function.allow_dynamic_smem(limits.max_shared_memory_per_block_optin - static)
    yield subject(replace(kernel, opt_in=True))
    if limits.compute_capability >= cuda.FIRST_WITH_FLEXIBLE_CARVEOUT:
        for percent in plan.carveouts:
            function.prefer_carveout(percent)
            yield subject(replace(kernel, opt_in=True, carveout=Carveout(percent, "percent")))


def ask_active_blocks(check: Check, subject: Subject, plan: Plan) -> None:
    """Blocks that are resident on one SM."""
    sizes = [*subject.dynamic_sizes(plan), subject.most_dynamic + 1]
    for threads in subject.threads(plan):
        for dynamic in sizes:
            kernel = subject.in_blocks_of(threads, dynamic)
            ours = evaluate(subject.limits, kernel, "cuda").active_blocks
            check.compare(kernel, _answer(subject.function.active_blocks, threads, dynamic), ours)


def ask_available_smem(check: Check, subject: Subject, plan: Plan) -> None:
    """The most dynamic shared memory with which so many blocks are resident on one SM."""
    for threads in subject.threads(plan)[:: plan.sparse]:
        kernel = subject.in_blocks_of(threads, 0)
        fitting = evaluate(subject.limits, kernel, "cuda").active_blocks
        for blocks in range(1, fitting + 2):  # one more than fit, which both must refuse
            check.compare(
                (blocks, kernel),
                _answer(subject.function.available_dynamic_smem, blocks, threads),
                _our_available(subject.limits, kernel, blocks),
                _our_available(subject.limits, kernel, blocks, driver_580=True),
            )


def _our_available(limits: Limits, kernel: Kernel, blocks: int, driver_580: bool = False) -> int | str:
    try:
        return available_dynamic_shared_memory_per_block(limits, kernel, blocks, driver_580=driver_580)
    except InputError:
        return INVALID_VALUE


def ask_potential_block_size(check: Check, subject: Subject, plan: Plan) -> None:
    """The block size with the most resident threads.

    Driver 580 forgets a carveout that is neither 0 nor 100 percent here, and so contradicts its own count of
    the blocks on an SM.
    """
    for dynamic in subject.dynamic_sizes(plan):
        kernel = subject.in_blocks_of(1, dynamic)
        check.compare(
            kernel,
            _answer(subject.function.potential_block_size, dynamic),
            _our_block_size(subject, kernel),
            _our_block_size(subject, replace(kernel, carveout=None)),
        )


def _our_block_size(subject: Subject, kernel: Kernel) -> tuple[int, int]:
    ours = max_potential_block_size(
        subject.limits, kernel, subject.multiprocessor_count, block_size_limit=subject.launch_bound or 0
    )
    return ours.min_grid_size, ours.block_size


def ask_active_clusters(
    bound: Check, stand_in: Check, counter: ClusterCounter, subject: Subject, plan: Plan
) -> None:
    """Clusters that are resident on the whole GPU: within the bound, and as many as of a stand-in."""
    limits = subject.limits
    subject.function.allow_non_portable_clusters()
    for cluster_size in (each for each in plan.cluster_sizes if each <= limits.most_blocks_per_cluster):
        for threads in subject.threads(plan)[:: plan.sparse]:
            for dynamic in subject.dynamic_sizes(plan)[:: plan.sparse]:
                kernel = subject.in_blocks_of(threads, dynamic)
                theirs = _answer(subject.function.active_clusters, cluster_size, threads, dynamic)
                at_most = max_active_clusters(
                    limits, kernel, subject.multiprocessor_count, cluster_size
                ).at_most
                bound.compare_bound((cluster_size, kernel), theirs, at_most)
                blocks = evaluate(limits, kernel, "cuda").active_blocks
                if blocks:
                    same = _answer(counter.active_clusters, blocks, cluster_size)
                    stand_in.compare((cluster_size, kernel), theirs, same)


def _answer(ask: Callable[..., Answer], *arguments: int) -> Answer | str:
    """The driver's answer, or the error that it answers with."""
    try:
        return ask(*arguments)
    except DriverCallError as error:
        return error.code
    except DeviceError as error:
        return error.problem
