"""The answer to ``occupancy limits``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ..sm_limits import Limits
from . import SCHEMA_VERSION


@dataclass(frozen=True, slots=True)
class LimitsReport:
    """The limits of some compute capabilities."""

    rows: tuple[Limits, ...]
    is_whole_table: bool
    """Whether all rows of a table are shown, so that an overview is wanted rather than every limit."""

    def to_dict(self) -> dict[str, Any]:
        """Compute capability -> its limits, as plain values."""
        return {
            "schema_version": SCHEMA_VERSION,
            "compute_capabilities": {str(row.compute_capability): row_of(row) for row in self.rows},
        }


def row_of(limits: Limits) -> dict[str, Any]:
    """One row as plain values, in the table's order, with the warps that follow from the threads."""
    values = asdict(limits)
    del values["compute_capability"]
    values["max_warps_per_multiprocessor"] = limits.max_warps_per_multiprocessor
    return values
