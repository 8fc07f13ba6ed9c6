"""What to name where a pattern fits no kernel: those that its writer may have meant."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from operator import eq

from ..builds.kernel_names import base_name, without_parameters
from ..readers.names import demangle
from ..values.spellings import nearest_names

MOST_SUGGESTED = 5
"""Kernels that a message names; it counts the others."""


def names_like(pattern: str, kernels: Iterable[str]) -> str:
    """The names of kernels most like a pattern that fits none, or all where none is like it: each so that it
    is a pattern that fits, with its template arguments where the pattern has some.

    Args:
        pattern: It fits none of the kernels.
        kernels: Their names as the compiler has them.
    """
    of_base: dict[str, set[str]] = {}
    for name in kernels:
        of_base.setdefault(base_name(name), set()).add(name)
    wanted = pattern.strip("*")
    head, _, arguments = wanted.partition("<")
    near = nearest_names(head, of_base)
    if near and head != wanted:
        instances = {without_parameters(demangle(name)) for base in near for name in of_base[base]}
        near = sorted(instances, key=lambda each: (-_agreement(each.partition("<")[2], arguments), each))
    names = near or sorted(of_base)
    more = f" and {len(names) - MOST_SUGGESTED:,} more" if len(names) > MOST_SUGGESTED else ""
    return f"{', '.join(names[:MOST_SUGGESTED])}{more}"


def _agreement(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    return sum(takewhile(bool, map(eq, one, other)))
