"""The first of very many kernels, which people are shown, and for which architectures the others are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from ..readers import KernelRecord
from ..values.dataclass import dataclass
from .overview import age
from .selection import Show

MOST = 20
"""How many are shown of so many."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What is known of kernels of which people are shown the first."""

    show: Show
    """What they are shown of them."""
    archs_of: Mapping[str, Collection[str | None]]
    """The architectures for which there is a kernel of each name, by the group of the record."""
    most: tuple[str, int] | None
    """The architecture with the most of them, and how many; None where there are no others."""

    @property
    def is_by_name(self) -> bool:
        """Whether of each name only the first is shown, for whatever architecture."""
        return self.show == "one_per_name"

    @property
    def is_by_template(self) -> bool:
        """Whether of each template the one is shown that most deserves a look."""
        return self.show == "one_per_template"


def excerpt_of(kernels: Sequence[KernelRecord], by_arch: Mapping[str | None, int], show: Show) -> Excerpt:
    """What is known of them, and whether one of each name says more than the first few whole ones.

    It does where the same names come again for other architectures. Launches are each of their own: they
    differ in more than that.

    Args:
        kernels: All that are what was asked for.
        by_arch: How many of them there are for each architecture, or how many of those deserve a look.
        show: What is shown of them; in place of whole kernels it may be one of each name.
    """
    archs_of: dict[str, set[str | None]] = {}
    for each in kernels:
        archs_of.setdefault(each.group, set()).add(each.arch)
    if (
        show == "whole_kernels"
        and len(kernels) > MOST
        and any(len(archs) > 1 for archs in archs_of.values())
        and all(each.launches is None for each in kernels)
    ):
        show = "one_per_name"
    named = [(number, age(arch), arch) for arch, number in by_arch.items() if arch is not None]
    number, _, arch = max(named, default=(0, None, None))
    return Excerpt(show, archs_of, None if arch is None or len(by_arch) < 2 else (arch, number))


def in_numbers(kernels: Sequence[KernelRecord]) -> Mapping[str | None, int]:
    """How many there are for each architecture."""
    return Counter(each.arch for each in kernels)
