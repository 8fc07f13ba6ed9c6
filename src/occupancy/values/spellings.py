"""Input in the spellings that people use, from Python and from the command line alike."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterable
from contextlib import suppress

from ..errors import InputError, shown
from .kernel import CARVEOUTS, INT_MAX, Carveout

_SIZE = re.compile(r"([0-9]{1,20})\s*(?:(k|m|g)(?:i?b)?|b)?", re.IGNORECASE)
_SHARE = re.compile(r"([+-]?(?:[0-9]{1,20}(?:\.[0-9]*)?|\.[0-9]+))\s*(%?)")
_FACTOR = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_SHAPE_SEPARATOR = re.compile(r"\s*[x×,*]\s*", re.IGNORECASE)


def parse_count(value: object, where: str) -> int:
    """A whole number, as an integer, an integer of another library, or text.

    Raises:
        InputError: Not a whole number.
    """
    if type(value) is int:
        return value
    if isinstance(value, str):
        text = value.strip()
        # int() would also take 1_000 and digits of other scripts, and fails on 5000 of them.
        if len(text) <= 20 and re.fullmatch(r"[+-]?[0-9]+", text):
            return int(text)
        if re.fullmatch(r"[+-]?[0-9]+", text):
            raise InputError(
                f"a number of {len(text)} digits is out of range", where=where, allowed=f"up to {INT_MAX}"
            )
    elif not isinstance(value, bool):
        try:
            return operator.index(value)  # type: ignore[arg-type]
        except TypeError:
            pass
    raise InputError(
        f"{shown(value)} is not a whole number", where=where, allowed="a whole number, such as 128"
    )


def parse_threads(value: object) -> tuple[int, tuple[int, int, int] | None]:
    """A block's threads and, where one was given, its shape.

    Args:
        value: ``256``, ``"256"``, ``"16x16"``, ``"16,16,1"``, or a sequence of up to three numbers.

    Returns:
        The number of threads, and the shape filled up with ones, or None for a plain number.

    Raises:
        InputError: Not a number or shape, or a dimension below 1.
    """
    return _parse_count_or_shape(value, "threads per block")


def parse_shape(value: object, where: str) -> tuple[int, int, int]:
    """The shape of a grid or of a cluster, filled up with ones.

    Args:
        value: As for `parse_threads`; a plain number is the length along x.
        where: The name of the input, for the error.

    Raises:
        InputError: Not a number or shape, or a dimension below 1.
    """
    count, shape = _parse_count_or_shape(value, where)
    if count < 1:
        raise InputError(f"{shown(value)} is out of range", where=where, allowed="1 and up")
    return shape or (count, 1, 1)


def _parse_count_or_shape(value: object, where: str) -> tuple[int, tuple[int, int, int] | None]:
    if isinstance(value, str):
        parts: list[object] = list(_SHAPE_SEPARATOR.split(_without_parentheses(value)))
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
            allowed="one to three, such as 16x16x1",
        )
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


def _without_parentheses(text: str) -> str:
    text = text.strip()
    return text[1:-1].strip() if text.startswith("(") and text.endswith(")") else text


def parse_flag(value: object, where: str) -> bool:
    """Yes or no, as a boolean of Python or of another library.

    Raises:
        InputError: Neither.
    """
    try:
        return {True: True, False: False}[value]  # type: ignore[index]
    except (KeyError, TypeError):
        raise InputError(f"{shown(value)} is not a choice", where=where, allowed="True or False") from None


def parse_size(value: object, where: str) -> int:
    """A size in bytes.

    Args:
        value: A number of bytes, or text: ``"40960"``, ``"40k"``, ``"40KB"``, ``"40KiB"``; k, M and
            G are powers of 1024.
        where: The name of the input, for the error.

    Raises:
        InputError: Not a size.
    """
    if not isinstance(value, str):
        return parse_count(value, where)
    found = _SIZE.fullmatch(value.strip())
    if not found:
        raise InputError(
            f"{shown(value)} is not a size",
            where=where,
            allowed="a number of bytes, or one with a unit, such as 40k or 40KiB",
        )
    number, unit = found.groups()
    return int(number) * _FACTOR[(unit or "").lower()]


def parse_share(value: object, where: str) -> float:
    """A share of 1: a number, or text with or without a percent sign, such as ``"75%"`` or ``"0.75"``.

    Raises:
        InputError: Not a number.
    """
    share = math.nan
    if isinstance(value, str):
        # float() would also take 1_0, "infinity" and digits of other scripts.
        if found := _SHARE.fullmatch(value.strip()):
            share = float(found[1]) / (100 if found[2] else 1)
    elif not isinstance(value, bool):
        with suppress(TypeError, ValueError, OverflowError):
            share = float(value)  # type: ignore[arg-type]
    if not math.isfinite(share):
        raise InputError(
            f"{shown(value)} is not a share", where=where, allowed="a percentage such as 75%, or 0.75"
        )
    return share


def is_automatic(carveout: object) -> bool:
    """Whether a carveout is to be chosen by the answer."""
    return isinstance(carveout, str) and carveout.strip().lower() == "auto"


def parse_carveout(value: object) -> Carveout | None:
    """How the SM's memory is divided between L1 cache and shared memory.

    Args:
        value: None or ``"default"``: the largest shared memory; ``"auto"``, which gives as many blocks with
            less of it, counts as that here. A number up to 100, with or without
            a percent sign: a percentage. A larger number, or one with a unit: a size in bytes.
            ``"max"`` is 100 percent.

    Raises:
        InputError: None of these.
    """
    if value is None or isinstance(value, Carveout):
        return value
    text = value.strip().lower() if isinstance(value, str) else ""
    if text in ("default", "auto"):
        return None
    if text == "max":
        return Carveout(100, "percent")
    where = "carveout"
    try:
        if text.endswith("%"):
            return Carveout(parse_count(text[:-1], where), "percent")
        if text and not text.lstrip("+-").isdigit():
            return Carveout(parse_size(text, where), "bytes")
        amount = parse_count(value, where)
        return Carveout(amount, "percent" if amount <= 100 else "bytes")
    except InputError as error:
        raise InputError(f"{shown(value)} is not a carveout", where=where, allowed=CARVEOUTS) from error


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """For an error: the names nearest to one that does not exist, or all of them where none is near."""
    import difflib  # only an error needs it

    everything = sorted(names)
    near = [each for each in everything if name and name in each] or difflib.get_close_matches(
        name, everything
    )
    return ", ".join(near or everything)
