"""Results that print themselves as the command line does, on a terminal and in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..report.model import Report


class Printed:
    """A result with a report."""

    __slots__ = ()

    def report(self) -> Report:
        """Return the report that the command line prints."""
        raise NotImplementedError

    def __str__(self) -> str:
        from ..render.terminal import text

        return text(self.report())

    def _repr_html_(self) -> str:
        from ..render.markup import html

        return html(self.report())


class PrintedRows(Printed):
    """A result whose report is its list of rows."""

    __slots__ = ()

    def rows(self) -> list[dict[str, Any]]:
        """Return a dictionary for each row, as for ``pandas.DataFrame``."""
        return list(self.report().records())

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values: the command's JSON."""
        return self.report().to_dict()
