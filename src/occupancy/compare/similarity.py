"""Which names of kernels are most alike: of instances of one template, or of renamed kernels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeVar

from ..builds.signatures import signature

T = TypeVar("T")

MAX_COMPARISONS = 1 << 14
"""Pairs of names that are compared with each other; more are matched by how long they begin alike."""

_WORDS = re.compile(r"\d+|[A-Za-z_]+")


@lru_cache(maxsize=1 << 12)
def _words(name: str) -> Counter[str]:
    return Counter(_WORDS.findall(signature(name)))


def similarity(one: str, other: str) -> float:
    """The words and numbers that two names have in common, by all that either has: 0 to 1."""
    ours, theirs = _words(one), _words(other)
    either = sum((ours | theirs).values())
    return sum((ours & theirs).values()) / either if either else 1.0


def most_alike(
    old: Sequence[T],
    new: Sequence[T],
    name_of: Callable[[T], str],
    also: Callable[[T, T], tuple[bool, ...]],
    line_of: Callable[[T], str],
) -> list[tuple[T, T]]:
    """Pairs of one old and one new thing, the most alike first, until one side has none left.

    Neither the order nor which of the two sides is the old one plays a part.

    Args:
        old: Things with names.
        new: Others.
        name_of: The name of one.
        also: What decides where names are equally alike.
        line_of: A text that is equal for equal things only.
    """

    def rank(pair: tuple[T, T]) -> tuple[object, ...]:
        ours, theirs = pair
        alike = similarity(name_of(ours), name_of(theirs))
        lines = sorted((line_of(ours), line_of(theirs)))
        return -alike, tuple(not each for each in also(ours, theirs)), lines

    pairs: list[tuple[T, T]] = []
    taken: set[int] = set()
    for ours, theirs in sorted(((one, other) for one in old for other in new), key=rank):
        if id(ours) not in taken and id(theirs) not in taken:
            taken |= {id(ours), id(theirs)}
            pairs.append((ours, theirs))
    return pairs
