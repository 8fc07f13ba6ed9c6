"""How several builds are read, and answered for, all in the same way."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..builds.baseline import Baseline, BaselineKernel, baseline_of
from ..builds.build import Build
from ..builds.launches import refuse_absent, stated_launches
from ..builds.rules import Launches, Rule, Rules
from ..builds.rules_entry import idle
from ..builds.running import RunsOn
from ..builds.scanner import Scanner
from ..errors import InputError, ReadError, RulesError, shown
from ..readers import KernelRecord
from .reading import Paths, Reading, ReadingArguments

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Builds(Reading):
    """How several builds are read, all in the same way."""

    def __init__(self, **reading: Unpack[ReadingArguments]) -> None:
        super().__init__(**reading)
        self._left_out: dict[str, int] = {}
        """A build -> its candidates that an autotuner did not choose."""
        self.runs_on: RunsOn | None = None
        """The chip for which code was chosen of the builds so far; None where nothing was left out for it."""

    @property
    def not_chosen(self) -> int:
        """Candidates of autotuners that were left out of the builds so far."""
        return sum(self._left_out.values())

    def assumed(self, *builds: Build) -> int | None:
        """Threads per block where a source does not state them: as given, else as the baselines say."""
        if self.threads is not None:
            return self.threads
        assumed = {build.threads for build in builds if build.threads is not None}
        if len(assumed) > 1:
            raise InputError(
                f"the baselines assume {' and '.join(map(str, sorted(assumed)))}",
                where="threads",
                cure="Say which one to compare with: --threads.",
            )
        return next(iter(assumed), None)

    def take_threads_of(self, asked: Rules) -> None:
        """Have the block size that a file of rules states count where none was given."""
        self.threads = asked.threads if self.threads is None else self.threads

    @property
    def is_for_one_chip(self) -> bool:
        """Whether of each kernel only the code counts that a chip runs, whatever its architecture."""
        return self.running() is not None

    @property
    def is_partial(self) -> bool:
        """Whether some kernels of a build are left out."""
        return self.has_filter or self.is_for_one_chip

    def relevant(
        self, rules: Sequence[Rule], every: Sequence[KernelRecord], wanted: Sequence[KernelRecord]
    ) -> tuple[Rule, ...]:
        """The rules less those for kernels and architectures that are not asked for, or that the chip does
        not run.

        Args:
            rules: All rules.
            every: All kernels of the build, and of the baseline.
            wanted: Those of them that are asked for.

        Raises:
            RulesError: None are left.
        """
        if not self.is_partial:
            return tuple(rules)
        left = [rule for rule in rules if not (self.archs and rule.archs) or self.archs & set(rule.archs)]
        of_no_kernel = idle(left, every)  # which the check refuses
        for_others = [rule for rule in idle(left, wanted) if rule not in of_no_kernel]
        left = [rule for rule in left if rule not in for_others]
        if not left:
            names = [] if self.name is None else [f"kernels with {shown(self.name)} in their name"]
            asked = ", ".join([*names, *(arch.sm for arch in sorted(self.archs))])
            code = "the newest architectures" if self.what_if is None else "the code that the chip runs"
            raise RulesError(f"there are none for {asked or code}", where="rules")
        return tuple(left)

    def scanner_for(self, *builds: Build) -> Scanner:
        """What answers for all of the builds."""
        return self.scanner(self.assumed(*builds), with_advice=False)

    def every(self, build: Build) -> tuple[KernelRecord, ...]:
        """The compiled kernels of a build, whichever are asked for; without registers, as in PTX, there is
        nothing to compare, and nobody launches the candidates that an autotuner did not choose."""
        compiled = [each for each in self.everything().kernels(build.records) if each.regs is not None]
        return tuple(each for each in compiled if each.chosen is not False)

    def wanted(self, kernels: Iterable[KernelRecord]) -> tuple[KernelRecord, ...]:
        """Those of some kernels that are asked for."""
        return tuple(self.selection(group=True).kernels(kernels))

    def kernels(self, build: Build) -> tuple[KernelRecord, ...]:
        """Those of the kernels of a build that are asked for.

        Raises:
            ReadError: There are none.
            InputError: A block size is given for a kernel that is not there.
        """
        running = self.running()
        wanted = self.selection(group=True, running=running).kernels(build.records)
        compiled = [record for record in wanted if record.regs is not None]
        if running is not None and running.chosen is not None:
            self.runs_on = running.chosen.with_another(self.runs_on)
        kernels = tuple(record for record in compiled if record.chosen is not False)
        self._left_out[build.name] = len(compiled) - len(kernels)
        missing = "" if kernels else self.missing(build.records)
        if missing:
            raise ReadError(missing, where=build.name)
        if not kernels:
            raise ReadError(
                "holds no compiled kernel, or none that is asked for",
                where=build.name,
                cure="PTX alone has no registers: compile it for an architecture.",
            )
        self.refuse_absent_sizes(kernels, build.name)
        return kernels

    def refuse_absent_sizes(self, kernels: Sequence[KernelRecord], build: str) -> None:
        """Raise an error where a block size is given for a kernel that is not among some.

        Raises:
            InputError: It is.
        """
        for each in self.launches:
            refuse_absent(each, kernels, build)

    def launched(
        self, kernels: Sequence[KernelRecord], by_rules: Sequence[Launches] = ()
    ) -> tuple[KernelRecord, ...]:
        """Kernels with the block sizes that were given, and those that rules state of them."""
        return stated_launches(stated_launches(kernels, self.launches, "option"), by_rules)

    def baseline(
        self,
        kernels: Sequence[KernelRecord],
        scanner: Scanner,
        threads: int | None,
        kept: Sequence[BaselineKernel] = (),
    ) -> Baseline:
        """The kernels as they were compiled; with an occupancy where the block size is stated."""
        rows = [scanner.row(each) if scanner.is_stated(each) else each for each in self.launched(kernels)]
        return baseline_of(rows, threads, kept)


def whole(build: Build) -> Build:
    """The build, if all of it could be read: what is missing might be what matters."""
    if build.problems:
        first = build.problems[0]
        others = len(build.problems) - 1
        raise ReadError(first.what, where=first.where, cure=f"{others:,} more problems." if others else "")
    return build


def paths_of(paths: Paths) -> tuple[str, ...]:
    several = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    return tuple(os.fspath(path) for path in several)
