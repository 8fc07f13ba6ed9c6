"""The result of checking kernels against rules: which kernels break which rules."""

from __future__ import annotations

import dataclasses
from collections import Counter
from dataclasses import field
from datetime import date

from ..advice.next_steps import NextStep
from ..builds.scan_row import ScanRow
from ..readers import KernelRecord
from ..readers.names import demangle
from ..readers.record import ThreadsFrom
from ..values.dataclass import dataclass
from .likely_renamed import Apart, LikelyRenamed
from .rules import Entry, Exemption, Table
from .same_sizes import AtSize


@dataclass(frozen=True, slots=True)
class Violation:
    """What breaks a rule."""

    rule: int
    """The rule's place in the file, from 1."""
    criterion: str
    """Its name in the file, such as ``min_occupancy``."""
    bound: float
    """The least or the most that it allows, or how much of a change; an occupancy from 0 to 1."""
    was: float | None
    """The value in the baseline; None without one, or where the kernel is not in it."""
    value: float
    """The value now."""
    threads: int | None
    """Threads per block that an occupancy is about; None for what does not depend on them."""
    threads_from: ThreadsFrom | None
    """``deciding``: no file states the block size, and of all that both builds can launch with this one has
    the greatest drop."""
    shown: AtSize | None
    """The occupancies at the launch bound, else at a usual size, which people are shown first; None where
    that is the size that decides, or where a size is stated."""
    next_step: NextStep | None
    """The change that would help, and the occupancy then; None where no single one is known to."""


@dataclass(frozen=True, slots=True)
class Violating:
    """A kernel that breaks rules."""

    kernel: ScanRow
    baseline: ScanRow | None
    """The kernel in the baseline; None without one, or where it is not in it."""
    violations: tuple[Violation, ...]

    def __repr__(self) -> str:
        return f"<Violating {', '.join(each.criterion for each in self.violations)}: {self.kernel.title}>"


@dataclass(frozen=True, slots=True)
class Holding:
    """A kernel that meets all rules."""

    name: str
    arch: str | None
    source: str
    threads: int | None
    """Threads per block of a launch; None for a kernel."""
    checks: int
    """How much was asked of it."""

    @property
    def demangled(self) -> str:
        """The name as people write it."""
        return demangle(self.name)


def launched_with(row: KernelRecord) -> int | None:
    """Threads per block, where the row is a launch: they tell it from other launches of the kernel."""
    return row.threads if row.threads_from == "launch" else None


@dataclass(frozen=True, slots=True)
class Renamed:
    """An entry of the file of rules that names kernels as the baseline has them."""

    table: Table
    """Which entries of the file it is one of."""
    number: int
    """Its place among them, from 1."""
    kernels: tuple[str, ...]
    """Those of its patterns that fit the names of the baseline."""
    now: tuple[str, ...]
    """The names that these kernels have now, readable and without parameters."""
    counts: bool
    """Whether it counts for them. It does where the patterns fit no kernel as it is called now; where they
    fit others, only people know which are meant."""
    is_likely: bool
    """Whether they may only have been renamed (see `LikelyRenamed`)."""
    place: str
    """The file, and the line at which the entry begins where that is known: ``occupancy.toml, line 7``."""


@dataclass(frozen=True, slots=True)
class Exempted:
    """A kernel that breaks rules, and may."""

    violating: Violating
    reason: str
    until: date


@dataclasses.dataclass(slots=True)
class Checked:
    """The result of a check."""

    violating: list[Violating] = field(default_factory=list)
    holding: list[Holding] = field(default_factory=list)
    matched: Counter[int] = field(default_factory=Counter)
    """The number of a rule -> the kernels that it is for."""
    checks: int = 0
    """Questions that were answered."""
    added: tuple[Apart, ...] = ()
    """Kernels that the baseline does not have."""
    namesakes: tuple[Apart, ...] = ()
    """Kernels of names that the baseline has fewer of: each was compared with its namesake that is most like
    it, as others were already."""
    removed: tuple[Apart, ...] = ()
    """Kernels that only the baseline has."""
    likely_renamed: tuple[LikelyRenamed, ...] = ()
    """Those of them that may be one of ``added``."""
    renamed: tuple[Renamed, ...] = ()
    """Entries of the file of rules that name kernels as the baseline has them."""
    exempted: list[Exempted] = field(default_factory=list)
    """What was taken out of the violations."""
    ended: tuple[Exemption, ...] = ()
    """Exemptions that would have helped, had they not ended."""
    unused: tuple[Exemption, ...] = ()
    """Those that no kernel needs any more."""
    idle: tuple[tuple[Exemption, str], ...] = ()
    """Those that are for no kernel of the build, each with names that it has."""
    unfit: tuple[tuple[Entry, str], ...] = ()
    """Entries of several patterns, each with one alone that fits no kernel, and with names that there are."""
    unsized: int = 0
    """Kernels whose occupancy was asked for and whose block size neither a file nor the user states."""
    not_chosen: int = 0
    """Candidates that an autotuner did not choose, so that nobody launches them: they were left out."""
