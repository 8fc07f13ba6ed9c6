"""HTML, for a notebook."""

from __future__ import annotations

from html import escape

from ..report.calc import CalcReport
from . import advice, answer, whole_gpu


def calc_html(report: CalcReport) -> str:
    """The answer as a heading and a table, the limiters bold, the advice, and what it rests on."""
    occupancy, where, amounts = answer.headline(report)
    head = "".join(f"<th>{title}</th>" for title in answer.HEADER)
    rows = "".join(_row(row) for row in answer.rows(report))
    remarks = "<br>".join(escape(remark) for remark in answer.remarks(report))
    advised = "".join(
        f"<tr><td>{escape(label)}</td><td>{escape(text)}</td></tr>"
        for label, text in (*whole_gpu.lines(report), *advice.lines(report))
    )
    return (
        f"<p><strong>{escape(occupancy)}</strong> {escape(where)}<br>{escape(amounts)}<br>"
        f"{escape(' '.join(answer.verdict(report)))}</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        f"<table><tbody>{advised}</tbody></table>" + (f"<p>{remarks}</p>" if remarks else "")
    )


def _row(row: answer.Row) -> str:
    *cells, is_limiter = row
    style = ' style="font-weight:bold"' if is_limiter else ""
    return f"<tr{style}>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells) + "</tr>"
