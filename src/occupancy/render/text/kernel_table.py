"""A table of kernels on the screen: under each name its rows, one for each architecture or launch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.text import Text

INDENT = GAP = "  "

LEAST_LAST_WIDTH = 20
"""What a last column needs at least that may be cut where the line ends."""


class Cells(NamedTuple):
    """One column."""

    title: str
    cells: Sequence[str]
    is_number: bool = True

    @property
    def width(self) -> int:
        """Of the widest cell."""
        return max(map(len, (self.title, *self.cells)))

    def padded(self) -> list[str]:
        """The title and the cells, all as wide as the widest."""
        width = self.width
        return [
            each.rjust(width) if self.is_number else each.ljust(width) for each in (self.title, *self.cells)
        ]


class Row(NamedTuple):
    """Where a row belongs, and how it looks."""

    kernel: str
    """Tells kernels apart that are shown under the same name."""
    name: str
    style: str = ""


def fitting(
    columns: Sequence[Cells], if_there_is_room: Sequence[str], width: int, last: str = ""
) -> tuple[list[Cells], list[str]]:
    """The columns that there is room for, and the titles of those that there is none for.

    Args:
        columns: All of them, in the order in which they are shown.
        if_there_is_room: The titles of those that a narrow terminal need not show, the most useful first.
        width: Of the terminal.
        last: The title of the last column if it may be cut.
    """
    widths = {each.title: each.width for each in columns}
    chosen = [title for title in widths if title not in if_there_is_room]
    left_out = []
    for title in filter(widths.__contains__, if_there_is_room):
        room = width - len(INDENT) - sum(widths[each] + len(GAP) for each in chosen)
        if title == last:
            widths[title] = min(widths[title], max(room, LEAST_LAST_WIDTH))
        if widths[title] <= room:
            chosen.append(title)
        else:
            left_out.append(title)
    return [each for each in columns if each.title in chosen], left_out


def lines(rows: Sequence[Row], columns: Sequence[Cells], width: int) -> Iterator[Text]:
    """The header, and the rows, of which neighbours of one name stand together below it."""
    # Lines that are too long are cut and not wrapped: a table that wraps can no longer be read.
    head, *cells = (
        INDENT + GAP.join(each) for each in zip(*(each.padded() for each in columns), strict=True)
    )
    yield line(head, width, "bold")
    last = None
    for row, text in zip(rows, cells, strict=True):
        if row.kernel != last:
            last = row.kernel
            yield line(row.name, width)
        yield line(text, width, row.style)


def no_room_for(titles: Sequence[str]) -> str:
    """What to say of columns that are not shown."""
    return f"No room for: {', '.join(titles)}. A wider terminal or --format csv has them."


def line(text: str, width: int, style: str = "") -> Text:
    """A line that is cut where it is too long."""
    text = text.rstrip()
    if len(text) > width:
        text = text[: width - 3] + "..."
    return Text(text, style=style, no_wrap=True)
