"""What CUDA runtimes say to launches that break a limit, as CSV.

``python -m tests.gpu.launch_errors LIBCUDART...``: each argument is a libcudart.so, of any version from 11
on. It needs a GPU and nvcc.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SOURCE = """
extern "C" __global__ void small(volatile float *data) { data[threadIdx.x] = 1; }

extern "C" __global__ void with_255_registers(volatile float *data)
{
    float values[250];
    #pragma unroll
    for (int i = 0; i < 250; ++i) values[i] = data[i];
    #pragma unroll
    for (int i = 0; i < 250; ++i) data[i] = values[i];
}
"""

# What breaks which limit of 9.0: kernel, grid, block, dynamic shared memory. No kernel has opted in.
LAUNCHES = {
    "legal": ("small", (1, 1, 1), (32, 1, 1), 0),
    "1025 threads": ("small", (1, 1, 1), (1025, 1, 1), 0),
    "32 x 33 threads": ("small", (1, 1, 1), (32, 33, 1), 0),
    "65 threads along z": ("small", (1, 1, 1), (1, 1, 65), 0),
    "1024 threads of 255 registers": ("with_255_registers", (1, 1, 1), (1024, 1, 1), 0),
    "49153 bytes without opt-in": ("small", (1, 1, 1), (32, 1, 1), 49153),
    "300000 bytes": ("small", (1, 1, 1), (32, 1, 1), 300_000),
    "65536 blocks along y": ("small", (1, 65536, 1), (32, 1, 1), 0),
}


class _Image(ctypes.Structure):
    """The compiler's wrapper of compiled code, as every CUDA program registers it when it starts."""

    _fields_ = (
        ("magic", ctypes.c_int),
        ("version", ctypes.c_int),
        ("data", ctypes.c_void_p),
        ("file", ctypes.c_void_p),
    )


class _Shape(ctypes.Structure):
    _fields_ = (("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint))


class Runtime:
    """A CUDA runtime with the kernels of a fat binary."""

    def __init__(self, path: str, fatbin: bytes) -> None:
        self._library = ctypes.CDLL(path)
        self._memory = ctypes.c_void_p()
        self._names = [b"small", b"with_255_registers"]
        self._handles: dict[str, Any] = {}
        self._library.cudaGetErrorString.restype = ctypes.c_char_p
        self._library.cudaGetErrorName.restype = ctypes.c_char_p
        self._register(fatbin)
        self._library.cudaMalloc(ctypes.byref(self._memory), ctypes.c_size_t(1 << 20))

    def _register(self, fatbin: bytes) -> None:
        self._code = ctypes.create_string_buffer(fatbin, len(fatbin))
        self._image = _Image(0x466243B1, 1, ctypes.cast(self._code, ctypes.c_void_p), None)
        register = self._library["__cudaRegisterFatBinary"]
        register.argtypes, register.restype = [ctypes.c_void_p], ctypes.c_void_p
        binary = register(ctypes.byref(self._image))
        add = self._library["__cudaRegisterFunction"]
        add.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int]
        add.argtypes += [ctypes.c_void_p] * 5
        for name in self._names:  # which must outlive the call
            handle = ctypes.create_string_buffer(16)  # only its address counts
            self._handles[name.decode()] = handle
            add(binary, ctypes.addressof(handle), name, name, -1, *[None] * 5)
        end = self._library["__cudaRegisterFatBinaryEnd"]
        end.argtypes = [ctypes.c_void_p]
        end(binary)

    @property
    def version(self) -> str:
        """Such as ``"12.9"``."""
        number = ctypes.c_int()
        self._library.cudaRuntimeGetVersion(ctypes.byref(number))
        return f"{number.value // 1000}.{number.value % 1000 // 10}"

    def launch(
        self, kernel: str, grid: tuple[int, ...], block: tuple[int, ...], smem: int
    ) -> tuple[str, str]:
        """The name of the error, and what cudaGetErrorString says of it."""
        call = self._library["cudaLaunchKernel"]
        call.argtypes = [ctypes.c_void_p, _Shape, _Shape, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
        arguments = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(self._memory), ctypes.c_void_p))
        address = ctypes.addressof(self._handles[kernel])
        error = call(address, _Shape(*grid), _Shape(*block), arguments, smem, None)
        self._library.cudaDeviceSynchronize()
        self._library.cudaGetLastError()  # forgets it
        return (
            self._library.cudaGetErrorName(error).decode(),
            self._library.cudaGetErrorString(error).decode(),
        )


def answers(path: str, fatbin: bytes) -> Iterator[str]:
    """A line of CSV for each launch."""
    runtime = Runtime(path, fatbin)
    for what, launch in LAUNCHES.items():
        yield ",".join((runtime.version, what, *runtime.launch(*launch)))


def main(paths: list[str]) -> None:
    """Print what each runtime says; each in a process of its own, because they cannot share one."""
    with tempfile.TemporaryDirectory() as folder:
        source, fatbin = Path(folder, "kernels.cu"), Path(folder, "kernels.fatbin")
        source.write_text(SOURCE)
        command = ["nvcc", "-fatbin", "-arch=native", "-Xfatbin", "-compress=false"]
        subprocess.run([*command, "-o", str(fatbin), str(source)], check=True)
        print("runtime,launch,code,text", flush=True)
        for path in paths:
            if os.fork() == 0:
                print("\n".join(answers(path, fatbin.read_bytes())), flush=True)
                os._exit(0)
            os.wait()


if __name__ == "__main__":
    main(sys.argv[1:])
