"""Integer rounding, as hardware allocates."""

from __future__ import annotations


def divide_up(amount: int, unit: int) -> int:
    """How many whole units hold the amount."""
    return -(-amount // unit)


def round_up(amount: int, unit: int) -> int:
    """The amount rounded up to a multiple of the unit."""
    return -(-amount // unit) * unit
