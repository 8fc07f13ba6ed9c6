"""The rows of a large table, each made when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, overload

Make = Callable[[range], Iterator[dict[str, Any]]]
"""The rows at some places of the table, one by one."""

MOST_AHEAD = 1 << 12
"""Rows that are kept at a time: enough that a piece of them costs what going through them does."""


class Rows(Sequence[dict[str, Any]]):
    """The rows of a large table as dictionaries of plain values: a sequence to index, to slice and to go
    through any number of times. Each row is made when it is asked for, so that millions take no memory; for
    whoever asks for one after the other by index, the next are made in growing pieces.
    """

    def __init__(self, make: Make, places: range) -> None:
        self._make = make
        self._places = places
        self._piece: tuple[int, list[dict[str, Any]]] = 0, []
        """What was made last for an index: the number of its first row, and its rows."""

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> dict[str, Any]: ...

    @overload
    def __getitem__(self, place: slice) -> Rows: ...

    def __getitem__(self, place: Any) -> Any:
        """One of the rows; of a slice those rows, made when they are asked for as well."""
        if isinstance(place, slice):
            return Rows(self._make, self._places[place])
        number = range(len(self))[place]
        first, piece = self._piece
        if not first <= number < first + len(piece):
            size = min(2 * len(piece), MOST_AHEAD) if piece and number == first + len(piece) else 1
            piece = list(self._make(self._places[number : number + size]))
            first = number
            self._piece = first, piece
        return dict(piece[number - first])  # whoever changes it changes no other

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return self._make(self._places)

    def __reversed__(self) -> Iterator[dict[str, Any]]:
        return iter(self[::-1])

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy or a pickle makes its own rows."""
        return Rows, (self._make, self._places)

    def __repr__(self) -> str:
        columns: Mapping[str, Any] = self[0] if self else {}
        return f"<Rows: {len(self):,}{' of ' if columns else ''}{', '.join(columns)}>"
