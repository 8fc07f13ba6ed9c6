"""A document as Markdown, for a comment on a change or a wiki."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from .document import (
    Block,
    Bullets,
    Code,
    Document,
    Folded,
    GroupedTable,
    Heading,
    KeyValues,
    Line,
    Only,
    Paragraph,
    Table,
    Together,
    pieces,
)

MOST_OF_A_NAME = 200
"""Characters of a kernel's name in a table; templates have names of thousands."""

_SIGNS = {"strong": "**", "good": "**", "fair": "**", "bad": "**"}


def markdown(document: Document) -> str:
    """The blocks, with an empty line between two."""
    return "\n\n".join(part for block in document for part in _parts(block))


def _parts(block: Block) -> Iterator[str]:
    if isinstance(block, Only):
        if block.output == "markdown":
            yield from (part for each in block.blocks for part in _parts(each))
    elif isinstance(block, Together):
        yield from (part for each in block.blocks for part in _parts(each))
    elif isinstance(block, Folded):
        if text := markdown(block.blocks):
            yield f"<details><summary>{block.summary}</summary>\n\n{text}\n\n</details>"
    elif text := _text(block):
        yield text


def _text(block: Heading | Paragraph | Bullets | KeyValues | Code | Table | GroupedTable) -> str:
    if isinstance(block, Heading):
        return f"**{block.text}**"
    if isinstance(block, Paragraph):
        return _inline(block.line)
    if isinstance(block, Bullets):
        return "\n".join(f"- {item}" for item in block.items)
    if isinstance(block, KeyValues):
        return "\n".join(f"- {label}: {text}" if label else f"  - {text}" for label, text in block.lines)
    if isinstance(block, Code):
        return f"`{block.text}`"
    if isinstance(block, Table):
        rows = ((f"**{row[0]}**", *row[1:]) if i in block.marked else row for i, row in enumerate(block.rows))
        return to_markdown([column.title for column in block.columns], rows) if block.rows else ""
    header = [block.title, *(column.title for column in block.columns)]
    cells = zip(*(column.cells for column in block.columns), strict=True)
    grouped = ([code(row.name), *line] for row, line in zip(block.rows, cells, strict=True))
    return to_markdown(header, grouped) if block.rows else ""


def _inline(line: Line) -> str:
    texts = []
    for text, mark in pieces(line):
        sign = _SIGNS.get(mark, "")
        texts.append(code(text) if mark == "code" else f"{sign}{text}{sign}")
    return "".join(texts)


def code(name: str) -> str:
    """A kernel's name as code, in which Markdown and HTML leave ``<`` and ``*`` alone."""
    cut = name if len(name) <= MOST_OF_A_NAME else f"{name[: MOST_OF_A_NAME - 3]}..."
    return "`" + cut.replace("`", "'") + "`"


def to_markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; the first column is text, the others are numbers."""
    lines = [_row(header), _row(["---"] + ["---:"] * (len(header) - 1))]
    lines += [_row(row) for row in rows]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
