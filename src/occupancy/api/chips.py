"""The chips: from what people call one to what its SM offers, and what there are."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import cast

import occupancy  # in annotations: a public name brings its module when somebody reads the types

from ..errors import InputError
from ..tables import shipped
from ..tables.gpus import Gpu, choices_of, find_gpu, find_gpus
from ..values.limits import ComputeCapability, Limits
from ..values.spellings import parse_count
from .arguments import ComputeCapabilityLike, CountLike

LEAST_INTEGER = 10
"""Of a compute capability that is written as one integer, such as 10 for 1.0."""


def limits(cc: ComputeCapabilityLike) -> Limits:
    """What one SM of a compute capability offers.

    Args:
        cc: A string (``"9.0"``, ``"sm_90"``, ``"90a"``), an integer (``90``, ``120``) or a pair
            (``(9, 0)``), never a float; the name of an architecture (``"hopper"``) or of a GPU
            (``"RTX 4090"``). `Limits` are returned as they are.

    Raises:
        InputError: No chip is called so, or chips of different compute capability are; it names them.
        UnknownComputeCapabilityError: One that the table does not hold; it names the nearest.
    """
    if type(cc) is str:
        return chip_of_name(cc).limits
    if isinstance(cc, Limits):
        return cc
    return cc.limits if isinstance(cc, Gpu) else shipped.limits(cc)


def chip_of(cc: ComputeCapabilityLike) -> Gpu:
    """The one chip of a name, or of what else `limits` takes.

    Raises:
        InputError: As `limits`.
        UnknownComputeCapabilityError: As `limits`.
    """
    return chip_of_name(cc) if type(cc) is str else find_gpu(cc)


@lru_cache(maxsize=256)
def chip_of_name(name: str) -> Gpu:
    """The same for text alone, which most programs give, and always the same."""
    return find_gpu(name)


def chips(ccs: Iterable[ComputeCapabilityLike] | ComputeCapabilityLike) -> list[Gpu]:
    """Some chips, each as in `compute`, or all of an architecture; one need not stand in a list.

    Raises:
        InputError: No chip is called so, or there are none.
        UnknownComputeCapabilityError: One that the table does not hold.
    """
    # (9, 0) is one chip, and (90, 80) are two: an integer alone has two digits or three.
    numbers = [each for each in ccs if isinstance(each, int)] if isinstance(ccs, tuple) else []
    is_pair = isinstance(ccs, tuple) and len(ccs) == len(numbers) == 2 and min(numbers) < LEAST_INTEGER
    is_one = is_pair or isinstance(ccs, (str, bytes, Gpu)) or not isinstance(ccs, Iterable)
    several = [ccs] if is_one else cast("Iterable[object]", ccs)
    found = [chip for each in several for chip in find_gpus(each)]
    if not found:
        raise InputError("there are none", where="ccs")
    return found


def multiprocessors(chip: Gpu, given: CountLike | None) -> int:
    """The SMs of a GPU: as many as are given, else those of the product that was named.

    Args:
        chip: The chip.
        given: The number of SMs, or None.

    Raises:
        InputError: Not a number, or none is given and the chip does not tell it.
    """
    if given is not None:
        return parse_count(given, "multiprocessor_count")
    if chip.multiprocessor_count is not None:
        return chip.multiprocessor_count
    if chip.variants:
        raise InputError(
            f"{chip.name} comes with different numbers of SMs",
            where="multiprocessor_count",
            hint="Give it, or name one of them:",
            choices=choices_of(chip.variants),
        )
    raise InputError(
        "is missing",
        where="multiprocessor_count",
        hint='Give the SMs of the GPU, such as 132, or ask about a product: "H100 SXM" in place of "9.0".',
    )


def compute_capabilities() -> occupancy.Answers[ComputeCapability]:
    """Every compute capability of the table, ascending."""
    from ..report.limits import LimitsReport
    from .answers import Answers

    rows = tuple(map(shipped.limits, shipped.known()))
    return Answers(shipped.known(), LimitsReport(rows, is_whole_table=True), "limits")


def sources(*ccs: ComputeCapabilityLike) -> occupancy.SourcesReport:
    """Where each number of the table comes from, and where sources disagree.

    Args:
        ccs: Compute capabilities, each as in `compute`; none: all of the table.

    Raises:
        InputError: Not a compute capability.
        UnknownComputeCapabilityError: One that the table does not hold.
    """
    from ..report.limits import FIELDS, SourcesReport
    from ..tables.sources import provenance

    chips = [limits(cc).compute_capability for cc in ccs] or shipped.known()
    return SourcesReport(tuple(provenance(cc, field) for cc in chips for field in FIELDS))
