"""The screen of ``occupancy verify``."""

from __future__ import annotations

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ...report.verify import VerifyReport
from .. import words
from . import PLAIN_WIDTH, plain_table, to_string
from .device import headline


def render(report: VerifyReport, width: int = PLAIN_WIDTH, color: bool = False) -> str:
    """Who was asked, how many answers agree, and each difference; all of it fit for a bug report."""
    parts: list[RenderableType] = [headline(report.device), Text(words.versions(report)), Text()]
    parts += [_checks(report), Text()]
    for check in report.checks:
        if check.differences:
            parts.append(Text(f"{words.count(check.different, 'difference')}: {check.call}", style="bold"))
        for difference in check.differences:
            lines = f"{difference.question}\ndriver {difference.driver}, ours {difference.ours}"
            parts.append(Padding(Text(lines), (0, 0, 0, 2)))
        if check.different > len(check.differences) > 0:
            parts.append(
                Padding(Text(f"and {check.different - len(check.differences):,} more"), (0, 0, 0, 2))
            )
    parts.append(Text(words.verdict(report), style="bold red" if report.different else "bold green"))
    return to_string(*parts, width=width, color=color)


def _checks(report: VerifyReport) -> Table:
    table = plain_table()
    table.add_column("Question")
    for title in ("Compared", "Different", "Known bug"):
        table.add_column(title, justify="right")
    for check in report.checks:
        counts = (check.compared, check.different, check.documented)
        style = "bold red" if check.different else ""
        table.add_row(check.name, *(f"{each:,}" for each in counts), style=style)
    return table
