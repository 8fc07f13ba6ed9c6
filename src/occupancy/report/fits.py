"""The answer to ``occupancy fits``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from ..advice.portability import Fit
from ..values.kernel import Kernel
from . import DOCUMENTED, SCHEMA_VERSION
from .calc import Inputs, inputs_of


@dataclass(frozen=True, slots=True)
class FitsReport:
    """The whole answer to ``occupancy fits``."""

    __pydantic_config__: ClassVar[dict[str, Any]] = DOCUMENTED

    schema_version: int
    inputs: Inputs
    chips: tuple[Fit, ...]

    def to_dict(self) -> dict[str, Any]:
        """The report as plain dictionaries, lists and numbers: what the JSON holds."""
        return asdict(self)


def fits_report(kernel: Kernel, answers: tuple[Fit, ...]) -> FitsReport:
    """Everything that is shown of a kernel on many chips."""
    return FitsReport(SCHEMA_VERSION, inputs_of(kernel), answers)
