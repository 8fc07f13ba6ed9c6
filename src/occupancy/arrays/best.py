"""The best of the answers for arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError
from ..values.resources import Limiter, Output
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
    for place in _best_places(shares, inputs, most).tolist():
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


def _best_places(shares: Any, inputs: Mapping[str, Integers], most: int) -> Integers:
    """The places in the flat arrays of what launches, best first.

    What decides among equals is looked up for these alone: for all of them it would take gigabytes.
    """

    def at(name: str, places: Integers) -> Any:
        return np.asarray(inputs[name].flat[places], np.int64) if name in inputs else np.zeros(places.size)

    lowest_first: tuple[Callable[[Integers], Any], ...] = (
        lambda places: -shares.reshape(-1)[places],
        lambda places: -at("regs", places),
        lambda places: -sum(at(name, places) for name in SHARED_MEMORY_FIELDS),
        lambda places: at("threads", places),
    )
    tied = np.flatnonzero(shares)
    chosen = tied[:0]
    for key in lowest_first:
        wanted = most - chosen.size
        if tied.size <= wanted:
            break
        values = key(tied)
        last = np.partition(values, wanted - 1)[wanted - 1]
        chosen, tied = np.concatenate([chosen, tied[values < last]]), tied[values == last]
    chosen = np.concatenate([chosen, tied[: most - chosen.size]])
    return chosen[np.lexsort([chosen, *(key(chosen) for key in reversed(lowest_first))])]
