"""Records of results: short reprs, and a sentence for each field in help()."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from reprlib import Repr
from typing import Any, NamedTuple, NoReturn, TypeVar

Class = TypeVar("Class", bound=type)

_repr = Repr()
_repr.maxtuple = 3
_repr.maxdict = 8
_repr.maxstring = _repr.maxother = 1 << 10


class FrozenDict(dict[Any, Any]):
    """Dictionary that cannot change, so that results with it are hashable."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenDict, (dict(self),)

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("results are immutable; dict() makes a copy that can change")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse


def readable(cls: Class) -> Class:
    """Give a named tuple or a dataclass a short repr, and help for its fields."""
    cls.__repr__ = _short_repr  # type: ignore[assignment]
    return documented(cls)


def documented(cls: Class, *others: type) -> Class:
    """Give a class help for its fields, and for those that it takes from other classes."""
    cls.__doc__ = _FieldHelp(cls.__doc__, others)  # type: ignore[assignment]
    if hasattr(cls, "_fields"):  # help() then shows the types' text, and no ForwardRef
        types = cls.__new__.__annotations__.items()
        cls.__new__.__annotations__ = {name: getattr(each, "__forward_arg__", each) for name, each in types}
    return cls


def _short_repr(self: Any) -> str:
    """Return the fields that are not None or (), or of a named tuple the default."""
    names = getattr(self, "_fields", None) or [field.name for field in fields(self) if field.repr]
    defaults = getattr(self, "_field_defaults", {})
    values = ((name, getattr(self, name), defaults.get(name)) for name in names)
    given = (f"{name}={_repr.repr(value)}" for name, value, usual in values if value not in (None, (), usual))
    return f"{type(self).__name__}({', '.join(given)})"


class _FieldHelp(NamedTuple):
    """A docstring that lists the fields too, made when somebody reads it."""

    text: str | None
    others: tuple[type, ...]

    def __get__(self, instance: object, owner: type) -> str:
        from inspect import cleandoc

        about = dict[str, str]()
        for part in (*owner.__mro__, *self.others):
            if part.__module__.partition(".")[0] == "occupancy":
                for name, text in _fields_in_source(part):
                    about.setdefault(name, text)  # a class may describe a field anew
        for name, text in about.items():
            attribute = getattr(owner, name, None)
            if str(attribute.__doc__).startswith("Alias for field "):  # of a named tuple, or of a record
                attribute.__doc__ = text
        lines = [f"    {name}: {text}" for name, text in about.items()]
        return "\n".join([cleandoc(self.text or ""), "", "Fields:", *lines])


def _fields_in_source(cls: type) -> Iterator[tuple[str, str]]:
    """Yield each field with its type and the docstring below it, which Python keeps in the source alone."""
    import ast
    from inspect import getsource
    from textwrap import dedent

    try:
        (statement,) = ast.parse(dedent(getsource(cls))).body
    except OSError:  # compiled files alone
        return
    body = statement.body  # type: ignore[attr-defined]
    for field, below in zip(body, [*body[1:], None], strict=True):
        if isinstance(field, ast.AnnAssign):
            text = ast.literal_eval(below.value) if isinstance(below, ast.Expr) else ""
            yield ast.unparse(field.target), " ".join(f"{ast.unparse(field.annotation)}. {text}".split())
