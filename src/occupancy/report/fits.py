"""The answer to ``occupancy fits``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ..advice.portability import Fit
from ..render import words
from ..render.document import SENTENCE, Column, Document, Marked, Only, Paragraph, Table
from ..values.kernel import Kernel
from .base import Report
from .inputs import Inputs, inputs_of

COLUMNS = (
    Column("CC", is_number=False),
    Column("Launches", is_number=False),
    Column("Opt-in", is_number=False),
    Column("Blocks"),
    Column("Occupancy"),
    Column("Limited or stopped by", is_number=False, least=SENTENCE),
)


@dataclass(frozen=True, slots=True)
class FitsReport(Report):
    """The whole answer to ``occupancy fits``."""

    inputs: Inputs
    chips: tuple[Fit, ...]

    def rows(self) -> Iterable[Mapping[str, Any]]:
        """A row for each chip."""
        return map(asdict, self.chips)

    def document(self) -> Document:
        """A count, then a row for each chip with what limits it, or what stops it."""
        launching = sum(chip.launchable for chip in self.chips)
        headline = f"Launches on {launching} of {words.count(len(self.chips), 'chip')}"
        rows = [
            (
                chip.cc,
                "yes" if chip.launchable else "no",
                "needed" if chip.needs_opt_in else "",
                str(chip.active_blocks),
                words.percent(chip.occupancy),
                _verdict(chip),
            )
            for chip in self.chips
        ]
        refused = {number for number, chip in enumerate(self.chips) if not chip.launchable}
        return Only("text", [Paragraph(Marked(headline, "strong"))]), Table(COLUMNS, rows, refused)


def fits_report(kernel: Kernel, answers: tuple[Fit, ...]) -> FitsReport:
    """Everything that is shown of a kernel on many chips."""
    return FitsReport(inputs_of(kernel), answers)


def _verdict(chip: Fit) -> str:
    if chip.launchable:
        return words.listing([words.name(limiter) for limiter in chip.limiters])
    if chip.limit is None or chip.allowed is None:
        return chip.reason or ""
    most = words.limit(chip.limit, chip.allowed)
    if chip.limit.startswith("max_block_dim"):
        return f"over {most} threads in one dimension"
    return f"over {most} {words.name(chip.limit.removeprefix('max_').removesuffix('_optin'))}"
