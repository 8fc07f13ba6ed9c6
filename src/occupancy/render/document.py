"""What an answer says to a person, as plain data: a document is a sequence of blocks.

A report (``report/X.py``) makes the document, with every word and number in it; the renderers (text,
Markdown, HTML) lay out blocks and know no command. Rules of all of them:

- On a terminal an empty line stands between the blocks of a document; `Together` has none between its own.
- In Markdown every block is a paragraph of its own.
- What one output alone shows stands in `Only`. HTML shows what a terminal shows.
- A block without content (no rows, no items) is as if it were not there.

Named tuples, because a dataclass takes ten times as long to make, and every command waits for it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

Mark = Literal["", "strong", "faint", "good", "fair", "bad", "wrong", "code", "drawn"]
"""How a piece of text stands out.

``strong``; ``faint`` for asides; ``good``, ``fair`` and ``bad`` for verdicts, which are strong too;
``wrong`` for what breaks a rule; ``code`` for what Markdown must not read as its own signs; ``drawn`` for
the bars of a chart.
"""

SENTENCE = 18
"""Characters of a column in which sentences can be read."""

Output = Literal["text", "markdown"]


class Marked(NamedTuple):
    """A piece of text that stands out."""

    text: str
    mark: Mark


Line = str | Marked | Sequence[str | Marked]
"""Text, marked as a whole, in parts, or not at all."""

Cell = str | Marked
"""Of a table: only what matters in a row stands out."""


class Heading(NamedTuple):
    """A title on a line of its own."""

    text: str


class Paragraph(NamedTuple):
    """A sentence or some; a line break in it is one in the output."""

    line: Line
    indent: int = 0
    """Columns, on a terminal."""


class About(NamedTuple):
    """A line about a column of a `GroupedTable`, which is left out where that is not shown."""

    title: str
    """Of the column."""
    text: str


class Bullets(NamedTuple):
    """Lines that could as well stand in another order: bullets in Markdown, on a terminal plain lines."""

    items: Sequence[str | About]
    mark: Mark = ""
    indent: int = 0


class KeyValues(NamedTuple):
    """Labels, and a text beside each. An empty label continues the one above."""

    lines: Sequence[tuple[str, str]]


class Code(NamedTuple):
    """A line of source code to paste."""

    text: str


class Column(NamedTuple):
    """A column of a `Table`."""

    title: str
    is_number: bool = True
    """Numbers stand at the right."""
    least: int | None = None
    """Characters in which it can be read, if broken into lines; None: as many as the longest cell has."""
    cuts: bool = False
    """Whether words that are too long for it are cut; otherwise they go on in the next line."""
    mark: Mark = ""
    """How its cells stand out."""
    may_go: bool = False
    """Whether a narrow terminal does without it rather than splitting the table; the first goes first."""


class Table(NamedTuple):
    """Rows under a header."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    marked: Collection[int] = ()
    """The numbers, from 0, of the rows that are bold; in Markdown their first column is."""
    splits: bool = True
    """Whether a narrow terminal gets several tables, each of which begins with the first column.

    Otherwise the columns that may be broken are squeezed.
    """
    comfortable: int = 0
    """Columns of a terminal below which the first column is broken too, where the table does not split."""
    gaps: tuple[int, int] = (2, 2)
    """Blanks between two columns: on a terminal that is comfortable, and on a narrower one."""
    pointers: tuple[str, str] | None = None
    """What stands to the right of marked rows on a terminal: where it is comfortable, and elsewhere."""


class GroupColumn(NamedTuple):
    """A column of a `GroupedTable`."""

    title: str
    cells: Sequence[Cell]
    is_number: bool = True
    shorter: Sequence[Cell] = ()
    """The same cells for a terminal that has no room for those; none: they have no other form."""


class GroupRow(NamedTuple):
    """Where a row of a `GroupedTable` belongs."""

    group: str
    """Distinguishes groups that are shown under the same name."""
    name: str


class GroupedTable(NamedTuple):
    """Very many rows, of which neighbours of one group stand below its name; too long lines are cut.

    In Markdown the name, as code, is the first column.
    """

    title: str
    """Of the names' column."""
    rows: Sequence[GroupRow]
    columns: Sequence[GroupColumn]
    if_there_is_room: Sequence[str] = ()
    """The titles of the columns that a narrow terminal need not show, the most useful first; it always shows
    one that has shorter cells, and this is when it has room for the others."""
    stays: Collection[str] = ()
    """Those of them that stand below each row where there is no room beside the others."""
    last: str = ""
    """The title of the last column, if that may be broken at its commas."""
    hint: str = ""
    """How to see the columns that there was no room for, which the last line of the document names."""
    unnamed: Collection[str] = ()
    """The titles of those that it does not name."""
    if_shortened: str = ""
    """What the last lines of the document say where there was no room for a whole name."""
    if_whole: str = ""
    """What they say where whole names were asked for."""

    def cells(self, columns: Sequence[GroupColumn]) -> Iterator[tuple[Cell, ...]]:
        """The cells of each row; there may be no column, but names alone."""
        return (tuple(each.cells[row] for each in columns) for row in range(len(self.rows)))


class Together(NamedTuple):
    """Blocks that a terminal shows without empty lines between them."""

    blocks: Sequence[Block]


class Only(NamedTuple):
    """Blocks that one output alone shows."""

    output: Output
    blocks: Sequence[Block]


class Folded(NamedTuple):
    """Blocks that Markdown and HTML show when the reader asks for them; a terminal shows them at once."""

    summary: str
    blocks: Sequence[Block]


class Comment(NamedTuple):
    """Blocks of whose tables Markdown shows as many rows as a comment on a change has room for."""

    blocks: Sequence[Block]


if TYPE_CHECKING:
    Block: TypeAlias = (
        Heading | Paragraph | Bullets | KeyValues | Code | Table | GroupedTable | Together | Only | Folded
        | Comment
    )  # fmt: skip
else:
    Block = tuple  # as each of them is; few documents have charts, so that nothing loads them here
Document: TypeAlias = Sequence[Block]


def pieces(line: Line) -> Sequence[Marked]:
    """The parts of a line, each with its mark."""
    if isinstance(line, (str, Marked)):
        line = (line,)
    return [each if isinstance(each, Marked) else Marked(each, "") for each in line]


def said(line: str | About) -> str:
    """The text of a line."""
    return line.text if isinstance(line, About) else line


def plain(cell: Cell) -> str:
    """The text of a cell."""
    return cell.text if isinstance(cell, Marked) else cell


def graded(text: str, occupancy: float | None) -> Cell:
    """A text about an occupancy, which stands out as that does."""
    return text if occupancy is None or not text else Marked(text, grade(occupancy))


def grade(occupancy: float) -> Mark:
    """How an occupancy, 0 to 1, stands out."""
    if occupancy == 0:
        return "bad"
    return "good" if occupancy >= 0.5 else "fair"


def without_needless(document: Document, shown: Callable[[GroupedTable], Iterable[str]]) -> Document:
    """The document without the lines about columns that its tables do not show.

    Args:
        document: The document.
        shown: From a table to the titles of the columns that there is room for.
    """
    lines = (line for block in _all(document) if isinstance(block, Bullets) for line in block.items)
    if not any(isinstance(line, About) for line in lines):
        return document
    return _settled(document, {title for table in grouped_tables(document) for title in shown(table)})


def grouped_tables(document: Document) -> list[GroupedTable]:
    """Those of a document, also within other blocks."""
    return [block for block in _all(document) if isinstance(block, GroupedTable)]


def _all(document: Document) -> Iterator[Block]:
    """The blocks, and those within others."""
    for block in document:
        yield block
        yield from _all(getattr(block, "blocks", ()))


def _settled(document: Document, titles: set[str]) -> Document:
    return tuple(_settled_block(block, titles) for block in document)


def _settled_block(block: Any, titles: set[str]) -> Any:
    if isinstance(block, Bullets):
        items = [line for line in block.items if not isinstance(line, About) or line.title in titles]
        return block._replace(items=items)
    return block._replace(blocks=_settled(block.blocks, titles)) if hasattr(block, "blocks") else block
