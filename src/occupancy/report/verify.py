"""The answer to ``occupancy verify``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from ..device import Check, Verification
from ..render import words
from ..render.document import (
    Block,
    Bullets,
    Column,
    Document,
    Heading,
    Marked,
    Only,
    Paragraph,
    Table,
    Together,
)
from ..values.dataclass import dataclass
from .base import Report
from .device import DeviceEntry, device_entry, headline, known_of

COLUMNS = (
    Column("Question", is_number=False, least=1, cuts=True),
    Column("Compared", least=1, cuts=True),
    Column("Different", least=1, cuts=True),
    Column("Known bug", least=1, cuts=True),
)


@dataclass(frozen=True, slots=True)
class VerifyReport(Report):
    """How the table and the engine compare with what a GPU's driver says."""

    date: str
    """The day, as YYYY-MM-DD."""
    versions: dict[str, str]
    """What took part, and its version."""
    device: DeviceEntry
    kernels: int
    """Compiled kernels that the driver was asked about."""
    compared: int
    different: int
    documented: int
    """Of the compared, those where the driver is wrong in a way that is documented."""
    checks: tuple[Check, ...]

    def _each_row(self) -> Iterable[Mapping[str, Any]]:
        """A row for each kind of question."""
        of = {"gpu": self.device.name, "driver": self.device.driver_version, "date": self.date}
        return ({**of, **asdict(check), "differences": None} for check in self.checks)

    def document(self) -> Document:
        """Who was asked, how many answers agree, and each difference; all of it fit for a bug report."""
        counts = [(check.compared, check.different, check.documented) for check in self.checks]
        cells = [tuple(f"{each:,}" for each in row) for row in counts]
        screen = [
            (check.name, compared, Marked(different, "bad") if check.different else different, known)
            for check, (compared, different, known) in zip(self.checks, cells, strict=True)
        ]
        page = [
            *(
                (f"{check.name} (`{check.call}`)", *row)
                for check, row in zip(self.checks, cells, strict=True)
            ),
            ("all", *(f"{each:,}" for each in (self.compared, self.different, self.documented))),
        ]
        verdict = Marked(self._verdict(), "bad" if self.different else "good")
        known = f", compute capability {self.device.cc}; {known_of(self.device)}. {self._versions()}"
        return (
            Only(
                "text",
                [
                    Together([headline(self.device), Paragraph(self._versions())]),
                    Table(COLUMNS, screen, splits=False),
                    Together([*self._differences(), Paragraph(verdict)]),
                ],
            ),
            Only(
                "markdown",
                [
                    Paragraph((Marked(self.device.name, "strong"), known)),
                    Table(COLUMNS, page),
                    Paragraph(verdict.text),
                ],
            ),
        )

    def _versions(self) -> str:
        """``2026-11-21, occupancy 0.1.0, Python 3.12.3, ...``: when, and with what."""
        named = (
            version if name == "system" else f"{name} {version}" for name, version in self.versions.items()
        )
        return ", ".join((self.date, *named))

    def _differences(self) -> Iterator[Block]:
        for check in self.checks:
            if check.differences:
                yield Heading(f"{words.count(check.different, 'difference')}: {check.call}")
            lines = [
                f"{each.case}\ndriver {each.driver}, computed {each.computed}" for each in check.differences
            ]
            if check.different > len(check.differences) > 0:
                lines.append(f"and {check.different - len(check.differences):,} more")
            yield Bullets(lines, indent=2)

    def _verdict(self) -> str:
        """Whether the GPU's driver agrees, and what to do if it does not."""
        asked = f"{self.compared:,} answers of the driver, about {words.count(self.kernels, 'kernel')}"
        known = ""
        if self.documented:
            known = (
                f", but for {self.documented:,} with a bug of the driver's that is known (docs/devices.md)"
            )
        if not self.different:
            return f"All of {asked}, agree{known}."
        return f"{self.different:,} of {asked}, differ{known}. Please report it, with all of this text."


def verify_report(verification: Verification) -> VerifyReport:
    """Everything that is shown of a verification."""
    return VerifyReport(
        date=verification.date.isoformat(),
        versions=verification.versions,
        device=device_entry(verification.device),
        kernels=verification.kernels,
        compared=verification.compared,
        different=verification.different,
        documented=verification.documented,
        checks=verification.checks,
    )
