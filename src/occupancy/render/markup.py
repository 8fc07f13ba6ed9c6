"""Any report as Markdown, and as HTML for a notebook."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ..report.model import Block, Column, Facts, Paragraph, Report, Table
from ..values.untrusted import html_text, markdown_cell, markdown_text


def markdown(report: Report) -> str:
    """Return the report as GitHub's Markdown."""
    first, *others = map(_md, report.headline)
    parts = ["\n\n".join((f"**{first}**", *others))]
    for block in _blocks(report):
        if isinstance(block, Facts):
            parts.append("\n".join(f"- {_md(label)}: {_md(value)}" for label, value in block.pairs))
        elif isinstance(block, Paragraph):
            fence = "```\n{}\n```" if block.preformatted else "{}"
            lines = block.lines if block.preformatted else [_md(line) for line in block.lines]
            parts.append(fence.format("\n".join(lines)))
        else:
            parts.append("\n".join(_markdown_table(block)))
    if report.notes:
        parts.append("\n".join(f"- {_md(note.text)}" for note in report.notes))
    return "\n\n".join(filter(None, parts)) + "\n"


def html(report: Report) -> str:
    """Return the report as HTML elements without scripts, for ``_repr_html_``."""
    headline = "<br>".join(html_text(line) for line in report.headline)
    parts = [f"<div><p><b>{headline}</b></p>"]
    for block in _blocks(report):
        if isinstance(block, Facts):
            rows = (f"<tr><th>{html_text(a)}</th><td>{html_text(b)}</td></tr>" for a, b in block.pairs)
            parts.append(f"<table>{''.join(rows)}</table>")
        elif isinstance(block, Paragraph):
            tag = "pre" if block.preformatted else "p"
            text = ("\n" if block.preformatted else "<br>").join(map(html_text, block.lines))
            parts.append(f"<{tag}>{text}</{tag}>")
        else:
            parts.append(_html_table(block))
    parts += [f"<p><small>{html_text(note.text)}</small></p>" for note in report.notes]
    return "".join(parts) + "</div>"


def _blocks(report: Report) -> Iterator[Block]:
    if report.shows_rows and (rows := report.screen_rows()):
        yield Table("", report.screen_columns(), rows)
    yield from report.details


def _md(text: str) -> str:
    return markdown_text(text.strip())


def _markdown_table(table: Table) -> Iterator[str]:
    if table.title:
        yield f"### {_md(table.title)}\n"
    if table.rows:
        yield _markdown_row(table.columns, lambda column: column.title)
        yield (
            "|" + "|".join(" ---: " if column.align == "right" else " --- " for column in table.columns) + "|"
        )
        for row in table.rows:
            yield _markdown_row(table.columns, lambda column, row=row: column.cell(row))  # type: ignore[misc]
    if table.lines:
        yield "\n" + "\n".join(_md(line) for line in table.lines)


def _markdown_row(columns: Sequence[Column], cell: Callable[[Column], str]) -> str:
    return "| " + " | ".join(markdown_cell(_md(cell(column))) for column in columns) + " |"


def _html_table(table: Table) -> str:
    title = f"<p><b>{html_text(table.title)}</b></p>" if table.title else ""
    style = {"left": ' style="text-align:left"', "right": ' style="text-align:right"'}
    head = "".join(f"<th{style[column.align]}>{html_text(column.title)}</th>" for column in table.columns)
    rows = "".join(
        "<tr>"
        + "".join(f"<td{style[column.align]}>{html_text(column.cell(row))}</td>" for column in table.columns)
        + "</tr>"
        for row in table.rows
    )
    lines = "".join(f"<p>{html_text(line.strip())}</p>" for line in table.lines)
    return f"{title}<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{lines}"
