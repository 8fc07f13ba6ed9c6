"""Lines that have room as they are, and how many columns of a terminal a text takes: a Chinese character two,
an accent that combines none. They need no rich, whose import takes a third as long as an answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from rich.console import RenderableType

Piece = tuple[str, str]
"""Text, and its style in rich's words."""

Line = list[Piece]
"""What stands on one line, from left to right."""

Part: TypeAlias = "Line | RenderableType"
"""A line, or what rich breaks into lines."""


class Cell(NamedTuple):
    """What stands in one place of a table; it may have several lines."""

    text: str
    style: str = ""
    ground: str = ""
    """The style of its row or column, which the blanks around it have too."""
    is_number: bool = False
    """Numbers stand at the right."""


def paragraph(pieces: Sequence[Piece], indent: int, width: int) -> list[Line] | None:
    """The lines of a text whose line breaks are its own; None where others are needed."""
    text = "".join(text for text, _ in pieces)
    if not _have_room(text.split("\n"), width - indent):
        return None
    lines: list[Line] = [[(" " * indent, "")]]
    for text, style in pieces:
        first, *others = text.split("\n")
        lines[-1].append((first, style))
        lines += [[(" " * indent, ""), (each, style)] for each in others]
    return lines


def in_columns(
    rows: Sequence[Sequence[Cell]], gap: int, width: int, *, has_header: bool
) -> list[Line] | None:
    """The lines of a table; None where a cell must be broken or cut.

    Args:
        rows: Its cells, all rows of the same length.
        gap: Blanks between two columns.
        width: Columns of the terminal.
        has_header: Whether the first row is one, whose cells stand at its bottom, and not at the top.
    """
    cells = [[cell.text.split("\n") for cell in row] for row in rows]
    widths = [max(len(line) for cell in column for line in cell) for column in zip(*cells, strict=True)]
    widths[-1] = max(widths[-1], 1)
    if sum(widths) + gap * (len(widths) - 1) > width:
        return None
    if not all(_have_room(cell, width) for row in cells for cell in row):
        return None
    if has_header:
        lowest = max(map(len, cells[0]))
        cells[0] = [[""] * (lowest - len(cell)) + cell for cell in cells[0]]
    return [
        _line([cell[number : number + 1] for cell in texts], row, widths, gap)
        for texts, row in zip(cells, rows, strict=True)
        for number in range(max(map(len, texts)))
    ]


def _line(texts: Sequence[list[str]], row: Sequence[Cell], widths: Sequence[int], gap: int) -> Line:
    """One line of a row; of a cell without so many lines there is no text."""
    line = []
    for text, cell, width in zip(texts, row, widths, strict=True):
        pad = str.rjust if cell.is_number else str.ljust
        style = f"{cell.ground} {cell.style}".strip() if text else cell.ground
        line += [(pad("".join(text), width), style), (" " * gap, cell.ground)]
    return line[:-1]


def _have_room(lines: Sequence[str], width: int) -> bool:
    """Whether they do, and each of their characters takes one column."""
    return all(len(line) <= width and columns_of(line) == len(line) for line in lines)


def columns_of(text: str) -> int:
    """The columns of a text on a line; rich, which takes a while to load, is asked of what is not ASCII."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def head(text: str, width: int) -> str:
    """As much of the beginning as has room in so many columns."""
    if text.isascii():
        return text[: max(width, 0)]
    end = next((end for end in range(1, len(text) + 1) if columns_of(text[:end]) > width), None)
    return text if end is None else text[: end - 1]


def tail(text: str, width: int) -> str:
    """As much of the end as has room in so many columns."""
    if text.isascii():
        return text[max(len(text) - max(width, 0), 0) :]
    start = next((start for start in range(len(text) - 1, -1, -1) if columns_of(text[start:]) > width), None)
    return text if start is None else text[start + 1 :]


def chopped(text: str, width: int) -> Iterator[str]:
    """The text in pieces of so many columns; a character that alone is wider is a piece of its own."""
    while text:
        piece = head(text, width) or text[0]
        yield piece
        text = text[len(piece) :]


def padded(text: str, width: int, *, is_number: bool) -> str:
    """The text in so many columns, a number at their right."""
    blanks = " " * (width - columns_of(text))
    return f"{blanks}{text}" if is_number else f"{text}{blanks}"
