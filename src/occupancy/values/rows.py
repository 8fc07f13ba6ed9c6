"""The rows of a large table, each made when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, overload

Make = Callable[[range], Iterator[dict[str, Any]]]
"""The rows at some places of the table, one by one."""


class Rows(Sequence[dict[str, Any]]):
    """The rows of a large table as dictionaries of plain values: a sequence to index, to slice and to go
    through any number of times. Each row is made anew when it is asked for, so that millions take no memory.
    """

    def __init__(self, make: Make, places: range) -> None:
        self._make = make
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> dict[str, Any]: ...

    @overload
    def __getitem__(self, place: slice) -> Rows: ...

    def __getitem__(self, place: Any) -> Any:
        """One of the rows; of a slice those rows, made when they are asked for as well."""
        found = self._places[place]
        if isinstance(found, range):
            return Rows(self._make, found)
        return next(self._make(range(found, found + 1)))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return self._make(self._places)

    def __reversed__(self) -> Iterator[dict[str, Any]]:
        return iter(self[::-1])

    def __repr__(self) -> str:
        columns: Mapping[str, Any] = self[0] if self else {}
        return f"<Rows: {len(self):,}{' of ' if columns else ''}{', '.join(columns)}>"
