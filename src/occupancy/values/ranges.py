"""Lists and ranges in text: ``128,256`` and ``32:1024:32``."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from ..errors import InputError

Value = TypeVar("Value")

MOST_VALUES = 100_000

_BETWEEN = r"\s*(?:-|\u2013|\.\.\.?|to)\s*"
_OTHER_RANGE = rf"(?i)([0-9][0-9a-wyz]*){_BETWEEN}([0-9][0-9a-wyz]*)(?:{_BETWEEN}([0-9][0-9a-wyz]*))?"
"""Another notation of a range: 16-128, 16..128, 16 to 128."""
_BETWEEN_VALUES = re.compile(r",(?!0[0-9]{2}(?![0-9]))")


def parse_values(
    text: str, parse: Callable[[str], Value], parse_bound: Callable[[str], int], where: str, unit: int = 1
) -> list[Value | int]:
    """Parse a list such as ``128``, ``128,256``, ``32:1024:32`` or a mixture.

    A range goes from the first number to the second, inclusive, in steps of the third, or of the unit. A
    comma separates values, unless it can only group digits: ``128,256`` is two values, and ``1,024`` one,
    because no number begins with 0.

    Args:
        text: Values and ranges, separated by commas.
        parse: Function that parses one value.
        parse_bound: Function that parses one number of a range.
        where: The name of the input, for errors.
        unit: The step of a range without one.

    Raises:
        InputError: An empty list or range, a step of 0, too many values, or an error of `parse`.
    """
    values: list[Value | int] = []
    for part in _BETWEEN_VALUES.split(text):
        if ":" in part:
            values += _range(part, parse_bound, where, unit)
        elif found := re.fullmatch(_OTHER_RANGE, part.strip()):
            written = ":".join(filter(None, found.groups()))
            raise InputError(
                f"{part.strip()!r} is not a value", where=where, hint=f"Write a range as {written}."
            )
        elif part.strip():
            values.append(parse(part.strip()))
    if not values:
        raise InputError(f"{text!r} holds no value", where=where, hint=_HINT)
    return values


_HINT = "Write a list as 128,256,512 and a range as 32:1024:32."


def _range(text: str, parse_bound: Callable[[str], int], where: str, unit: int) -> range:
    bounds = text.split(":")
    if len(bounds) not in (2, 3) or not all(bound.strip() for bound in bounds):
        raise InputError(f"{text!r} is not a range", where=where, hint=_HINT)
    first, last, *steps = (parse_bound(bound.strip()) for bound in bounds)
    step = steps[0] if steps else unit
    if step < 1:
        raise InputError(f"{text!r} has a step of {step}", where=where, allowed="1 and up")
    if last < first:
        raise InputError(
            f"the range {text!r} is empty", where=where, hint="Give the lower number first, as in 32:1024:32."
        )
    count = (last - first) // step + 1  # len() of such a range may be too large for a C integer
    if count > MOST_VALUES:
        raise InputError(
            f"the range {text!r} has {count:,} values", where=where, allowed=f"up to {MOST_VALUES:,}"
        )
    return range(first, last + 1, step)
