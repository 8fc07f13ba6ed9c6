"""A page of Markdown that is short enough for a comment on a change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate

from . import to_markdown

MOST_IN_SIGHT = 10
"""Rows that are seen before the reader unfolds the rest."""

MOST_CHARACTERS = 60_000
"""GitHub takes comments of up to 65,536 characters."""


class Page:
    """Tables under a headline. What does not fit into a comment is counted.

    Args:
        headline: The first line.
    """

    def __init__(self, headline: str) -> None:
        self._parts = [headline]
        self._room = MOST_CHARACTERS - len(headline)

    def add(self, header: Sequence[str], rows: Sequence[Sequence[str]], folded_under: str = "") -> None:
        """Add as many rows as there is room for, and nothing where there are none.

        Args:
            header: The titles of the columns.
            rows: The cells.
            folded_under: What stands for the table until the reader unfolds it; empty: it is in sight.
        """
        if not rows:
            return
        lengths = accumulate(len(to_markdown(row, ())) for row in rows)
        fitting = [row for row, length in zip(rows, lengths, strict=True) if length <= self._room]
        parts = [to_markdown(header, fitting)] if fitting else []
        if len(fitting) < len(rows):
            more = f"{len(rows) - len(fitting):,} more"
            parts.append(f"{more if fitting else more.removesuffix(' more')} are too many for a comment.")
        text = "\n\n".join(parts)
        if folded_under:
            summary = f"{folded_under}: {len(rows):,}"
            text = f"<details><summary>{summary}</summary>\n\n{text}\n\n</details>"
        self._room -= len(text)
        self._parts.append(text)

    def text(self, footnotes: Iterable[str]) -> str:
        """The page."""
        notes = "\n".join(f"- {note}" for note in footnotes)
        return "\n\n".join([*self._parts, *([notes] if notes else [])])
