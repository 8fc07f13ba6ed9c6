"""The answers for arrays as rows and columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..values.resources import Limiter, Output
from ..values.rows import Rows
from .values import Integers

if TYPE_CHECKING:
    from .answers import Sweep


PIECE = 1 << 16
"""Rows that are worked out at a time."""


def all_rows(sweep: Sweep, arrays: Mapping[Output, Integers], *, has_chip_axis: bool) -> Rows:
    """What `Sweep.rows` returns."""
    return Rows(partial(_made, sweep, arrays, has_chip_axis), range(prod(sweep.shape)))


def _made(
    sweep: Sweep, arrays: Mapping[Output, Integers], has_chip_axis: bool, places: range
) -> Iterator[dict[str, Any]]:
    for start in range(0, len(places), PIECE):
        piece = places[start : start + PIECE]
        at = np.arange(piece.start, piece.stop, piece.step)
        yield from rows_at(sweep, arrays, at, has_chip_axis=has_chip_axis)


def rows_at(
    sweep: Sweep, arrays: Mapping[Output, Integers], places: Integers, *, has_chip_axis: bool
) -> Iterator[dict[str, Any]]:
    """The answers at these places in the flat arrays, as dictionaries."""
    if not places.size:
        return
    columns = columns_at(sweep, arrays, places, has_chip_axis=has_chip_axis)
    shape = sweep.shape
    index = (each.tolist() for each in np.unravel_index(places, shape)) if shape else ()
    indices = zip(*index, strict=True) if shape else [()] * places.size
    names = ("index", *columns)
    for line in zip(indices, *(column.tolist() for column in columns.values()), strict=True):
        yield dict(zip(names, line, strict=True))


def columns_at(
    sweep: Sweep, arrays: Mapping[Output, Integers], places: Integers, *, has_chip_axis: bool
) -> dict[str, NDArray[Any]]:
    """The answers at these places in the flat arrays, an array for each column."""
    shape = sweep.shape
    index = np.unravel_index(places, shape) if shape else ()
    chips = index[0] if has_chip_axis else np.zeros(places.size, np.int64)
    ccs = [str(limits.compute_capability) for limits in sweep.limits]
    columns: dict[str, NDArray[Any]] = {}
    if list(sweep.names) != ccs:
        columns["gpu"] = np.array(sweep.names, object)[chips]
    columns["cc"] = np.array(ccs, object)[chips]
    for name, values in sweep.inputs.items():
        columns[name] = np.atleast_1d(np.broadcast_to(values, shape)[index])
    for output, array in arrays.items():
        found = array.reshape(-1)[places]
        columns[output] = _names_of_limiters()[found] if output == "limiters" else found
    if "active_warps" in arrays:
        most = np.array([limits.max_warps_per_multiprocessor for limits in sweep.limits])
        columns["occupancy"] = arrays["active_warps"].reshape(-1)[places] / most[chips]
    return columns


@cache
def _names_of_limiters() -> NDArray[Any]:
    """The names of the limiters by their bits."""
    names = np.empty(2 * max(Limiter), object)
    for bits in range(names.size):
        names[bits] = Limiter(bits).resources
    return names
