"""The table that an answer is taken from: the shipped rows, and a user's own before them."""

from __future__ import annotations

import os

from ..values.limits import ComputeCapability, Limits
from . import shipped


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

    def rows(self) -> tuple[Limits, ...]:
        """The rows of the user's file, in its order; without a file, ours, ascending."""
        if self._own is None:
            return tuple(shipped.limits(cc) for cc in shipped.known())
        return tuple(self._own.values())
