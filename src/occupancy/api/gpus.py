"""GPUs by name, and limits of an SM."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..errors import InputError
from ..tables import shipped
from ..tables.gpus import Gpu, all_gpus, find_gpu, find_gpus, gpus_matching, unclear_name
from ..values.limits import KINDS, ComputeCapability, Limits
from ..values.spellings import parse_count
from .occupancy import GpuLike

if TYPE_CHECKING:
    from ..tables.sources import Provenance


def limits(cc: GpuLike) -> Limits:
    """Return the limits of one SM.

    Args:
        cc: A compute capability as a string (``"9.0"``, ``"sm_90"``, ``"90a"``), an integer (``90``, ``120``)
            or a pair (``(9, 0)``), or the name of an architecture or a GPU (``"RTX 4090"``).

    Raises:
        InputError: The name is unknown, or matches GPUs with different compute capabilities.
        UnknownComputeCapabilityError: The table does not contain the compute capability.
    """
    return find_gpu(cc).limits


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


def multiprocessors(gpu: Gpu, given: int | str | None) -> int:
    """Return the given number of SMs, or the number of the GPU."""
    if given is not None:
        return parse_count(given, "multiprocessor_count")
    if gpu.multiprocessor_count is not None:
        return gpu.multiprocessor_count
    if gpu.variants:
        raise unclear_name(gpu)
    hint = f'Set `multiprocessor_count=132` (`--sms 132`), or name a GPU such as "H100 SXM" in place of {gpu.label}.'
    raise InputError("is missing", where="multiprocessor_count", hint=hint)


def compute_capabilities() -> list[ComputeCapability]:
    """List the compute capabilities of the table in ascending order."""
    return list(shipped.known())


def sources(ccs: Iterable[GpuLike] | GpuLike | None = None) -> list[Provenance]:
    """List the sources of each limit, and the disagreements between sources.

    Args:
        ccs: GPUs as in `limits`, which also lists the errors. By default, the whole table.
    """
    from ..tables.sources import provenance

    found = shipped.known() if ccs is None else [gpu.limits.compute_capability for gpu in find_gpus(ccs)]
    return [provenance(cc, field) for cc in dict.fromkeys(found) for field in KINDS]
