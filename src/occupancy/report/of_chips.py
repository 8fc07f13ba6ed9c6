"""Answers for chips: what each is called, and what is said of several once, with their names."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TypeVar

from ..render import words
from ..tables.gpus import Gpu
from ..tables.shipped import renamed
from ..tables.table import are_unnamed
from ..values.limits import ComputeCapability

Said = TypeVar("Said", bound=Hashable)


class OfChip:
    """An answer for one chip, which has these fields."""

    __slots__ = ()

    gpu: str | None
    cc: str

    @property
    def label(self) -> str:
        """The name of the product, else the compute capability."""
        return self.gpu or self.cc


def labels_by(found: Iterable[tuple[Said | None, str]]) -> dict[Said, list[str]]:
    """What is said of chips, each once, and the labels of those that it is said of; None is nothing."""
    labels: dict[Said, list[str]] = {}
    for said, label in found:
        if said is not None:
            labels.setdefault(said, []).append(label)
    return labels


def said_of_chips(chips: Iterable[Gpu], said: Iterable[Iterable[str | None]]) -> Iterator[str]:
    """``A100 and H100: It waits.``

    Args:
        chips: The chips.
        said: The sentences of each of them; None is nothing.
    """
    pairs = zip(chips, said, strict=True)
    found = labels_by((sentence, chip.label) for chip, sentences in pairs for sentence in sentences)
    for sentence, labels in found.items():
        yield f"{words.listing(labels)}: {sentence}"


def later_names(chips: Sequence[Gpu]) -> Iterator[str]:
    """What a later CUDA calls some of these chips, where they were named."""
    if not are_unnamed([chip.cc for chip in chips]):
        yield from said_of_chips(chips, ([later_name(chip.limits.compute_capability)] for chip in chips))


def later_name(cc: ComputeCapability) -> str | None:
    """What a later CUDA calls a compute capability; None of one that kept its name."""
    if (new := renamed().get(cc)) is None:
        return None
    from ..tables.gpus import WELL_KNOWN  # few answers need it

    return f"{new.by} calls this compute capability {new.to} ({WELL_KNOWN[str(new.to)]}): the same SM."
