"""Input arrays: whole numbers in range, or an error that names the first element that is not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError, shown
from ..values.kernel import RANGES, UNITS
from ..values.spellings import is_list_in_text, parse_count, parse_size

Integers = NDArray[np.integer[Any]]

SHARED_MEMORY_FIELDS = ("smem", "static_smem", "dynamic_smem")
"""The inputs that together are the shared memory of a block."""

RANGE_OF = {field: (low, high) for field, _, low, high in RANGES}
"""Input -> the least and the most that a kernel can be given."""


@dataclass(frozen=True)
class Quantity:
    """The values of one input, such as threads per block; a single value has no dimensions."""

    name: str
    low: int
    high: int
    values: Integers
    unit: int = 1
    """What each value is a multiple of."""

    def out_of_range(self) -> InputError:
        """The error for the first value that is out of range, or no multiple of the unit."""
        is_out = (self.values < self.low) | (self.values > self.high)
        first = int(np.argmax(is_out | (self.values % self.unit != 0)))
        problem = "is out of range" if is_out.flat[first] else f"is no multiple of {self.unit}"
        return _element_error(self.name, self.values, first, problem, self.low, self.high)


def unsigned(values: Integers) -> Integers:
    """The values where a negative one appears as one larger than any that is allowed.

    So a look at the largest of some checks both ends of the range.
    """
    if values.itemsize == 4:
        return values.view(np.uint32)
    if values.itemsize == 8:
        return values.view(np.uint64)
    return values.astype(np.int32).view(np.uint32)


def read_quantity(values: ArrayLike, name: str) -> Quantity:
    """Take in whole numbers; whether they are in range shows when they are looked up.

    Args:
        values: A number, a sequence or an array; floats where they are whole, and text as `compute` reads it.
        name: The input's name in `Kernel`.

    Raises:
        InputError: Not whole numbers, or none at all.
    """
    low, high = RANGE_OF[name]
    try:
        array = np.asarray(values)
    except (TypeError, ValueError) as error:
        raise InputError(f"cannot be read as an array: {error}", where=name) from error
    if array.size == 0:
        raise InputError("there are no values", where=name)
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise _element_error(name, array, int(np.argmax(values.mask)), "is masked", low, high)
    if array.dtype.kind == "f":
        array = _whole_floats(array, name, low, high)
    elif array.dtype.kind in "OU":
        array = _whole_objects(array, name, low, high)
    elif array.dtype.kind not in "iu":
        raise InputError(f"{array.dtype.name} is no type of whole numbers", where=name, hint="Give integers.")
    unit = UNITS.get(name, 1)
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    return Quantity(name, max(low, unit) if unit > 1 else low, high, array, unit)


def _whole_floats(array: NDArray[Any], name: str, low: int, high: int) -> Integers:
    is_whole = array == np.trunc(array)  # false for not-a-number
    if not is_whole.all():
        raise _element_error(name, array, int(np.argmin(is_whole)), "is not a whole number", low, high)
    is_in_range = (low <= array) & (array <= high)
    if not is_in_range.all():
        raise _element_error(name, array, int(np.argmin(is_in_range)), "is out of range", low, high)
    return array.astype(np.int64)


def _whole_objects(array: NDArray[Any], name: str, low: int, high: int) -> Integers:
    # Integers of any size, text, or whatever else a list can hold.
    parse = parse_size if name in SHARED_MEMORY_FIELDS else parse_count

    def count(each: object, where: str) -> int:
        try:
            return parse(each, where)
        except InputError as error:
            if not is_list_in_text(each):
                raise
            hint = "Give several values as an array or a list, a range as range(16, 256, 8)."
            raise InputError(f"{shown(each)} is text", where=where, hint=hint) from error

    counts = [count(each, _element(name, array, index)) for index, each in enumerate(array.ravel().tolist())]
    for index, each in enumerate(counts):
        if not low <= each <= high:
            raise _element_error(name, array, index, "is out of range", low, high)
    return np.array(counts, np.int64).reshape(array.shape)


def _element_error(
    name: str, array: NDArray[Any], index: int, problem: str, low: int, high: int
) -> InputError:
    return InputError(
        f"{array.flat[index]} {problem}", where=_element(name, array, index), allowed=f"{low:,} to {high:,}"
    )


def _element(name: str, array: NDArray[Any], index: int) -> str:
    if array.ndim == 0:
        return name
    if array.ndim == 1:
        return f"{name}, element {index}"
    place = ", ".join(str(each) for each in np.unravel_index(index, array.shape))
    return f"{name}, element ({place})"
