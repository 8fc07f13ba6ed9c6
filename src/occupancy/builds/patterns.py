"""Patterns of names: ``*`` is any text, ``?`` one character.

Without backtracking: the pieces between the stars are looked for one after the other, from the left. A
regular expression tries every way to share a name among the stars, which for a name that was made to
mislead it takes minutes; and brackets, of which the names of C++ have many, mean themselves here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

Find = Callable[[str, int], int]
"""Where the next occurrence of a piece starts, from a place on; -1: nowhere."""


class Pattern:
    """A pattern that matches names as a whole.

    Args:
        text: The pattern.
        has_question_marks: Whether ``?`` is one character; else it means itself.
    """

    def __init__(self, text: str, *, has_question_marks: bool = True) -> None:
        # What is between the outermost stars may be anywhere in between, in this order.
        first, *rest = text.split("*")
        self._first = _at(first, has_question_marks)
        self._first_length = len(first)
        self._last = _at(rest[-1], has_question_marks) if rest else None
        self._last_length = len(rest[-1]) if rest else 0
        self._between = [(_finder(piece, has_question_marks), len(piece)) for piece in rest[:-1] if piece]

    def matches(self, name: str) -> bool:
        """Whether the whole name is as the pattern says."""
        end = len(name) - self._last_length
        place = self._first_length
        if place > end or not self._first(name, 0):
            return False
        if self._last is None:
            return place == end
        if not self._last(name, end):
            return False
        for find, length in self._between:
            start = find(name, place)
            if start < 0:
                return False
            place = start + length
        return place <= end


def _at(piece: str, has_question_marks: bool) -> Callable[[str, int], bool]:
    """Whether a piece is at a place."""
    if not has_question_marks or "?" not in piece:
        return lambda name, place: name.startswith(piece, place)
    compiled = _compiled(piece)
    return lambda name, place: bool(compiled.match(name, place))


def _finder(piece: str, has_question_marks: bool) -> Find:
    if not has_question_marks or "?" not in piece:
        return lambda name, place: name.find(piece, place)
    compiled = _compiled(piece)

    def find(name: str, place: int) -> int:
        found = compiled.search(name, place)
        return found.start() if found else -1

    return find


def _compiled(piece: str) -> re.Pattern[str]:
    # Of a fixed length, so that there is nothing to try twice at one place.
    return re.compile(re.escape(piece).replace(r"\?", "."), re.DOTALL)


@lru_cache(maxsize=1 << 16)
def compiled(text: str) -> Pattern:
    """The pattern of a text; as many are kept as a file of rules can hold."""
    return Pattern(text)
