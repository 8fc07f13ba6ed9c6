"""Which of the kernels that have something in common are pairs: those that are most alike."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, Generic, Protocol, TypeVar

from ..builds.kernel_names import stable_name
from ..builds.signatures import signature

MAX_COMPARISONS = 1 << 14
"""Pairs of names that are compared with each other; more are matched by how long they begin alike."""

_WORDS = re.compile(r"\d+|[A-Za-z_]+")


class Identified(Protocol):
    """What a kernel is recognised by; its ``repr`` is to state all that is known of it."""

    @property
    def name(self) -> str: ...
    @property
    def arch(self) -> str | None: ...
    @property
    def source(self) -> str: ...
    @property
    def threads(self) -> int | None: ...
    @property
    def dynamic_smem(self) -> int | None: ...
    @property
    def code(self) -> int | None: ...


K = TypeVar("K", bound=Identified)


@dataclass(frozen=True)
class Entry(Generic[K]):
    """A kernel that is to find its match."""

    kernel: K
    measures: Hashable
    """All that is compared of it."""

    @property
    def launch(self) -> Hashable:
        """What tells launches of one kernel apart."""
        return self.kernel.threads, self.kernel.dynamic_smem

    @cached_property
    def line(self) -> str:
        """A text by which kernels that are alike are neighbours; only equal kernels have the same one.

        What tells kernels apart stands first, and all that is known of one last, so that nothing is left
        to the order in which the kernels were found. Most kernels are matched without it.
        """
        kernel = self.kernel
        names = f"{kernel.arch} {stable_name(kernel.name)} {kernel.source} {kernel.name}"
        return f"{names} {kernel.threads} {kernel.dynamic_smem} {self.measures} {kernel!r}"


Entries = list[Entry[K]]
Split = tuple[list[tuple[Entry[K], Entry[K]]], Entries[K], Entries[K]]
"""Pairs, and what is left of the old and of the new kernels."""


def closest_first(old: Entries[K], new: Entries[K]) -> Split[K]:
    """Pair up those first whose lines agree the longest, until one side has none left.

    Lines in order are the leaves of a tree, whose nodes are what neighbours begin with alike. From the
    leaves up, each node pairs what its branches have left; so thousands that are alike take no longer than
    sorting them.
    """
    if len(old) == len(new) == 1:
        return [(old[0], new[0])], [], []
    sides = ((0, old), (1, new))
    both = sorted(
        ((entry.line, side, entry) for side, entries in sides for entry in entries), key=lambda item: item[:2]
    )
    pairs: list[tuple[Entry[K], Entry[K]]] = []
    open_nodes: list[_Node[K]] = []
    node = _Node.leaf(*both[0][1:])
    for (line, _, _), (following, side, entry) in pairwise(both):
        depth = _agreement(line, following)
        while open_nodes and open_nodes[-1].depth > depth:
            node = open_nodes.pop().closed(node, pairs)
        if not open_nodes or open_nodes[-1].depth < depth:
            open_nodes.append(_Node(depth))
        open_nodes[-1].absorb(node)
        node = _Node.leaf(side, entry)
    while open_nodes:
        node = open_nodes.pop().closed(node, pairs)
    return pairs, list(node.sides[0]), list(node.sides[1])


class _Node(Generic[K]):
    """Entries whose lines begin alike, as far as they have found no match."""

    def __init__(self, depth: int) -> None:
        self.depth = depth
        """How many characters they have in common."""
        self.sides: tuple[deque[Entry[K]], deque[Entry[K]]] = (deque(), deque())
        """Of the old build and of the new one, in the order of their lines."""

    @classmethod
    def leaf(cls, side: int, entry: Entry[K]) -> _Node[K]:
        node = cls(len(entry.line))
        node.sides[side].append(entry)
        return node

    def absorb(self, branch: _Node[K]) -> None:
        """Take what the next branch has left; the shorter of two lists goes to the longer one."""
        sides = []
        for ours, theirs in zip(self.sides, branch.sides, strict=True):
            if len(ours) >= len(theirs):
                ours.extend(theirs)
                sides.append(ours)
            else:
                theirs.extendleft(reversed(ours))
                sides.append(theirs)
        self.sides = sides[0], sides[1]

    def closed(self, last: _Node[K], pairs: list[tuple[Entry[K], Entry[K]]]) -> _Node[K]:
        """The node with its last branch, and without what has found a match."""
        self.absorb(last)
        old, new = self.sides
        while old and new:
            pairs.append((old.popleft(), new.popleft()))
        return self


def _agreement(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginnings."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def most_alike_first(old: Entries[K], new: Entries[K]) -> Split[K]:
    """Pair up those first whose template arguments and parameters have the most in common.

    Neither the order nor which of the two sides is the old one plays a part.
    """
    if len(old) == len(new) == 1 or len(old) * len(new) > MAX_COMPARISONS:
        return closest_first(old, new)
    pairs: list[tuple[Entry[K], Entry[K]]] = []
    taken: set[int] = set()
    for ours, theirs in sorted(((one, other) for one in old for other in new), key=_rank):
        if id(ours) not in taken and id(theirs) not in taken:
            taken |= {id(ours), id(theirs)}
            pairs.append((ours, theirs))
    left, right = ([each for each in side if id(each) not in taken] for side in (old, new))
    return pairs, left, right


def _rank(pair: tuple[Entry[Any], Entry[Any]]) -> tuple[object, ...]:
    """The smaller, the more alike; where names are equally alike, what else they have in common decides."""
    one, other = pair
    ours, theirs = one.kernel, other.kernel
    return (
        -similarity(ours.name, theirs.name),
        ours.arch != theirs.arch,
        ours.code is None or ours.code != theirs.code,
        ours.source != theirs.source,
        one.measures != other.measures,
        one.launch != other.launch,
        sorted((one.line, other.line)),
    )


@lru_cache(maxsize=1 << 12)
def _words(name: str) -> Counter[str]:
    return Counter(_WORDS.findall(signature(name)))


def similarity(one: str, other: str) -> float:
    """The words and numbers that two names have in common, by all that either has: 0 to 1."""
    ours, theirs = _words(one), _words(other)
    either = sum((ours | theirs).values())
    return sum((ours & theirs).values()) / either if either else 1.0
