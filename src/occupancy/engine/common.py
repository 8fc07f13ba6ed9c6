"""Parts of a result, and rules of both models: rounding, warps, shared memory configurations."""

from __future__ import annotations

from typing import Literal, NamedTuple

from ..errors import InputError
from ..tables import shipped
from ..values.fields import TENSOR_MEMORY_UNIT, Carveout
from ..values.kernel import Kernel
from ..values.limits import Limits
from ..values.numbers import join_and, size
from ..values.records import readable

Model = Literal["cuda", "spreadsheet"]

make = tuple.__new__
"""Constructor of the parts in the model `cuda`, three times as fast as calling their class."""


class BlockLimits(NamedTuple):
    """Blocks that each resource alone allows, in the order of `RESOURCES`; None: no limit."""

    warps: int
    blocks: int
    registers: int | None
    shared_memory: int | None
    barriers: int | None = None
    virtual_resources: int | None = None
    tensor_memory: int | None = None
    """Blocks whose columns fit in the SM at once; further blocks wait for columns."""


class Allocation(NamedTuple):
    """Resources of one resident block, after rounding."""

    warps: int
    registers: int
    shared_memory: int
    """Bytes, including the reserved shared memory."""


@readable
class Use(NamedTuple):
    """Amount of one resource per block after rounding, and per SM, and the blocks that it allows."""

    per_block: int
    per_multiprocessor: int | None
    """None if undocumented."""
    blocks: int | None
    """Blocks per SM that this resource alone allows; None: no limit."""


def divide_up(amount: int, unit: int) -> int:
    return -(-amount // unit)


def round_up(amount: int, unit: int) -> int:
    return -(-amount // unit) * unit


def shared_memory_configuration(limits: Limits, carveout: Carveout | None) -> int:
    """Return the bytes of shared memory per SM that the carveout requests.

    A percentage of the largest configuration is rounded up to the next configuration. The default is the
    largest. cuda_occupancy.h, shared memory preference.
    """
    if carveout is None:
        return limits.max_shared_memory_per_multiprocessor
    if carveout.unit == "percent":
        wanted = limits.max_shared_memory_per_multiprocessor * carveout.amount // 100
        return smallest_configuration(limits, wanted)
    if carveout.amount in limits.shared_memory_configurations:
        return carveout.amount
    sizes = ", ".join(f"{each // 1024}k" for each in limits.shared_memory_configurations)
    given = size(carveout.amount).removesuffix(" bytes")  # perhaps a percentage
    sm = f"compute capability {limits.compute_capability}"
    problem = f"{given} is neither a percentage nor a shared memory configuration of {sm}"
    raise InputError(problem, where="carveout", allowed=f"0% to 100%, or {sizes}")


def smallest_configuration(limits: Limits, needed: int) -> int:
    """Return the smallest configuration with the needed bytes; the largest if there is none."""
    fitting = (each for each in limits.shared_memory_configurations if each >= needed)
    return next(fitting, limits.max_shared_memory_per_multiprocessor)


def unsupported(limits: Limits, where: str, feature: str, limit: str) -> InputError:
    """Return the error for an input without effect on this GPU, with the GPUs that have its limit."""
    problem = f"compute capability {limits.compute_capability} has no {feature}"
    supporting = join_and([str(cc) for cc in shipped.known() if getattr(shipped.limits(cc), limit)], "or")
    hint = f"Remove `{where}` (`--{where.replace('_', '-')}`), or choose another compute capability: {supporting}."
    return InputError(problem, where=where, hint=hint)


def check_modes(limits: Limits, kernel: Kernel) -> None:
    """Reject a caching mode, a shared memory mode or tensor memory that the GPU does not support."""
    if kernel.caching is not None and not limits.partitioned_global_caching:
        raise unsupported(limits, "caching", "caching mode for global loads", "partitioned_global_caching")
    if kernel.shared_memory_mode is not None and limits.max_oversized_shared_memory_per_block is None:
        limit = "max_oversized_shared_memory_per_block"
        raise unsupported(limits, "shared_memory_mode", "oversized shared memory", limit)
    if kernel.tensor_memory is not None:
        blocks_by_tensor_memory(limits, kernel.tensor_memory)


def blocks_by_tensor_memory(limits: Limits, columns: int) -> int:
    """Return the blocks whose columns of tensor memory fit in an SM at once.

    Launches do not fail: ``tcgen05.alloc`` waits until enough columns are free (PTX ISA). Further blocks
    can be resident, and cuda_occupancy.h, which ignores tensor memory, counts them.
    """
    most = limits.tensor_memory_per_multiprocessor
    if most is None:
        raise unsupported(limits, "tensor_memory", "tensor memory", "tensor_memory_per_multiprocessor")
    rounded = round_up(columns, TENSOR_MEMORY_UNIT)
    if rounded > most:
        allowed = f"multiples of {TENSOR_MEMORY_UNIT} up to {most}"
        problem = f"{columns:,} columns of tensor memory, but an SM has {most}"
        raise InputError(problem, where="tensor_memory", allowed=allowed)
    return most // rounded
