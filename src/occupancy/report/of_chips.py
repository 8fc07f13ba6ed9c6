"""What is said of chips: each sentence once, with the names of those that it is said of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..render import words
from ..tables.chips import Chip
from ..tables.shipped import renamed
from ..tables.table import are_unnamed
from ..values.limits import ComputeCapability


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


def later_names(chips: Sequence[Chip]) -> Iterator[str]:
    """What a later CUDA calls some of these chips, where they were named."""
    if not are_unnamed([chip.cc for chip in chips]):
        yield from said_of_chips(chips, ([later_name(chip.limits.compute_capability)] for chip in chips))


def later_name(cc: ComputeCapability) -> str | None:
    """What a later CUDA calls a compute capability; None of one that kept its name."""
    if (new := renamed().get(cc)) is None:
        return None
    from ..tables.products import WELL_KNOWN  # few answers need it

    return f"{new.by} calls this compute capability {new.to} ({WELL_KNOWN[str(new.to)]}): the same SM."
