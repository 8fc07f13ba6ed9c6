"""The answers for arrays as rows: all of them, or the best."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache, reduce
from itertools import chain, islice
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..values.resources import COUNTED, Limiter, Output, Resource
from ..values.spellings import parse_count
from .values import SHARED_MEMORY_FIELDS, Integers

if TYPE_CHECKING:
    from .answers import Sweep


PIECE = 1 << 16
"""Rows that are worked out at a time."""


def best_rows(
    sweep: Sweep, arrays: Mapping[Output, Integers], most: int, *, has_chip_axis: bool
) -> Iterator[dict[str, Any]]:
    """What `Sweep.best` returns.

    Args:
        sweep: The answers.
        arrays: Output -> the answers for it.
        most: Rows of each chip.
        has_chip_axis: Whether the first dimension is that of the chips.

    Raises:
        InputError: Less than a row, or the sweep has no active warps.
    """
    most = parse_count(most, "n")
    if most < 1:
        raise InputError(f"{most} is out of range", where="n", allowed="1 and up")
    shares = sweep.occupancy.reshape(len(sweep.limits), -1)
    for chip, its in enumerate(shares):
        launched = np.flatnonzero(its)
        best = chain.from_iterable(_best_places(sweep, launched + chip * its.size, its[launched]))
        places = np.fromiter(islice(best, most), np.int64)
        yield from _rows_at(sweep, arrays, places, has_chip_axis=has_chip_axis)


def all_rows(
    sweep: Sweep, arrays: Mapping[Output, Integers], *, has_chip_axis: bool
) -> Iterator[dict[str, Any]]:
    """What `Sweep.rows` returns."""
    size = prod(sweep.shape)
    for start in range(0, size, PIECE):
        places = np.arange(start, min(start + PIECE, size))
        yield from _rows_at(sweep, arrays, places, has_chip_axis=has_chip_axis)


def _rows_at(
    sweep: Sweep, arrays: Mapping[Output, Integers], places: Integers, *, has_chip_axis: bool
) -> Iterator[dict[str, Any]]:
    """The answers at these places in the flat arrays, as dictionaries."""
    if not places.size:
        return
    shape = sweep.shape
    index = np.unravel_index(places, shape) if shape else ()
    chips = index[0].tolist() if has_chip_axis else [0] * places.size
    ccs = [str(limits.compute_capability) for limits in sweep.limits]
    columns: dict[str, Iterable[Any]] = {
        "index": zip(*(each.tolist() for each in index), strict=True) if shape else [()] * places.size
    }
    if list(sweep.names) != ccs:
        columns["gpu"] = map(sweep.names.__getitem__, chips)
    columns["cc"] = map(ccs.__getitem__, chips)
    for name, values in sweep.inputs.items():
        columns[name] = np.atleast_1d(np.broadcast_to(values, shape)[index]).tolist()
    for output, array in arrays.items():
        found = array.reshape(-1)[places].tolist()
        columns[output] = map(_names_of, found) if output == "limiters" else found
    if "active_warps" in arrays:
        most = [limits.max_warps_per_multiprocessor for limits in sweep.limits]
        warps = arrays["active_warps"].reshape(-1)[places].tolist()
        columns["occupancy"] = (each / most[chip] for each, chip in zip(warps, chips, strict=True))
    names = tuple(columns)
    for line in zip(*columns.values(), strict=True):
        yield dict(zip(names, line, strict=True))


@cache
def _names_of(bits: int) -> tuple[Resource, ...]:
    return Limiter(bits).resources


def _best_places(sweep: Sweep, launched: Integers, shares: NDArray[np.float32]) -> Iterator[Integers]:
    """The places of one chip in the flat arrays of what launches, best first, in some arrays.

    Of the same occupancy with the same registers and threads there is the one that uses the most of the rest:
    the others would use less and gain nothing. What decides among equals is looked up for these alone: for
    all of them it would take gigabytes.

    Args:
        sweep: The answers.
        launched: The places of what launches.
        shares: The occupancy of each of them.
    """
    inputs = {name: np.broadcast_to(each, sweep.shape) for name, each in sweep.inputs.items()}

    def at(name: str, places: Integers) -> Integers:
        return np.asarray(inputs[name].flat[places], np.int64) if name in inputs else np.zeros_like(places)

    for alike in _highest_first(launched, shares):
        for places in _highest_first(alike, at("regs", alike)):
            threads = at("threads", places)
            smem = reduce(np.add, (at(name, places) for name in SHARED_MEMORY_FIELDS))
            counts = (at(name, places) for name in reversed(COUNTED))
            order = np.lexsort([threads, *(-each for each in (*counts, smem))])  # the last decides first
            _, firsts = np.unique(threads[order], return_index=True)
            yield places[order[np.sort(firsts)]]


def _highest_first(places: Integers, values: Any) -> Iterator[Integers]:
    """The places with the highest value, then those with the next, and so on."""
    while places.size:
        is_highest = values == values.max()
        yield places[is_highest]
        places, values = places[~is_highest], values[~is_highest]
