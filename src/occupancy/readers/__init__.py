"""Readers of files that hold compiled kernels, or launches of them.

One module for each format, which trusts nothing in a file; of the package they use `values` and `errors`.
"""

from __future__ import annotations

from .python_objects import kernel_of
from .reading import KernelSource, KernelStream, read, stream_kernels
from .record import Found, KernelRecord, ReadProblem

__all__ = [
    "Found",
    "KernelRecord",
    "KernelSource",
    "KernelStream",
    "ReadProblem",
    "kernel_of",
    "read",
    "stream_kernels",
]
