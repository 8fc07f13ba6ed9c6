"""What a verification found."""

from __future__ import annotations

import dataclasses
import datetime
from dataclasses import field

from ..device import Device
from ..values.dataclass import dataclass

KEPT_DIFFERENCES = 20
"""Differences that are kept of each check; all are counted."""


@dataclass(frozen=True, slots=True)
class Difference:
    """An answer of the driver that is not ours."""

    question: str
    driver: str
    ours: str


@dataclasses.dataclass(slots=True)
class Check:
    """Answers to one kind of question."""

    name: str
    call: str
    """What the driver was asked."""
    compared: int = 0
    different: int = 0
    documented: int = 0
    """Of the compared, those where the driver is wrong in a way that is known and documented."""
    differences: list[Difference] = field(default_factory=list)
    """The first ones."""

    def compare(self, question: object, driver: object, ours: object, documented: object = None) -> None:
        """Count an answer.

        Args:
            question: What was asked; its text is only made where the answers differ.
            driver: The driver's answer.
            ours: The library's answer.
            documented: The wrong answer that some drivers are known to give.
        """
        self.compared += 1
        if driver == ours:
            return
        if documented is not None and driver == documented:
            self.documented += 1
        else:
            self._differ(question, driver, ours)

    def compare_bound(self, question: object, driver: int | str, at_most: int) -> None:
        """Count an answer of which the library only knows an upper bound."""
        self.compared += 1
        if isinstance(driver, str) or driver > at_most:
            self._differ(question, driver, f"at most {at_most}")

    def _differ(self, question: object, driver: object, ours: object) -> None:
        self.different += 1
        if len(self.differences) < KEPT_DIFFERENCES:
            asked = question if isinstance(question, str) else repr(question)
            self.differences.append(Difference(asked, str(driver), str(ours)))


@dataclass(frozen=True, slots=True)
class Verification:
    """Everything that was compared on one GPU."""

    date: datetime.date
    versions: dict[str, str]
    """What took part, and its version."""
    device: Device
    kernels: int
    """Compiled kernels that the driver was asked about."""
    checks: tuple[Check, ...]

    def __repr__(self) -> str:
        return f"<Verification of {self}>"

    def __str__(self) -> str:
        return f"{self.device.name}: {self.compared:,} answers compared, {self.different:,} differ"

    @property
    def compared(self) -> int:
        """Answers that were compared."""
        return sum(check.compared for check in self.checks)

    @property
    def documented(self) -> int:
        """Answers in which the driver is wrong in a way that is documented."""
        return sum(check.documented for check in self.checks)

    @property
    def different(self) -> int:
        """Answers that differ in any other way."""
        return sum(check.different for check in self.checks)
