"""Readers of whatever holds compiled kernels or launches of them. They compute no occupancy."""

from __future__ import annotations

from .python_objects import kernel_of
from .reading import Kernels, kernels, read
from .record import Found, KernelRecord, ReadProblem

__all__ = ["Found", "KernelRecord", "Kernels", "ReadProblem", "kernel_of", "kernels", "read"]
