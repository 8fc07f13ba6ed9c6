"""Kernels that spill registers into shared memory: what their cubins say, and what the driver says."""

from __future__ import annotations

import io

from ..device import Device
from ..device.compiler import compile_cuda
from ..device.functions import Context
from ..engine import evaluate
from ..errors import DeviceError
from ..readers import stream_kernels
from .result import Check

FIRST_COMPUTE_CAPABILITY = (7, 5)
"""ptxas of CUDA 13.0, the first that spills into shared memory, compiles for no older one."""
BOUNDS = ((128, 32), (128, 40), (256, 32), (256, 40), (1024, 64))
"""Threads of the launch bounds, and the registers that they leave."""
LIVE_VALUES = 96


def source(threads: int, registers: int, spills: bool) -> str:
    """CUDA C++ of a kernel that needs more registers than it may have."""
    pragma = 'asm volatile(".pragma \\"enable_smem_spilling\\";");' if spills else ""
    blocks = 65536 // threads // registers
    return f"""
extern "C" __global__ void __launch_bounds__({threads}, {blocks})
    {name(threads, registers, spills)}(const float *in, float *out, int n)
{{
    {pragma}
    float values[{LIVE_VALUES}], sum = 0;
    #pragma unroll
    for (int i = 0; i < {LIVE_VALUES}; ++i) values[i] = in[i * n + threadIdx.x];
    for (int k = 0; k < n; ++k)
        #pragma unroll
        for (int i = 0; i < {LIVE_VALUES}; ++i)
            values[i] = values[i] * values[(i * 7 + 3) % {LIVE_VALUES}] + k;
    #pragma unroll
    for (int i = 0; i < {LIVE_VALUES}; ++i) sum += values[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}}
"""


def name(threads: int, registers: int, spills: bool) -> str:
    """The kernel's name in the compiled code."""
    return f"{'spills' if spills else 'local'}_{threads}_{registers}"


def ask_spills(check: Check, context: Context, device: Device) -> None:
    """Registers, shared memory and blocks of each kernel by its cubin; nothing with an older NVRTC."""
    limits = device.row
    if limits.compute_capability < FIRST_COMPUTE_CAPABILITY:
        return
    asked = [(*bound, spills) for bound in BOUNDS for spills in (False, True)]
    try:
        image = compile_cuda("".join(source(*each) for each in asked), limits.compute_capability)
    except DeviceError:
        return  # an NVRTC older than the pragma
    module = context.load(image)
    for record in stream_kernels(io.BytesIO(image)):  # none, where the image is PTX for the driver to compile
        function = module.function(record.name)
        check.compare(
            f"{record.name}: registers, shared memory",
            (function.num_regs, function.static_smem),
            (record.regs, record.static_smem),
        )
        for threads in range(32, (record.max_threads or 0) + 1, 32):
            kernel = record.kernel(threads)
            check.compare(kernel, function.active_blocks(threads, 0), evaluate(limits, kernel).active_blocks)
