"""`dataclasses.dataclass` for classes with slots, in a seventh of the time.

The standard one compiles six functions for each class; those of the classes of one answer took longer than
``python -c pass``. Here all classes share five of them, and only ``__init__`` is compiled, when the first
object is made. They are dataclasses to `dataclasses.fields`, `dataclasses.replace`, pydantic and type
checkers, with two differences: a ``__repr__`` that a base class has written stays; and they show themselves
well (`listed`).
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ForwardRef, TypeVar

from .listed import listed

T = TypeVar("T")


def _eq(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return self._compared(self) == self._compared(other)


def _hash(self: Any) -> int:
    return hash(self._compared(self))


def _repr(self: Any) -> str:
    shown = (f"{each.name}={getattr(self, each.name)!r}" for each in dataclasses.fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse(self: Any, name: str, value: object = None) -> None:
    raise dataclasses.FrozenInstanceError(f"{type(self).__name__}.{name} cannot be changed")


def _setstate(self: Any, state: tuple[None, dict[str, Any]]) -> None:
    """Take over what a pickle or a copy holds of an object with slots."""
    for name, value in state[1].items():
        object.__setattr__(self, name, value)


def _type(field: dataclasses.Field[Any], home: str, cls: type[Any]) -> Any:
    """The type of a parameter, which has its names where the field was declared."""
    is_elsewhere = isinstance(field.type, str) and home != cls.__module__
    return ForwardRef(field.type, module=home) if is_elsewhere else field.type  # type: ignore[arg-type]


@cache
def _open(cls: type[Any]) -> type[Any]:
    """A frozen class with its objects open to change, which are of it while their fields are set.

    Python sets the slots of a class that leaves setting to `object` in a tenth of the time: a record of 43
    fields is made in 1 us and not in 5, and a library holds tens of thousands.
    """

    class Open(cls):  # type: ignore[misc]  # mypy cannot see that it is a class
        __slots__ = ()
        __setattr__ = object.__setattr__
        __delattr__ = object.__delattr__

    return Open


class _Init:
    """The ``__init__`` of a class, which is compiled when it is first asked for.

    Few answers make objects of all the classes that their modules have.
    """

    def __init__(self, cls: type[Any], frozen: bool) -> None:
        self._cls = cls
        self._frozen = frozen

    def __get__(self, instance: object, owner: type[Any] | None = None) -> Callable[..., None]:
        made = _init(self._cls, self._frozen)
        self._cls.__init__ = made
        bound: Callable[..., None] = made.__get__(instance, owner)
        return bound


def _init(cls: type[Any], frozen: bool) -> Callable[..., None]:
    """A function that sets the fields, with their names as parameters, compiled from text."""
    fields = dataclasses.fields(cls)
    given, by_name, values = ["self"], ["*"], []
    outside: dict[str, Any] = {"_set": object.__setattr__, "_open": _open}
    for each in fields:
        name = value = each.name
        parameter = name
        if each.default_factory is not dataclasses.MISSING:
            outside[f"_new_{name}"] = each.default_factory
            parameter, value = f"{name}=_new_{name}", f"{name}() if {name} is _new_{name} else {name}"
        elif each.default is not dataclasses.MISSING:
            outside[f"_default_{name}"] = each.default
            parameter = f"{name}=_default_{name}"
        (by_name if each.kw_only else given).append(parameter)
        values.append(value)
    parameters = ",".join(given + by_name if len(by_name) > 1 else given)
    lines = [f"def make({','.join(outside)}):", f" def __init__({parameters}):"]
    if frozen:
        lines += ["  _class = self.__class__", "  _set(self, '__class__', _open(_class))"]
    lines += [f"  self.{each.name} = {value}" for each, value in zip(fields, values, strict=True)]
    if frozen:
        lines.append("  self.__class__ = _class")
    if hasattr(cls, "__post_init__"):
        lines.append("  self.__post_init__()")
    lines.append(" return __init__")
    compiled: dict[str, Any] = {}
    exec("\n".join(lines), vars(sys.modules[cls.__module__]), compiled)  # where its types have their names
    made: Callable[..., None] = compiled["make"](**outside)
    made.__qualname__, made.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    homes: dict[str, str] = {}
    for base in cls.__mro__[::-1]:
        homes.update(dict.fromkeys(vars(base).get("__annotations__", ()), base.__module__))
    types = {each.name: _type(each, homes[each.name], cls) for each in fields}
    made.__annotations__ = {**types, "return": None}
    return made


def copier(cls: type[T], *names: str, of: type[Any] | None = None) -> Callable[..., T]:
    """A function that copies an object with new values for these fields, which are given in this order.

    As `dataclasses.replace`, in a tenth of the time; for classes without ``__post_init__``.

    Args:
        cls: What is made.
        names: The fields with new values.
        of: What is copied, where it is another class: fields that it lacks have their defaults.
    """
    if hasattr(cls, "__post_init__"):
        raise TypeError(f"{cls.__qualname__} checks its values; dataclasses.replace does so, too")
    there = {each.name for each in dataclasses.fields(of or cls)}  # type: ignore[arg-type]  # it is one
    outside: dict[str, Any] = {"_new": object.__new__, "_open": _open(cls), "_class": cls}  # type: ignore[arg-type]
    lines = [f"def copy(old, {', '.join(names)}):", " new = _new(_open)"]
    for each in dataclasses.fields(cls):  # type: ignore[arg-type]  # likewise
        name = value = each.name
        if name not in names:
            value = f"old.{name}" if name in there else f"_default_{name}"
            outside[f"_default_{name}"] = each.default
        lines.append(f" new.{name} = {value}")
    lines += [" new.__class__ = _class", " return new"]
    exec("\n".join(lines), outside)
    made: Callable[..., T] = outside["copy"]
    return made


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(
        *,
        slots: bool,
        frozen: bool = False,
        init: bool = True,
        unsafe_hash: bool = False,
        kw_only: bool = False,
    ) -> Callable[[type[Any]], type[Any]]:
        """As the standard one, for classes with slots that are compared by their values and can be hashed."""
        if not slots or frozen == unsafe_hash:
            raise TypeError(
                "slots=True, and either frozen or unsafe_hash; dataclasses.dataclass makes others"
            )

        def decorate(cls: type[Any]) -> type[Any]:
            shared = {"__eq__": _eq, "__hash__": _hash}
            if frozen:
                shared |= {"__setattr__": _refuse, "__delattr__": _refuse, "__setstate__": _setstate}
            written = set(vars(cls))
            made = dataclasses.dataclass(init=False, eq=False, repr=False, slots=True, kw_only=kw_only)(cls)
            fields = dataclasses.fields(made)
            made._compared = staticmethod(attrgetter(*[each.name for each in fields if each.compare]))
            for name in shared.keys() - written:
                setattr(made, name, shared[name])
            if made.__repr__ is object.__repr__:
                made.__repr__ = _repr
            if init:
                made.__init__ = _Init(made, frozen)
            return listed(made)

        return decorate
