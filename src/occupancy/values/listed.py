"""Values that print themselves with a field on each line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from .untrusted import html_text, printable

LEFT = ' style="text-align:left"'
"""What a cell of text needs in HTML: notebooks put all cells at the right that do not say otherwise."""


class Listed:
    """A dataclass whose ``str()`` has a line for each field, by the name that Python knows it by."""

    __slots__ = ()

    def __str__(self) -> str:
        lines = list(self._lines())
        width = max(len(name) for name, _ in lines)
        return "\n".join(f"{name:<{width}}  {printable(value)}" for name, value in lines)

    def _repr_html_(self) -> str:
        """The same as a table, for a notebook."""
        rows = (
            f"<tr><td{LEFT}>{name}</td><td{LEFT}>{html_text(value)}</td></tr>"
            for name, value in self._lines()
        )
        return f"<table>{''.join(rows)}</table>"

    def _lines(self) -> Iterator[tuple[str, str]]:
        for each in fields(self):  # type: ignore[arg-type]  # who inherits from it is one
            if not each.name.startswith("_"):
                yield each.name, _text(getattr(self, each.name))


def _text(value: Any) -> str:
    if value is None or value == ():
        return "-"
    if type(value) is tuple:
        return ", ".join(map(_text, value))
    return f"{value:,}" if type(value) is int else str(value)
