"""Resources of an SM that limit the resident blocks.

A new limiting resource is a row here and in `FIELDS`, a rule in the engine and a number in the table.
"""

from __future__ import annotations

from enum import IntFlag
from operator import index
from typing import Literal, NamedTuple, get_args

from .fields import TENSOR_MEMORY_UNIT

Resource = Literal[
    "warps", "blocks", "registers", "shared_memory", "barriers", "virtual_resources", "tensor_memory"
]
RESOURCES: tuple[Resource, ...] = get_args(Resource)
"""Resources in the order of every result."""

Counted = Literal["barriers", "virtual_resources", "tensor_memory"]
COUNTED: tuple[Counted, ...] = get_args(Counted)
"""Resources that are counted without rounding; few kernels are limited by them."""

Adjustable = Literal["regs", "smem", "barriers", "tensor_memory"]
"""Inputs of a kernel that can change while its block size stays."""


class Quantity(NamedTuple):
    """An adjustable input of a kernel, and its resource."""

    resource: Resource
    field: str
    """Attribute of `Kernel` with the amount."""
    most: str
    """Field of `Limits` that no kernel exceeds."""
    least: int = 0
    """Smallest useful amount."""
    default: int = 0
    """Amount that counts if none was given."""


QUANTITIES: dict[Adjustable, Quantity] = {
    # A kernel without a single register does nothing.
    "regs": Quantity("registers", "regs", "max_registers_per_thread", least=1),
    "smem": Quantity("shared_memory", "shared_memory", "max_shared_memory_per_multiprocessor"),
    # One barrier for __syncthreads().
    "barriers": Quantity("barriers", "barriers", "max_barriers_per_block", default=1),
    "tensor_memory": Quantity(
        "tensor_memory", "tensor_memory", "tensor_memory_per_multiprocessor", TENSOR_MEMORY_UNIT
    ),
}


class Limiter(IntFlag):
    """Limiting resources as an integer with a bit for each, for arrays of results."""

    WARPS = 1
    BLOCKS = 2
    REGISTERS = 4
    SHARED_MEMORY = 8
    BARRIERS = 16
    VIRTUAL_RESOURCES = 32
    TENSOR_MEMORY = 64

    @classmethod
    def _missing_(cls, value: object) -> Limiter:
        """Return the resources of an integer of another type, such as NumPy's."""
        return super()._missing_(index(value))  # type: ignore[arg-type, no-any-return]

    def __str__(self) -> str:
        return ", ".join(self.resources)

    @property
    def resources(self) -> tuple[Resource, ...]:
        """Names of the resources whose bits are set, in the order of `RESOURCES`."""
        return tuple(resource for resource in RESOURCES if Limiter[resource.upper()] & self)


Output = Literal["active_blocks", "active_warps", "limiters"]
"""Arrays that a sweep can compute."""
