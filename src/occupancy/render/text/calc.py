"""The screen of ``occupancy calc``."""

from __future__ import annotations

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ...report.calc import CalcReport, Explanation
from .. import advice, answer, whole_gpu, words
from . import PLAIN_WIDTH, grade, plain_table, to_string

COMFORTABLE_WIDTH = 78
"""Columns in which the widest table of resources has room."""


def render(report: CalcReport, width: int = PLAIN_WIDTH, color: bool = False) -> str:
    """The answer first, then whether it launches, then each resource, the advice, what it rests on."""
    parts: list[RenderableType] = [_headline(report), _verdict(report), Text(), _resources(report, width)]
    advised = _advice(report)
    if advised.row_count:
        parts += [Text(), advised]
    remarks = answer.remarks(report)
    if remarks:
        parts += [Text(), *(Text(remark, style="dim") for remark in remarks)]
    if report.explanation is not None:
        parts += [Text(), *_explanation(report.explanation)]
    return to_string(*parts, width=width, color=color)


def _headline(report: CalcReport) -> Text:
    occupancy, where, amounts = answer.headline(report)
    return Text.assemble((occupancy, grade(report.occupancy)), f" {where}\n{amounts}")


def _verdict(report: CalcReport) -> Text:
    launches, why = answer.verdict(report)
    return Text.assemble((launches, "bold" if report.launchable else "bold red"), f" {why}")


def _resources(report: CalcReport, width: int) -> Table:
    is_narrow = width < COMFORTABLE_WIDTH
    table = plain_table(gap=1 if is_narrow else 3)
    resource, *numbers = answer.HEADER
    table.add_column(resource, overflow="fold", no_wrap=not is_narrow)
    for title in numbers:
        table.add_column(title, justify="right", overflow="fold")
    table.add_column("", overflow="fold")
    mark = "<-" if is_narrow else "<- limiter"
    for row in answer.rows(report):
        *cells, is_limiter = row
        style = "bold" if is_limiter else ""
        table.add_row(*map(str, cells), mark if is_limiter else "", style=style)
    return table


def _advice(report: CalcReport) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for label, text in (*whole_gpu.lines(report), *advice.lines(report)):
        table.add_row(label, text)
    return table


def _explanation(explanations: tuple[Explanation, ...]) -> list[RenderableType]:
    parts: list[RenderableType] = []
    for each in explanations:
        parts.append(Text(words.name(each.resource).capitalize(), style="bold"))
        parts += [Padding(Text(step), (0, 0, 0, 2)) for step in each.steps]
        if each.why:
            parts.append(Padding(Text(f"Why: {each.why}", style="dim"), (0, 0, 0, 2)))
    return parts
