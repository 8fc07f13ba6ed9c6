"""Readers of files that hold compiled kernels, or launches of them.

One module for each format, which trusts nothing in a file; of the package they use `values` and `errors`.
"""

from __future__ import annotations

from .content import KernelSource
from .python_objects import read_kernel
from .reading import KernelStream, read, stream_kernels
from .record import Found, KernelRecord, ReadProblem

__all__ = [
    "Found",
    "KernelRecord",
    "KernelSource",
    "KernelStream",
    "ReadProblem",
    "read",
    "read_kernel",
    "stream_kernels",
]
