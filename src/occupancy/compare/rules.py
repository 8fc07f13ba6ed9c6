"""What the kernels of a build must satisfy, and which kernels each entry of a file of rules is about."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import field, replace
from datetime import date
from typing import ClassVar, Literal, TypeVar

from ..builds.kernel_names import Names
from ..readers import KernelRecord
from ..readers.names import demangle
from ..values.dataclass import dataclass
from ..values.fields import MAX_BARRIERS_PER_BLOCK, MAX_REGISTERS_PER_THREAD
from ..values.limits import ComputeCapability
from ..values.spellings import INT_MAX

Measure = Literal["occupancy", "spill_bytes", "stack_bytes", "spill_smem", "regs", "smem", "barriers"]


@dataclass(frozen=True, slots=True)
class Criterion:
    """One thing that a rule can ask for."""

    measure: Measure
    compares: bool
    """Whether it looks at the change since the baseline, and not at the value alone."""
    least: int
    most: int
    """The smallest and the largest number that a rule can give."""

    @property
    def is_switch(self) -> bool:
        """Whether it is only asked for or not: on, it allows a growth of 0."""
        return self.least == self.most


CRITERIA: dict[str, Criterion] = {
    "min_occupancy": Criterion("occupancy", False, 1, 100),
    "max_regs": Criterion("regs", False, 1, MAX_REGISTERS_PER_THREAD),
    "max_spill_bytes": Criterion("spill_bytes", False, 0, INT_MAX),
    "max_stack_bytes": Criterion("stack_bytes", False, 0, INT_MAX),
    "max_smem": Criterion("smem", False, 0, INT_MAX),
    "max_barriers": Criterion("barriers", False, 0, MAX_BARRIERS_PER_BLOCK),
    "max_occupancy_drop": Criterion("occupancy", True, 0, 100),
    "max_regs_growth": Criterion("regs", True, 0, MAX_REGISTERS_PER_THREAD),
    "no_new_spills": Criterion("spill_bytes", True, 0, 0),
    "no_new_smem_spills": Criterion("spill_smem", True, 0, 0),
    "max_stack_growth": Criterion("stack_bytes", True, 0, INT_MAX),
    "max_smem_growth": Criterion("smem", True, 0, INT_MAX),
}
"""What a rule can ask for, by its name in the file. Occupancy is in percent, a drop of it in points; all
else is in the unit of its measure."""

IN_BYTES: frozenset[Measure] = frozenset({"spill_bytes", "stack_bytes", "spill_smem", "smem"})
"""Measures that are sizes, which rules may write as ``48k``."""


Table = Literal["rules", "launches", "exemptions"]
"""What a file of rules has for some kernels."""

_WORDS: dict[Table, str] = {"rules": "rule", "launches": "launch", "exemptions": "exemption"}


def entry_in_words(table: Table, number: int) -> str:
    """What people call an entry: ``rule 2``, ``launch 1``.

    Args:
        table: Which entries of the file it is one of.
        number: Its place among them, from 1.
    """
    return f"{_WORDS[table]} {number}"


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that a file of rules says of some kernels."""

    table: ClassVar[Table]
    """Which entries of the file it is one of."""

    number: int
    """Its place in the file, from 1."""
    kernels: tuple[str, ...]
    """Patterns of names, any of which may match; ``*`` stands for any text, ``?`` for one character."""
    archs: tuple[ComputeCapability, ...]
    """Empty for all."""
    place: str = field(default="", kw_only=True, compare=False)
    """Where it stands: ``occupancy.toml, line 7: rules[2]``; empty where it stands in no file."""

    @property
    def title(self) -> str:
        """What it is, with its number: ``rule 2``."""
        return entry_in_words(self.table, self.number)

    @property
    def file_and_line(self) -> str:
        """Where it stands, without its place among the others: ``occupancy.toml, line 7``."""
        return self.place.rpartition(": ")[0]

    @property
    def about(self) -> str:
        """The kernels that it is about: ``sgemm* on sm_90``."""
        archs = ", ".join(arch.sm for arch in self.archs)
        return f"{', '.join(self.kernels)}{' on ' if archs else ''}{archs}"

    def __str__(self) -> str:
        """What it is and the kernels that it is about: ``rule 2 (sgemm* on sm_90)``."""
        return f"{self.title} ({self.about})"

    def is_for(self, names: Names, arch: ComputeCapability | None) -> bool:
        """Whether it is about a kernel; variants such as ``sm_90a`` count as the plain architecture."""
        return (not self.archs or arch in self.archs) and any(map(names.match, self.kernels))


@dataclass(frozen=True, slots=True)
class Rule(Entry):
    """What some kernels must satisfy."""

    table: ClassVar[Table] = "rules"
    bounds: dict[str, float | None]
    """What is asked for (see `CRITERIA`) and how much of it; None where the kernels are exempt."""


@dataclass(frozen=True, slots=True)
class Launches(Entry):
    """How some kernels are launched, where no file of the build says it."""

    table: ClassVar[Table] = "launches"
    threads: tuple[int, ...]
    """Block sizes that the kernels are launched with; empty where only the shared memory is stated."""
    dynamic_smem: int | None
    """Bytes of dynamic shared memory per block; None where it is not stated."""


@dataclass(frozen=True, slots=True)
class Exemption(Entry):
    """Kernels that may break a rule until a day."""

    table: ClassVar[Table] = "exemptions"
    criteria: tuple[str, ...]
    """What they need not meet; empty for all."""
    reason: str
    until: date
    """The last day on which it holds."""

    def covers(self, criterion: str) -> bool:
        """Whether it is about what a rule asks for, on whatever day."""
        return not self.criteria or criterion in self.criteria


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a file, how it says that kernels are launched, and the baseline that it names."""

    source: str
    rules: tuple[Rule, ...]
    launches: tuple[Launches, ...]
    baseline: str | None
    """Path of the baseline, where the file names one; relative paths start at the file."""
    exemptions: tuple[Exemption, ...] = ()
    removable: tuple[str, ...] = ()
    """Patterns of the names of kernels that may go: any other that only the baseline has fails a check."""
    threads: int | None = None
    """Threads per block for kernels of which neither a file nor ``launches`` states them."""


Bounds = tuple[tuple[str, Rule, float], ...]
"""Criteria that are asked of a kernel, each with the rule that asks and its bound."""


def bounds_of(rules: Iterable[Rule]) -> Bounds:
    """What the rules that are for a kernel ask of it, with the rule that does: of those that speak of the
    same criterion, the last one holds. What compares comes first."""
    bounds = {name: (rule, bound) for rule in rules for name, bound in rule.bounds.items()}
    asked = [(name, rule, bound) for name, (rule, bound) in bounds.items() if bound is not None]
    return tuple(sorted(asked, key=lambda each: not CRITERIA[each[0]].compares))


def without_comparisons(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The rules less what they ask about changes since the baseline."""
    return tuple(
        replace(
            rule, bounds={name: bound for name, bound in rule.bounds.items() if not CRITERIA[name].compares}
        )
        for rule in rules
    )


E = TypeVar("E", bound=Entry)


def about(
    kernel: KernelRecord, entries: Iterable[E], name: str | None = None, also: Collection[E] = ()
) -> tuple[E, ...]:
    """Those of some entries that are about a kernel.

    Args:
        kernel: The kernel.
        entries: The entries, the order of which stays.
        name: Another name that it had; None: its own counts.
        also: Those of the entries that are about it whatever they name.
    """
    names = Names(kernel.name if name is None else name, demangle)
    return tuple(each for each in entries if each in also or each.is_for(names, kernel.compute_capability))


def idle(entries: Sequence[E], kernels: Iterable[KernelRecord]) -> list[E]:
    """Those of some entries that are about none of some kernels."""
    left = list(entries)
    for kernel in kernels:
        if not left:
            break
        found = about(kernel, left)
        left = [each for each in left if each not in found]
    return left
