"""The answer to ``occupancy budget``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from ..advice.budget import Budget, BudgetLevel
from ..engine import Model, Occupancy
from . import DOCUMENTED, SCHEMA_VERSION
from .calc import Inputs, inputs_of


@dataclass(frozen=True, slots=True)
class BudgetReport:
    """The whole answer to ``occupancy budget``."""

    __pydantic_config__: ClassVar[dict[str, Any]] = DOCUMENTED

    schema_version: int
    model: Model
    cc: str
    inputs: Inputs
    wanted: BudgetLevel
    """The level that reaches what was asked for."""
    levels: tuple[BudgetLevel, ...]
    """Every level of the block size, from the most blocks down."""

    def to_dict(self) -> dict[str, Any]:
        """The report as plain dictionaries, lists and numbers: what the JSON holds."""
        return asdict(self)


def budget_report(given: Occupancy, answer: Budget) -> BudgetReport:
    """Everything that is shown of a budget.

    Args:
        given: The answer for the kernel as it was given.
        answer: What it may use.
    """
    return BudgetReport(
        schema_version=SCHEMA_VERSION,
        model=given.model,
        cc=str(given.limits.compute_capability),
        inputs=inputs_of(given.kernel),
        wanted=answer.wanted,
        levels=answer.levels,
    )
