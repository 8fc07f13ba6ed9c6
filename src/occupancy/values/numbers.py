"""Numbers as text, one way everywhere: 1,024; 62.5%; 48 KiB."""

from __future__ import annotations

import re
from collections.abc import Sequence


def percent(share: float) -> str:
    """Return a share of 1: ``75%``, ``62.5%``; halves go up, only 0 is 0%, and only 1 is 100%."""
    tenths = int(1000 * share + 0.5)
    if share > 0 and not tenths:
        return "<0.1%"
    return ">99.9%" if share < 1 and tenths == 1000 else f"{tenths / 10:.1f}".removesuffix(".0") + "%"


def decimal(value: float) -> str:
    """Return two decimals, or more if a fraction would look whole: ``8.33``, ``1.001``; ``1.00`` is exact."""
    places = 2
    while value % 1 and not float(f"{value:.{places}f}") % 1:
        places += 1
    return f"{value:,.{places}f}"


def whole_percent(share: float) -> str:
    """Return a share of 1 in whole percent, halves up; ``-`` for 0."""
    return f"{int(100 * share + 0.5)}%" if share else "-"


def size(amount: int) -> str:
    """Return bytes, in KiB where that is short and exact: ``96 KiB``, ``9.125 KiB``, ``1,001 bytes``."""
    if amount and amount % 128 == 0 and amount >= 1024:
        return f"{amount / 1024:,.3f}".rstrip("0").rstrip(".") + " KiB"
    return count(amount, "byte")


def count(amount: int, noun: str) -> str:
    """Return ``1 block``, ``12 blocks`` or ``2 capabilities``."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{amount:,} {noun if amount == 1 else plural}"


def join_and(words: Sequence[str], conjunction: str = "and") -> str:
    """Return ``a``, ``a and b`` or ``a, b and c``."""
    *most, last = words
    return f"{', '.join(most)} {conjunction} {last}" if most else last


def listed(names: Sequence[str], most: int = 10) -> str:
    """Return names with commas, and the number of those beyond the most."""
    return ", ".join(names[:most]) + (f" and {len(names) - most:,} more" if len(names) > most else "")


def grouped(text: str) -> str:
    """Return a text whose whole numbers have their digits in groups: ``65,536``."""
    return re.sub(r"(?<![\d.])\d{4,}(?![\d.]*\d)", lambda digits: f"{int(digits[0]):,}", text)


def plain(value: object) -> str:
    """Return any value of a report as a cell: ``-`` for None, digits in groups, lists with commas."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return ", ".join(map(plain, value)) if isinstance(value, (list, tuple)) else str(value)
