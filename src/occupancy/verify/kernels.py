"""The kernels that a verification asks about, and their CUDA C++."""

from __future__ import annotations

from ..values.dataclass import dataclass

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
