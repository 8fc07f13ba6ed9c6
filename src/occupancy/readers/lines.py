"""What the readers of text share."""

from __future__ import annotations

import re
from collections.abc import Iterable

NumberedLines = Iterable[tuple[int, str]]


def first_number(pattern: re.Pattern[str], text: str) -> int | None:
    """The number that the pattern's first group finds in the text.

    Patterns take at most twelve digits: Python refuses to convert thousands, and no count has more.
    """
    found = pattern.search(text)
    return int(found[1]) if found else None
