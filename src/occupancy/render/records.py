"""Text for a program, or for a document: JSON, CSV, Markdown."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..report import CalcReport
from . import words


def to_json(value: Any) -> str:
    """JSON with an indent of two, in the order of the fields."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)


def to_csv(rows: Iterable[Mapping[str, Any]]) -> str:
    """CSV with a header; nested values are named with dots, lists are joined with semicolons."""
    flat = [dict(_flatten("", row)) for row in rows]
    names = list(dict.fromkeys(name for row in flat for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    return text.getvalue().rstrip("\n")


def _flatten(prefix: str, value: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from _flatten(f"{prefix}.{name}" if prefix else name, each)
    elif isinstance(value, (list, tuple)):
        yield prefix, ";".join(str(each) for each in value)
    else:
        yield prefix, value


def to_markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; the first column is text, the others are numbers."""
    lines = [_markdown_row(header), _markdown_row(["---"] + ["---:"] * (len(header) - 1))]
    lines += [_markdown_row(row) for row in rows]
    return "\n".join(lines)


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def calc_json(report: CalcReport) -> str:
    """The answer as JSON, for ``calc``."""
    return to_json(report.to_dict())


def calc_csv(report: CalcReport) -> str:
    """The answer as one row of CSV, for ``calc``."""
    return to_csv([report.to_dict()])


def calc_markdown(report: CalcReport) -> str:
    """The answer as a sentence and a table, for ``calc``."""
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
        f"**{words.percent(report.occupancy)} occupancy** on compute capability {report.cc}: "
        f"{words.count(report.active_blocks, 'block')}, {words.count(report.active_warps, 'warp')}, "
        f"{words.count(report.active_threads, 'thread')} per SM; {verdict}."
    )
    parts = [head, table]
    if report.notes:
        parts.append("\n".join(f"- {note}" for note in report.notes))
    if report.explanation:
        parts += [
            f"**{words.name(each.resource)}**\n\n"
            + "\n".join(f"- {line}" for line in (*each.steps, *([each.why] if each.why else [])))
            for each in report.explanation
        ]
    return "\n\n".join(parts)
