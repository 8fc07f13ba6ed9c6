"""The GPU with the most SMs of those on which a kernel runs, and how sure their number is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..render import words
from ..render.document import Block, Code, Paragraph
from ..tables.gpus import Gpu
from ..tables.products import candidates, largest, most_certain, with_most_sms
from ..values.asking import Asking
from .inputs import Inputs, typed

if TYPE_CHECKING:
    from .fits import ChipFit

CONFIRMED = ("hardware", "two lists", "device")
"""Where a number of SMs is from that more than one list has."""

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
        return LargestProduct(chip.name, count, most_certain(alike) if alike else chip.known_from)
    of_name = with_most_sms(chip.variants) if chip.variants else None
    found = of_name if chip.name else largest(chip.limits.compute_capability)
    return None if found is None else LargestProduct(found.name, found.multiprocessor_count, found.known_from)


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


def most_sms(chips: Sequence[ChipFit]) -> str:
    """Those with the most, and where only one list says so, those with the most of the confirmed ones."""
    known = [chip for chip in chips if chip.largest_multiprocessor_count]
    if not known:
        return ""
    best = _with_most(known)
    said = f"{_with_sms(best)}{_doubt(best)}, compute capability {words.listing(_ccs(best))}"
    sure = [chip for chip in known if chip.known_from in CONFIRMED]
    if sure and not any(chip in sure for chip in best):
        confirmed = _with_most(sure)
        said += f"; confirmed: {_with_sms(confirmed)}, {words.listing(_ccs(confirmed))}"
    few = _ccs(known) if len(_ccs(known)) <= MOST_NAMED else []
    more = "more" if few else "all GPUs"
    return Asking.of(f"Most SMs where it launches: {said}. ", _listing_them(few), f" lists {more}.")


def _listing_them(ccs: Sequence[str]) -> Asking:
    """What lists the GPUs of some compute capabilities, or of all, by their SMs."""
    if not ccs:
        return Asking("occupancy gpus --sort sms", 'occupancy.gpus(sort="sms")')
    of = ",".join(ccs)
    return Asking(f"occupancy gpus --cc {of} --sort sms", f'occupancy.gpus(cc="{of}", sort="sms")')


def _with_most(chips: Sequence[ChipFit]) -> list[ChipFit]:
    """All of those than which none has more SMs."""
    most = max(chip.largest_multiprocessor_count or 0 for chip in chips)
    return [chip for chip in chips if chip.largest_multiprocessor_count == most]


def _with_sms(tied: Sequence[ChipFit]) -> str:
    """``GB200 and GB300, 152 SMs each``."""
    names = _names(tied)
    each = " each" if len(names) > 1 else ""
    return f"{words.listing(names)}, {words.count(tied[0].largest_multiprocessor_count or 0, 'SM')}{each}"


def _doubt(tied: Sequence[ChipFit]) -> str:
    """`` (from one list only)``, with the names of those whose number is, where it is not that of all."""
    by_source: dict[str, list[ChipFit]] = {}
    for chip in tied:
        if chip.known_from not in CONFIRMED:
            by_source.setdefault(chip.known_from or "", []).append(chip)
    said = []
    for source, chips in by_source.items():
        who = "" if len(chips) == len(tied) else f"{words.listing(_names(chips))} "
        said.append(f"{who}{source if source == 'inferred' else f'from {source} only'}")
    return f" ({'; '.join(said)})" if said else ""


def _names(chips: Sequence[ChipFit]) -> list[str]:
    return list(dict.fromkeys(chip.largest_gpu or "" for chip in chips))


def _ccs(chips: Sequence[ChipFit]) -> list[str]:
    return list(dict.fromkeys(chip.cc for chip in chips))
