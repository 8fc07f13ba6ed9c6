"""Several answers at once, which print themselves as the table that the command prints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from ..report.base import Report

Row = TypeVar("Row", covariant=True)


class Answers(tuple[Row, ...]):
    """Some answers, in their order: a tuple that prints as a table."""

    report: Report
    """What prints them."""

    def __new__(cls, answers: Iterable[Row], report: Report) -> Answers[Row]:
        made = super().__new__(cls, answers)
        made.report = report
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self), self.report  # so that it can be copied and pickled

    def __str__(self) -> str:
        """The text that the command prints, without colour."""
        return str(self.report)

    def _repr_html_(self) -> str:
        """The same as HTML, for a notebook."""
        return self.report._repr_html_()

    def to_dict(self) -> dict[str, Any]:
        """The answers as plain dictionaries and numbers, with what was asked: what the JSON holds."""
        return self.report.to_dict()
