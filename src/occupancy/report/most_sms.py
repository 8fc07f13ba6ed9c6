"""The GPU with the most SMs of those on which a kernel runs, and how sure their number is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..render import words
from ..render.document import Block, Code, Paragraph
from ..tables.gpus import WELL_KNOWN, Gpu, all_gpus, candidates
from ..values.asking import Asking
from .inputs import Inputs, typed

if TYPE_CHECKING:
    from .fits import ChipFit

CONFIRMED = ("hardware", "two lists", "device")
"""Where a number of SMs is from that more than one list has."""

CERTAINTY = ("inferred", "one list", "two lists", "hardware")

MOST_NAMED = 6
"""Compute capabilities that a narrow terminal has room for in a line."""


class LargestProduct(NamedTuple):
    """The product with the most SMs that a chip can be."""

    name: str
    multiprocessor_count: int
    known_from: str


def largest_product(chip: Gpu) -> LargestProduct | None:
    """Of all of a compute capability, or of the variants of a name; None where none is known."""
    count = chip.multiprocessor_count
    if chip.name is not None and count is not None:
        alike = [each for each in candidates(chip.name) if each.multiprocessor_count == count]
        return LargestProduct(
            chip.name,
            count,
            max((each.known_from for each in alike), key=CERTAINTY.index) if alike else chip.known_from,
        )
    found = chip.variants if chip.name else [each for each in all_gpus() if each.cc == chip.cc]
    if not found:
        return None
    known_by = "" if chip.name else WELL_KNOWN.get(chip.cc, "")
    best = max(
        found,
        key=lambda each: (
            each.multiprocessor_count or 0,
            known_by in each.label,
            CERTAINTY.index(each.known_from),
        ),
    )
    return LargestProduct(best.label, best.multiprocessor_count or 0, best.known_from)


def sms_of(chip: ChipFit) -> str:
    """``132``; ``up to 132`` where variants differ."""
    if chip.multiprocessor_count is None and chip.gpu and chip.largest_multiprocessor_count:
        return f"up to {chip.largest_multiprocessor_count}"
    return words.number(chip.multiprocessor_count, "")


def how_many_clusters(chips: Sequence[ChipFit], inputs: Inputs, cluster_size: int) -> Iterator[Block]:
    """How to ask how many clusters a GPU holds at once; an example of it is one of the chips.

    Args:
        chips: Those on which the kernel runs.
        inputs: The kernel.
        cluster_size: Blocks per cluster.
    """
    name = next((chip.largest_gpu for chip in chips if chip.largest_gpu), None)
    if name is None:
        return
    asked = Asking(f'occupancy calc --gpu "{name}" ', f'occupancy.max_active_clusters("{name}", ')
    in_clusters = Asking(f" --cluster {cluster_size}", f", cluster_size={cluster_size})")
    yield Paragraph("Clusters can leave SMs idle. How many of them a GPU holds:")
    yield Code(Asking.of(asked, typed(inputs), in_clusters))
