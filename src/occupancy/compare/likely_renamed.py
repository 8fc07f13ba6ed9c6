"""Kernels that may be the same under another name, where no code tells: people are asked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable

from ..readers import KernelRecord
from ..readers.names import demangle
from ..values.dataclass import dataclass
from .measures import compared


@dataclass(frozen=True, slots=True)
class Apart:
    """A kernel that one build alone has, of two."""

    name: str
    arch: str | None
    source: str

    @property
    def demangled(self) -> str:
        """The name as people write it."""
        return demangle(self.name)


@dataclass(frozen=True, slots=True)
class LikelyRenamed:
    """A kernel that only the old build has, and that may have another name in the new one: of those that only
    this has just one needs exactly as much, and no code tells whether they are the same."""

    old: Apart
    """In the old build or the baseline, for one of its architectures."""
    new: Apart
    """In the new one."""


def as_apart(kernel: KernelRecord) -> Apart:
    """A kernel of one build alone, as it is told of."""
    return Apart(kernel.name, kernel.arch, kernel.source)


def likely_renamed(
    removed: Iterable[KernelRecord], added: Iterable[KernelRecord]
) -> list[tuple[KernelRecord, KernelRecord]]:
    """Kernels of which one build alone has the name, and which need exactly the same for each architecture,
    as no other ones of these do.

    Where both builds have the code, and it was not found to be the same, nothing is likely.

    Args:
        removed: Kernels of the old build that have no counterpart.
        added: Those of the new one.

    Returns:
        The first of each name that is gone, with the first of the name that may have taken its place.
    """
    olds, news = _by_needs(removed), _by_needs(added)
    pairs = ((olds[needs], news[needs]) for needs in olds if needs in news)
    return [
        (old[0][0], new[0][0])
        for old, new in pairs
        if len(old) == len(new) == 1 and None in (old[0][0].code, new[0][0].code)
    ]


def _by_needs(kernels: Iterable[KernelRecord]) -> dict[Hashable, list[list[KernelRecord]]]:
    """What kernels of a name need on all architectures -> the kernels of each such name."""
    of_names: dict[str, list[KernelRecord]] = defaultdict(list)
    for kernel in kernels:
        of_names[kernel.name].append(kernel)
    found: dict[Hashable, list[list[KernelRecord]]] = defaultdict(list)
    for named in of_names.values():
        found[frozenset((each.arch, compared(each)) for each in named)].append(named)
    return found
