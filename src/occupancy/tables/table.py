"""The table that an answer is taken from: the shipped rows, and a user's own before them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence

from ..values.limits import ComputeCapability, Limits
from . import shipped

CURRENT_FROM = ComputeCapability(7, 5)
"""The oldest that CUDA 13 compiles for; older ones are shown where all are asked for."""


def current(rows: Iterable[Limits]) -> tuple[Limits, ...]:
    """The chips that today's CUDA compiles for."""
    return tuple(row for row in rows if row.compute_capability >= CURRENT_FROM)


def are_current(ccs: Sequence[str]) -> bool:
    """Whether these are the chips of our table that are shown where none is named."""
    return list(ccs) == [str(cc) for cc in shipped.known() if cc >= CURRENT_FROM]


def are_unnamed(ccs: Sequence[str]) -> bool:
    """Whether these are what is shown where none is named: all chips of our table, or those."""
    return list(ccs) == [str(cc) for cc in shipped.known()] or are_current(ccs)


class Table:
    """Limits by compute capability: the user's row where their file has one, else ours.

    Args:
        file: A user's table, as `read_limits` reads it; None: ours alone.

    Raises:
        TableError: The file cannot be read, or a row is incomplete, wrong or contradicts itself.
    """

    def __init__(self, file: str | os.PathLike[str] | None = None) -> None:
        self._own: dict[str, Limits] | None = None
        if file is not None:
            from .custom import read_limits

            self._own = read_limits(file)

    def limits(self, cc: object) -> Limits:
        """The limits of a compute capability.

        Args:
            cc: Any spelling that `ComputeCapability.parse` reads.

        Raises:
            InputError: Not a compute capability.
            UnknownComputeCapabilityError: Neither table has it.
        """
        if self._own is None:
            return shipped.limits(cc)
        wanted = ComputeCapability.parse(cc)
        return self._own.get(str(wanted)) or shipped.limits(wanted)

    def has_own(self, cc: ComputeCapability) -> bool:
        """Whether the row of a compute capability is from the user's file."""
        return self._own is not None and str(cc) in self._own

    def architecture(self, name: str) -> tuple[Limits, ...]:
        """Return the limits of every compute capability of an architecture such as ``"hopper"``."""
        wanted = " ".join(re.split(r"[\s_-]+", name.strip().lower()))
        if not wanted.replace(" ", "").isalpha():  # none has a digit, and to look takes a while
            return ()
        own = {row.compute_capability: row for row in (self._own or {}).values()}
        ours = {cc: shipped.limits(cc) for cc in shipped.known()}
        return tuple(
            row
            for _, row in sorted({**ours, **own}.items())
            if wanted in (row.architecture.lower(), row.architecture.lower().split()[0])
        )

    def rows(self) -> tuple[Limits, ...]:
        """The rows of the user's file, in its order; without a file, ours, ascending."""
        if self._own is None:
            return tuple(shipped.limits(cc) for cc in shipped.known())
        return tuple(self._own.values())
