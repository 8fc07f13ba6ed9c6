"""The screen of ``occupancy calc``."""

from __future__ import annotations

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ...engine import Resource
from ...report.calc import CalcReport, Explanation, ResourceUse
from .. import advice, whole_gpu, words
from . import PLAIN_WIDTH, grade, to_string


def render(report: CalcReport, width: int = PLAIN_WIDTH, color: bool = False) -> str:
    """The answer first, then whether it launches, then each resource, the advice, what it rests on."""
    parts: list[RenderableType] = [_headline(report), _verdict(report), Text(), _resources(report)]
    advised = _advice(report)
    if advised.row_count:
        parts += [Text(), advised]
    footnotes = _footnotes(report)
    if footnotes:
        parts += [Text(), *footnotes]
    if report.explanation is not None:
        parts += [Text(), *_explanation(report.explanation)]
    return to_string(*parts, width=width, color=color)


def _headline(report: CalcReport) -> Text:
    warps = report.resources["warps"]
    text = Text()
    text.append(f"{words.percent(report.occupancy)} occupancy", style=grade(report.occupancy))
    text.append(f" on {words.gpu(report.gpu)}compute capability {report.cc} ({report.architecture})\n")
    text.append(
        f"{report.active_warps} of {warps.per_multiprocessor} warps, "
        f"{words.count(report.active_blocks, 'block')} of {words.count(report.inputs.threads, 'thread')}, "
        f"{words.count(report.active_threads, 'thread')} per SM"
    )
    return text


def _verdict(report: CalcReport) -> Text:
    if not report.launchable:
        return Text.assemble(("Does not launch: ", "bold red"), report.reason or "")
    limiters = words.listing([words.name(limiter) for limiter in report.limiters])
    at_most = " (the most that the SM holds)" if report.occupancy == 1 else ""
    return Text.assemble(("Launches", "bold"), f". Limited by {limiters}{at_most}.")


def _resources(report: CalcReport) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="bold")
    table.add_column("Resource", no_wrap=True)
    table.add_column("Per block", justify="right")
    table.add_column("Per SM", justify="right")
    table.add_column("Blocks that fit", justify="right")
    table.add_column("")
    for resource, use in report.resources.items():
        if resource == "barriers" and use.blocks is None and report.inputs.barriers is None:
            continue  # no limit on this chip, and nobody asked
        is_limiter = resource in report.limiters
        table.add_row(
            words.name(resource),
            _per_block(report, resource, use),
            "unknown" if use.per_multiprocessor is None else words.amount(resource, use.per_multiprocessor),
            words.number(use.blocks, "no limit"),
            "<- limiter" if is_limiter else "",
            style="bold" if is_limiter else "",
        )
    return table


def _advice(report: CalcReport) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for label, text in (*whole_gpu.lines(report), *advice.lines(report)):
        table.add_row(label, text)
    return table


def _per_block(report: CalcReport, resource: Resource, use: ResourceUse) -> str:
    if not use.per_block:
        return "not given" if resource in not_given(report) else "0"
    amount = words.amount(resource, use.per_block)
    return f"not given ({amount})" if resource in not_given(report) else amount


def not_given(report: CalcReport) -> tuple[Resource, ...]:
    """The resources whose need was not given."""
    inputs = report.inputs
    missing: list[Resource] = []
    if inputs.regs is None:
        missing.append("registers")
    if inputs.static_smem is None and inputs.dynamic_smem is None and inputs.smem is None:
        missing.append("shared_memory")
    if inputs.barriers is None:
        missing.append("barriers")
    return tuple(missing)


def _footnotes(report: CalcReport) -> list[Text]:
    lines = []
    if report.occupancy_by_threads != report.occupancy:
        lines.append(
            f"{words.percent(report.occupancy_by_threads)} by threads, as PyTorch's profiler counts: "
            "the last warp of each block is not full."
        )
    if report.model == "spreadsheet":
        lines.append("By the rules of NVIDIA's spreadsheet CUDA_Occupancy_Calculator.xls.")
    for field, value in report.what_if.items():
        lines.append(f"What if: {field} = {value}.")
    lines += report.notes
    if 0 < report.occupancy < 1:
        lines.append(advice.ABOUT_OCCUPANCY)
    return [Text(line, style="dim") for line in lines]


def _explanation(explanations: tuple[Explanation, ...]) -> list[RenderableType]:
    parts: list[RenderableType] = []
    for each in explanations:
        parts.append(Text(words.name(each.resource).capitalize(), style="bold"))
        parts += [Padding(Text(step), (0, 0, 0, 2)) for step in each.steps]
        if each.why:
            parts.append(Padding(Text(f"Why: {each.why}", style="dim"), (0, 0, 0, 2)))
    return parts
