"""Any report as Markdown, and as HTML for a notebook."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..report.model import Column, Paragraph, Report, Table
from ..values.untrusted import html_text, markdown_cell, markdown_text


def markdown(report: Report) -> str:
    first, *others = map(_line, report.headline)
    parts = ["\n\n".join((f"**{first}**", *others))]
    for block in report.blocks():
        if isinstance(block, Paragraph):
            parts.append("\n".join(map(_line, block.lines)))
        else:
            parts.append("\n".join(_markdown_table(block)))
    parts.append("\n".join(f"- {_line(note.text)}" for note in report.notes))
    return "\n\n".join(filter(None, parts)) + "\n"


def _line(text: str) -> str:
    return markdown_text(text.strip())


def _markdown_table(table: Table) -> Iterator[str]:
    def line(cell: Callable[[Column], str]) -> str:
        return f"| {' | '.join(markdown_cell(markdown_text(cell(column))) for column in table.columns)} |"

    if table.title:
        yield f"### {_line(table.title)}\n"
    if table.rows:
        yield line(lambda column: column.title)
        rules = (" ---: " if column.align == "right" else " --- " for column in table.columns)
        yield f"|{'|'.join(rules)}|"
        for row in table.rows:
            yield line(lambda column, row=row: column.cell(row))  # type: ignore[misc]
    if table.lines:
        yield "\n" + "\n".join(map(_line, table.lines))


def html(report: Report) -> str:
    """Return the report as HTML elements without scripts, for ``_repr_html_``."""
    parts = [f"<div><p><b>{'<br>'.join(map(html_text, report.headline))}</b></p>"]
    for block in report.blocks():
        if isinstance(block, Paragraph):
            parts.append(f"<p>{'<br>'.join(map(html_text, block.lines))}</p>")
        else:
            parts.append(_html_table(block))
    parts += [f"<p><small>{html_text(note.text)}</small></p>" for note in report.notes]
    return "".join(parts) + "</div>"


def _html_table(table: Table) -> str:
    def line(tag: str, cell: Callable[[Column], str]) -> str:
        cells = (
            f'<{tag} style="text-align:{column.align}">{html_text(cell(column))}</{tag}>'
            for column in table.columns
        )
        return f"<tr>{''.join(cells)}</tr>"

    title = f"<p><b>{html_text(table.title)}</b></p>" if table.title else ""
    head = line("th", lambda column: column.title) if any(column.title for column in table.columns) else ""
    rows = "".join(line("td", lambda column, row=row: column.cell(row)) for row in table.rows)  # type: ignore[misc]
    lines = "".join(f"<p>{html_text(line.strip())}</p>" for line in table.lines)
    return f"{title}<table><thead>{head}</thead><tbody>{rows}</tbody></table>{lines}"
