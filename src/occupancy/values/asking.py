"""Sentences that say what to type for more, which people type otherwise on the command line and in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

from ..errors import OccupancyError

Reader = Literal["command", "python", "page"]
"""Where a sentence is read: on the screen of a command; where Python shows an object, in a notebook too; on
the page, by others than who ran the command."""


class Asking(str):
    """A sentence, or a part of one, that names what to type.

    As text it is what the command is told, so that is what JSON and CSV have; who shows it to people chooses
    with `worded`. ``+`` keeps all words; an f-string, a join, or any other way to make text of it keeps the
    command's alone: use `of` and `reworded`.
    """

    python: str
    page: str

    def __new__(cls, command: str, python: str, page: str | None = None) -> Asking:
        """What to say on each screen; on the page by default what the command says."""
        made = super().__new__(cls, command)
        made.python, made.page = python, command if page is None else page
        return made

    def __reduce__(self) -> tuple[type[Asking], tuple[str, str, str]]:  # for copies and pickles
        return Asking, (str(self), self.python, self.page)

    def __add__(self, other: str) -> Asking:
        return Asking.of(self, other)

    def __radd__(self, other: str) -> Asking:
        return Asking.of(other, self)

    @classmethod
    def of(cls, *parts: str) -> Asking:
        """A sentence of parts, some of which are said otherwise to others."""
        return cls(*("".join(worded(part, reader) for part in parts) for reader in get_args(Reader)))


def worded(text: str, reader: Reader) -> str:
    """A text in the words of a reader."""
    if not isinstance(text, Asking):
        return text
    return str(text) if reader == "command" else text.python if reader == "python" else text.page


def said_by(error: OccupancyError) -> Asking:
    """What an error says, where an answer goes on without what failed."""
    return Asking(
        *("\n".join(line for each in error.every for line in each.lines()) for reader in get_args(Reader))
    )


def reworded(text: str, change: Callable[[str], str]) -> str:
    """A text after a change, which is made to all that it says."""
    if not isinstance(text, Asking):
        return change(text)
    return Asking(*(change(worded(text, reader)) for reader in get_args(Reader)))
