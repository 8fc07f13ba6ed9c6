"""Input as people type it, in Python and on the command line alike.

Every printed number is accepted: ``27.5 KiB``, ``65,536``, ``1,001 bytes``, ``75%``. A comma groups digits and
is never part of a shape. Anything else raises an `InputError`.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from typing import Any, TypeVar

from ..errors import InputError, TooLargeError, shown
from .numbers import grouped

Value = TypeVar("Value")

INT_MAX = 2**31 - 1
"""Largest argument of the driver's calls: they take signed 32-bit integers."""
MAX_FACTORS = 32
"""Numbers in the sum of a size."""
MOST_VALUES = 100_000
MIN_LIKENESS = 0.7
"""Least similarity of a name that an error suggests (difflib)."""

# Patterns as text: `re` compiles each at its first use, and few commands need all of them. int() and float()
# would also read digits of other scripts, and take long for thousands of digits.
_GROUPS = r"[1-9][0-9]{0,2}(?:(?:,[0-9]{3})+|(?:_[0-9]{3})+)"
_DIGITS = rf"(?:0x(?P<hex>[0-9a-f]{{1,16}})|(?P<digits>{_GROUPS}|[0-9]{{1,20}}))"
_COUNT = rf"(?i)(?P<sign>[+-]?){_DIGITS}"
_SIZE = rf"(?i){_DIGITS}(?:\.(?P<fraction>[0-9]{{1,20}}))?\s*(?:(?P<factor>[kmg])(?:i?b)?|b(?:ytes?)?)?"
_FACTOR = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_SHARE = r"([+-]?(?:[0-9]{1,20}(?:\.[0-9]*)?|\.[0-9]+))\s*(%?)"
_SHAPE_SEPARATOR = r"(?i)\s*[x×*]\s*"
_SEVERAL = r"(?i)\s*[0-9a-fx_]+\s*(?:(?:[,:-]|\.\.)\s*[0-9a-fx_]+\s*)+,?"
"""Several values, or a range of them."""
_LIST_OR_SHAPE = r"(?s)(?=[0-9_\s,]+\Z).*,\s*[1-9].*"
"""Commas that can separate numbers, unlike in 1,024, because no number begins with 0."""
_OTHER_RANGE = r"(?i)[0-9a-z]\s*(?:-|\u2013|\.\.|\bto\b)\s*[0-9]"
"""Another notation of a range: 16-128, 16..128, 16 to 128."""

FOR_SEVERAL = "For several values, pass a list to `occupancy.sweep` (`occupancy sweep`)."
_SIZE_HINT = 'Write 40960, "40k", "27.5KiB" or "3*16k+16".'
_FUNCTION_HINT = "Pass a number. For a function of the block size, see `smem_of_threads` of `block_sizes`."
_LIST_HINT = "Write a list as 128,256,512 and a range as 32:1024:32."


def parse_count(value: object, where: str, hint: str = "Write one such as 4.", for_several: str = "") -> int:
    """Parse an integer, also of another library or as a float, or text: ``4752``, ``4,752``, ``0x1290``."""
    if type(value) is int:
        return value
    if isinstance(value, str):
        text = value.strip()
        if text.isascii() and text.isdecimal() and len(text) <= 4000:  # without compiling the pattern
            return int(text)
        if match := re.fullmatch(_COUNT, text):
            return -_whole(match) if match["sign"] == "-" else _whole(match)
    elif not isinstance(value, bool):
        with suppress(TypeError):
            return operator.index(value)  # type: ignore[arg-type]
        is_whole = getattr(value, "is_integer", None)  # of floats, which pandas makes of columns with a gap
        if callable(is_whole) and is_whole():
            return int(value)  # type: ignore[call-overload, no-any-return]
    is_list = hasattr(value, "__len__") and not isinstance(value, (str, bytes, tuple, dict))
    if is_list or (isinstance(value, str) and re.fullmatch(_SEVERAL, value.strip())):
        hint = for_several or hint
    raise InputError(f"{shown(value)} is not an integer", where=where, hint=hint)


def parse_optional(parse: Callable[[Any, str], Value], value: object, where: str) -> Value | None:
    """Parse a value with one of these parsers; None stays None."""
    return None if value is None else parse(value, where)


def _whole(match: re.Match[str]) -> int:
    return int(match["hex"], 16) if match["hex"] else int(re.sub("[,_]", "", match["digits"]))


def in_range(value: int, where: str, low: int = 1, high: int = INT_MAX, allowed: str = "") -> int:
    if low <= value <= high:
        return value
    allowed = allowed or (f"{low:,} or more" if high == INT_MAX and value < low else f"{low:,} to {high:,}")
    kind = TooLargeError if value > high else InputError
    raise kind(f"{grouped(shown(value))} is out of range", where=where, allowed=allowed)


def parse_threads(value: object) -> tuple[int, tuple[int, int, int] | None]:
    """Parse threads per block, and their shape if there is one: ``"16x16"``, ``"dim3(16, 16)"``."""
    return _parse_count_or_shape(value, "threads", '256 or "16x16"', FOR_SEVERAL)


def parse_shape(value: object, where: str) -> tuple[int, int, int]:
    """Parse the shape of a grid or of a cluster, padded with ones; a plain number is the length along x."""
    count, shape = _parse_count_or_shape(value, where, '8 or "4x2x1"')
    return shape or (in_range(count, where), 1, 1)


def _parse_count_or_shape(
    value: object, where: str, example: str, for_several: str = ""
) -> tuple[int, tuple[int, int, int] | None]:
    is_list = isinstance(value, list) and for_several
    if is_list or (isinstance(value, str) and re.fullmatch(_LIST_OR_SHAPE, value)):
        hint = f'Write a shape as "16x16", or a number without commas. {for_several}'.rstrip()
        raise InputError(f"{shown(value)} is ambiguous", where=where, hint=hint)
    parts: Iterable[object] = value if isinstance(value, (tuple, list)) else [value]
    if isinstance(value, str):
        text = value.strip().removeprefix("dim3").strip()
        is_tuple = text.startswith("(") and text.endswith(")")  # of Python, C++ or Nsight Compute
        parts = re.split(r"[x×,*]", text[1:-1]) if is_tuple else re.split(_SHAPE_SEPARATOR, text)
        if is_tuple and re.search(r",\s*0", text):  # (1,024)
            parts = [text]
    try:
        sizes = [parse_count(part, where, f"Write {example}.", for_several) for part in parts]
    except InputError as error:
        error.problem = f"{shown(value)} is neither an integer nor a shape"
        raise
    if len(sizes) == 1 and not isinstance(value, (tuple, list)):
        return sizes[0], None
    if not 1 <= len(sizes) <= 3 or min(sizes) < 1:
        problem = f"{shown(value)} is not a shape of 1 to 3 dimensions, each 1 or more"
        raise InputError(problem, where=where, hint=f"Write {example}.")
    x, y, z = sizes + [1] * (3 - len(sizes))
    return x * y * z, (x, y, z)


def parse_size(value: object, where: str, for_several: str = "") -> int:
    """Parse a size in bytes: ``40960``, ``"40,960"``, ``"27.5 KiB"``, ``"3*16k+16"``; k is 1,024."""
    if not isinstance(value, str):
        return parse_count(value, where, _FUNCTION_HINT if callable(value) else _SIZE_HINT, for_several)
    terms = [re.split("[*×]", term) for term in value.split("+")]
    if sum(map(len, terms)) > MAX_FACTORS:
        problem = f"{shown(value)} has too many terms"
        raise InputError(problem, where=where, allowed=f"up to {MAX_FACTORS} numbers")
    return sum(math.prod(_parse_factor(factor, value, where) for factor in term) for term in terms)


def _parse_factor(text: str, value: str, where: str) -> int:
    match = re.fullmatch(_SIZE, text.strip())
    if match and (match["factor"] or not match["fraction"]):
        fraction = match["fraction"] or ""
        scale: int = 10 ** len(fraction)
        amount = (_whole(match) * scale + int(fraction or 0)) * _FACTOR[(match["factor"] or "").lower()]
        if amount % scale == 0:
            return amount // scale
    problem = f"{shown(value)} is {'negative' if value.strip()[:1] == '-' else 'not a size in whole bytes'}"
    raise InputError(problem, where=where, hint=_SIZE_HINT)


def parse_share(value: object, where: str) -> float:
    """Parse a share of 1: ``0.75``, ``75``, ``"75%"``. Numbers between 1 and 5 are ambiguous."""
    number, is_percent = math.nan, False
    if isinstance(value, str):
        if match := re.fullmatch(_SHARE, value.strip()):
            number, is_percent = float(match[1]), bool(match[2])
    elif not isinstance(value, bool):
        with suppress(TypeError, ValueError, OverflowError):
            number = float(value)  # type: ignore[arg-type]
    share = number / 100 if is_percent or number >= 5 else number
    if not 0 <= share <= 1:
        is_ambiguous = not is_percent and 1 < number < 5
        hint = f'Write "{number:g}%" or {number / 100:g}.' if is_ambiguous else 'Write one such as "75%".'
        problem = "is ambiguous" if is_ambiguous else "is not a percentage from 0 to 100"
        raise InputError(f"{shown(value)} {problem}", where=where, hint=hint)
    return share


def parse_values(
    text: str, parse: Callable[[str], Value], parse_bound: Callable[[str], int], where: str, unit: int = 1
) -> list[Value | int]:
    """Parse a list such as ``128``, ``128,256``, ``32:1024:32`` or a mixture.

    A range includes its end, and has steps of its third number, or of the unit.
    """
    values: list[Value | int] = []
    for part in re.split(",(?!0[0-9]{2}(?![0-9]))", text):
        if ":" in part or re.search(_OTHER_RANGE, part):
            values += _range(part, parse_bound, where, unit)
        elif part.strip():
            values.append(parse(part.strip()))
    if not values:
        raise InputError(f"{text!r} is an empty list", where=where, hint=_LIST_HINT)
    return values


def _range(text: str, parse_bound: Callable[[str], int], where: str, unit: int) -> range:
    bounds = text.split(":")
    if len(bounds) not in (2, 3) or not all(map(str.strip, bounds)):
        raise InputError(f"{text!r} is not a range", where=where, hint=_LIST_HINT)
    first, last, step = (*(parse_bound(bound.strip()) for bound in bounds), unit)[:3]
    if step < 1:
        raise InputError(f"{text!r} has a step of {step}", where=where, allowed="1 or more")
    count = (last - first) // step + 1  # len() of such a range may be too large for a C integer
    if count < 1:
        raise InputError(f"the range {text!r} is empty", where=where, hint="Write the lower number first.")
    if count > MOST_VALUES:
        problem, allowed = f"the range {text!r} has {count:,} values", f"up to {MOST_VALUES:,}"
        raise InputError(problem, where=where, allowed=allowed, hint="Use a larger step.")
    return range(first, last + 1, step)


def did_you_mean(name: str, names: Collection[str], otherwise: str = "") -> dict[str, Any]:
    """Return parts of an error: the nearest names, or another hint, or all names as the accepted values."""
    near = nearest_names(name, names)[:2]
    hint = f"Did you mean {' or '.join(near)}?" if near else otherwise
    allowed = "" if hint else ", ".join(sorted(names))
    return {"hint": hint, "allowed": allowed, "choices": dict.fromkeys(near or sorted(names), "")}


def nearest_names(name: str, names: Iterable[str]) -> list[str]:
    """Return the names that are similar to an unknown one or contain it, the nearest first."""
    from difflib import SequenceMatcher  # only an error needs it

    matcher, likely = SequenceMatcher(None, "", name), dict[str, float]()
    for other in sorted(names):
        matcher.set_seq1(other[: len(name) + 1])
        is_related = len(name) > 2 < len(other) and (name in other or other in name)
        if is_related or (matcher.quick_ratio() > MIN_LIKENESS and matcher.ratio() > MIN_LIKENESS):
            likely[other] = matcher.ratio()
    return sorted(likely, key=lambda x: (sorted(x) == sorted(name), name in x, likely[x]), reverse=True)
