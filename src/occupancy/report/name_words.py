"""Kernels' names as people are shown them: shorter than the compiler's, and still whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..builds.kernel_names import without_parameters
from ..errors import cut
from ..render import words
from ..values.asking import Asking

IF_SHORTENED = Asking(
    "Names are shortened: --full-names shows whole ones.", "Names are shortened: demangled has whole ones."
)
"""Below a table that had no room for some."""

IF_WHOLE = "--format csv and json have the mangled names, too."
"""Below a table with whole ones."""


class Named(Protocol):
    """What has a readable name."""

    @property
    def demangled(self) -> str: ...


def short_name(row: Named) -> str:
    """The demangled name, as `without_parameters` has it."""
    return without_parameters(words.printable(row.demangled))


def of_names(names: Sequence[str]) -> str:
    """`` (2 names)`` beside a number of kernels, where some have the same one; empty where none have.

    Args:
        names: That of each kernel. A kernel of two architectures is two.
    """
    different = len(set(names))
    return f" ({words.count(different, 'name')})" if different < len(names) else ""


MOST_IN_A_NOTE = 3
"""Kernels, GPUs, logs or causes that a note names; it counts the others."""

MOST_IN_A_SENTENCE = 32
"""Characters of a name, where several stand in a sentence."""


def brief_name(row: Named) -> str:
    """The short name, cut off where it is long."""
    return cut(short_name(row), MOST_IN_A_SENTENCE)
