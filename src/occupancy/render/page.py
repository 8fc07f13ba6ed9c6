"""HTML, for a notebook."""

from __future__ import annotations

from html import escape

from ..report.calc import CalcReport
from . import advice, whole_gpu, words


def calc_html(report: CalcReport) -> str:
    """The answer as a heading and a table; the limiter is bold."""
    rows = "".join(
        _row(
            (
                words.name(resource),
                words.number(use.per_block, "not given"),
                words.number(use.per_multiprocessor, "unknown"),
                words.number(use.blocks, "no limit"),
            ),
            is_bold=resource in report.limiters,
        )
        for resource, use in report.resources.items()
    )
    if report.launchable:
        verdict = "limited by " + words.listing([words.name(limiter) for limiter in report.limiters])
    else:
        verdict = f"does not launch: {report.reason}"
    head = "".join(f"<th>{title}</th>" for title in ("Resource", "Per block", "Per SM", "Blocks that fit"))
    labelled = (*whole_gpu.lines(report), *advice.lines(report))
    advised = "".join(_row((label, text), is_bold=False) for label, text in labelled)
    return (
        f"<p><strong>{words.percent(report.occupancy)} occupancy</strong> on {escape(words.gpu(report.gpu))}"
        f"compute capability {escape(report.cc)}: {words.count(report.active_blocks, 'block')}, "
        f"{words.count(report.active_warps, 'warp')}; {escape(verdict)}</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        f"<table><tbody>{advised}</tbody></table>"
    )


def _row(cells: tuple[str, ...], is_bold: bool) -> str:
    style = ' style="font-weight:bold"' if is_bold else ""
    return f"<tr{style}>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
