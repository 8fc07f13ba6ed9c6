"""What to say of a name in a file of rules, or of the user's, that no kernel of a build has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import takewhile
from operator import eq

from ..builds.kernel_names import Names, base_name, without_parameters
from ..errors import RulesError
from ..readers import KernelRecord
from ..readers.names import demangle
from ..values.limits import ComputeCapability
from ..values.spellings import nearest_names
from .diff import in_one_only
from .likely_renamed import likely_renamed
from .matching import Matching, match
from .measures import compared
from .rules import Entry

Named = tuple[Names, ComputeCapability | None]
"""The names of a kernel, and its architecture."""

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
    return _few(near or sorted(of_base))


class NoKernel:
    """Makes the errors of entries that are for no kernel of a build.

    Args:
        build: What the build is called.
        kernels: All its kernels.
        baseline: All kernels of the baseline; none without one.
        ignore_arch: Whether a kernel without a counterpart of its architecture is compared with another.
    """

    def __init__(
        self,
        build: str,
        kernels: Sequence[KernelRecord],
        baseline: Sequence[KernelRecord],
        *,
        ignore_arch: bool = False,
    ) -> None:
        self._build = build
        self._kernels = kernels
        self._baseline = baseline
        self._ignores_arch = ignore_arch

    def error(self, entry: Entry, *, hint: str, archs: str = "") -> RulesError:
        """That an entry is for none, with the names that the kernels may have now which it is about.

        Args:
            entry: The entry.
            hint: What to do where it is for none of the baseline either.
            archs: What to say of all kernels behind their names.
        """
        problem, allowed = f"{entry} is for no kernel of {self._build}", ""
        if now := self.now(entry):
            hint = f"It names a kernel that was renamed to {now}: change it to that first."
        elif new := self._new_instead(entry):
            perhaps = self._perhaps.meant(entry)
            which = (
                f"{_few(perhaps)} {'is new and needs' if len(perhaps) == 1 else 'are new and need'} exactly "
                "as much"
                if perhaps
                else f"new are {names_like(entry.kernels[0], new)}"
            )
            todo = "If it was renamed, write the new name; else remove the old one."
            hint = f"The baseline has it; {which}. {todo}"
        else:
            allowed = f"{self._like(entry)}{archs}"
        return RulesError(problem, where=entry.file_and_line, allowed=allowed, hint=hint)

    def near(self, entry: Entry) -> str:
        """Names of kernels that there are, of which an entry may be meant that is for none."""
        return self.now(entry) or _few(self._perhaps.meant(entry)) or self._like(entry)

    def may_be_renamed(self, entry: Entry) -> bool:
        """Whether what an entry is for that is for none may be in the build by another name."""
        return bool(self.now(entry) or self._new_instead(entry))

    def _like(self, entry: Entry) -> str:
        return names_like(entry.kernels[0], (kernel.name for kernel in self._kernels))

    @cached_property
    def _matching(self) -> Matching[KernelRecord]:
        return match(self._baseline, self._kernels, compared, ignore_arch=self._ignores_arch)

    @cached_property
    def likely(self) -> list[tuple[KernelRecord, KernelRecord]]:
        """See `likely_renamed`: by what the builds say of them. A size that the file of rules states of one
        of the two names alone makes no difference."""
        gone = in_one_only(self._matching.removed, self._kernels)
        return likely_renamed(gone, in_one_only(self._matching.added, self._baseline))

    @cached_property
    def before(self) -> dict[int, KernelRecord]:
        """The identity of a kernel of the build -> what it was in the baseline, as far as that is known."""
        return {id(new): old for old, new, _ in self._matching.pairs}

    @cached_property
    def perhaps_before(self) -> dict[int, KernelRecord]:
        """The same of the kernels that may have been renamed, for each architecture."""
        olds = {(kernel.name, kernel.arch): kernel for kernel in self._matching.removed}
        old_names = {new.name: old.name for old, new in self.likely}
        asked = ((kernel, (old_names.get(kernel.name), kernel.arch)) for kernel in self._matching.added)
        return {id(kernel): olds[key] for kernel, key in asked if key in olds}

    @cached_property
    def _renamed(self) -> _NewNames:
        return _NewNames((old, new) for old, new, _ in self._matching.pairs if old.name != new.name)

    @cached_property
    def _perhaps(self) -> _NewNames:
        return _NewNames(self.likely)

    @cached_property
    def _before(self) -> list[Named]:
        return list(map(_named, self._baseline))

    def now(self, entry: Entry) -> str:
        """The names that the kernels have now which it is about; empty where they have gone."""
        return _few(self._renamed.meant(entry))

    def _new_instead(self, entry: Entry) -> list[str]:
        """The names of the kernels that are new, where the baseline has one that it is for."""
        has_it = any(entry.is_for(*each) for each in self._before)
        return [kernel.name for kernel in self._matching.added] if has_it else []


class _NewNames:
    """What kernels are called now that had other names; their names are taken apart once for all entries.

    Args:
        pairs: The kernels as they were, and as they are.
    """

    def __init__(self, pairs: Iterable[tuple[KernelRecord, KernelRecord]]) -> None:
        self._pairs = [(_named(old), new.name) for old, new in pairs]

    def meant(self, entry: Entry) -> list[str]:
        """The names now, as people write them and without parameters, of those that it was about."""
        found = {new for old, new in self._pairs if entry.is_for(*old)}
        return sorted({without_parameters(demangle(name)) for name in found})


def _named(kernel: KernelRecord) -> Named:
    return Names(kernel.name, demangle), kernel.compute_capability


def _few(names: Sequence[str]) -> str:
    """The first of some names, and how many more there are."""
    more = f" and {len(names) - MOST_SUGGESTED:,} more" if len(names) > MOST_SUGGESTED else ""
    return f"{', '.join(names[:MOST_SUGGESTED])}{more}"


def _agreement(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    return sum(takewhile(bool, map(eq, one, other)))
