"""Which kernels of a baseline give way where only some kernels of a build are accepted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ..readers import KernelRecord
from ..values.dataclass import dataclass
from .baseline import Baseline, BaselineKernel, records_of
from .diff import compared
from .matching import match


@dataclass(frozen=True, slots=True)
class Accepted:
    """What becomes of a baseline."""

    old: tuple[KernelRecord, ...]
    """Kernels that leave it: there are others in their place, or the build has them no more."""
    new: tuple[KernelRecord, ...]
    """Kernels of the build that come in."""
    kept: tuple[BaselineKernel, ...]
    """Kernels that stay as they are."""


def accept(
    baseline: Baseline,
    kernels: Sequence[KernelRecord],
    wanted: Callable[[Sequence[KernelRecord]], Iterable[KernelRecord]],
) -> Accepted:
    """Accept some kernels of a build.

    Both are matched as a check matches them, in full: so a kernel that has another name now, or another
    architecture's suffix, takes the place of what it was, by whichever of its names it is asked for.

    Args:
        baseline: What the build was compared with.
        kernels: All kernels of the build.
        wanted: Those of some kernels that are asked for.
    """
    before = tuple(records_of(baseline))
    asked = {id(each) for side in (before, kernels) for each in wanted(side)}
    matching = match(before, kernels, compared)
    pairs = [(old, new) for old, new, _ in matching.pairs if {id(old), id(new)} & asked]
    old = [old for old, _ in pairs] + [each for each in matching.removed if id(each) in asked]
    new = [new for _, new in pairs] + [each for each in matching.added if id(each) in asked]
    leaving = {id(each) for each in old}
    kept = (
        kernel for record, kernel in zip(before, baseline.kernels, strict=True) if id(record) not in leaving
    )
    return Accepted(tuple(old), tuple(new), tuple(kept))
