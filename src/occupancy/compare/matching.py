"""Which kernel of one build is which kernel of another."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import pairwise
from typing import Any, Generic, Literal, Protocol, TypeVar

from ..builds.kernel_names import base_name, last_name, numberless, stable_name
from ..builds.signatures import signature
from .similarity import MAX_COMPARISONS, most_alike

MatchedBy = Literal["name", "stable_name", "signature", "base_name", "code", "last_name", "numberless"]
"""What two kernels have in common: the mangled name; the name without what the compiler adds of the place
and the libraries of a build; its signature in one spelling; the name without template arguments and
parameters; the machine code itself; the name without its namespaces; or that without numbers."""


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


@dataclass(frozen=True, slots=True)
class Matching(Generic[K]):
    """The kernels of two builds."""

    pairs: tuple[tuple[K, K, MatchedBy], ...]
    """The old kernel, the new one, and what they have in common."""
    removed: tuple[K, ...]
    """Only in the old build."""
    added: tuple[K, ...]
    """Only in the new build."""


def match(
    old: Iterable[K], new: Iterable[K], measures: Callable[[K], Hashable], *, ignore_arch: bool = False
) -> Matching[K]:
    """Match the kernels of two builds, each with one at most.

    A kernel is matched with its namesake of the same architecture; among several (from several files, or
    launched with several block sizes) with the one that is most alike. What is left is matched without
    the suffix of the architecture (``sm_90`` and ``sm_90a``), then by `stable_name`, and so on through
    `MatchedBy`; where only a part of the names agrees, those first whose names are most alike.

    The order of the kernels plays no part, and the result is mirrored if old and new change places.

    Args:
        old: The kernels of the old build.
        new: The kernels of the new one.
        measures: All that is compared of a kernel; namesakes that agree in it need not be told apart.
        ignore_arch: Whether a kernel may be matched with one of another architecture, if it has none of
            its own.
    """
    left = [_Entry(kernel, measures(kernel)) for kernel in old]
    right = [_Entry(kernel, measures(kernel)) for kernel in new]
    pairs: list[tuple[K, K, MatchedBy]] = []
    for matched_by, key, pair_up in _keys(ignore_arch):
        if not left or not right:
            break
        found, left, right = _match_by(key, left, right, pair_up)
        pairs += ((one.kernel, other.kernel, matched_by) for one, other in found)
    return Matching(tuple(pairs), _in_order(left), _in_order(right))


def closest_namesakes(
    kernels: Iterable[K], others: Iterable[K], measures: Callable[[K], Hashable], *, ignore_arch: bool = False
) -> list[tuple[K, K]]:
    """Of the kernels whose complete name another build has, too: each with that of it which is most alike.

    Unlike what `match` finds, several can have the same one.

    Args:
        kernels: The kernels of one build.
        others: Those of the other one.
        measures: As for `match`.
        ignore_arch: As for `match`.
    """
    left = [_Entry(kernel, measures(kernel)) for kernel in kernels]
    entries = [_Entry(kernel, measures(kernel)) for kernel in others] if left else []
    likeness = _likeness(ignore_arch)
    found: list[tuple[K, K]] = []
    for matched_by, name_of in _NAMES:
        if matched_by == "signature" and all(map(_is_mangled, left)):
            # Most names are mangled, and of those the stable ones are equal, too; to spell them takes long.
            entries = [entry for entry in entries if not _is_mangled(entry)]
        wanted = {name_of(entry.kernel.name) for entry in left}
        closest: dict[Hashable, _Entry[K]] = {}
        for entry in entries:
            name = name_of(entry.kernel.name)
            for level, alike in enumerate(likeness if name in wanted else ()):
                known = closest.setdefault((name, level, alike(entry)), entry)
                if known is not entry and entry.line < known.line:
                    closest[name, level, alike(entry)] = entry
        without = []
        for entry in left:
            name = name_of(entry.kernel.name)
            keys = ((name, level, alike(entry)) for level, alike in enumerate(likeness))
            namesake = next((closest[key] for key in keys if key in closest), None)
            if namesake is None:
                without.append(entry)
            else:
                found.append((entry.kernel, namesake.kernel))
        left = without
    return found


@lru_cache(maxsize=64)
def family(arch: str | None) -> str:
    """The architecture without the suffix of its variants: ``sm_90`` for ``sm_90a``."""
    return (arch or "").rstrip("af")


@dataclass(frozen=True)
class _Entry(Generic[K]):
    kernel: K
    measures: Hashable

    @cached_property
    def line(self) -> str:
        """A text by which kernels that are alike are neighbours; only equal kernels have the same one.

        What tells kernels apart stands first, and all that is known of one last, so that nothing is left
        to the order in which the kernels were found. Most kernels are matched without it.
        """
        kernel = self.kernel
        names = f"{kernel.arch} {stable_name(kernel.name)} {kernel.source} {kernel.name}"
        return f"{names} {kernel.threads} {kernel.dynamic_smem} {self.measures} {kernel!r}"


Entries = list[_Entry[K]]
Key = Callable[[_Entry[Any]], Hashable]
Split = tuple[list[tuple[_Entry[K], _Entry[K]]], Entries[K], Entries[K]]
"""Pairs, and what is left of the old and of the new kernels."""


def _launch(entry: _Entry[Any]) -> Hashable:
    return entry.kernel.threads, entry.kernel.dynamic_smem


# What namesakes must have in common, the strictest first: who has found its match is not asked again.
_LIKENESS: tuple[Key, ...] = (
    lambda entry: (entry.kernel.arch, entry.kernel.source, entry.measures),
    lambda entry: (entry.kernel.arch, entry.kernel.source, _launch(entry)),
    lambda entry: (entry.kernel.arch, entry.kernel.source),
    lambda entry: (entry.kernel.arch, entry.measures),
    lambda entry: (entry.kernel.arch, _launch(entry)),
    lambda entry: entry.kernel.arch,
    lambda entry: family(entry.kernel.arch),
)


NameOf = Callable[[str], str | None]
"""From a kernel's name to a part of it; None where there is none to recognise it by."""
PairUp = Callable[["Entries[Any]", "Entries[Any]"], "Split[Any]"]

_NAMES: tuple[tuple[MatchedBy, NameOf], ...] = (
    ("name", str), ("stable_name", stable_name), ("signature", signature)
)  # fmt: skip
"""What names a kernel completely."""
_PARTS: tuple[tuple[MatchedBy, NameOf], ...] = (
    ("last_name", last_name), ("numberless", numberless)
)  # fmt: skip


def _keys(ignore_arch: bool) -> Iterator[tuple[MatchedBy, Key, PairUp]]:
    """What must be equal, one after the other; None is equal to nothing."""
    likeness = _likeness(ignore_arch)
    loosest = likeness[-1]
    for matched_by, name_of in _NAMES:
        for alike in likeness:
            yield matched_by, partial(_key, name_of, alike), _closest_first
    for alike in likeness[len(_LIKENESS) - 1 :]:
        yield "base_name", partial(_key, base_name, alike), _most_alike_first
    yield "code", _same_code, _closest_first
    for matched_by, name_of in _PARTS:
        yield matched_by, partial(_key, name_of, loosest), _most_alike_first


def _likeness(ignore_arch: bool) -> tuple[Key, ...]:
    return (*_LIKENESS, _any_arch) if ignore_arch else _LIKENESS


def _is_mangled(entry: _Entry[K]) -> bool:
    return entry.kernel.name.startswith("_Z")


def _any_arch(_: _Entry[Any]) -> Hashable:
    return ""


def _key(name_of: NameOf, likeness: Key, entry: _Entry[Any]) -> Hashable:
    name = name_of(entry.kernel.name)
    return None if name is None else (name, likeness(entry))


def _same_code(entry: _Entry[Any]) -> Hashable:
    kernel = entry.kernel
    return None if kernel.code is None else (kernel.code, kernel.arch, entry.measures)


def _match_by(
    key: Key, old: Entries[K], new: Entries[K], pair_up: Callable[[Entries[K], Entries[K]], Split[K]]
) -> Split[K]:
    """Pair up what has equal keys."""
    groups: dict[Hashable, tuple[Entries[K], Entries[K]]] = defaultdict(lambda: ([], []))
    for side, entries in enumerate((old, new)):
        for entry in entries:
            groups[key(entry)][side].append(entry)
    pairs: list[tuple[_Entry[K], _Entry[K]]] = []
    left: Entries[K] = []
    right: Entries[K] = []
    for common, (ours, theirs) in groups.items():
        if ours and theirs and common is not None:
            found, ours, theirs = pair_up(ours, theirs)
            pairs += found
        left += ours
        right += theirs
    return pairs, left, right


def _closest_first(old: Entries[K], new: Entries[K]) -> Split[K]:
    """Pair up those first whose lines agree the longest, until one side has none left.

    Lines in order are the leaves of a tree, whose nodes are what neighbours begin with alike. From the
    leaves up, each node pairs what its branches have left; so thousands that are alike take no longer than
    sorting them.
    """
    if len(old) == len(new) == 1:
        return [(old[0], new[0])], [], []
    sides = ((0, old), (1, new))
    both = sorted(((entry.line, side, entry) for side, entries in sides for entry in entries), key=_first_two)
    pairs: list[tuple[_Entry[K], _Entry[K]]] = []
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
        self.sides: tuple[deque[_Entry[K]], deque[_Entry[K]]] = (deque(), deque())
        """Of the old build and of the new one, in the order of their lines."""

    @classmethod
    def leaf(cls, side: int, entry: _Entry[K]) -> _Node[K]:
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

    def closed(self, last: _Node[K], pairs: list[tuple[_Entry[K], _Entry[K]]]) -> _Node[K]:
        """The node with its last branch, and without what has found a match."""
        self.absorb(last)
        old, new = self.sides
        while old and new:
            pairs.append((old.popleft(), new.popleft()))
        return self


def _first_two(item: tuple[str, int, object]) -> tuple[str, int]:
    return item[:2]


def _most_alike_first(old: Entries[K], new: Entries[K]) -> Split[K]:
    """Pair up those first whose template arguments and parameters have the most in common."""
    if len(old) == len(new) == 1 or len(old) * len(new) > MAX_COMPARISONS:
        return _closest_first(old, new)
    pairs = most_alike(old, new, lambda entry: entry.kernel.name, _also_alike, _line)
    paired = {id(entry) for pair in pairs for entry in pair}
    return (
        pairs,
        [entry for entry in old if id(entry) not in paired],
        [entry for entry in new if id(entry) not in paired],
    )


def _also_alike(one: _Entry[Any], other: _Entry[Any]) -> tuple[bool, ...]:
    """What decides where names are equally alike."""
    return (
        one.kernel.arch == other.kernel.arch,
        one.kernel.code is not None and one.kernel.code == other.kernel.code,
        one.kernel.source == other.kernel.source,
        one.measures == other.measures,
        _launch(one) == _launch(other),
    )


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


def _line(entry: _Entry[Any]) -> str:
    return entry.line


def _in_order(entries: Entries[K]) -> tuple[K, ...]:
    return tuple(entry.kernel for entry in sorted(entries, key=_line))
