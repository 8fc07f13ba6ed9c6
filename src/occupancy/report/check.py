"""The answer to ``occupancy check``: which kernels of a build break which rule."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from ..builds.diff import DiffSummary
from ..builds.rules import Rules
from ..builds.violations import Checked, Holding, Violating
from ..values.documented import DOCUMENTED
from . import SCHEMA_VERSION


@dataclass(frozen=True, slots=True)
class CheckedRule:
    """A rule, as it is in the file, and how many kernels it is for."""

    __pydantic_config__: ClassVar[dict[str, Any]] = DOCUMENTED

    kernels: tuple[str, ...]
    archs: tuple[str, ...]
    bounds: dict[str, float | None]
    matched: int


@dataclass(frozen=True, slots=True)
class CheckReport:
    """Everything that ``occupancy check`` shows."""

    __pydantic_config__: ClassVar[dict[str, Any]] = DOCUMENTED

    schema_version: int
    passed: bool
    build: str
    rules_from: str
    baseline: str | None
    updated: DiffSummary | None
    """How the kernels differ from those of the baseline that was replaced; None where none was."""
    checks: int
    """How many values were held against a rule."""
    rules: tuple[CheckedRule, ...]
    violating: tuple[Violating, ...]
    """The kernels that break a rule, by name."""
    holding: tuple[Holding, ...]
    """The kernels that hold all of them."""

    def to_dict(self) -> dict[str, Any]:
        """The report as plain dictionaries, lists and numbers: the JSON."""
        names = ("schema_version", "passed", "build", "rules_from", "baseline")
        return {
            **{name: getattr(self, name) for name in names},
            "updated": None if self.updated is None else asdict(self.updated),
            "checks": self.checks,
            "rules": [asdict(rule) for rule in self.rules],
            "violating": [each.to_dict() for each in self.violating],
            "holding": [asdict(each) for each in self.holding],
        }


def check_report(
    done: Checked, asked: Rules, *, build: str, baseline: str | None, updated: DiffSummary | None = None
) -> CheckReport:
    """The report of a check.

    Args:
        done: What came of it.
        asked: The rules.
        build: What the build is called.
        baseline: The path of the baseline.
        updated: How the new baseline differs from the old one.
    """
    rules = tuple(
        CheckedRule(
            rule.kernels, tuple(arch.sm for arch in rule.archs), rule.bounds, done.matched[rule.number]
        )
        for rule in asked.rules
    )
    return CheckReport(
        SCHEMA_VERSION, not done.violating, build, asked.source, baseline, updated, done.checks, rules,
        tuple(done.violating), tuple(done.holding),
    )  # fmt: skip
