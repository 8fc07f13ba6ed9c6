"""Block sizes that no file states: one word for each way to assume one, wherever people read of it."""

from __future__ import annotations

from collections.abc import Iterable

from ..advice.next_steps import USUAL_SIZE
from ..builds.scan_row import ScanRow
from ..readers.record import ThreadsFrom
from ..render import words

_WORDS: dict[ThreadsFrom, str] = {
    "option": "given",
    "best": "best",
    "launch_bounds": "bound",
    "usual": "usual",
}

_MEANINGS: dict[ThreadsFrom, str] = {
    "best": "best, the size with the highest occupancy, others may have less",
    "launch_bounds": "bound, the most that the launch bounds allow",
    "usual": f"usual, {USUAL_SIZE}, or the nearest that both builds launch with",
}


def word_for(origin: ThreadsFrom | None) -> str:
    """``usual``; empty for a size that a file states."""
    return "" if origin is None else _WORDS.get(origin, "")


def threads(row: ScanRow) -> str:
    """``256 usual``, ``128 bound``; a size that a file states stands alone."""
    return "" if row.threads is None else f"{row.threads:,} {word_for(row.threads_from)}".rstrip()


AT_USUAL = f"At {USUAL_SIZE}"
"""The title of the column of the occupancy at the usual size, beside that at the best."""


def at_usual_size(row: ScanRow) -> str:
    """``50% shared``: the occupancy at the usual size, where it is less, and what limits it."""
    if row.usual_occupancy is None or row.occupancy is None or row.usual_occupancy >= row.occupancy:
        return ""
    return f"{words.percent(row.usual_occupancy)} {words.short_names(row.usual_limiters)}".rstrip()


def meanings(rows: Iterable[ScanRow]) -> str:
    """What the words say that stand beside the sizes of these rows; empty where all sizes are stated."""
    origins = {row.threads_from for row in rows if row.occupancy is not None}
    return "; ".join(meaning for origin, meaning in _MEANINGS.items() if origin in origins)
