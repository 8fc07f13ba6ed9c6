"""What can go wrong, said so that the reader knows where, what, what is allowed and what to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

Kind = TypeVar("Kind", bound="OccupancyError")
T = TypeVar("T")

MAX_SHOWN = 80
"""Characters of a wrong value that an error quotes."""
MAX_PART = 2000
"""Characters of each part of a message: names and values out of files can have any length."""
MAX_TOGETHER = 20
"""Errors that are told at once; the others are counted."""


class OccupancyError(ValueError):
    """Input that cannot be answered.

    The message reads ``where: what is wrong. Allowed: what is allowed. The hint``; each part is also
    an attribute, so that a program can act on it. A part may be an `Asking` (values/asking.py), which has
    other words for Python than for the command line.

    Args:
        problem: What is wrong, with the value that was given.
        where: The input, file or table entry at fault.
        allowed: The values that would have been accepted.
        hint: What to do about it, as a full sentence.
        choices: What there is to choose from, one below the other; the hint then ends in a colon.

    ``others`` are further errors that were found with it, each of which is told as well.
    """

    others: tuple[OccupancyError, ...] = ()

    def __init__(
        self, problem: str, *, where: str = "", allowed: str = "", hint: str = "", choices: Sequence[str] = ()
    ) -> None:
        self.problem, self.where, self.allowed, self.hint = map(bounded, (problem, where, allowed, hint))
        self.choices = tuple(map(bounded, choices))
        super().__init__(self.problem)

    def elsewhere(self, where: str, kind: type[Kind]) -> Kind:
        """The same as an error of another kind, at another place."""
        return kind(self.problem, where=where, allowed=self.allowed, hint=self.hint, choices=self.choices)

    def lines(self, reader: str = "command") -> tuple[str, ...]:
        """The message in the words of a reader, and a line for each choice."""
        parts = (self.where, self.problem, self.allowed, self.hint)
        where, text, allowed, hint = (str(getattr(part, reader, part)) for part in parts)
        if where:
            text = f"{where}: {text}"
        if allowed:
            text = f"{_sentence(text)} Allowed: {allowed}"
        if hint:
            text = f"{_sentence(text)} {hint}"
        return text if self.choices else _sentence(text), *(f"  {choice}" for choice in self.choices)

    @property
    def every(self) -> tuple[OccupancyError, ...]:
        """It, and the others that were found with it; of very many the first, and how many more."""
        left = len(self.others) + 1 - MAX_TOGETHER
        if left <= 0:
            return self, *self.others
        return self, *self.others[: MAX_TOGETHER - 1], type(self)(f"{left:,} more mistake{'s' * (left > 1)}")

    def __str__(self) -> str:
        return "\n".join(line for each in self.every for line in each.lines("python"))


class InputError(OccupancyError):
    """A value that no kernel and no launch can have, or that this chip does not offer."""


class TooMuchError(InputError):
    """More of something than any kernel can have; a tuner's configuration that asks for it is left out."""


class UnknownComputeCapabilityError(OccupancyError):
    """A compute capability that the table does not hold; it is never guessed."""


class TableError(OccupancyError):
    """A table of limits that cannot be read, or that is incomplete or contradicts itself."""


class ReadError(OccupancyError):
    """A file that should hold kernels, and of which nothing could be read."""


class BaselineError(OccupancyError):
    """A baseline that cannot be read or written, or that says nothing about the build."""


class RulesError(OccupancyError):
    """Rules that cannot be read, contradict each other, or cannot be checked."""


class MissingDependencyError(OccupancyError):
    """An optional package that this answer needs is not installed."""


class DeviceError(OccupancyError):
    """No GPU answers on this machine, or its driver refuses."""


class Mistakes:
    """Gathers errors, and raises all of them at its end, so that nobody mends one to be told of the next;
    those of lines of a file in the order of these::

    with Mistakes() as found:
        one = found.by(read_one, text)
        other = found.by(read_other, text)
    return one, other
    """

    def __init__(self) -> None:
        self._found: dict[str, OccupancyError] = {}

    def keep(self, error: OccupancyError) -> None:
        """Raise it at the end, with those that were found with it; what is said already is not said twice."""
        for each in (error, *error.others):
            each.others = ()
            self._found.setdefault(str(each), each)

    def by(self, function: Callable[..., T], *arguments: Any, **named: Any) -> T:
        """What a function answers; None where it fails, which nobody sees who waits for the end."""
        try:
            return function(*arguments, **named)
        except OccupancyError as error:
            self.keep(error)
            return cast(T, None)

    def __enter__(self) -> Mistakes:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OccupancyError):
            self.keep(error)
        elif error is not None:
            return
        in_order = iter(sorted(filter(_line_of, self._found.values()), key=_line_of))
        found = [next(in_order) if _line_of(each) else each for each in self._found.values()]
        first, *others = found or (None,)
        if first is None:
            return
        first.others = tuple(others)
        if first is not error:
            raise first


def line_in(where: str) -> int:
    """The line of a place such as ``occupancy.toml, line 7: rules[2]``; 0 for one without."""
    number = str(where).rpartition(", line ")[2].partition(":")[0]
    return int(number) if number.isdecimal() else 0


def _line_of(error: OccupancyError) -> int:
    return line_in(error.where)


def shown(value: object) -> str:
    """A value as an error quotes it: the way Python writes it, cut where it is long."""
    try:
        text = repr(value)
    except Exception:  # an integer of more digits than Python writes, or a class of others that fails
        if type(value) is int:
            return f"an integer of about {value.bit_length() * 301 // 1000} digits"
        return f"an object of {type_name(value)}"
    return cut(text, MAX_SHOWN)


def cut(text: str, most: int) -> str:
    """A text of so many characters at most, which ends in dots where it goes on."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def words_of(error: BaseException) -> str:
    """What an error of others says; its type where it fails to say anything."""
    try:
        return str(error)
    except Exception:
        return type_name(error)


def type_name(value: object) -> str:
    """Module and name of a value's type."""
    kind = type(value)
    try:
        return f"{kind.__module__}.{kind.__qualname__}"
    except Exception:  # the class has a class of its own, which fails
        return "a type without a name"


def bounded(text: str) -> str:
    """A part of a message, without its middle where it is too long: both ends tell more."""
    half = MAX_PART // 2 - len(_CUT)
    return text if len(text) <= MAX_PART else f"{text[:half]}{_CUT}{text[-half:]}"


_CUT = " ... "


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else text + "."
