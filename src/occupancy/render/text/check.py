"""The screen of ``occupancy check``."""

from __future__ import annotations

from collections.abc import Iterator

from rich.padding import Padding
from rich.text import Text

from ...builds.violations import Violating
from ...report.check import CheckReport
from .. import check_cells
from . import PLAIN_WIDTH, to_string


def render(report: CheckReport, width: int = PLAIN_WIDTH, color: bool = False) -> str:
    """Each kernel that breaks a rule: what was asked for, what is, and what would mend it."""
    parts: list[Text | Padding] = []
    for violating in report.violating:
        parts += [*_violating(violating), Text()]
    parts.append(Text(check_cells.summary(report), style="bold green" if report.passed else "bold red"))
    parts += [Text(line, style="dim") for line in check_cells.notes(report)]
    return to_string(*parts, width=width, color=color)


def _violating(violating: Violating) -> Iterator[Text | Padding]:
    row = violating.kernel
    yield Text(check_cells.kernel(row), style="bold")
    for violation in violating.violations:
        yield _indented(check_cells.broken(violation), "red")
        yield _indented(f"Next step: {check_cells.mending(row, violation)}", indent=4)
    since = check_cells.since(violating)
    if since:
        yield _indented(f"Since the baseline: {since}.", "dim")


def _indented(text: str, style: str = "", indent: int = 2) -> Padding:
    return Padding(Text(text, style=style), (0, 0, 0, indent))
