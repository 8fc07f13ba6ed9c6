"""A kernel with its answer: what a scan says of each."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any, ClassVar

from ..advice.next_steps import NextStep
from ..readers import KernelRecord
from ..values.dataclass import dataclass
from ..values.resources import Resource
from .spill_cost import SpillCost


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanRow(KernelRecord):
    """One kernel of one architecture, or one launch, with the answer."""

    # The readable name is a property: finding it takes longer than all the rest, and of most kernels
    # nobody sees it.
    __pydantic_config__: ClassVar[dict[str, Any]] = {
        "use_attribute_docstrings": True,
        "json_schema_extra": lambda schema: schema["properties"].update(demangled={"type": "string"}),
    }

    smem: int | None = None
    """Static and dynamic together, in bytes: what counts for the occupancy; None where neither is known."""
    cc: str | None = None
    """The compute capability that is answered for."""
    what_if: bool = False
    """Whether the kernel was compiled for another one."""
    occupancy: float | None = None
    """Active warps by the most warps of an SM, 0 to 1; None where something needed is not known."""
    usual_threads: int | None = None
    """A usual block size, where no source states one and ``threads`` is the best; None elsewhere."""
    usual_occupancy: float | None = None
    """The occupancy with blocks of that size, 0 to 1; 0 where they do not launch."""
    usual_limiters: tuple[Resource, ...] = ()
    """What limits it then."""
    active_blocks: int | None = None
    limiters: tuple[Resource, ...] = ()
    launchable: bool | None = None
    reason: str | None = None
    """Why it does not launch."""
    next_step: NextStep | None = None
    """The nearest higher occupancy, and what must change for it; for a kernel of Triton with the warps
    that it has, and for its pipeline at whole stages."""
    other_warps: tuple[NextStep, ...] = ()
    """What a kernel of Triton reaches with twice as many warps for the same tile, or with half as many where
    those do not help: each higher occupancy, the lowest first, with the threads, which stand for num_warps,
    and the most registers that it may take once it is compiled so."""
    spill_cost: SpillCost | None = None
    """What the shared memory costs that registers are spilled to; None where none is, and in comparisons."""
    waves: float | None = None
    """Waves of a launch on the whole GPU, where the number of its SMs was given."""
    idle_share: float | None = None
    """The share of the GPU's time, in places for blocks, in which they are empty; where waves are known."""
    time_share: float | None = None
    """The share of the time of all launches in the traces that were read, 0 to 1, for a launch of one."""

    @property
    def title(self) -> str:
        """The kernel, its architecture and its occupancy in a line, for whoever looks at objects."""
        share = "unknown" if self.occupancy is None else f"{100 * self.occupancy:.4g}%"
        return f"{self.demangled} for {self.arch or 'an unknown architecture'}, occupancy {share}"

    def to_dict(self) -> dict[str, Any]:
        """The row as plain dictionaries, lists and numbers: one object of the JSON."""
        values = {name: getattr(self, name) for name in ROW_FIELDS}
        parts = {"next_step": self.next_step, "spill_cost": self.spill_cost}
        values["other_warps"] = [asdict(step) for step in self.other_warps]
        return values | {name: asdict(part) for name, part in parts.items() if part is not None}


_FIRST = (
    "demangled", "arch", "threads", "regs", "smem", "occupancy", "active_blocks", "limiters", "next_step",
    "source", "format", "name",
)  # fmt: skip
ROW_FIELDS = (*_FIRST, *(each.name for each in fields(ScanRow) if each.compare and each.name not in _FIRST))
"""The fields of a row in the order in which they are printed: a table of them is wider than any screen."""
