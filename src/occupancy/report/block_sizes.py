"""The answer to ``occupancy block-sizes``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from ..advice.block_sizes import BlockSize
from ..engine import Model, Occupancy
from . import DOCUMENTED, SCHEMA_VERSION
from .calc import inputs_of


@dataclass(frozen=True, slots=True)
class BlockSizesReport:
    """The whole answer to ``occupancy block-sizes``."""

    __pydantic_config__: ClassVar[dict[str, Any]] = DOCUMENTED

    schema_version: int
    model: Model
    cc: str
    inputs: dict[str, Any]
    """What was given, but for the block size; None for what was not. Sizes are in bytes."""
    block_sizes: tuple[BlockSize, ...]
    """Best first; among equals the larger block."""

    def to_dict(self) -> dict[str, Any]:
        """The report as plain dictionaries, lists and numbers: what the JSON holds."""
        return asdict(self)


def block_sizes_report(
    given: Occupancy, answers: tuple[BlockSize, ...], smem_per_thread: int | None = None
) -> BlockSizesReport:
    """Everything that is shown of the block sizes of a kernel.

    Args:
        given: The answer for the kernel as it was given, with any block size.
        answers: That for each block size.
        smem_per_thread: Bytes of dynamic shared memory that each thread of a block adds.
    """
    inputs = asdict(inputs_of(given.kernel))
    del inputs["threads"], inputs["block_dim"]
    return BlockSizesReport(
        schema_version=SCHEMA_VERSION,
        model=given.model,
        cc=str(given.limits.compute_capability),
        inputs={**inputs, "smem_per_thread": smem_per_thread},
        block_sizes=answers,
    )
