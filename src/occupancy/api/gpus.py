"""GPUs by name, and limits of an SM."""

from __future__ import annotations

from typing import Any

from ..tables import shipped
from ..tables.gpus import Gpu, all_gpus, find_gpu, find_gpus, gpus_matching
from ..tables.sources import Provenance, provenance
from ..values.limits import KINDS, ComputeCapability, Limits
from .occupancy import GpuLike


def limits(gpu: GpuLike) -> Limits:
    """Return the limits of one SM.

    Args:
        gpu: A compute capability as a string (``"9.0"``, ``"sm_90"``, ``"90a"``), an integer (``90``, ``120``)
            or a pair (``(9, 0)``), or the name of an architecture or a GPU (``"RTX 4090"``).

    Raises:
        InputError: The name is unknown, or matches GPUs with different compute capabilities.
        UnknownComputeCapabilityError: The table does not contain the compute capability.
    """
    return find_gpu(gpu).limits


def gpus(pattern: str = "") -> list[Gpu]:
    """List GPUs by name, newest first.

    Args:
        pattern: Words of the name, die, market or memory size, a compute capability or an architecture, or
            several patterns separated by commas. By default, all GPUs.

    Raises:
        InputError: No GPU matches.
    """
    parts = [part.strip() for part in str(pattern).split(",") if part.strip()]
    named = [gpu for part in parts for gpu in gpus_matching(part)] if parts else all_gpus()
    return sorted(dict.fromkeys(named), key=lambda gpu: gpu.limits.compute_capability, reverse=True)


def compute_capabilities() -> list[ComputeCapability]:
    """List the compute capabilities of the table in ascending order."""
    return list(shipped.known())


def sources(gpu: GpuLike | list[Any] | None = None) -> list[Provenance]:
    """List the sources of each limit, and the disagreements between sources.

    Args:
        gpu: A GPU as in `limits`, which also lists the errors, or a list. By default, the whole table.
    """
    found = shipped.known() if gpu is None else [each.limits.compute_capability for each in find_gpus(gpu)]
    return [provenance(cc, field) for cc in dict.fromkeys(found) for field in KINDS]
