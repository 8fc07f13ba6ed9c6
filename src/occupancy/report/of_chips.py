"""What is said of several chips: each sentence once, with the names of those that it is said of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..render import words
from ..tables.chips import Chip


def said_of_chips(chips: Iterable[Chip], said: Iterable[Iterable[str | None]]) -> Iterator[str]:
    """``A100 and H100: It waits.``

    Args:
        chips: The chips.
        said: The sentences of each of them; None is nothing.
    """
    found: dict[str, list[str]] = {}
    for chip, sentences in zip(chips, said, strict=True):
        for sentence in sentences:
            if sentence is not None:
                found.setdefault(sentence, []).append(chip.label)
    for sentence, labels in found.items():
        yield f"{words.listing(labels)}: {sentence}"
