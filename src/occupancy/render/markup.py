"""Any report as Markdown, and as HTML for a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timezone

from .. import __version__
from ..report.model import Paragraph, Report, Table
from ..values.untrusted import html_text, markdown_cell, markdown_text


def markdown(report: Report) -> str:
    first, *others = map(_line, report.headline)
    parts = [*map(_line, report.warnings), f"**{first}**", *others]
    for section in report.sections():
        if isinstance(section, Table):
            parts.append("\n".join(_markdown_table(section)))
        elif section.is_code:
            parts.append("\n".join(("```", *section.lines, "```")))
        else:
            parts.append("\\\n".join(map(_line, section.lines)))  # a line break
    if report.notes:
        parts.append("\n".join(("**Notes**\n", *(f"- {_line(note.text)}" for note in report.notes))))
    return "\n\n".join(filter(None, parts)) + "\n"


def _line(text: str) -> str:
    return markdown_text(text.strip())


def _code(name: str) -> str:
    """Return a kernel's name as code, in which GitHub does not turn ``:mask:`` into an emoji."""
    return f"`{name}`" if name and "`" not in name else name


def _markdown_table(table: Table) -> Iterator[str]:
    def line(cells: Iterable[str]) -> str:
        return f"| {' | '.join(markdown_cell(markdown_text(cell)) for cell in cells)} |"

    if table.title:
        name, colon, text = table.title.rpartition(": ")
        yield f"### {_line(f'{_code(name)}{colon}{text}')}\n"
    if all(not column.title for column in table.columns):
        yield from (f"- {': '.join(map(_line, row))}" for row in _rows(table))
    elif table.rows:
        yield line(column.title for column in table.columns)
        rules = (" ---: " if column.align == "right" else " --- " for column in table.columns)
        yield f"|{'|'.join(rules)}|"
        are_names = [column.is_name for column in table.columns]
        for row in _rows(table):
            yield line(_code(cell) if is_name else cell for is_name, cell in zip(are_names, row, strict=True))


def _rows(table: Table) -> Iterator[tuple[str, ...]]:
    return (tuple(column.cell(row) for column in table.columns) for row in table.rows)


def html(report: Report) -> str:
    """Return the report as HTML elements without scripts, for ``_repr_html_``."""
    parts = ["<div>", *(f"<p>{html_text(each)}</p>" for each in report.warnings)]
    parts.append(f"<p><b>{'<br>'.join(map(html_text, report.headline))}</b></p>")
    for section in report.sections():
        if isinstance(section, Paragraph):
            parts.append(f"<p>{'<br>'.join(map(html_text, section.lines))}</p>")
        else:
            parts.append(_html_table(section))
    parts += [f"<p><small>{html_text(note.text)}</small></p>" for note in report.notes]
    return "".join(parts) + "</div>"


def html_document(report: Report) -> str:
    """Return the report as a file for a browser, with the command, the version and the time."""
    command = html_text(f"{report.name} {report.inputs.get('build', '')}".strip())
    about = f"{command}; occupancy {__version__}, {datetime.now(timezone.utc):%Y-%m-%d %H:%M} UTC."
    style = ":root { color-scheme: light dark } body { font: 14px/1.6 system-ui; margin: 2em }"
    style += " td, th { padding-right: 1em; vertical-align: top }"
    if report.values.get("passed") is False:
        style += " div > p:first-child { color: light-dark(#b3261e, #ff8a80) }"
    head = '<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    return f"{head}<title>occupancy {command}</title><style>{style}</style><p>{about}</p>{html(report)}\n"


def _html_table(table: Table) -> str:
    def line(tag: str, cells: Iterable[str]) -> str:
        styles = (f'<{tag} style="text-align:{column.align}">' for column in table.columns)
        texts = (f"{style}{html_text(cell)}</{tag}>" for style, cell in zip(styles, cells, strict=True))
        return f"<tr>{''.join(texts)}</tr>"

    title = f"<p><b>{html_text(table.title)}</b></p>" if table.title else ""
    titles = [column.title for column in table.columns]
    head = line("th", titles) if any(titles) else ""
    rows = "".join(line("td", row) for row in _rows(table))
    return f"{title}<table><thead>{head}</thead><tbody>{rows}</tbody></table>"
