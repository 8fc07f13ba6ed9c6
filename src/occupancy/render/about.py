"""Lines about columns: needless where no table shows the column. And which tables a document has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .document import About, Block, Bullets, Document, GroupedTable


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
