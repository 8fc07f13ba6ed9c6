"""The resources of an SM that limit how many blocks are resident: the one list of them.

A new limiting resource is a row here, a field of `Kernel`, a rule in the engine and a number in the table.
"""

from __future__ import annotations

from enum import IntFlag
from operator import index
from typing import Literal, NamedTuple, Protocol, get_args

from .fields import TENSOR_MEMORY_UNIT

Resource = Literal[
    "warps", "blocks", "registers", "shared_memory", "barriers", "virtual_resources", "tensor_memory"
]
Adjustable = Literal["regs", "smem", "barriers", "tensor_memory"]
"""What a kernel can use more or less of, its blocks staying as they are, by the arguments of `compute`."""
Counted = Literal["barriers", "virtual_resources", "tensor_memory"]
"""The resources that are merely counted; few kernels are limited by them."""
Changeable = Literal["regs", "smem", "barriers", "tensor_memory", "threads"]
"""What can change for another number of blocks."""


class Quantity(NamedTuple):
    """Something that a block takes of an SM, and how people call it."""

    field: str | None
    """The attribute of `Kernel` with what a block uses of it; None for the block itself."""
    label: str
    """Its name in a sentence."""
    short: str
    """Its short name, for a row that must fit on a line."""
    unit: Literal["", "bytes", "columns"] = ""
    """What an amount is counted in, where the name does not say it."""
    least: int = 0
    """The least that a kernel can be asked to use; one without a single register does nothing."""
    not_given: int = 0
    """The amount that counts where the kernel gives none."""
    most: str | None = None
    """The field of `Limits` that no amount of it exceeds on a chip."""


# A kernel whose barriers are not known counts as one with __syncthreads().
_BARRIERS = Quantity("barriers", "barriers", "barriers", not_given=1, most="max_barriers_per_block")
_REGISTERS = Quantity("regs", "registers", "regs", least=1, most="max_registers_per_thread")
_SHARED_MEMORY = Quantity(
    "shared_memory", "shared memory", "shared", "bytes", most="max_shared_memory_per_multiprocessor"
)

QUANTITIES: dict[Resource | Changeable, Quantity] = {
    "warps": Quantity("threads", "warps", "warps"),
    "blocks": Quantity(None, "blocks", "blocks"),
    "registers": _REGISTERS,
    "shared_memory": _SHARED_MEMORY,
    "barriers": _BARRIERS,
    # What a kernel uses of them goes by the names of the arguments.
    "regs": _REGISTERS,
    "smem": _SHARED_MEMORY,
    # What a kernel that allocates tensor memory uses; it can use neither more nor less of them.
    "virtual_resources": Quantity("virtual_resources", "virtual resources", "virtual"),
    # A block that finds too few columns free is launched, and waits for them: it is resident, not at work.
    "tensor_memory": Quantity(
        "tensor_memory",
        "tensor memory",
        "tmem",
        "columns",
        least=TENSOR_MEMORY_UNIT,
        most="tensor_memory_per_multiprocessor",
    ),
    # No resource by themselves: a block's warps consist of them.
    "threads": Quantity("threads", "block size", "threads", least=1),
}
"""Every resource, and what of a kernel can change."""

RESOURCES: tuple[Resource, ...] = get_args(Resource)
"""Their names, in the order of every answer."""

COUNTED: tuple[Counted, ...] = get_args(Counted)

ADJUSTABLE: tuple[Adjustable, ...] = get_args(Adjustable)

RESOURCE_OF: dict[Adjustable, Resource] = {
    "regs": "registers",
    "smem": "shared_memory",
    "barriers": "barriers",
    "tensor_memory": "tensor_memory",
}
"""What of an SM a block takes more of, as the kernel uses more."""


class Limiter(IntFlag):
    """The limiting resources as one integer, for arrays of answers.

    One bit for each resource; all that tie are set, as in ``Occupancy.limiters``.
    """

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
        found: Limiter = super()._missing_(index(value))  # type: ignore[arg-type]
        return found

    def __str__(self) -> str:
        """``registers, shared_memory``: the resources whose bits are set."""
        return ", ".join(self.resources)

    @classmethod
    def of(cls, resource: Resource) -> Limiter:
        """The bit of a resource."""
        return cls[resource.upper()]

    @property
    def resources(self) -> tuple[Resource, ...]:
        """The names of the resources whose bits are set, in the order of ``Occupancy.limiters``."""
        return tuple(resource for resource in RESOURCES if Limiter.of(resource) & self)


Output = Literal["active_blocks", "active_warps", "limiters"]
"""What can be had as an array of answers."""


class UsesResources(Protocol):
    """What says how much a block uses of each resource: a `Kernel`, or what was made of one."""

    @property
    def threads(self) -> int | None: ...
    @property
    def regs(self) -> int | None: ...
    @property
    def shared_memory(self) -> int | None: ...
    @property
    def barriers(self) -> int | None: ...
    @property
    def virtual_resources(self) -> int | None: ...
    @property
    def tensor_memory(self) -> int | None: ...


def amount_of(resource: Resource | Changeable, kernel: UsesResources) -> int | None:
    """What a kernel uses of a resource; None where that is not known."""
    field = QUANTITIES[resource].field
    amount: int | None = 1 if field is None else getattr(kernel, field)
    return amount


def total_shared_memory(static: int | None, dynamic: int | None, total: int | None) -> int | None:
    """The shared memory of a block in bytes; None where none of the three was given."""
    if total is not None:
        return total
    return None if static is None and dynamic is None else (static or 0) + (dynamic or 0)
