"""What a program must call before a launch that goes beyond what every kernel may have."""

from __future__ import annotations

from collections.abc import Iterator

from ..advice.carveout import needs_opt_in
from ..advice.waves import is_non_portable
from ..engine import Answer, evaluate
from ..values.dataclass import dataclass
from ..values.kernel import Kernel
from .inputs import Inputs, dynamic_size, inputs_of, opt_in_call

NON_PORTABLE = "cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1)"
"""Clusters of more blocks than are portable. CUDA C++ Programming Guide, thread block clusters."""


@dataclass(frozen=True, slots=True)
class OptIn:
    """A call that a launch needs before it."""

    call: str
    """As in C++: `cudaFuncSetAttribute` of the kernel."""
    error: str | None
    """What the CUDA runtime says to a launch that lacks it alone; null where it was not seen."""
    is_made: bool
    """Whether the program makes it, by what was given."""


def opt_ins(result: Answer, cluster_size: int | None) -> tuple[OptIn, ...]:
    """The calls that a kernel needs before it launches.

    Args:
        result: The engine's answer.
        cluster_size: Blocks per cluster; None without clusters.
    """
    return (*_shared_memory(result), *_clusters(result, cluster_size))


def _shared_memory(result: Answer) -> Iterator[OptIn]:
    limits, kernel = result.limits, result.kernel
    size = dynamic_size(inputs_of(kernel))
    is_declared = (kernel.static_smem or 0) > limits.max_shared_memory_per_block  # for which it is no cure
    if size is None or is_declared or not needs_opt_in(limits, kernel):
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
    yield OptIn(opt_in_call(size), failure.error if failure else None, kernel.opt_in is True)


def _clusters(result: Answer, size: int | None) -> Iterator[OptIn]:
    if size is not None and is_non_portable(result.limits, size):
        yield OptIn(NON_PORTABLE, None, is_made=False)


def without_it(opt_ins: tuple[OptIn, ...], inputs: Inputs) -> str:
    """``--no-opt-in answers without it``, where the answer takes a call as made of which nobody said it."""
    is_assumed = inputs.opt_in is None and any(each.call != NON_PORTABLE for each in opt_ins)
    return "--no-opt-in answers without it" if is_assumed else ""


def launches(opt_ins: tuple[OptIn, ...]) -> str:
    """That a kernel launches, and after what: ``It launches after the opt-in below; without it: "...".``"""
    missing = [each for each in opt_ins if not each.is_made]
    if not missing:
        return "It launches."
    below, it = ("opt-in below", "it") if len(missing) == 1 else ("opt-ins below", "them")
    errors = [each.error for each in missing if each.error]
    return f"It launches after the {below}" + (f'; without {it}: "{errors[0]}".' if errors else ".")
