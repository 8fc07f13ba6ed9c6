"""What both models share: how hardware rounds, warps, and the size that the SM's shared memory is set to."""

from __future__ import annotations

from ..errors import InputError
from ..values.carveout import Carveout
from ..values.fields import CACHING_CCS, TENSOR_MEMORY_UNIT
from ..values.kernel import Kernel
from ..values.limits import Limits


def divide_up(amount: int, unit: int) -> int:
    """How many whole units hold the amount."""
    return -(-amount // unit)


def round_up(amount: int, unit: int) -> int:
    """The amount rounded up to a multiple of the unit."""
    return -(-amount // unit) * unit


def warps_per_block(limits: Limits, kernel: Kernel) -> int:
    """Threads are resident in whole warps."""
    return -(-kernel.threads // limits.warp_size)


def registers_per_warp(limits: Limits, registers: int) -> int:
    """Registers that one warp takes, for a kernel of so many registers per thread."""
    unit = limits.register_allocation_unit
    return -(-registers * limits.warp_size // unit) * unit


def shared_memory_configuration(limits: Limits, carveout: Carveout | None) -> int:
    """Bytes of shared memory per SM that the carveout asks for.

    A percentage is of the largest size and goes up to the next one that the chip has; without a
    carveout it is the largest. cuda_occupancy.h, shared memory preference.

    Raises:
        InputError: The carveout is a size that the chip cannot be set to.
    """
    if carveout is None:
        return limits.max_shared_memory_per_multiprocessor
    if carveout.unit == "percent":
        wanted = limits.max_shared_memory_per_multiprocessor * carveout.amount // 100
        return smallest_configuration(limits, wanted)
    if carveout.amount in limits.shared_memory_configurations:
        return carveout.amount
    sizes = ", ".join(f"{size // 1024}k" for size in limits.shared_memory_configurations)
    raise InputError(
        f"compute capability {limits.compute_capability} has no configuration of {carveout.amount:,} bytes",
        where="carveout",
        allowed=f"{sizes}, 0% to 100%",
    )


def smallest_configuration(limits: Limits, needed: int) -> int:
    """The smallest configuration with at least the needed bytes; the largest if none has."""
    for size in limits.shared_memory_configurations:
        if size >= needed:
            return size
    return limits.max_shared_memory_per_multiprocessor


def check_caching(limits: Limits, kernel: Kernel) -> None:
    """Refuse a caching mode on a chip that has none.

    Raises:
        InputError: The chip does not let a kernel choose.
    """
    if kernel.caching is not None and not limits.partitioned_global_caching:
        raise InputError(
            f"compute capability {limits.compute_capability} has no choice of the caching of global loads",
            where="caching",
            hint=f"Leave it out; {CACHING_CCS} have it.",
        )


def check_shared_memory_mode(limits: Limits) -> None:
    """Refuse the oversized mode on a chip that has none.

    Raises:
        InputError: The chip has only one mode.
    """
    if limits.max_oversized_shared_memory_per_block is None:
        raise InputError(
            f"compute capability {limits.compute_capability} has no oversized shared memory",
            where="shared_memory_mode",
            hint="Leave it out; 10.7 has it.",
        )


def blocks_by_tensor_memory(limits: Limits, columns: int) -> int:
    """Blocks whose columns of tensor memory the SM has at once, which is how many are at work.

    No launch is refused for it: ``tcgen05.alloc`` waits until enough columns are free (PTX ISA). So more may
    be resident, and cuda_occupancy.h, which knows no tensor memory, counts them: `Result.resident_blocks`.

    Raises:
        InputError: The chip has no tensor memory, or an SM of it fewer columns.
    """
    most = limits.tensor_memory_per_multiprocessor
    if most is None:
        raise InputError(
            f"compute capability {limits.compute_capability} has no tensor memory",
            where="tensor_memory",
            hint="Leave it out; 10.0, 10.1, 10.3, 10.7 and 11.0 have it.",
        )
    rounded = round_up(columns, TENSOR_MEMORY_UNIT)
    if rounded > most:
        raise InputError(
            f"an SM of {limits.compute_capability} has {most} columns, and {columns} are asked for",
            where="tensor_memory",
            allowed=f"{TENSOR_MEMORY_UNIT}, {2 * TENSOR_MEMORY_UNIT}, ..., {most}",
        )
    return most // rounded
