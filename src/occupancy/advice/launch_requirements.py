"""Launch requirements besides resources: calls before the launch."""

from __future__ import annotations

from ..engine import Result
from ..values.kernel import Kernel
from ..values.limits import Limits

ALLOW_SIZE = "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, {})"
NON_PORTABLE = "cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1)"
"""Required for clusters beyond the portable size. CUDA C++ Programming Guide, thread block clusters."""


def opt_ins(result: Result) -> tuple[str, ...]:
    """Return the C++ calls that a kernel requires before the launch."""
    limits, kernel, calls = result.limits, result.kernel, []
    # If the static part is unknown, assume that all shared memory is dynamic.
    size = kernel.dynamic_smem if kernel.smem is None else kernel.smem
    if size is not None and needs_opt_in(limits, kernel):
        calls.append(ALLOW_SIZE.format(size))
    blocks, portable = kernel.cluster_size or 1, limits.max_portable_cluster_size
    if portable is not None and portable < blocks <= limits.most_blocks_per_cluster:
        calls.append(NON_PORTABLE)
    return tuple(calls)


def needs_opt_in(limits: Limits, kernel: Kernel) -> bool:
    """Return True if the shared memory of a kernel requires cudaFuncSetAttribute."""
    if (kernel.static_smem or 0) > limits.max_shared_memory_per_block:
        return False  # measured on an H100, CUDA 11.8 to 13.5
    raised, default = (Result(limits, kernel.replace(opt_in=opt_in)).block_limits for opt_in in (True, False))
    return raised.shared_memory != 0 and default.shared_memory == 0
