"""Errors, each with its place, the problem, the accepted values and a hint."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple, TypeVar, cast

Kind = TypeVar("Kind", bound="OccupancyError")
T = TypeVar("T")

MAX_SHOWN = 80
"""Characters of a wrong value that an error quotes."""
MAX_PART = 2000
"""Characters of each part of a message: names and values out of files can have any length."""
_OPTION = r" \(`((?:-|occupancy )[^`]+)`\)"
"""In a sentence, the option behind a name of Python: `gpu` (`--cc 9.0`)."""
FOR_PYTHON = _OPTION, ""
FOR_COMMAND = f"`[^`]+`{_OPTION}", r"\1"
"""Patterns and replacements, which leave the name or the option."""
MAX_OTHERS = 19
"""Errors that are printed together with the first; more are counted."""


class Place(NamedTuple):
    """Position in a file."""

    file: str
    line: int | None
    entry: str = ""
    """Name of a value there, such as ``rules 1: max_regs``."""

    def __str__(self) -> str:
        line = "" if self.line is None else f", line {self.line}"
        return f"{self.file}{line}{f': {self.entry}' if self.entry else ''}"


class OccupancyError(ValueError):
    """Base class of every error that an input causes.

    The message reads ``where: problem. Allowed: accepted values. Hint``, or ``where is missing.`` if the
    problem begins with a verb. Each part is also an attribute, and ``choices`` contains only the names.

    Args:
        problem: Problem, with the given value.
        where: Input, file, or position in a file, which is also the attribute ``place``.
        allowed: Accepted values.
        hint: Fix, as a full sentence. Options follow their arguments in parentheses; a message shows one of the two.
        choices: Similar or possible names, each with its line below the hint, or with "".

    ``others`` contains further errors of the same input.
    """

    others: tuple[OccupancyError, ...] = ()

    def __init__(
        self, problem: str, *, where: str | Place = "", allowed: str = "", hint: str = "",
        choices: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        self.place = where if isinstance(where, Place) else None
        self.problem, self.where, self.allowed = map(cut, (problem, str(where), allowed))
        self.hint = re.sub(*FOR_PYTHON, cut(hint))
        self.hint_with_options = re.sub(*FOR_COMMAND, cut(hint))
        self._choices = choices or {}
        self.choices = tuple(self._choices)
        super().__init__(self.problem)

    def with_location(self, where: str | Place, kind: type[Kind]) -> Kind:
        """Return the error at another place, and of another class."""
        made = kind(self.problem, where=where)
        vars(made).update(vars(self), where=made.where, place=made.place, others=())
        return made

    def lines(self) -> tuple[str, ...]:
        """Return the sentences of this error alone, and a line for each choice."""
        text = about(self.where, self.problem) if self.where else self.problem[:1].upper() + self.problem[1:]
        if self.allowed:
            text = f"{_sentence(text)} Allowed: {self.allowed}"
        if self.hint:
            text = f"{_sentence(text)} {self.hint}"
        return _sentence(text), *(f"  {line}" for line in self._choices.values() if line)

    @property
    def every(self) -> tuple[OccupancyError, ...]:
        """This error and the first of the others, then the number of the rest."""
        errors, more = [self, *self.others[:MAX_OTHERS]], len(self.others) - MAX_OTHERS
        if more > 0:
            errors.append(type(self)(f"{more:,} more error{'s' if more > 1 else ''}"))
        return tuple(errors)

    def __str__(self) -> str:
        return "\n".join(line for each in self.every for line in each.lines())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"


class InputError(OccupancyError):
    """Value that is invalid for every kernel, or that the GPU does not support."""


class TooLargeError(InputError):
    """Value above the maximum of every kernel; autotuners drop such a configuration."""


class UnknownArgumentError(InputError, TypeError):
    """Keyword that a function does not have."""


class UnknownComputeCapabilityError(OccupancyError):
    """Compute capability that the table does not contain."""


class TableError(OccupancyError):
    """Mistake in a table of limits."""


class ReadError(OccupancyError):
    """File that cannot be read, or contains no kernels."""


class BaselineError(OccupancyError):
    """Baseline that cannot be read or written, or does not match the build."""


class RulesError(OccupancyError):
    """Rules that cannot be read or evaluated."""


class MissingDependencyError(OccupancyError):
    """Optional package that is not installed."""


class DeviceError(OccupancyError):
    """No GPU, no driver, or an error of the driver."""


@contextmanager
def importing(package: str, where: str = "", hint: str = "") -> Iterator[None]:
    """Turn the error of importing an optional package into one with a hint to install it."""
    try:
        yield
    except ImportError as error:
        hint = hint or f"Install it with: pip install {package.lower()}"
        raise MissingDependencyError(f"{package} is not installed", where=where, hint=hint) from error


class ErrorCollector:
    """Context manager that collects errors, and raises all of them as one at its end."""

    def add(self, error: OccupancyError) -> None:
        """Add an error and those that were found together with it, each once."""
        for each in (error, *error.others):
            each.others = ()
            self.found.setdefault(str(each), each)

    def call(self, function: Callable[..., T], *arguments: Any, **named: Any) -> T:
        """Return the result of a function; None, which is never used, if it raises an error."""
        try:
            return function(*arguments, **named)
        except OccupancyError as error:
            self.add(error)
            return cast(T, None)

    def __enter__(self) -> ErrorCollector:
        self.found: dict[str, OccupancyError] = {}
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self.found and error is None:
            first, *others = self.found.values()
            first.others = tuple(others)
            raise first


def about(where: str, problem: str) -> str:
    """Join a place and a problem: with a colon, or as subject and verb."""
    verbs = ("is ", "are ", "has ", "was ", "cannot ", "contains ", "do ", "does ", "needs ", "already ")
    return f"{where}{'' if problem.startswith(verbs) else ':'} {problem}" if where else problem


def shown(value: object) -> str:
    """Quote a value: its repr, shortened if it is long, or the type of an object without a short one."""
    text, is_plain = "", isinstance(value, (str, bytes, int, list, tuple))
    with suppress(Exception):  # an integer of more digits than Python writes, or a class that fails
        text = "a mapping" if isinstance(value, dict) else repr(value)
    if not text or "\n" in text or (not is_plain and (len(text) > MAX_SHOWN or " at 0x" in text)):
        return f"an object of {type_name(value)}"
    return text if len(text) <= MAX_SHOWN else f"{cut(text, MAX_SHOWN - 1)}{text[-1]}"


def invalid(value: object) -> str:
    """Return the problem of a value that is missing or not accepted."""
    return "is missing" if value is None else f"{shown(value)} is invalid"


def cut(text: str, most: int = MAX_PART) -> str:
    """Shorten a text to a number of characters, with dots at its end."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def type_name(value: object) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def unreadable(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return "does not exist"
    if isinstance(error, IsADirectoryError):
        return "is a folder, not a file"
    return f"cannot be read: {getattr(error, 'strerror', None) or error}"


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", ":")) else text + "."
