"""Kernels launched on this machine's GPU: setmaxnreg, spills to shared memory, cooperative launches."""

import io
import os
import time
from collections.abc import Iterator
from itertools import product
from multiprocessing import get_context
from typing import NamedTuple

import pytest

from occupancy.advice.next_steps import FIRST_WITH_SETMAXNREG, THREADS_PER_WARPGROUP
from occupancy.advice.registers import STEP, Warpgroups, split_registers
from occupancy.advice.waves import full_wave
from occupancy.device import Device, read_device
from occupancy.device.driver import Context, DriverCallError, Function, compile_cuda
from occupancy.engine import Result
from occupancy.errors import DeviceError
from occupancy.readers import stream_kernels
from occupancy.values.kernel import Kernel
from occupancy.values.limits import Limits

pytestmark = pytest.mark.gpu

DEFAULT_STREAM = 0
ENDS, HANGS = "ends", "hangs"
TIME_LIMIT = 2.0
"""Seconds after which a kernel of a few instructions counts as hanging."""


@pytest.fixture(scope="module")
def device() -> Device:
    return read_device()


def compiled(source: str, limits: Limits, variant: str = "") -> bytes:
    try:
        return compile_cuda(source, limits.compute_capability, variant)
    except DeviceError as error:
        pytest.skip(f"NVRTC is too old: {error}")


def launch(context: Context, function: Function, blocks: int, threads: int, smem: int, call: str) -> str:
    """Launch a kernel without parameters; return the outcome."""
    arguments = (function.handle, blocks, 1, 1, threads, 1, 1, smem, DEFAULT_STREAM, 0)
    try:
        context.driver.call(call, *arguments, *((0,) if call == "cuLaunchKernel" else ()))
        end = time.monotonic() + TIME_LIMIT
        while time.monotonic() < end:
            try:
                context.driver.call("cuStreamQuery", DEFAULT_STREAM)
            except DriverCallError as error:
                if error.code != "CUDA_ERROR_NOT_READY":
                    raise
                time.sleep(0.001)
            else:
                return ENDS
    except DriverCallError as error:
        return error.code
    return HANGS


def test_cooperative_launches_up_to_the_bound_and_no_further(device: Device) -> None:
    limits = device.row
    source = 'extern "C" __global__ void cooperative() {}\n'
    with Context(device.index) as context:
        function = context.function(context.load(compiled(source, limits)), "cooperative")
        most = limits.max_shared_memory_per_block_optin
        function.set_attribute("MAX_DYNAMIC_SHARED_SIZE_BYTES", most)
        regs = function.attribute("NUM_REGS")
        sizes = [size for size in (0, 30_000, 60_000, 100_000) if size <= most]
        for threads, smem in product((32, 64, 128, 256, 512, 1024), sizes):
            kernel = Kernel(threads, regs, 0, smem, barriers=0)
            blocks = full_wave(Result(limits, kernel), device.multiprocessor_count or 0).blocks
            call = "cuLaunchCooperativeKernel"
            assert launch(context, function, blocks, threads, smem, call) == ENDS, kernel
            outcome = launch(context, function, blocks + 1, threads, smem, call)
            assert outcome == "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", kernel


LIVE_VALUES = 96
BOUNDS = ((128, 32), (128, 40), (256, 32), (256, 40), (1024, 64))
"""Threads of the launch bounds, and the resulting registers."""


def spilling_kernel(threads: int, registers: int, to_shared_memory: bool) -> str:
    pragma = 'asm volatile(".pragma \\"enable_smem_spilling\\";");' if to_shared_memory else ""
    return f"""
extern "C" __global__ void __launch_bounds__({threads}, {65536 // threads // registers})
    spills_{threads}_{registers}_{int(to_shared_memory)}(const float *in, float *out, int n)
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


def test_kernels_that_spill_to_shared_memory_are_read_as_the_driver_reads_them(device: Device) -> None:
    limits = device.row
    if limits.compute_capability < (7, 5):
        pytest.skip("ptxas of CUDA 13.0, the first that spills to shared memory, begins with 7.5")
    source = "".join(spilling_kernel(*bound, spills) for bound in BOUNDS for spills in (False, True))
    image = compiled(source, limits)
    with Context(device.index) as context:
        module = context.load(image)
        found = list(stream_kernels(io.BytesIO(image)))
        assert len(found) == 2 * len(BOUNDS)
        for record in found:
            function = context.function(module, record.name)
            assert function.attribute("NUM_REGS") == record.regs
            assert function.attribute("SHARED_SIZE_BYTES") == record.static_smem
            for threads in range(32, (record.max_threads or 0) + 1, 32):
                computed = Result(limits, record.kernel(threads)).active_blocks
                assert function.active_blocks(threads, 0) == computed, (record.name, threads)


class Split(NamedTuple):
    """Kernel whose first warpgroup releases registers to the others."""

    warpgroups: int
    first: int
    others: int
    min_blocks: int | None = None
    launch_regs: int | None = None

    @property
    def name(self) -> str:
        return "split_" + "_".join(str(each or 0) for each in self)

    @property
    def threads(self) -> int:
        return self.warpgroups * THREADS_PER_WARPGROUP

    @property
    def groups(self) -> list[Warpgroups]:
        return [Warpgroups(1, self.first), Warpgroups(self.warpgroups - 1, self.others)]

    def source(self) -> str:
        attribute = f"__maxnreg__({self.launch_regs})"
        if self.min_blocks:
            attribute = f"__launch_bounds__({self.threads}, {self.min_blocks})"
        return (
            f'extern "C" __global__ void {attribute} {self.name}()\n{{\n'
            f"    if (threadIdx.x < {THREADS_PER_WARPGROUP})\n"
            f'        asm volatile("setmaxnreg.dec.sync.aligned.u32 {self.first};");\n'
            f'    else\n        asm volatile("setmaxnreg.inc.sync.aligned.u32 {self.others};");\n}}\n'
        )


def splits(limits: Limits) -> Iterator[Split]:
    """Yield the largest valid split of each configuration, and the next larger one."""
    for warpgroups, min_blocks in ((2, 2), (3, 1), (3, 2), (4, 1), (5, 1)):
        for first in (24, 40, 72):
            groups = [Warpgroups(1, first), Warpgroups(warpgroups - 1, None)]
            threads = warpgroups * THREADS_PER_WARPGROUP
            most = split_registers(limits, threads, groups, min_blocks=min_blocks).groups[1].regs
            yield Split(warpgroups, first, most, min_blocks)
            yield Split(warpgroups, first, most + STEP, min_blocks)
    # Registers at launch that are not a multiple of the unit: the allocation of a warp is rounded up.
    yield Split(3, 40, 232, None, launch_regs=162)
    yield Split(3, 40, 240, None, launch_regs=162)


def launch_alone(index: int, image: bytes, split: Split, blocks: int) -> None:
    """Launch a kernel that can hang, in a process that exits without waiting for it."""
    context = Context(index).__enter__()
    function = context.function(context.load(image), split.name)
    outcome = launch(context, function, blocks, split.threads, 0, "cuLaunchKernel")
    os._exit([ENDS, HANGS].index(outcome))


def test_setmaxnreg_hangs_if_the_registers_do_not_suffice(device: Device) -> None:
    limits = device.row
    if limits.compute_capability < FIRST_WITH_SETMAXNREG:
        pytest.skip("setmaxnreg begins with 9.0")
    found = list(splits(limits))
    image = compiled("".join(split.source() for split in found), limits, "a")
    for split in found:
        computed = split_registers(
            limits, split.threads, split.groups, launch_regs=split.launch_regs, min_blocks=split.min_blocks
        )
        with Context(device.index) as context:
            registers = context.function(context.load(image), split.name).attribute("NUM_REGS")
        assert registers == computed.launch_regs, split
        blocks = 2 * (device.multiprocessor_count or 0)
        process = get_context("spawn").Process(target=launch_alone, args=(device.index, image, split, blocks))
        process.start()
        process.join(60)
        assert process.exitcode == (0 if computed.suffices else 1), split
