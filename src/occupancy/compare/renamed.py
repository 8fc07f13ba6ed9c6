"""Which rules are for which kernels, also where a kernel has another name than when the rule was written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..builds.kernel_names import Names, without_parameters
from ..readers import KernelRecord
from ..readers.names import demangle
from .rules import Rule
from .violations import Renamed


class Assigned(NamedTuple):
    """Which rules are for which kernels."""

    rules: list[tuple[Rule, ...]]
    """Of each kernel, in the order of the file."""
    renamed: tuple[Renamed, ...]


def assign(
    rules: Sequence[Rule], kernels: Sequence[KernelRecord], before: Mapping[int, KernelRecord]
) -> Assigned:
    """Which rules are for which kernels.

    A kernel is known by its name of now. Only a rule that is for none like that is for those that had such a
    name: else a pattern for what is old would also be for what was made new.

    Args:
        rules: The rules.
        kernels: The kernels of the build.
        before: The identity of a kernel -> what it was in the baseline.
    """
    of_kernels = [_of(rules, each.name, each) for each in kernels]
    named = {rule.number for each in of_kernels for rule in each}
    idle = [rule for rule in rules if rule.number not in named]
    now: dict[int, dict[str, None]] = defaultdict(dict)
    for place, kernel in enumerate(kernels) if idle else ():
        old = before.get(id(kernel))
        found = _of(idle, old.name, kernel) if old is not None and old.name != kernel.name else ()
        for rule in found:
            now[rule.number][without_parameters(demangle(kernel.name))] = None
        if found:
            of_kernels[place] = tuple(sorted((*of_kernels[place], *found), key=lambda rule: rule.number))
    renamed = (
        Renamed(rule.number, rule.kernels, tuple(now[rule.number])) for rule in idle if rule.number in now
    )
    return Assigned(of_kernels, tuple(renamed))


def _of(rules: Sequence[Rule], name: str, kernel: KernelRecord) -> tuple[Rule, ...]:
    names = Names(name, demangle)
    return tuple(rule for rule in rules if rule.is_for(names, kernel.compute_capability))
