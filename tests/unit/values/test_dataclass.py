"""Dataclasses that are quicker to declare do what the standard ones do."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from typing import Any

import pytest

from occupancy.values.dataclass import copier, dataclass


@dataclass(frozen=True, slots=True)
class Ours:
    """Declared as ours."""

    size: int
    name: str = "none"
    parts: list[int] = dataclasses.field(default_factory=list, compare=False)
    version: int = dataclasses.field(default=2, kw_only=True)

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError("below 0")


@dataclasses.dataclass(frozen=True, slots=True)
class Theirs:
    """The same, declared as the standard library's."""

    size: int
    name: str = "none"
    parts: list[int] = dataclasses.field(default_factory=list, compare=False)
    version: int = dataclasses.field(default=2, kw_only=True)

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError("below 0")


@dataclass(frozen=True, slots=True)
class Larger(Ours):
    """With one more field."""

    more: int = 0


BOTH = pytest.mark.parametrize("kind", [Ours, Theirs])


@BOTH
def test_what_is_given_and_what_is_not(kind: Any) -> None:
    made = kind(1, name="one")
    assert dataclasses.asdict(made) == {"size": 1, "name": "one", "parts": [], "version": 2}
    assert kind(1).parts is not kind(1).parts
    for wrong in ({}, {"size": 1, "other": 2}, {"size": 1, "parts": [], "name": "", "version": 1, "x": 0}):
        with pytest.raises(TypeError):
            kind(**wrong)
    with pytest.raises(TypeError):
        kind(1, "one", [], 3)  # only by name


@BOTH
def test_it_is_a_value(kind: Any) -> None:
    assert kind(1) == kind(1, parts=[1]) != kind(2)
    assert hash(kind(1)) == hash(kind(1))
    assert kind(1) != Larger(1)
    assert repr(kind(1)) == f"{kind.__name__}(size=1, name='none', parts=[], version=2)"


@BOTH
def test_it_cannot_be_changed(kind: Any) -> None:
    made = kind(1)
    for change in (lambda: setattr(made, "size", 2), lambda: delattr(made, "size")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            change()  # type: ignore[no-untyped-call]
    assert dataclasses.replace(made, size=2) == kind(2)
    assert not hasattr(made, "__dict__")


@BOTH
@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_it_can_be_copied(kind: Any, again: Any) -> None:
    assert dataclasses.asdict(again(kind(1, "x", [3]))) == dataclasses.asdict(kind(1, "x", [3]))


@BOTH
def test_it_is_checked_and_says_what_it_takes(kind: Any) -> None:
    with pytest.raises(ValueError, match="below 0"):
        kind(-1)
    assert list(inspect.signature(kind).parameters) == ["size", "name", "parts", "version"]
    assert inspect.signature(kind).return_annotation is None
    assert kind.__match_args__ == ("size", "name", "parts")


def test_a_class_inherits_fields_and_what_was_written() -> None:
    assert repr(Larger(1, more=4)) == "Larger(size=1, name='none', parts=[], version=2, more=4)"

    @dataclass(frozen=True, slots=True)
    class Written:
        """It says what it is."""

        size: int

        def __repr__(self) -> str:
            return "written"

    @dataclass(frozen=True, slots=True)
    class Child(Written):
        """So does this."""

        more: int

    assert repr(Child(1, 2)) == "written"
    assert Child(1, 2) != Child(1, 3)


def test_what_makes_its_objects_is_there_before_the_first() -> None:
    @dataclass(frozen=True, slots=True)
    class Fresh:
        """None of it was made."""

        size: int = 1

    class Plain(Fresh):
        """Nor of this."""

        __slots__ = ()

    assert Plain(2).size == 2
    assert list(inspect.signature(Plain.__init__).parameters) == ["self", "size"]
    assert Fresh.__init__ is Plain.__init__


@pytest.mark.parametrize("how", [{"slots": False}, {"frozen": False}, {"unsafe_hash": True}])
def test_others_are_refused(how: dict[str, bool]) -> None:
    with pytest.raises(TypeError, match="slots=True"):
        dataclass(**{"frozen": True, "slots": True, **how})


def test_who_inherits_without_saying_so_keeps_its_class_and_cannot_be_changed() -> None:
    class Plain(Larger):
        """No dataclass by itself."""

        __slots__ = ()

    made = Plain(1, more=4)
    assert type(made) is Plain
    assert made.more == 4
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.size = 2  # type: ignore[misc]


def test_a_copier_copies_all_but_what_is_given() -> None:
    @dataclass(frozen=True, slots=True)
    class Pair:
        """Two fields."""

        one: int
        other: int = 2

    copied = copier(Pair, "one")(Pair(1, 3), 4)
    assert copied == Pair(4, 3)
    assert type(copied) is Pair
    with pytest.raises(dataclasses.FrozenInstanceError):
        copied.one = 5  # type: ignore[misc]
    with pytest.raises(TypeError, match="checks its values"):
        copier(Ours, "size")
