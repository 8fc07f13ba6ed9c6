"""Parts of a result: the limits by each resource, and the resources of one block."""

from __future__ import annotations

from typing import Literal, NamedTuple

Model = Literal["cuda", "spreadsheet"]

make = tuple.__new__
"""Constructor of the parts for the model `cuda`, in a third of the time of a call of their class."""


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

    def smallest(self) -> int:
        """Return the blocks that all resources together allow."""
        # Written out, because min() over a filter takes five times as long in every result.
        warps, blocks, registers, shared_memory, barriers, virtual_resources, tensor_memory = self
        least = warps if warps < blocks else blocks
        if registers is not None and registers < least:
            least = registers
        if shared_memory is not None and shared_memory < least:
            least = shared_memory
        if barriers is not None and barriers < least:
            least = barriers
        if virtual_resources is not None and virtual_resources < least:
            least = virtual_resources
        if tensor_memory is not None and tensor_memory < least:
            least = tensor_memory
        return least


class Allocation(NamedTuple):
    """Resources of one resident block, after every rounding."""

    warps: int
    registers: int
    shared_memory: int
    """Bytes, with the system's reservation."""


class Use(NamedTuple):
    """Use of one resource by a block after rounding, and its amount on the SM."""

    per_block: int
    per_multiprocessor: int | None
    """None if no source documents it."""
