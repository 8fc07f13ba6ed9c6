"""Kernels' names as people are shown them: shorter than the compiler's, and still whole."""

from __future__ import annotations

import re
from typing import Protocol

from ..builds.kernel_names import VERSIONED_NAMESPACE
from ..render import words

IF_SHORTENED = "Names are shortened: --full-names shows whole ones."
"""Below a table that had no room for some."""

_VERSIONED = re.compile(rf"\b{VERSIONED_NAMESPACE}::")


class Named(Protocol):
    """What has a readable name."""

    @property
    def demangled(self) -> str: ...


def short_name(row: Named) -> str:
    """The demangled name without the parameters, which launches do not need to be distinguished, and without
    namespaces of a library's version, which are longer than the names in them."""
    name = _VERSIONED.sub("", words.printable(row.demangled)).removeprefix("void ")
    if name.endswith(")"):
        depth = 0
        for position in range(len(name) - 1, 0, -1):
            depth += {")": 1, "(": -1}.get(name[position], 0)
            if depth == 0:
                return name[:position]
    return name


MOST_OF_A_NAME = 32
"""Characters, where several names stand in a sentence."""


def brief_name(row: Named) -> str:
    """The short name, cut off where it is long."""
    name = short_name(row)
    return name if len(name) <= MOST_OF_A_NAME else f"{name[: MOST_OF_A_NAME - 3]}..."
