"""The table in use: a user's rows before the shipped ones."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from ..values.limits import ComputeCapability, Limits
from . import shipped

CURRENT_FROM = ComputeCapability(7, 5)
"""Oldest compute capability that CUDA 13 compiles for."""


def current(rows: Iterable[Limits]) -> tuple[Limits, ...]:
    """Return the rows that CUDA 13 compiles for."""
    return tuple(row for row in rows if row.compute_capability >= CURRENT_FROM)


class LimitsTable:
    """Limits by compute capability: the row of a user's file, else the shipped one.

    Args:
        file: A user's table, in the format of `read_limits`; None: the shipped table alone.

    Raises:
        TableError: The file cannot be read, or a row is incomplete, wrong or contradicts itself.
    """

    def __init__(self, file: str | os.PathLike[str] | None = None) -> None:
        self._own: dict[str, Limits] | None = None
        if file is not None:
            from .custom import read_limits

            self._own = read_limits(file)

    def limits(self, cc: object) -> Limits:
        """Return the limits of a compute capability.

        Args:
            cc: Any spelling that `ComputeCapability.parse` reads.

        Raises:
            InputError: Not a compute capability.
            UnknownComputeCapabilityError: Both tables lack it.
        """
        if self._own is None:
            return shipped.limits(cc)
        wanted = ComputeCapability.parse(cc)
        return self._own.get(str(wanted)) or shipped.limits(wanted)

    def architecture(self, name: str) -> tuple[Limits, ...]:
        """Return the limits of every compute capability of an architecture such as ``"hopper"``."""
        wanted = " ".join(re.split(r"[\s_-]+", name.strip().lower()))
        if not wanted.replace(" ", "").isalpha():  # none has a digit, and to look takes a while
            return ()
        own = {row.compute_capability: row for row in (self._own or {}).values()}
        known = {cc: shipped.limits(cc) for cc in shipped.known()}
        return tuple(
            row
            for _, row in sorted({**known, **own}.items())
            if wanted in (row.architecture.lower(), row.architecture.lower().split()[0])
        )

    def rows(self) -> tuple[Limits, ...]:
        """Return the rows of the user's file in its order, or the shipped rows, ascending."""
        if self._own is None:
            return tuple(shipped.limits(cc) for cc in shipped.known())
        return tuple(self._own.values())
