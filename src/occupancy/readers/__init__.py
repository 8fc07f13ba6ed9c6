"""Readers of files with compiled kernels or their launches: one module per format.

Readers trust nothing in a file, and import only `values` and `errors`.
"""

from .content import KernelSource
from .python_objects import read_kernel
from .reading import read, stream_kernels
from .record import Item, KernelRecord, ReadProblem

__all__ = ["Item", "KernelRecord", "KernelSource", "ReadProblem", "read", "read_kernel", "stream_kernels"]
