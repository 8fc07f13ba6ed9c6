"""The answer to ``occupancy calc`` in words, in whatever layout they are shown."""

from __future__ import annotations

import json
from typing import NamedTuple

from ..report.calc import CalcReport, ResourceUse
from ..values.resources import Resource, amount_of
from . import words

ABOUT_OCCUPANCY = "Low occupancy can be right: what it hides is latency."

HEADER = ("Resource", "Per block", "Per SM", "Blocks that fit")


class Row(NamedTuple):
    """One resource, in the order of `HEADER`."""

    resource: str
    per_block: str
    per_multiprocessor: str
    blocks: str
    is_limiter: bool


def headline(report: CalcReport) -> tuple[str, str, str]:
    """The occupancy, whose it is, and what it comes to: the third is a sentence of its own."""
    warps = report.resources["warps"]
    return (
        f"{words.percent(report.occupancy)} occupancy",
        f"on {words.gpu(report.gpu)}compute capability {report.cc} ({report.architecture})",
        f"{report.active_warps} of {warps.per_multiprocessor} warps, "
        f"{words.count(report.active_blocks, 'block')} of {words.count(report.inputs.threads, 'thread')}, "
        f"{words.count(report.active_threads, 'thread')} per SM",
    )


def verdict(report: CalcReport) -> tuple[str, str]:
    """Whether the kernel launches, and why not, or what stops one more block."""
    if not report.launchable:
        return "Does not launch:", report.reason or ""
    limiters = words.listing([words.name(limiter) for limiter in report.limiters])
    at_most = " (the most that the SM holds)" if report.occupancy == 1 else ""
    return "Launches.", f"Limited by {limiters}{at_most}."


def rows(report: CalcReport) -> list[Row]:
    """Every resource but the barriers where these set no limit and nobody asked."""
    return [
        Row(
            words.name(resource),
            _per_block(report, resource, use),
            "unknown" if use.per_multiprocessor is None else words.amount(resource, use.per_multiprocessor),
            words.number(use.blocks, "no limit"),
            resource in report.limiters,
        )
        for resource, use in report.resources.items()
        if resource != "barriers" or use.blocks is not None or report.inputs.barriers is not None
    ]


def remarks(report: CalcReport) -> list[str]:
    """What the answer rests on, a sentence each."""
    lines = []
    if report.occupancy_by_threads != report.occupancy:
        lines.append(
            f"{words.percent(report.occupancy_by_threads)} by threads, as PyTorch's profiler counts: "
            "the last warp of each block is not full."
        )
    if report.model == "spreadsheet":
        lines.append("By the rules of NVIDIA's spreadsheet CUDA_Occupancy_Calculator.xls.")
    lines += [f"What if: {field} = {_setting(value)}." for field, value in report.what_if.items()]
    lines += report.notes
    if 0 < report.occupancy < 1:
        lines.append(ABOUT_OCCUPANCY)
    return lines


def _setting(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _per_block(report: CalcReport, resource: Resource, use: ResourceUse) -> str:
    missing = amount_of(resource, report.inputs) is None
    if not use.per_block:
        return "not given" if missing else "0"
    amount = words.amount(resource, use.per_block)
    return f"not given ({amount})" if missing else amount
