"""`occupancy.sweep()` against NVIDIA's header compiled with -O2: kernels per second on one thread.

Both get the same arrays and must return the same results. The measurements alternate; the fastest processor
time counts. The header comes from the package
nvidia-cuda-runtime (extra ``test``) and needs a C++ compiler.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import occupancy

RANDOM_GOAL, GRID_GOAL = 6.0, 90.0
GRID_MEMORY_GOAL = 600e6
RANDOM_INPUTS = 20_000_000
ROUNDS = 7

LIMITS = occupancy.limits("9.0")
DEVICE = (
    *LIMITS.compute_capability,
    LIMITS.max_threads_per_block,
    LIMITS.max_threads_per_multiprocessor,
    LIMITS.max_registers_per_block,
    LIMITS.max_registers_per_multiprocessor,
    LIMITS.warp_size,
    LIMITS.max_shared_memory_per_block,
    LIMITS.max_shared_memory_per_multiprocessor,
    LIMITS.max_shared_memory_per_block_optin,
    LIMITS.reserved_shared_memory_per_block,
)

Array = NDArray[Any]


def compiled_header(folder: Path) -> Callable[[Array, Array, Array, Array], Array]:
    """Return the header's function of threads, registers, static and dynamic shared memory."""
    files = importlib.metadata.files("nvidia-cuda-runtime") or []
    header = next(Path(str(file.locate())) for file in files if file.name == "cuda_occupancy.h")
    library = folder / "header.so"
    compiler = shutil.which("g++") or shutil.which("c++") or "g++"
    source = Path(__file__).with_name("header.cpp")
    options = ["-O2", "-shared", "-fPIC", f"-isystem{header.parent}"]
    subprocess.run([compiler, *options, str(source), "-o", str(library)], check=True)
    function = ctypes.CDLL(str(library)).max_active_blocks
    device = np.array(DEVICE, np.int32)

    def max_active_blocks(*inputs: Array) -> Array:
        blocks = np.empty(inputs[0].size, np.uint8)
        function(*map(address, (device, *inputs)), ctypes.c_int64(blocks.size), address(blocks))
        return blocks

    return max_active_blocks


def address(array: Array) -> ctypes.c_void_p:
    return array.ctypes.data_as(ctypes.c_void_p)


def random_inputs() -> tuple[Array, Array, Array, Array]:
    """Return threads, registers, static and dynamic shared memory within the limits of 9.0."""
    chance = np.random.default_rng(90)
    threads = chance.integers(1, LIMITS.max_threads_per_block + 1, RANDOM_INPUTS, np.int32)
    registers = chance.integers(0, 256, RANDOM_INPUTS, np.int32)
    static = chance.integers(0, LIMITS.max_shared_memory_per_block + 1, RANDOM_INPUTS, np.int32)
    left = LIMITS.max_shared_memory_per_block_optin - static
    dynamic = (chance.random(RANDOM_INPUTS, np.float32) * left).astype(np.int32)
    return threads, registers, static, dynamic


def sweep(threads: Array, registers: Array, static: Array, dynamic: Array) -> Array:
    return occupancy.sweep(
        LIMITS,
        threads=threads,
        regs=registers,
        static_smem=static,
        dynamic_smem=dynamic,
        outputs=["active_blocks"],
    ).active_blocks


def sweep_grid() -> Array:
    """Compute every block size, register count and step of shared memory of 9.0."""
    unit = LIMITS.shared_memory_allocation_unit
    sizes = np.arange(0, LIMITS.max_shared_memory_per_block_optin + 1, unit)
    block_sizes = np.arange(1, LIMITS.max_threads_per_block + 1)
    threads, registers, smem = np.ix_(block_sizes, np.arange(256), sizes)
    return occupancy.sweep(
        LIMITS, threads=threads, regs=registers, smem=smem, outputs=["active_blocks"]
    ).active_blocks


def seconds(function: Callable[[], Array]) -> float:
    start = time.thread_time()
    function()
    return time.thread_time() - start


def report(name: str, amount: str, is_met: bool, goal: str) -> None:
    print(f"{name:<22} {amount:<34} goal {goal} ({'met' if is_met else 'MISSED'})")


def report_rate(name: str, rate: float, header_rate: float, goal: float) -> None:
    ratio = rate / header_rate
    report(name, f"{rate / 1e6:5.0f} million/s, {ratio:.1f} x header", ratio >= goal, f"{goal:g} x")


def main() -> None:
    """Measure the grid first, because the peak memory of the process never decreases."""
    points = sweep_grid().size
    grid_seconds = min(seconds(sweep_grid) for _ in range(ROUNDS))
    memory = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # Linux counts in KiB

    with tempfile.TemporaryDirectory() as folder:
        header = compiled_header(Path(folder))
        inputs = random_inputs()
        if not np.array_equal(header(*inputs), sweep(*inputs)):
            raise SystemExit("the header and the sweep differ")
        turns = [(seconds(lambda: header(*inputs)), seconds(lambda: sweep(*inputs))) for _ in range(ROUNDS)]
    header_rate, rate = (RANDOM_INPUTS / min(column) for column in zip(*turns, strict=True))
    print(f"{'header, 20 M random':<22} {header_rate / 1e6:5.0f} million/s")
    report_rate("sweep, the same", rate, header_rate, RANDOM_GOAL)
    report_rate(f"sweep, {points / 1e6:.0f} M grid", points / grid_seconds, header_rate, GRID_GOAL)
    report(
        "memory of the grid",
        f"{memory / 1e6:5.0f} MB",
        memory < GRID_MEMORY_GOAL,
        f"{GRID_MEMORY_GOAL / 1e6:.0f} MB",
    )


if __name__ == "__main__":
    main()
