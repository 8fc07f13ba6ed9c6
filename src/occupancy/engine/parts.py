"""The parts of an answer: what each resource allows, and what one block takes."""

from __future__ import annotations

from typing import Literal, NamedTuple

from ..values.listed import listed

Model = Literal["cuda", "spreadsheet"]

make = tuple.__new__
"""How the model `cuda` makes the parts, in a third of the time that a call of their class takes."""


@listed
class BlockLimits(NamedTuple):
    """Blocks that each resource alone would allow on one SM, in the order of `RESOURCES`; None: no limit."""

    warps: int
    blocks: int
    registers: int | None
    shared_memory: int | None
    barriers: int | None = None
    virtual_resources: int | None = None
    tensor_memory: int | None = None
    """Blocks whose columns the SM has at once: so many are at work, and what comes in besides waits."""

    def smallest(self) -> int:
        """Blocks that all resources together allow."""
        # Written out, because min() over a filter takes five times as long and this is asked a lot.
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


@listed
class Allocation(NamedTuple):
    """What one resident block takes of an SM, after every rounding."""

    warps: int
    registers: int
    shared_memory: int
    """Bytes, with the system's reservation."""


@listed
class Use(NamedTuple):
    """One resource: what a block takes after rounding, and what the SM has."""

    per_block: int
    per_multiprocessor: int | None
    """None where no source gives it."""
