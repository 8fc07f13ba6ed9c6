"""The answer to ``occupancy bounds``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from ..advice.launch_bounds import LaunchBounds
from ..values.kernel import Kernel
from . import DOCUMENTED, SCHEMA_VERSION
from .calc import Inputs, inputs_of


@dataclass(frozen=True, slots=True)
class BoundsReport:
    """The whole answer to ``occupancy bounds``."""

    __pydantic_config__: ClassVar[dict[str, Any]] = DOCUMENTED

    schema_version: int
    inputs: Inputs
    min_blocks: int | None
    launch_bounds: str
    """What to write before the kernel's name."""
    chips: tuple[LaunchBounds, ...]
    """What it comes to on each chip."""

    def to_dict(self) -> dict[str, Any]:
        """The report as plain dictionaries, lists and numbers: what the JSON holds."""
        return asdict(self)


def bounds_report(kernel: Kernel, answers: tuple[LaunchBounds, ...]) -> BoundsReport:
    """Everything that is shown of launch bounds on one chip or more."""
    first = answers[0]
    return BoundsReport(SCHEMA_VERSION, inputs_of(kernel), first.min_blocks, first.launch_bounds, answers)
