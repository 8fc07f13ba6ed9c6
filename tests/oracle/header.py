"""NVIDIA's ``cuda_occupancy.h`` as an oracle: compiled on first use, called over arrays.

The header comes from the package ``nvidia-cuda-runtime`` of the extra ``test``. Its license forbids
redistribution, so it is compiled from the installed package, together with ``header.cpp``, into
``__pycache__``. Tests use the fixture ``header``, the result of `load`::

    asked = header.queries(limits, threads=[128, 256], registers=37)     # columns broadcast
    asked = header.queries_of(limits, kernels)                           # or from Kernel values
    answers = header.max_active_blocks(limits, asked)
    answers["active_blocks"], answers["block_limit_registers"]           # NumPy arrays

Every result has a field ``error``: 0, `INVALID_INPUT` or `UNKNOWN_DEVICE`. Device properties come from
`Limits`. Other limits, such as the blocks per SM, are constants of the header.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.metadata
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from occupancy.values.fields import Carveout
from occupancy.values.kernel import Kernel
from occupancy.values.limits import Limits
from occupancy.values.resources import Resource

Records = npt.NDArray[np.void]

PACKAGE = "nvidia-cuda-runtime"
FILE_NAME = "cuda_occupancy.h"
SOURCE = Path(__file__).with_name("header.cpp")

NO_LIMIT = 2**31 - 1
INVALID_INPUT = 1
UNKNOWN_DEVICE = 2
LIMITING_FACTORS: dict[Resource, int] = {
    "warps": 0x01, "blocks": 0x08, "registers": 0x02, "shared_memory": 0x04, "barriers": 0x10,
    "virtual_resources": 0x20,
}  # fmt: skip

DEFAULT_CARVEOUT = -1
PREFER_NONE, PREFER_SHARED, PREFER_L1, PREFER_EQUAL = range(4)


def _record(names: str) -> np.dtype[np.void]:
    return np.dtype([(name, np.int32) for name in names.split()])


# Structs of header.cpp. Device fields other than the first two and the last are attributes of Limits.
DEVICE = _record(
    """
    major minor max_threads_per_block max_threads_per_multiprocessor max_registers_per_block
    max_registers_per_multiprocessor warp_size max_shared_memory_per_block
    max_shared_memory_per_multiprocessor max_shared_memory_per_block_optin
    reserved_shared_memory_per_block multiprocessors
    """
)
QUERY = _record(
    """
    threads registers static_smem dynamic_smem max_dynamic_smem barriers virtual_resources carveout_percent
    cache_config is_cached is_opted_in
    """
)
ANSWER = _record(
    """
    error active_blocks limiting_factors block_limit_warps block_limit_blocks block_limit_registers
    block_limit_shared_memory block_limit_barriers block_limit_virtual_resources allocated_registers
    allocated_shared_memory
    """
)
LAUNCH_SHAPE = _record("error min_grid_size block_size")
DYNAMIC_SHARED_MEMORY = _record("error bytes")


class NoCompilerError(RuntimeError):
    """Error for a machine without a C++ compiler."""


def load() -> Header:
    return Header(ctypes.CDLL(str(_compiled(_find_header(), _find_compiler()))))


def _find_header() -> Path:
    for file in importlib.metadata.files(PACKAGE) or ():
        if file.name == FILE_NAME:
            return Path(str(file.locate()))
    raise RuntimeError(f"the package {PACKAGE} has no {FILE_NAME}")


def _find_compiler() -> str:
    for name in (os.environ.get("CXX"), "c++", "g++", "clang++"):
        if name and (path := shutil.which(name)):
            return path
    raise NoCompilerError("no C++ compiler found (CXX, c++, g++, clang++)")


def _compiled(header: Path, compiler: str) -> Path:
    contents = b"\0".join([SOURCE.read_bytes(), header.read_bytes(), compiler.encode()])
    folder = SOURCE.parent / "__pycache__"
    library = folder / f"header-{hashlib.sha256(contents).hexdigest()[:16]}.so"
    if not library.exists():
        folder.mkdir(exist_ok=True)
        _compile(header, compiler, library)
    return library


def _compile(header: Path, compiler: str, library: Path) -> None:
    unfinished = library.with_suffix(f".{os.getpid()}")
    options = ["-std=c++14", "-O2", "-shared", "-fPIC", f"-isystem{header.parent}"]
    done = subprocess.run(
        [compiler, *options, str(SOURCE), "-o", str(unfinished)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{compiler} does not compile {SOURCE.name}:\n{done.stderr}")
    unfinished.replace(library)  # atomic, because test processes run in parallel


class Header:
    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library
        records = (DEVICE, QUERY, ANSWER, LAUNCH_SHAPE, DYNAMIC_SHARED_MEMORY)
        sizes = np.zeros(len(records) + 1, np.int64)
        count = library.record_sizes(_address(sizes))
        assert list(sizes[:count]) == [record.itemsize for record in records], "header.cpp has other structs"

    def queries(self, limits: Limits, **columns: npt.ArrayLike) -> Records:
        """Return queries from columns that broadcast; missing columns have a kernel's defaults.

        The default of ``max_dynamic_smem`` is the maximum shared memory, with or without opt-in, minus the static
        shared memory.
        """
        given = np.broadcast_arrays(*columns.values())
        asked = np.zeros(given[0].shape, QUERY)
        asked["barriers"] = 1
        asked["carveout_percent"] = DEFAULT_CARVEOUT
        asked["is_opted_in"] = 1
        for name, values in zip(columns, given, strict=True):
            asked[name] = values
        if "max_dynamic_smem" not in columns:
            opted_in, plain = limits.max_shared_memory_per_block_optin, limits.max_shared_memory_per_block
            most = np.where(asked["is_opted_in"], opted_in, plain)
            asked["max_dynamic_smem"] = np.maximum(most - asked["static_smem"], 0)
        return asked.reshape(-1)

    def queries_of(self, limits: Limits, kernels: Iterable[Kernel]) -> Records:
        """Return queries from kernels. Shared memory counts as dynamic if its static part is unknown."""
        setting = cache(partial(carveout_settings, limits))
        rows = [
            (
                kernel.threads, kernel.regs or 0, kernel.static_smem or 0,
                kernel.shared_memory - (kernel.static_smem or 0),
                1 if kernel.barriers is None else kernel.barriers, kernel.virtual_resources_at_start,
                *setting(kernel.carveout), kernel.caching == "ca", kernel.opt_in is not False,
            )
            for kernel in kernels
        ]  # fmt: skip
        names = [name for name in QUERY.names or () if name != "max_dynamic_smem"]
        table = np.array(rows, np.int32).reshape(-1, len(names))
        return self.queries(limits, **dict(zip(names, table.T, strict=True)))

    def max_active_blocks(self, limits: Limits, asked: Records) -> Records:
        """Call cudaOccMaxActiveBlocksPerMultiprocessor; `NO_LIMIT` means that a resource sets no limit."""
        return self._call("max_active_blocks", ANSWER, _device(limits), asked)

    def max_potential_block_size(
        self, limits: Limits, asked: Records, multiprocessors: int = 1,
        dynamic_smem: Callable[[int], int] | None = None,
    ) -> Records:  # fmt: skip
        """Call cudaOccMaxPotentialOccupancyBlockSize, or ...VariableSMem for a function of threads.

        The threads of a query are the maximum block size of the kernel.
        """
        device = _device(limits, multiprocessors)
        if dynamic_smem is None:
            return self._call("max_potential_block_size", LAUNCH_SHAPE, device, asked)
        sizes = range(limits.max_threads_per_block + 1)
        table = np.array([dynamic_smem(threads) for threads in sizes], np.int64)
        return self._call("max_potential_block_size_variable_smem", LAUNCH_SHAPE, device, asked, table)

    def available_dynamic_smem(self, limits: Limits, asked: Records, blocks: npt.ArrayLike) -> Records:
        """Call cudaOccAvailableDynamicSMemPerBlock; ``max_dynamic_smem`` caps the result."""
        counts = np.broadcast_to(np.asarray(blocks, np.int32), asked.shape)
        return self._call("available_dynamic_smem", DYNAMIC_SHARED_MEMORY, _device(limits), asked, counts)

    def _call(self, name: str, answer: np.dtype[np.void], *arguments: npt.NDArray[Any]) -> Records:
        asked = arguments[1]
        answers = np.zeros(len(asked), answer)
        contiguous = [np.ascontiguousarray(each) for each in (*arguments, answers)]
        getattr(self._library, name)(*map(_address, contiguous), ctypes.c_int64(len(asked)))
        return answers


def carveout_settings(limits: Limits, carveout: Carveout | None) -> tuple[int, int]:
    """Return the header's two carveout settings: the percentage from 7.0 on, the cache preference on 3.x.

    A size in bytes becomes the lowest percentage that selects it. GPUs with one configuration have no setting.
    """
    sizes = limits.shared_memory_configurations
    if carveout is None or len(sizes) == 1:
        return DEFAULT_CARVEOUT, PREFER_NONE
    if limits.compute_capability < (7, 0):
        if carveout.unit != "bytes":
            raise ValueError("before 7.0 the header knows no percentages")
        return DEFAULT_CARVEOUT, (PREFER_L1, PREFER_EQUAL, PREFER_SHARED)[sizes.index(carveout.amount)]
    if carveout.unit == "percent":
        return carveout.amount, PREFER_NONE
    smaller = [size for size in sizes if size < carveout.amount]
    largest_smaller = smaller[-1] if smaller else -1
    percent = next(p for p in range(101) if p * sizes[-1] // 100 > largest_smaller)
    return percent, PREFER_NONE


def _device(limits: Limits, multiprocessors: int = 1) -> Records:
    major, minor = limits.compute_capability
    own = [getattr(limits, name) for name in (DEVICE.names or ())[2:-1]]
    return np.array([(major, minor, *own, multiprocessors)], DEVICE)


def _address(array: npt.NDArray[Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)
