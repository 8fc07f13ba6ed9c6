"""The split of an SM's memory between L1 cache and shared memory."""

from __future__ import annotations

from typing import Literal, NamedTuple

from ..errors import InputError, shown
from .spellings import INT_MAX, parse_size

_SPELLINGS = "0 to 100 percent, a size such as 64k, max, auto, or default"


class _CarveoutFields(NamedTuple):
    amount: int
    unit: Literal["percent", "bytes"]


class Carveout(_CarveoutFields):
    """Preferred size of the shared memory of an SM.

    Args:
        amount: 0 to 100 percent of the SM's shared memory, or a size in bytes.
        unit: ``"percent"`` as in cudaFuncAttributePreferredSharedMemoryCarveout, or ``"bytes"``.

    Raises:
        InputError: Neither.
    """

    __slots__ = ()

    def __new__(cls, amount: int, unit: Literal["percent", "bytes"]) -> Carveout:
        """Check both fields."""
        most = {"percent": 100, "bytes": INT_MAX}.get(unit, -1)
        if type(amount) is not int or not 0 <= amount <= most:
            raise InputError(f"{shown(amount)} {unit} is out of range", where="carveout", allowed=_SPELLINGS)
        return super().__new__(cls, amount, unit)

    def __str__(self) -> str:
        return f"{self.amount}%" if self.unit == "percent" else f"{self.amount / 1024:g} KiB"


def is_automatic(carveout: object) -> bool:
    """Return True for ``"auto"``: the smallest size that keeps the blocks."""
    return isinstance(carveout, str) and carveout.strip().lower() == "auto"


def parse_carveout(value: object, where: str = "carveout") -> Carveout | None:
    """Parse a carveout; None, for ``"default"`` and ``"auto"``, stands for the largest shared memory.

    A number up to 100, with or without a percent sign, is a percentage. A larger number, or one with a unit, is
    a size in bytes. ``"max"`` is 100 percent.
    """
    if value is None or isinstance(value, Carveout):
        return value
    text = value.strip().lower() if isinstance(value, str) else ""
    if text in ("default", "auto"):
        return None
    if text == "max":
        return Carveout(100, "percent")
    try:
        amount = parse_size(text.removesuffix("%") or value, where)
        is_percent = text.endswith("%") or (amount <= 100 and (not text or text.isdigit()))
        return Carveout(amount, "percent" if is_percent else "bytes")
    except InputError as error:
        raise InputError(f"{shown(value)} is not a carveout", where=where, allowed=_SPELLINGS) from error
