"""Which kernel of one build is which kernel of another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cache, lru_cache, partial
from typing import Any, Generic, Literal

from ..builds.kernel_names import base_name, last_name, numberless, stable_name
from ..builds.signatures import signature
from ..values.dataclass import dataclass
from .pairing import Entries, Entry, K, Split, closest_first, most_alike_first

MatchedBy = Literal["name", "stable_name", "signature", "base_name", "code", "last_name", "numberless"]
"""What two kernels have in common: the mangled name; the name without what the compiler adds of the place
and the libraries of a build; its signature in one spelling; the name without template arguments and
parameters; the machine code itself; the name without its namespaces; or that without numbers."""


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
    left = [Entry(kernel, measures(kernel)) for kernel in old]
    right = [Entry(kernel, measures(kernel)) for kernel in new]
    pairs: list[tuple[K, K, MatchedBy]] = []
    for matched_by, key, pair_up in _keys(ignore_arch):
        if not left or not right:
            break
        found, left, right = _match_by(key, left, right, pair_up)
        pairs += ((one.kernel, other.kernel, matched_by) for one, other in found)
    return Matching(tuple(pairs), _in_order(left), _in_order(right))


def with_counterparts(
    old: Sequence[K],
    new: Sequence[K],
    asked: Iterable[K],
    measures: Callable[[K], Hashable],
    *,
    ignore_arch: bool = False,
) -> tuple[tuple[K, ...], tuple[K, ...]]:
    """Some kernels of two builds, each with its counterpart: so it is the same by whichever of its names it
    is asked for.

    Args:
        old: The kernels of the old build.
        new: The kernels of the new one.
        asked: Some of either.
        measures: As for `match`.
        ignore_arch: As for `match`.

    Returns:
        Those of the old build and those of the new one, in the order of these.
    """
    wanted = set(map(id, asked))
    for one, other, _ in match(old, new, measures, ignore_arch=ignore_arch).pairs:
        pair = {id(one), id(other)}
        if pair & wanted:
            wanted |= pair
    before, after = (tuple(kernel for kernel in side if id(kernel) in wanted) for side in (old, new))
    return before, after


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
    left = [Entry(kernel, measures(kernel)) for kernel in kernels]
    entries = [Entry(kernel, measures(kernel)) for kernel in others] if left else []
    likeness = _likeness(ignore_arch)
    found: list[tuple[K, K]] = []
    for matched_by, name_of in _NAMES:
        if matched_by == "signature" and all(map(_is_mangled, left)):
            # Most names are mangled, and of those the stable ones are equal, too; to spell them takes long.
            entries = [entry for entry in entries if not _is_mangled(entry)]
        wanted = {name_of(entry.kernel.name) for entry in left}
        closest: dict[Hashable, Entry[K]] = {}
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


Key = Callable[[Entry[Any]], Hashable]

# What namesakes must have in common, the strictest first: who has found its match is not asked again.
_LIKENESS: tuple[Key, ...] = (
    lambda entry: (entry.kernel.arch, entry.kernel.source, entry.measures),
    lambda entry: (entry.kernel.arch, entry.kernel.source, entry.launch),
    lambda entry: (entry.kernel.arch, entry.kernel.source),
    lambda entry: (entry.kernel.arch, entry.measures),
    lambda entry: (entry.kernel.arch, entry.launch),
    lambda entry: entry.kernel.arch,
    lambda entry: family(entry.kernel.arch),
)

NameOf = Callable[[str], str | None]
"""From a kernel's name to a part of it; None where there is none to recognise it by."""
PairUp = Callable[[Entries[Any], Entries[Any]], Split[Any]]

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
        name_once = cache(name_of)  # to spell a name takes longer than all else that is compared
        for alike in likeness:
            yield matched_by, partial(_key, name_once, alike), closest_first
    for alike in likeness[len(_LIKENESS) - 1 :]:
        yield "base_name", partial(_key, base_name, alike), most_alike_first
    yield "code", lambda entry: (code := _code(entry)) and (code, entry.measures), closest_first
    yield "code", _code, closest_first  # as where a block size is stated of one of the two names
    for matched_by, name_of in _PARTS:
        yield matched_by, partial(_key, name_of, loosest), most_alike_first


def _likeness(ignore_arch: bool) -> tuple[Key, ...]:
    return (*_LIKENESS, lambda _: "") if ignore_arch else _LIKENESS


def _is_mangled(entry: Entry[K]) -> bool:
    return entry.kernel.name.startswith("_Z")


def _key(name_of: NameOf, likeness: Key, entry: Entry[Any]) -> Hashable:
    name = name_of(entry.kernel.name)
    return None if name is None else (name, likeness(entry))


def _code(entry: Entry[Any]) -> Hashable:
    kernel = entry.kernel
    return None if kernel.code is None else (kernel.code, kernel.arch)


def _match_by(key: Key, old: Entries[K], new: Entries[K], pair_up: PairUp) -> Split[K]:
    """Pair up what has equal keys."""
    groups: dict[Hashable, tuple[Entries[K], Entries[K]]] = defaultdict(lambda: ([], []))
    for side, entries in enumerate((old, new)):
        for entry in entries:
            groups[key(entry)][side].append(entry)
    pairs: list[tuple[Entry[K], Entry[K]]] = []
    left: Entries[K] = []
    right: Entries[K] = []
    for common, (ours, theirs) in groups.items():
        if ours and theirs and common is not None:
            found, ours, theirs = pair_up(ours, theirs)
            pairs += found
        left += ours
        right += theirs
    return pairs, left, right


def _in_order(entries: Entries[K]) -> tuple[K, ...]:
    return tuple(entry.kernel for entry in sorted(entries, key=lambda entry: entry.line))
