"""Questions about the whole GPU: cooperative launches, and its division among green contexts."""

from __future__ import annotations

from ..advice.partitions import FIRST_WITH_GREEN_CONTEXTS, green_context
from ..advice.waves import full_wave
from ..device import Device
from ..device.compiler import compile_cuda
from ..device.driver import DriverCallError, split_by_count
from ..device.functions import Context, Function
from ..engine import evaluate
from ..errors import DeviceError
from ..values.kernel import Kernel
from .result import Check

SUCCESS = "CUDA_SUCCESS"
TOO_LARGE = "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"
COOPERATIVE = 'extern "C" __global__ void cooperative() {}\n'
THREADS = (32, 64, 128, 256, 512, 1024)
DYNAMIC_SMEM = (0, 30_000, 60_000, 100_000)
FIRST_WITH_COOPERATIVE_LAUNCHES = (6, 0)
"""CUDA C++ Programming Guide, Cooperative Groups: grid synchronisation."""


def ask_cooperative_launches(check: Check, context: Context, device: Device) -> None:
    """The largest grid of a cooperative launch is launched, and one of a block more is refused."""
    limits, multiprocessor_count = device.row, device.multiprocessor_count
    if multiprocessor_count is None or limits.compute_capability < FIRST_WITH_COOPERATIVE_LAUNCHES:
        return
    code = compile_cuda(COOPERATIVE, limits.compute_capability)
    function = context.load(code).function("cooperative")
    most = limits.max_shared_memory_per_block_optin
    function.allow_dynamic_smem(most)
    for threads in THREADS:
        for dynamic in (size for size in DYNAMIC_SMEM if size <= most):
            kernel = Kernel(threads, function.num_regs, function.static_smem, dynamic, barriers=0)
            blocks = full_wave(evaluate(limits, kernel), multiprocessor_count).blocks
            check.compare((blocks, kernel), _launch(context, function, blocks, kernel), SUCCESS)
            check.compare((blocks + 1, kernel), _launch(context, function, blocks + 1, kernel), TOO_LARGE)


def _launch(context: Context, function: Function, blocks: int, kernel: Kernel) -> str:
    try:
        function.launch(blocks, kernel.threads, kernel.dynamic_smem or 0, cooperative=True)
        context.synchronize()
    except DriverCallError as error:
        return error.code
    return SUCCESS


def ask_green_contexts(check: Check, context: Context, device: Device) -> None:
    """SMs of each group of a split by count, and a bound of the groups; nothing where the driver has none."""
    limits, multiprocessor_count = device.row, device.multiprocessor_count
    if multiprocessor_count is None or limits.compute_capability < FIRST_WITH_GREEN_CONTEXTS:
        return
    for wanted in range(1, multiprocessor_count + 1):
        ours = green_context(limits, wanted, multiprocessor_count)
        for coscheduled, each in ((True, ours.multiprocessor_count), (False, ours.without_coscheduling)):
            try:
                groups, found = split_by_count(context.driver, device.index, wanted, coscheduled)
            except DeviceError:
                return  # the driver, or cuda-bindings, is older than green contexts
            question = f"{wanted} SMs{'' if coscheduled else ' without co-scheduling'}"
            check.compare(f"{question}: SMs of a group", found, each)
            check.compare_bound(f"{question}: groups", groups, multiprocessor_count // each)
