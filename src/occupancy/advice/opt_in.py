"""What stands between a kernel that an SM holds and its launch: the compiler, and calls before the launch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from ..engine import Result, evaluate
from ..values.dataclass import dataclass
from ..values.kernel import Kernel
from ..values.listed import ToDict
from .carveout import needs_opt_in
from .waves import is_non_portable

NON_PORTABLE = "cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1)"
"""Clusters of more blocks than are portable. CUDA C++ Programming Guide, thread block clusters."""

WITHOUT_CALL = "48 KiB"
"""Of shared memory, static and dynamic together."""

MORE_SHARED_MEMORY = f"more than {WITHOUT_CALL} of dynamic shared memory"


@dataclass(frozen=True, slots=True)
class OptIn(ToDict):
    """A call that a launch needs before it."""

    call: str
    """As in C++: `cudaFuncSetAttribute` of the kernel."""
    needed_for: str
    """What takes the call."""
    error: str | None
    """What the CUDA runtime says to a launch that lacks it alone; null where it was not seen."""
    is_made: bool
    """Whether the program makes it, by what was given."""

    def __str__(self) -> str:
        """The call."""
        return self.call


class GivesDynamic(Protocol):
    """A kernel, or what was given of one."""

    @property
    def dynamic_smem(self) -> int | None:
        """Bytes that the launch asks for."""

    @property
    def smem(self) -> int | None:
        """Bytes of both kinds together, where the split is not known."""


def opt_ins(answer: Result, cluster_size: int | None) -> tuple[OptIn, ...]:
    """The calls that a kernel needs before it launches.

    Args:
        answer: The engine's answer.
        cluster_size: Blocks per cluster; None without clusters.
    """
    return (*_of_shared_memory(answer), *_of_clusters(answer, cluster_size))


def _of_shared_memory(answer: Result) -> Iterator[OptIn]:
    limits, kernel = answer.limits, answer.kernel
    size = dynamic_size(kernel)
    # A call is no hint for what the kernel declares.
    if size is None or _declares_too_much(answer) or not needs_opt_in(limits, kernel):
        return
    without = Kernel(
        1,
        static_smem=kernel.static_smem,
        dynamic_smem=kernel.dynamic_smem,
        smem=kernel.smem,
        opt_in=False,
        shared_memory_mode=kernel.shared_memory_mode,
    )
    failure = evaluate(limits, without).failure
    error = failure.error if failure else None
    yield OptIn(opt_in_call(size), MORE_SHARED_MEMORY, error, kernel.opt_in is True)


def _of_clusters(answer: Result, size: int | None) -> Iterator[OptIn]:
    if size is not None and is_non_portable(answer.limits, size):
        portable = answer.limits.max_portable_cluster_size
        yield OptIn(NON_PORTABLE, f"a cluster of more than {portable} blocks", None, is_made=False)


def opt_in_call(size: int | None) -> str:
    """What a program calls for so many bytes of dynamic shared memory; None: for some number."""
    amount = "bytes" if size is None else size
    return f"cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, {amount})"


def dynamic_size(given: GivesDynamic) -> int | None:
    """Bytes of dynamic shared memory; all of it where nothing says which part is static; None of none."""
    return given.dynamic_smem if given.smem is None else given.smem


def refused_by_compiler(answer: Result) -> str | None:
    """Why no compiler makes a kernel that would launch; None where one does."""
    if not (_declares_too_much(answer) and answer.launchable):
        return None
    most = answer.limits.max_shared_memory_per_block
    return (
        f"The compiler refuses more than {most:,} bytes of static shared memory; "
        "only dynamic shared memory can go beyond."
    )


def _declares_too_much(answer: Result) -> bool:
    """Whether its static shared memory is more than a kernel may have without the call."""
    return (answer.kernel.static_smem or 0) > answer.limits.max_shared_memory_per_block
