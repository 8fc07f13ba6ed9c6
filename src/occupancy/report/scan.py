"""The answer to ``occupancy scan``: the kernels that files hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..builds.scanner import ScanRow
from ..readers import ReadProblem
from ..values.documented import DOCUMENTED


@dataclass(frozen=True, slots=True)
class ScanReport:
    """Everything that ``occupancy scan`` found."""

    __pydantic_config__: ClassVar[dict[str, Any]] = DOCUMENTED

    schema_version: int
    kernels: tuple[ScanRow, ...]
    found: int
    """How many kernels and launches the sources hold, shown or not."""
    problems: tuple[ReadProblem, ...]
    """What could not be read."""
