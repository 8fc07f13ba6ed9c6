"""A text that is read a piece at a time, and what it costs."""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from .budget import MAX_LINE_CHARACTERS, Budget, Malformed

CHUNK_CHARACTERS = 1 << 16

NumberedLines = Iterable[tuple[int, str]]


class Text:
    """A text that is read a piece at a time.

    Args:
        stream: The text.
        budget: Who pays for its lines, or for its values.
    """

    def __init__(self, stream: io.TextIOWrapper, budget: Budget) -> None:
        self._stream = stream
        self.budget = budget

    def lines(self, look_through: Callable[[str, int], None] | None = None) -> Iterator[tuple[int, str]]:
        """The numbered lines; an endless one comes in pieces.

        Args:
            look_through: Is shown thousands of lines at a time before they come: their text, and the number
                of the first.

        Raises:
            Malformed: They cannot be decompressed, or are more than is read.
        """
        number = 0
        rest = ""
        while chunk := self.read(CHUNK_CHARACTERS):
            text = rest + chunk
            *lines, rest = text.split("\n")
            if look_through is not None:
                look_through(text[: len(text) - len(rest)], number + 1)
            if len(rest) >= MAX_LINE_CHARACTERS:
                lines, rest = [*lines, rest], ""
            self.budget.pay("pieces", len(lines))
            for line in lines:
                number += 1
                yield number, f"{line}\n"
        if rest:
            if look_through is not None:
                look_through(rest, number + 1)
            yield number + 1, rest

    def read(self, size: int) -> str:
        """The next characters, up to so many; none at the end.

        Raises:
            Malformed: They cannot be decompressed, or are more than is read.
        """
        with damage_as_malformed():
            return self._stream.read(size)


@contextmanager
def damage_as_malformed() -> Iterator[None]:
    """What goes wrong with a file, as what is wrong with it."""
    try:
        yield
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise Malformed(f"the compressed text is damaged: {error}") from error
    except OSError as error:
        raise Malformed(f"cannot be read: {error.strerror or error}") from error


def first_number(pattern: re.Pattern[str], text: str) -> int | None:
    """The number that the pattern's first group finds in the text.

    Patterns take at most twelve digits: Python refuses to convert thousands, and no count has more.
    """
    found = pattern.search(text)
    return int(found[1]) if found else None
