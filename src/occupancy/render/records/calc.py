"""The answer to ``occupancy calc`` for a program, or for a document."""

from __future__ import annotations

from ...report.calc import CalcReport
from .. import answer, words
from . import step, to_csv, to_json, to_markdown


def json(report: CalcReport) -> str:
    """The answer as JSON."""
    return to_json(report.to_dict())


def csv(report: CalcReport) -> str:
    """The answer as one row of CSV; what is a list of records becomes one cell of short phrases.

    A step is written ``8: registers=32, shared_memory=20480``.
    """
    row = report.to_dict()
    row["next_steps"] = [step(each) for each in report.next_steps]
    sizes = report.carveout.configurations
    row["carveout"]["configurations"] = [f"{each.shared_memory}: {each.active_blocks}" for each in sizes]
    row["explanation"] = [
        f"{words.name(each.resource)}: {', '.join(each.steps)}" for each in report.explanation or ()
    ]
    return to_csv([row])


def markdown(report: CalcReport) -> str:
    """The answer as sentences and a table, with the advice below."""
    from .. import advice, whole_gpu  # JSON and CSV do without

    occupancy, where, amounts = answer.headline(report)
    rows = [
        (f"**{row.resource}**" if row.is_limiter else row.resource, *row[1:4]) for row in answer.rows(report)
    ]
    parts = [
        f"**{occupancy}** {where}: {amounts}. {' '.join(answer.verdict(report))}",
        to_markdown(answer.HEADER, rows),
    ]
    advised = [*whole_gpu.lines(report), *advice.lines(report)]
    if advised:
        parts.append("\n".join(f"- {label}: {text}" if label else f"  - {text}" for label, text in advised))
    remarks = answer.remarks(report)
    if remarks:
        parts.append("\n".join(f"- {remark}" for remark in remarks))
    for each in report.explanation or ():
        why = [f"Why: {each.why}"] if each.why else []
        lines = "\n".join(f"- {line}" for line in (*each.steps, *why))
        parts.append(f"**{words.name(each.resource)}**\n\n{lines}")
    return "\n\n".join(parts)
