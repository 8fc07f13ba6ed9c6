"""The GPU with the most SMs of those on which a kernel runs, and how sure their number is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..render import words
from ..tables.chips import Chip
from ..tables.products import candidates, largest, most_certain, with_most_sms

if TYPE_CHECKING:
    from .fits import ChipFit

CONFIRMED = ("hardware", "two lists", "device")
"""Where a number of SMs is from that more than one list has."""


class LargestProduct(NamedTuple):
    """The product with the most SMs that a chip can be."""

    name: str
    multiprocessor_count: int
    known_from: str


def largest_product(chip: Chip) -> LargestProduct | None:
    """Of all of a compute capability, or of the variants of a name; None where none is known."""
    count = chip.multiprocessor_count
    if chip.name is not None and count is not None:
        alike = [each for each in candidates(chip.name) if each.multiprocessor_count == count]
        return LargestProduct(chip.name, count, most_certain(alike) if alike else chip.known_from)
    of_name = with_most_sms(chip.variants) if chip.variants else None
    found = of_name if chip.name else largest(chip.limits.compute_capability)
    return None if found is None else LargestProduct(found.name, found.multiprocessor_count, found.known_from)


def sms_of(chip: ChipFit) -> str:
    """``132``; ``up to 132`` where variants differ."""
    if chip.multiprocessor_count is None and chip.gpu and chip.largest_multiprocessor_count:
        return f"up to {chip.largest_multiprocessor_count}"
    return words.number(chip.multiprocessor_count, "")


def most_sms(chips: Sequence[ChipFit]) -> str:
    """That with the most, and where only one list says so, that with the most of the confirmed ones."""
    known = [chip for chip in chips if chip.largest_multiprocessor_count]
    if not known:
        return ""
    best, *others = sorted(known, key=lambda chip: -(chip.largest_multiprocessor_count or 0))
    source, then = "", ""
    if best.known_from not in CONFIRMED:
        source = " (inferred)" if best.known_from == "inferred" else f" (from {best.known_from} only)"
        confirmed = next((chip for chip in others if chip.known_from in CONFIRMED), None)
        then = f"; confirmed: {_with_sms(confirmed)}, {confirmed.cc}" if confirmed else ""
    said = f"{_with_sms(best)}{source}, compute capability {best.cc}{then}"
    return f"Most SMs where it launches: {said}. occupancy gpus --sort sms lists more."


def _with_sms(chip: ChipFit) -> str:
    return f"{chip.largest_gpu}, {words.count(chip.largest_multiprocessor_count or 0, 'SM')}"
