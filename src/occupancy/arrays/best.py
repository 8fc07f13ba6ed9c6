"""The best of the answers for arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..values.resources import Limiter, Output
from ..values.spellings import parse_count
from .values import Integers

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
    inputs = {name: np.broadcast_to(_integers(each), shares.shape) for name, each in sweep.inputs.items()}
    ccs = tuple(str(limits.compute_capability) for limits in sweep.limits)
    for place in _best_places(shares, inputs["threads"], most):
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


def _best_places(shares: Any, threads: Integers, most: int) -> list[int]:
    """The places in the flat arrays; those of as many threads are in the order of the arrays.

    Nothing is sorted but the places that are returned.
    """
    last = np.partition(shares, shares.size - most, axis=None)[-most] if most < shares.size else 0
    places = np.flatnonzero(shares > last)
    keys = threads[shares > last]
    if last > 0:
        ties = shares == last
        tied = threads[ties]
        chosen = _lowest(tied, most - len(places))
        places = np.concatenate([places, np.flatnonzero(ties)[chosen]])
        keys = np.concatenate([keys, tied[chosen]])
    return list(places[np.lexsort((places, keys, -shares.reshape(-1)[places]))].tolist())


def _lowest(values: Integers, most: int) -> Integers:
    """The places of the lowest values; of those that tie the first."""
    if most >= values.size:
        return np.arange(values.size)
    last = np.partition(values, most - 1)[most - 1]
    below = np.flatnonzero(values < last)
    return np.concatenate([below, np.flatnonzero(values == last)[: most - len(below)]])


def _integers(values: ArrayLike) -> Integers:
    array = np.asarray(values)
    return array if array.dtype.kind in "iu" else array.astype(np.int64)
