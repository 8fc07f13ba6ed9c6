"""The best of the answers for arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError
from ..values.resources import COUNTED, Limiter, Output
from ..values.spellings import parse_count
from .values import SHARED_MEMORY_FIELDS, Integers

if TYPE_CHECKING:
    from .answers import Sweep


def best_rows(
    sweep: Sweep, arrays: Mapping[Output, Integers], most: int, *, has_chip_axis: bool
) -> Iterator[dict[str, Any]]:
    """What `Sweep.best` returns.

    Args:
        sweep: The answers.
        arrays: Output -> the answers for it.
        most: Rows.
        has_chip_axis: Whether the first dimension is that of the chips.

    Raises:
        InputError: Less than a row, or the sweep has no active warps.
    """
    most = parse_count(most, "n")
    if most < 1:
        raise InputError(f"{most} is out of range", where="n", allowed="1 and up")
    shares = sweep.occupancy
    inputs = {name: np.broadcast_to(each, shares.shape) for name, each in sweep.inputs.items()}
    ccs = tuple(str(limits.compute_capability) for limits in sweep.limits)
    best = chain.from_iterable(_best_places(sweep, inputs, has_chip_axis=has_chip_axis))
    for place in islice(best, most):
        index = tuple(int(each) for each in np.unravel_index(place, shares.shape))
        chip = index[0] if has_chip_axis else 0
        called = {} if sweep.names == ccs else {"gpu": sweep.names[chip]}
        given = {name: int(values[index]) for name, values in inputs.items()}
        row: dict[str, Any] = {"index": index, **called, "cc": ccs[chip], **given}
        for output, array in arrays.items():
            value = int(array[index])
            row[output] = Limiter(value).resources if output == "limiters" else value
        row["occupancy"] = row["active_warps"] / sweep.limits[chip].max_warps_per_multiprocessor
        yield row


def _best_places(sweep: Sweep, inputs: Mapping[str, Integers], *, has_chip_axis: bool) -> Iterator[Integers]:
    """The places in the flat arrays of what launches, best first, in some arrays.

    Of the same occupancy with the same chip, registers and threads there is the one that uses the most of
    the rest: the others would use less and gain nothing. What decides among equals is looked up for these
    alone: for all of them it would take gigabytes.
    """

    def at(name: str, places: Integers) -> Integers:
        return np.asarray(inputs[name].flat[places], np.int64) if name in inputs else np.zeros_like(places)

    shares = sweep.occupancy.reshape(-1)
    of_a_chip = shares.size // len(sweep.limits) if has_chip_axis else shares.size
    launched = np.flatnonzero(shares)
    for alike in _highest_first(launched, shares[launched]):
        for places in _highest_first(alike, at("regs", alike)):
            threads = at("threads", places)
            smem = reduce(np.add, (at(name, places) for name in SHARED_MEMORY_FIELDS))
            counts = (at(name, places) for name in reversed(COUNTED))
            order = np.lexsort([threads, *(-each for each in (*counts, smem))])  # the last decides first
            kinds = places // of_a_chip * (int(threads.max()) + 1) + threads
            _, firsts = np.unique(kinds[order], return_index=True)
            yield places[order[np.sort(firsts)]]


def _highest_first(places: Integers, values: Any) -> Iterator[Integers]:
    """The places with the highest value, then those with the next, and so on."""
    while places.size:
        is_highest = values == values.max()
        yield places[is_highest]
        places, values = places[~is_highest], values[~is_highest]
