"""Records of results: short reprs, and a sentence for each field in help()."""

from __future__ import annotations

import re
import typing
from dataclasses import dataclass, fields
from reprlib import Repr
from types import new_class
from typing import TYPE_CHECKING, Any, TypeVar

Class = TypeVar("Class", bound=type)

# A field of a class with its type, and the sentence below it.
_FIELD = r'(?m)^    (\w+): (.+?)(?: = .+)?\n(?:    """((?s:.+?))""")?'

_repr = Repr()
_repr.maxtuple = 3
_repr.maxdict = 8
_repr.maxstring = _repr.maxother = 1 << 10


def readable(cls: Class) -> Class:
    """Give a named tuple or a dataclass a short repr, and help for its fields."""
    cls.__repr__ = _short_repr  # type: ignore[assignment]
    return documented(cls)


def documented(cls: Class, *others: type) -> Class:
    """Give a class help for its fields, and for those that it takes from other classes."""
    cls.__doc__ = _FieldHelp(cls.__doc__, others)  # type: ignore[assignment]
    return cls


if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:

    class _Readable(type):
        """Type whose class statements make a `typing.NamedTuple` that is readable."""

        def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> type:
            return readable(new_class(name, (typing.NamedTuple,), {}, lambda made: made.update(namespace)))

    NamedTuple = type.__new__(_Readable, "NamedTuple", (), {})


def _short_repr(self: Any) -> str:
    """Return the fields that are not None or (), or of a named tuple the default."""
    names = getattr(self, "_fields", None) or [each.name for each in fields(self) if each.repr]
    defaults = getattr(self, "_field_defaults", {})
    values = ((name, getattr(self, name)) for name in names)
    given = (
        f"{name}={_repr.repr(value)}" for name, value in values if value not in (None, (), defaults.get(name))
    )
    return f"{type(self).__name__}({', '.join(given)})"


@dataclass
class _FieldHelp:
    """A docstring that adds the fields, out of the source, because Python keeps no sentences of fields."""

    text: str | None
    others: tuple[type, ...]

    def __get__(self, instance: object, owner: type) -> str:
        from inspect import cleandoc, getsource

        lines = [cleandoc(self.text or ""), "", "Fields:"]
        for part in (*owner.__mro__, *self.others):
            try:
                source = getsource(part) if part.__module__.startswith("occupancy") else ""
            except OSError:  # compiled files alone
                continue
            for name, kind, sentence in re.findall(_FIELD, source):
                about = " ".join(f"{kind}. {sentence}".split())
                lines.append(f"    {name}: {about}")
                if hasattr(part, "_fields"):
                    vars(part)[name].__doc__ = about
        return "\n".join(lines)
