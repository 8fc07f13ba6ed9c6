"""Several answers at once, which print themselves as the table that the command prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, SupportsIndex, TypeVar, overload

from ..report.base import Report

Row = TypeVar("Row", covariant=True)


class Answers(tuple[Row, ...]):
    """Some answers, in their order: a tuple that prints as a table."""

    report: Report
    """What prints them."""
    field: str
    """The field of the report with something for each of them."""

    def __new__(cls, answers: Iterable[Row], report: Report, field: str) -> Answers[Row]:
        made = super().__new__(cls, answers)
        made.report, made.field = report, field
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self), self.report, self.field  # so that it can be copied and pickled

    @overload
    def __getitem__(self, place: SupportsIndex) -> Row: ...

    @overload
    def __getitem__(self, place: slice) -> Answers[Row]: ...

    def __getitem__(self, place: Any) -> Any:
        """One of the answers; some of them (``[:5]``) print as the table with these alone."""
        found = super().__getitem__(place)
        if not isinstance(place, slice):
            return found
        shown: dict[str, Any] = {self.field: getattr(self.report, self.field)[place]}
        return Answers(found, replace(self.report, **shown), self.field)

    def __str__(self) -> str:
        """The text that the command prints, without colour, with arguments for its options."""
        return str(self.report)

    def _repr_html_(self) -> str:
        """The same as HTML, for a notebook."""
        return self.report._repr_html_()

    def rows(self) -> Sequence[Mapping[str, Any]]:
        """A list with a dictionary of plain values for each row of the CSV, as for ``pandas.DataFrame``."""
        return self.report.rows()

    def to_dict(self) -> dict[str, Any]:
        """The answers as plain dictionaries and numbers, with what was asked: what the JSON holds."""
        return self.report.to_dict()
