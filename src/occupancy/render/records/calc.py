"""The answer to ``occupancy calc`` for a program, or for a document."""

from __future__ import annotations

from ...report.calc import CalcReport
from .. import words
from . import step, to_csv, to_json, to_markdown


def json(report: CalcReport) -> str:
    """The answer as JSON."""
    return to_json(report.to_dict())


def csv(report: CalcReport) -> str:
    """The answer as one row of CSV; a step is written ``8: registers=32, shared_memory=20480``."""
    row = report.to_dict()
    row["next_steps"] = [step(each) for each in report.next_steps]
    sizes = report.carveout.configurations
    row["carveout"]["configurations"] = [f"{each.shared_memory}: {each.active_blocks}" for each in sizes]
    return to_csv([row])


def markdown(report: CalcReport) -> str:
    """The answer as a sentence and a table, with the advice below."""
    from .. import advice, whole_gpu  # JSON and CSV do without

    if report.launchable:
        limiters = words.listing([words.name(limiter) for limiter in report.limiters])
        verdict = f"limited by {limiters}"
    else:
        verdict = f"does not launch: {report.reason}"
    rows = [
        (
            f"**{words.name(resource)}**" if resource in report.limiters else words.name(resource),
            words.number(use.per_block, "not given"),
            words.number(use.per_multiprocessor, "unknown"),
            words.number(use.blocks, "no limit"),
        )
        for resource, use in report.resources.items()
    ]
    table = to_markdown(("Resource", "Per block", "Per SM", "Blocks that fit"), rows)
    head = (
        f"**{words.percent(report.occupancy)} occupancy** on {words.gpu(report.gpu)}"
        f"compute capability {report.cc}: "
        f"{words.count(report.active_blocks, 'block')}, {words.count(report.active_warps, 'warp')}, "
        f"{words.count(report.active_threads, 'thread')} per SM; {verdict}."
    )
    parts = [head, table]
    advised = [*whole_gpu.lines(report), *advice.lines(report)]
    if advised:
        parts.append("\n".join(f"- {label}: {text}" if label else f"  - {text}" for label, text in advised))
    if report.notes:
        parts.append("\n".join(f"- {note}" for note in report.notes))
    if report.explanation:
        parts += [
            f"**{words.name(each.resource)}**\n\n"
            + "\n".join(f"- {line}" for line in (*each.steps, *([each.why] if each.why else [])))
            for each in report.explanation
        ]
    return "\n\n".join(parts)
