"""What was asked over arrays, and what was found, with its rows and columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..values.limits import Limits
from ..values.resources import Limiter, Output, Resource
from ..values.rows import Rows
from .values import Integers

PIECE = 1 << 16
"""Rows that are worked out at a time."""


class OneAnswer(NamedTuple):
    """One of the answers, in the types of `Occupancy`."""

    active_blocks: int
    active_warps: int
    occupancy: float
    limiters: tuple[Resource, ...]

    @classmethod
    def of(cls, limits: Limits, blocks: int, warps: int, bits: int) -> OneAnswer:
        """The answer of a chip, of the three numbers that arrays have for it."""
        return cls(blocks, warps, warps / limits.max_warps_per_multiprocessor, Limiter(bits).resources)


class Answered(NamedTuple):
    """Answers for arrays of kernels."""

    limits: tuple[Limits, ...]
    names: tuple[str, ...]
    """What each of the chips is called."""
    has_chip_axis: bool
    """Whether the first dimension is that of the chips."""
    inputs: Mapping[str, Integers]
    """Argument -> the whole numbers that were asked about."""
    arrays: Mapping[Output, Integers]
    """Output -> the answers for it, as far as they were asked for; all of one shape."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the arrays."""
        return next(iter(self.arrays.values())).shape

    def array(self, name: Output) -> Integers:
        """The answers for an output.

        Raises:
            InputError: It was not asked for.
        """
        if name not in self.arrays:
            raise InputError(f"{name} was not asked for", where="sweep", allowed=", ".join(self.arrays))
        return self.arrays[name]

    @property
    def occupancy(self) -> NDArray[np.float32]:
        """Active warps by the most warps that an SM holds, 0 to 1.

        Raises:
            InputError: The active warps were not asked for.
        """
        warps = self.array("active_warps")
        most = np.array([limits.max_warps_per_multiprocessor for limits in self.limits], np.float32)
        most_of_chip = most.reshape(-1, *[1] * (warps.ndim - 1)) if self.has_chip_axis else most[0]
        return np.divide(warps, most_of_chip, dtype=np.float32)

    def varying(self) -> dict[str, Integers]:
        """The inputs with more than one value, in the order of the dimensions along which they vary."""
        several = {name: values for name, values in self.inputs.items() if values.size > 1}
        return dict(sorted(several.items(), key=lambda each: _place(each[1], len(self.shape))))

    def rows(self) -> Rows:
        """All answers, each as a dictionary of plain values that is made when it is asked for."""
        return Rows(self._pieces, range(prod(self.shape)))

    def _pieces(self, places: range) -> Iterator[dict[str, Any]]:
        for start in range(0, len(places), PIECE):
            piece = places[start : start + PIECE]
            yield from self.rows_at(np.arange(piece.start, piece.stop, piece.step))

    def rows_at(self, places: Integers) -> Iterator[dict[str, Any]]:
        """The answers at these places in the flat arrays, as dictionaries."""
        if not places.size:
            return
        columns = self.columns_at(places)
        shape = self.shape
        index = (each.tolist() for each in np.unravel_index(places, shape)) if shape else ()
        indices = zip(*index, strict=True) if shape else [()] * places.size
        names = ("index", *columns)
        for line in zip(indices, *(column.tolist() for column in columns.values()), strict=True):
            yield dict(zip(names, line, strict=True))

    def columns_at(self, places: Integers) -> dict[str, NDArray[Any]]:
        """The answers at these places in the flat arrays, an array for each column."""
        shape = self.shape
        index = np.unravel_index(places, shape) if shape else ()
        chips = index[0] if self.has_chip_axis else np.zeros(places.size, np.int64)
        ccs = [str(limits.compute_capability) for limits in self.limits]
        columns: dict[str, NDArray[Any]] = {}
        if list(self.names) != ccs:
            columns["gpu"] = np.array(self.names, object)[chips]
        columns["cc"] = np.array(ccs, object)[chips]
        for name, values in self.inputs.items():
            columns[name] = np.atleast_1d(np.broadcast_to(values, shape)[index])
        for output, array in self.arrays.items():
            found = array.reshape(-1)[places]
            columns[output] = _names_of_limiters()[found] if output == "limiters" else found
        if "active_warps" in self.arrays:
            most = np.array([limits.max_warps_per_multiprocessor for limits in self.limits])
            columns["occupancy"] = self.arrays["active_warps"].reshape(-1)[places] / most[chips]
        return columns


def _place(values: Integers, dimensions: int) -> int:
    """The dimension of the answers along which an input varies; arrays align at their last one."""
    longest = max(range(values.ndim), key=lambda axis: values.shape[axis])
    return longest + dimensions - values.ndim


@cache
def _names_of_limiters() -> NDArray[Any]:
    """The names of the limiters by their bits."""
    names = np.empty(2 * max(Limiter), object)
    for bits in range(names.size):
        names[bits] = Limiter(bits).resources
    return names
