"""The screen of ``occupancy limits --sources``."""

from __future__ import annotations

from itertools import groupby

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from ...report.limits import SourcesReport
from ...tables.sources import Provenance
from .. import words
from . import PLAIN_WIDTH, plain_table, to_string


def render(report: SourcesReport, width: int = PLAIN_WIDTH, color: bool = False) -> str:
    """For each compute capability its limits with their sources, then what the codes stand for."""
    parts: list[RenderableType] = []
    for cc, values in groupby(report.values, lambda value: value.compute_capability):
        parts += [Text(f"Compute capability {cc}", style="bold"), *_limits(list(values), width), Text()]
    parts.append(Text("Sources", style="bold"))
    for source in report.cited():
        parts.append(_indented(f"{source.code}: {source.title}. {source.where} ({source.licence})"))
    return to_string(*parts, width=width, color=color)


def _limits(values: list[Provenance], width: int) -> list[RenderableType]:
    table = plain_table()
    table.add_column("Limit", overflow="fold", no_wrap=width >= PLAIN_WIDTH)
    table.add_column("Value", justify="right", overflow="fold")
    table.add_column("Sources", overflow="fold")
    for value in values:
        codes = " ".join(source.code for source in value.sources)
        table.add_row(value.field, words.limit(value.field, value.value), codes)
    notes = [_indented(f"{value.field}: {value.note}") for value in values if value.note]
    disputes = [_indented(line) for value in values for line in _disputes(value)]
    parts: list[RenderableType] = [table]
    if notes:
        parts += [Text("Notes", style="bold"), *notes]
    if disputes:
        parts += [Text("Disputed", style="bold"), *disputes]
    return parts


def _disputes(value: Provenance) -> list[str]:
    return [
        f"{value.field} is {words.limit(value.field, value.value)} here; "
        + words.dispute(value.field, dispute)
        for dispute in value.disputes
    ]


def _indented(line: str) -> Padding:
    return Padding(Text(line), (0, 0, 0, 2))
