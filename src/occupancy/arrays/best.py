"""The kernels of a sweep with the highest occupancy, best first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from ..values.resources import COUNTED
from .tables import SHARED_MEMORY_FIELDS, Integers


def best_places(
    inputs: Mapping[str, Integers], launched: Integers, shares: NDArray[np.float32], most: int
) -> Integers:
    """Return the places of the best kernels in the flat arrays, best first.

    Args:
        inputs: The inputs that vary, in the shape of the arrays.
        launched: Places of the kernels that launch.
        shares: The occupancy of each of them.
        most: Most places to return.
    """
    return np.fromiter(islice(chain.from_iterable(_levels(inputs, launched, shares)), most), np.int64)


def _levels(
    inputs: Mapping[str, Integers], launched: Integers, shares: NDArray[np.float32]
) -> Iterator[Integers]:
    """Yield the places of each level of occupancy; the inputs of all levels at once take gigabytes."""

    def at(name: str, places: Integers) -> Integers:
        return np.asarray(inputs[name].flat[places], np.int32)  # a kernel that launches has none larger

    sizes = [name for name in SHARED_MEMORY_FIELDS if name in inputs]
    kinds: list[list[str]] = [["regs"], sizes, *([str(name)] for name in COUNTED)]
    used = [names for names in kinds if names and names[0] in inputs]
    while launched.size:
        is_highest = shares == shares.max()
        alike = launched[is_highest]
        launched, shares = launched[~is_highest], shares[~is_highest]
        threads = at("threads", alike) if "threads" in inputs else np.zeros(alike.size, np.int32)
        uses = [reduce(np.add, (at(name, alike) for name in names)) for names in used]
        left = _using_the_most(threads, uses)
        order = np.lexsort([left, threads[left], *(-use[left] for use in reversed(uses))])  # the last first
        yield alike[left[order]]


def _using_the_most(threads: Integers, uses: Sequence[Integers]) -> Integers:
    """Return the kernels of the same occupancy that no other of as many threads exceeds in every use.

    Args:
        threads: Threads per block of each.
        uses: Uses of each, an array for each resource.
    """
    kept = []
    left = np.argsort(threads, kind="stable")
    while left.size:
        starts = np.flatnonzero(np.diff(threads[left], prepend=-1))
        sizes = np.diff(starts, append=left.size)
        amounts = [use[left] for use in uses]
        # The first in the order of the resources has nothing above it.
        is_most = np.ones(left.size, bool)
        for amount in amounts:
            candidates = np.where(is_most, amount, -1)
            is_most = candidates == np.repeat(np.maximum.reduceat(candidates, starts), sizes)
        places = np.flatnonzero(is_most)
        most = places[np.flatnonzero(np.diff(threads[left[places]], prepend=-1))]
        kept.append(left[most])
        has_more = np.zeros(left.size, bool)
        for amount in amounts:
            has_more |= amount > np.repeat(amount[most], sizes)
        left = left[has_more]
    return np.concatenate(kept)
