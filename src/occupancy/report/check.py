"""The answer to ``occupancy check``: which kernels of a build break which rule."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from ..advice.next_steps import NextStep
from ..builds.rules import Rules
from ..readers.names import demangle
from ..values.documented import DOCUMENTED
from . import SCHEMA_VERSION
from .diff import DiffSummary
from .scan import ScanRow


@dataclass(frozen=True, slots=True)
class Violation:
    """What breaks a rule."""

    __pydantic_config__: ClassVar[dict[str, Any]] = DOCUMENTED

    rule: int
    """The rule's place in the file, from 1."""
    criterion: str
    """Its name in the file, such as ``min_occupancy``."""
    bound: float
    """The least or the most that it allows, or how much of a change; an occupancy from 0 to 1."""
    was: float | None
    """The value in the baseline; None without one, or where the kernel is not in it."""
    value: float
    """The value now."""
    next_step: NextStep | None
    """What would mend it, and the occupancy then; None where no single change is known to."""


@dataclass(frozen=True, slots=True)
class Violating:
    """A kernel that breaks rules."""

    __pydantic_config__: ClassVar[dict[str, Any]] = DOCUMENTED

    kernel: ScanRow
    baseline: ScanRow | None
    """The kernel in the baseline; None without one, or where it is not in it."""
    violations: tuple[Violation, ...]

    def to_dict(self) -> dict[str, Any]:
        """The kernel as plain dictionaries, lists and numbers."""
        return {
            "kernel": self.kernel.to_dict(),
            "baseline": None if self.baseline is None else self.baseline.to_dict(),
            "violations": [asdict(each) for each in self.violations],
        }


@dataclass(frozen=True, slots=True)
class Holding:
    """A kernel that holds all rules."""

    __pydantic_config__: ClassVar[dict[str, Any]] = DOCUMENTED

    name: str
    arch: str | None
    source: str
    threads: int | None
    """Threads per block of a launch; None for a kernel."""
    checks: int
    """How much was asked of it."""

    @property
    def demangled(self) -> str:
        """The name as people write it."""
        return demangle(self.name)


def launched_with(row: ScanRow) -> int | None:
    """Threads per block, where the row is a launch: they tell it from other launches of the kernel."""
    return row.threads if row.threads_from == "launch" else None


@dataclass(slots=True)
class Checked:
    """What came of a check."""

    violating: list[Violating] = field(default_factory=list)
    holding: list[Holding] = field(default_factory=list)
    matched: Counter[int] = field(default_factory=Counter)
    """The number of a rule -> the kernels that it is for."""
    checks: int = 0
    """Questions that were answered."""


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
