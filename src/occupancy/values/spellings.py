"""Input as people type it, in Python and on the command line alike.

Every printed number is accepted: ``27.5 KiB``, ``65,536``, ``1,001 bytes``, ``75%``. A comma groups digits and
is never part of a shape; if it could separate two values as well, the number is rejected, not guessed.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from typing import TypeVar

from ..errors import InputError, shown

Value = TypeVar("Value")

_GROUPS = r"[1-9][0-9]{0,2}(?:,[0-9]{3})+|[1-9][0-9]{0,2}(?:_[0-9]{3})+"
_HEXADECIMAL = r"0x[0-9a-f]{1,16}"
MAX_DIGITS = 20

INT_MAX = 2**31 - 1
"""Largest argument of the driver's calls: they take signed 32-bit integers."""
# Patterns as text: `re` compiles each at its first use, and few commands need all of them.
_COUNT = rf"(?i)(?P<hex>{_HEXADECIMAL})|(?P<number>[+-]?(?:{_GROUPS}|[0-9]{{1,{MAX_DIGITS}}}))"
_SIZE = (
    rf"(?i)(?P<hex>{_HEXADECIMAL})(?:\s*b(?:ytes?)?)?"
    rf"|(?P<number>{_GROUPS}|[0-9]{{1,20}})(?:\.(?P<fraction>[0-9]{{1,20}}))?"
    r"\s*(?:(?P<unit>k|m|g)(?:i?b)?|b(?:ytes?)?)?"
)
_SHARE = r"([+-]?(?:[0-9]{1,20}(?:\.[0-9]*)?|\.[0-9]+))\s*(%?)"
_FACTOR = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_SHAPE_SEPARATOR = r"(?i)\s*[x×*]\s*"
_LIST = r"(?i)\s*[0-9a-fx_]+\s*(?:(?:[,:-]|\.\.)\s*[0-9a-fx_]+\s*)+,?"
"""Several values, or a range of them."""
MAX_FACTORS = 32
"""Numbers in the sum of a size."""

MOST_VALUES = 100_000
_BETWEEN = r"\s*(?:-|\u2013|\.\.\.?|to)\s*"
_OTHER_RANGE = rf"(?i)([0-9][0-9a-wyz]*){_BETWEEN}([0-9][0-9a-wyz]*)(?:{_BETWEEN}([0-9][0-9a-wyz]*))?"
"""Another notation of a range: 16-128, 16..128, 16 to 128."""
_BETWEEN_VALUES = r",(?!0[0-9]{2}(?![0-9]))"
_LIST_HINT = "Write a list as 128,256,512 and a range as 32:1024:32."

FOR_SEVERAL = "For several values: occupancy.sweep() (`occupancy sweep`)."


def parse_count(value: object, where: str) -> int:
    """Parse a whole number: an integer, an integer of another library, or text.

    Text may group digits or be hexadecimal: ``4752``, ``4,752``, ``4_752``, ``0x1290``.

    Raises:
        InputError: Not a whole number.
    """
    if type(value) is int:
        return value
    if isinstance(value, str):
        # int() would also take 1_0 and digits of other scripts, and fails on 5000 of them.
        text = value.strip()
        number = _number(text)
        if number is not None:
            return number
        if re.fullmatch(r"[+-]?[0-9]+", text):
            raise InputError(
                f"a number of {len(text)} digits is out of range", where=where, allowed=f"up to {INT_MAX:,}"
            )
    elif not isinstance(value, bool):
        with suppress(TypeError):
            return operator.index(value)  # type: ignore[arg-type]
    raise InputError(f"{shown(value)} is not an integer", where=where, hint=_for_several(value))


def in_range(value: int, where: str, low: int = 1, high: int | None = None) -> int:
    """Return a number that is in a range; without an upper end, up to `INT_MAX`.

    Raises:
        InputError: It is not.
    """
    if low <= value <= (INT_MAX if high is None else high):
        return value
    allowed = f"{low:,} and up" if high is None else f"{low:,} to {high:,}"
    raise InputError(f"{shown(value)} is out of range", where=where, allowed=allowed)


def _for_several(value: object) -> str:
    return FOR_SEVERAL if isinstance(value, list) or is_list_in_text(value) else ""


def is_list_in_text(value: object) -> bool:
    """Return True for text with several numbers or a range: ``16,32``, ``16:255``."""
    return isinstance(value, str) and re.fullmatch(_LIST, value.strip()) is not None


def _number(text: str) -> int | None:
    if text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS:
        return int(text)
    found = re.fullmatch(_COUNT, text)  # compiling it takes a while, and most are plain
    return None if found is None else _whole(found)


def _whole(found: re.Match[str]) -> int:
    if found["hex"]:
        return int(found["hex"], 16)
    return int(found["number"].replace(",", "").replace("_", ""))


def parse_threads(value: object) -> tuple[int, tuple[int, int, int] | None]:
    """Parse the threads of a block.

    Args:
        value: ``256``, ``"256"``, ``"1,024"``, ``"16x16"``, ``"(16, 16, 1)"``, or a tuple or list of up to
            three numbers.

    Returns:
        The number of threads, and the shape padded with ones, or None for a plain number.

    Raises:
        InputError: Not a number or shape, a dimension below 1, or several numbers.
    """
    if isinstance(value, str) and "," in value and not _is_in_parentheses(value):
        text = value.strip()
        number = re.fullmatch(_COUNT, text)
        # No block is that large, and both numbers could be sides of one, or two sizes. In 1,024 the comma groups
        # digits, because no number begins with 0.
        if not number or not all(each.startswith("0") for each in number["number"].split(",")[1:]):
            parts = [part.strip() for part in text.split(",") if part.strip()]
            ways = [f"{_whole(number)} (one number)"] if number else []
            ways += [f"{'x'.join(parts)} (a shape)"] if 1 < len(parts) <= 3 else []
            allowed = " or ".join(ways) or "one number, or a shape such as 16x16"
            raise InputError(
                f"{shown(text)} is ambiguous", where="threads", allowed=allowed, hint=FOR_SEVERAL
            )
    return _parse_count_or_shape(value, "threads")


def parse_shape(value: object, where: str) -> tuple[int, int, int]:
    """Parse the shape of a grid or of a cluster, padded with ones.

    Args:
        value: A number, ``"4,752"``, ``"64x64"``, or a sequence of up to three numbers; a plain number is the
            length along x.

    Raises:
        InputError: Not a number or shape, or a dimension below 1.
    """
    count, shape = _parse_count_or_shape(value, where)
    if count < 1:
        raise InputError(f"{shown(value)} is out of range", where=where, allowed="1 and up")
    return shape or (count, 1, 1)


def _parse_count_or_shape(value: object, where: str) -> tuple[int, tuple[int, int, int] | None]:
    if isinstance(value, str):
        text = value.strip()
        if _is_in_parentheses(text):  # a tuple of Python, or a shape of Nsight Compute
            parts: list[object] = list(re.split(r"\s*[x×,*]\s*", text[1:-1].strip(), flags=re.IGNORECASE))
            if any(str(part).startswith("0") for part in parts[1:]):  # (1,024) is no shape
                raise InputError(f"{shown(value)} is not a shape", where=where, hint="Write 256 or 16x16x1.")
        elif _number(text) is not None:  # 0x100 is no shape
            parts = [text]
        else:
            parts = list(re.split(_SHAPE_SEPARATOR, text))
    elif isinstance(value, (tuple, list)):
        parts = list(value)
    else:
        return parse_count(value, where), None
    if len(parts) == 1 and isinstance(value, str):
        return parse_count(parts[0], where), None
    if not 1 <= len(parts) <= 3:
        raise InputError(
            f"{shown(value)} has {len(parts)} dimensions",
            where=where,
            allowed="one to three, as in 16x16x1",
        )
    if "" in parts:
        raise InputError(f"{shown(value)} is not a shape", where=where, hint="Write 256 or 16x16x1.")
    sizes = [parse_count(part, where) for part in parts]
    for size in sizes:
        if size < 1:
            raise InputError(
                f"{shown(value)} has a dimension of {shown(size)}",
                where=where,
                allowed="1 and up in each dimension",
            )
    x, y, z = sizes + [1] * (3 - len(sizes))
    return x * y * z, (x, y, z)


def _is_in_parentheses(text: str) -> bool:
    text = text.strip()
    return text.startswith("(") and text.endswith(")")


def parse_flag(value: object, where: str) -> bool:
    """Parse a boolean of Python or of another library.

    Raises:
        InputError: Neither.
    """
    try:
        return {True: True, False: False}[value]  # type: ignore[index]
    except (KeyError, TypeError):
        raise InputError(f"{shown(value)} is not a boolean", where=where, allowed="True or False") from None


_PER_THREAD = (
    "For a size that grows with the block: dynamic_smem of block_sizes() takes a function "
    "(`occupancy block-sizes --smem-per-thread 64`)."
)


def parse_size(value: object, where: str) -> int:
    """Parse a size in bytes.

    Args:
        value: A number of bytes, or text: ``"40960"``, ``"40,960"``, ``"0xA000"``, ``"40k"``, ``"27.5 KiB"``,
            ``"1,001 bytes"``; k, M and G are powers of 1,024. Sums and products are computed:
            ``"3*16k+16"``, ``"128*64*2"``.

    Raises:
        InputError: Not a size, or not a whole number of bytes.
    """
    if callable(value):
        raise InputError("a function is not a size", where=where, hint=_PER_THREAD)
    if not isinstance(value, str):
        return parse_count(value, where)
    if "*" not in value and "+" not in value:
        return _parse_single_size(value, value, where)
    factors = [re.split(r"[*×]", term) for term in value.split("+")]
    if sum(map(len, factors)) > MAX_FACTORS:
        raise InputError(
            f"{shown(value)} has too many terms", where=where, allowed=f"up to {MAX_FACTORS} numbers"
        )
    return sum(
        math.prod(_parse_single_size(factor, value, where) for factor in product) for product in factors
    )


def _parse_single_size(text: str, value: str, where: str) -> int:
    found = re.fullmatch(_SIZE, text.strip())
    if not found or (found["fraction"] and not found["unit"]):
        hint = _PER_THREAD if "thread" in value else _for_several(value)
        raise InputError(
            f"{shown(value)} is not a size",
            where=where,
            hint=hint or "Write it as 40960, 40k, 27.5KiB or 3*16k+16.",
        )
    if found["hex"]:
        return int(found["hex"], 16)
    fraction = found["fraction"] or ""
    units = int(re.sub("[,_]", "", found["number"]) + fraction)
    size: int
    size, rest = divmod(units * _FACTOR[(found["unit"] or "").lower()], 10 ** len(fraction))
    if rest:
        raise InputError(f"{shown(value)} is not an integer number of bytes", where=where)
    return size


def parse_share(value: object, where: str) -> float:
    """Parse a share of 1: a number, or text such as ``"75%"``, ``"75"`` or ``"0.75"``; above 1 in percent.

    Raises:
        InputError: Not a number, below 0 or above 100%.
    """
    share = math.nan
    if isinstance(value, str):
        # float() would also take 1_0, "infinity" and digits of other scripts.
        if found := re.fullmatch(_SHARE, value.strip()):
            number = float(found[1])
            share = number / 100 if found[2] or number > 1 else number
    elif not isinstance(value, bool):
        with suppress(TypeError, ValueError, OverflowError):
            number = float(value)  # type: ignore[arg-type]
            share = number / 100 if number > 1 else number
    if not math.isfinite(share):
        raise InputError(f"{shown(value)} is not a share", where=where, hint="Write it as 75% or 0.75.")
    if not 0 <= share <= 1:
        raise InputError(f"{shown(value)} is out of range", where=where, allowed="0% to 100%")
    return share


def parse_values(
    text: str, parse: Callable[[str], Value], parse_bound: Callable[[str], int], where: str, unit: int = 1
) -> list[Value | int]:
    """Parse a list such as ``128``, ``128,256``, ``32:1024:32`` or a mixture.

    A range goes from the first number to the second, inclusive, in steps of the third, or of the unit. A
    comma separates values, unless it can only group digits: ``128,256`` is two values, and ``1,024`` one,
    because no number begins with 0.

    Args:
        parse: Function that parses one value.
        parse_bound: Function that parses one number of a range.
        unit: The step of a range without one.

    Raises:
        InputError: An empty list or range, a step of 0, too many values, or an error of `parse`.
    """
    values: list[Value | int] = []
    for part in re.split(_BETWEEN_VALUES, text):
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
        raise InputError(f"{text!r} holds no value", where=where, hint=_LIST_HINT)
    return values


def _range(text: str, parse_bound: Callable[[str], int], where: str, unit: int) -> range:
    bounds = text.split(":")
    if len(bounds) not in (2, 3) or not all(bound.strip() for bound in bounds):
        raise InputError(f"{text!r} is not a range", where=where, hint=_LIST_HINT)
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


def did_you_mean(name: str, names: Collection[str]) -> str:
    """Return the hint for an unknown name: the nearest names, or all of them if none is near."""
    near = nearest_names(name, names)
    return f"Did you mean {' or '.join(near)}?" if near else f"Allowed: {', '.join(sorted(names))}."


def nearest_names(name: str, names: Iterable[str]) -> list[str]:
    """Return the names that contain an unknown one, or else the names with the most similar spelling."""
    import difflib  # only an error needs it

    known = sorted(names)
    return [each for each in known if name and name in each] or difflib.get_close_matches(name, known)
