"""How values show themselves when they are printed, and in a notebook: by their fields, or in a sentence."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

from .asking import worded
from .untrusted import html_text, printable

LEFT = ' style="text-align:left"'
"""What a cell of text needs in HTML: notebooks put all cells at the right that do not say otherwise."""

DIGITS = 4
"""Behind the point, of numbers that are not whole."""

T = TypeVar("T")


def plain(value: Any) -> Any:
    """A value as dictionaries, lists and numbers; what has a ``to_dict`` of its own is asked."""
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if is_dataclass(value):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return list(map(plain, value))
    if hasattr(value, "isoformat"):  # a day; what has them need not be loaded to know
        return value.isoformat()
    return tuple(map(plain, value)) if type(value) is tuple else value


class ToDict:
    """A dataclass whose fields are its JSON."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain dictionaries, lists and numbers: what the JSON holds."""
        return {each.name: plain(getattr(self, each.name)) for each in fields(self)}  # type: ignore[arg-type]


def listed(cls: type[T]) -> type[T]:
    """Have the values of a class show their fields, or in a notebook what their own ``str()`` says."""
    made: Any = cls
    if made.__str__ is object.__str__:
        made.__str__ = lines_of
    if not hasattr(made, "_repr_html_"):
        made._repr_html_ = table_of if made.__str__ is lines_of else sentence_of
    return cls


def lines_of(value: Any) -> str:
    """The fields of a value, each on a line, by the names that Python knows them by."""
    lines = _fields(value)
    width = max(map(len, lines))
    return "\n".join(f"{name:<{width}}  {printable(_text(each))}" for name, each in lines.items())


def table_of(value: Any) -> str:
    """The same as a table of HTML, for a notebook."""
    texts = {name: html_text(_text(each)) for name, each in _fields(value).items()}
    rows = (f"<tr><td{LEFT}>{name}</td><td{LEFT}>{text}</td></tr>" for name, text in texts.items())
    return f"<table>{''.join(rows)}</table>"


def sentence_of(value: Any) -> str:
    """What a value says of itself, for a notebook."""
    return f"<p>{html_text(str(value))}</p>"


def _fields(value: Any) -> dict[str, Any]:
    names = [each.name for each in fields(value)] if is_dataclass(value) else value._fields
    return {name: getattr(value, name) for name in names if not name.startswith("_")}


def _text(value: Any) -> str:
    """A value on a line, with what it consists of."""
    if value is None or value in ((), [], {}):
        return "-"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_text(each)}" for name, each in value.items())
    if type(value) in (tuple, list):
        is_plain = not any(map(_is_listed, value))
        return (", " if is_plain else "; ").join(map(_text, value))
    if _is_listed(value):
        known = {name: each for name, each in _fields(value).items() if each is not None}
        return getattr(value, "title", "") or "; ".join(
            f"{name} {_text(each)}" for name, each in known.items()
        )
    if isinstance(value, str):
        return worded(value, "python")
    if type(value) is float:
        value = round(value, DIGITS)
    return f"{value:,}" if type(value) in (int, float) else str(value)


def _is_listed(value: object) -> bool:
    return type(value).__str__ is lines_of
