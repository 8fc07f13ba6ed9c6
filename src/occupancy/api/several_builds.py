"""How several builds are read, and answered for, all in the same way."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..builds.running import RunsOn
from ..builds.scanner import Scanner
from ..compare.build import Build
from ..compare.launches import ByOtherName, refuse_absent, stated_launches
from ..compare.matching import with_counterparts
from ..compare.measures import compared
from ..compare.rules import Launches, Rule, Rules, idle
from ..errors import InputError, ReadError, RulesError, shown
from ..readers import KernelRecord
from ..render import words
from ..values.asking import Asking
from .reading import Paths, Reading, ReadingArguments

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Builds(Reading):
    """How several builds are read, all in the same way."""

    def __init__(self, **reading: Unpack[ReadingArguments]) -> None:
        super().__init__(**reading)
        self._code: RunsOn | None = None
        """What was chosen of the builds so far."""

    def assumed(self, *builds: Build) -> int | None:
        """Threads per block where a source does not state them: as given, else as the baselines say."""
        if self.threads is not None:
            return self.threads
        assumed = {build.threads for build in builds if build.threads is not None}
        if len(assumed) > 1:
            raise InputError(
                f"the baselines assume {' and '.join(map(str, sorted(assumed)))}",
                where="threads",
                hint=Asking.of("Say which one to compare with: ", Asking("--threads", "threads="), "."),
            )
        return next(iter(assumed), None)

    def take_threads_of(self, asked: Rules) -> None:
        """Have the block size that a file of rules states count where none was given."""
        self.threads = asked.threads if self.threads is None else self.threads

    @property
    def is_for_one_chip(self) -> bool:
        """Whether of each kernel only the code counts that a chip runs, whatever its architecture."""
        return self.chip_of_code is not None

    @property
    def is_partial(self) -> bool:
        """Whether some kernels of a build are left out."""
        return self.chooses_kernels or self.is_for_one_chip

    def relevant(
        self, rules: Sequence[Rule], every: Sequence[KernelRecord], wanted: Sequence[KernelRecord]
    ) -> tuple[Rule, ...]:
        """The rules less those for kernels and architectures that are not asked for, or that the chip does
        not run.

        Args:
            rules: All rules.
            every: All kernels of the build, and of the baseline.
            wanted: Those of them that are asked for.
        """
        if not self.is_partial:
            return tuple(rules)
        left = [rule for rule in rules if not (self.archs and rule.archs) or self.archs & set(rule.archs)]
        of_no_kernel = idle(left, every)  # which the check refuses
        for_others = [rule for rule in idle(left, wanted) if rule not in of_no_kernel]
        return tuple(rule for rule in left if rule not in for_others)

    def no_rules(self) -> RulesError:
        """What to say where no rule is for what is asked for."""
        parts = " or ".join(map(shown, self.names))
        names = [f"kernels with {parts} in their name"] if parts else []
        asked = ", ".join([*names, *(arch.sm for arch in sorted(self.archs))])
        code = "the newest architectures" if self.what_if is None else "the code that the chip runs"
        return RulesError(f"there are none for {asked or code}", where="rules")

    def scanner_for(self, *builds: Build) -> Scanner:
        """What answers for all of the builds."""
        return self.scanner(self.assumed(*builds), with_advice=False)

    def every(self, build: Build) -> tuple[KernelRecord, ...]:
        """The kernels of a build that can be compared, whichever are asked for.

        Raises:
            ReadError: There are none.
        """
        kernels = self.everything().kernels(build.records)
        every = tuple(each for each in kernels if each.is_comparable)
        if not every:
            raise ReadError(
                "holds no compiled kernel",
                where=build.name,
                hint="PTX alone has no registers: compile it for an architecture.",
            )
        return every

    def wanted(self, kernels: Sequence[KernelRecord]) -> tuple[KernelRecord, ...]:
        """Those of some kernels that are asked for."""
        if not self.is_partial:
            return tuple(kernels)
        return tuple(self.selection(group=True).kernels(kernels, self._tell_code))

    def wanted_of(
        self, old: Sequence[KernelRecord], new: Sequence[KernelRecord], *, ignore_arch: bool = False
    ) -> tuple[tuple[KernelRecord, ...], tuple[KernelRecord, ...]]:
        """Those of the kernels of two builds that are asked for, each with what it was or has become: its
        name may be another one there, or its architecture.

        Args:
            old: All kernels of one build.
            new: All kernels of the other one.
            ignore_arch: Whether a kernel without a counterpart of its architecture is compared with another.
        """
        wanted = self.wanted(old), self.wanted(new)
        if not (any(self.names) or self.archs):
            return wanted
        others = replace(self.selection(group=True), names=())
        if not others.only_newest:  # which may be of an architecture that is not asked for
            others = replace(others, architectures=frozenset(), variants=frozenset())
        return with_counterparts(
            tuple(others.kernels(old)),
            tuple(others.kernels(new)),
            itertools.chain(*wanted),
            compared,
            ignore_arch=ignore_arch or self.is_for_one_chip,
        )

    def _tell_code(self, runs_on: RunsOn) -> None:
        self._code = runs_on.with_another(self._code)

    @property
    def runs_on(self) -> RunsOn | None:
        """The chip for which code was chosen of the builds so far; None where nothing was left out for it."""
        return None if self._code is None else self._code.unless_all

    def kernels(self, build: Build) -> tuple[KernelRecord, ...]:
        """The kernels of a build that are asked for.

        Raises:
            ReadError: It has no kernels, or none of them is one that is asked for.
            InputError: A block size is given for a kernel that it has not.
        """
        wanted = self.wanted(self.every(build))
        self.refuse_absent(wanted, [build])
        return wanted

    def kernels_of_both(
        self, old: Build, new: Build, *, ignore_arch: bool
    ) -> tuple[tuple[KernelRecord, ...], tuple[KernelRecord, ...]]:
        """Of two builds the kernels that are asked for, each with its counterpart: one that only one of them
        has is new, or gone.

        Raises:
            ReadError: One of the builds has no kernels, or neither has one that is asked for.
            InputError: A block size is given for a kernel that neither has.
        """
        wanted = self.wanted_of(self.every(old), self.every(new), ignore_arch=ignore_arch)
        self.refuse_absent([kernel for each in wanted for kernel in each], (old, new))
        return wanted

    def refuse_absent(self, wanted: Sequence[KernelRecord], builds: Iterable[Build]) -> None:
        """Raise an error where no build has what is asked for.

        Args:
            wanted: The kernels of all builds that are asked for.
            builds: The builds; one without kernels is a baseline that is not there yet.

        Raises:
            ReadError: There is no kernel.
            InputError: A block size is given for one that is not there.
        """
        found = [build for build in builds if build.records]
        names = words.listing([build.name for build in found])
        missing = ""
        if not wanted or len(self.names) > 1:  # of several each is to be in a name
            missing = self.missing([record for build in found for record in build.records])
        if not wanted or missing:
            raise ReadError(missing or "no kernel is all that is asked for", where=names)
        for each in self.launches:
            refuse_absent(each, wanted, names)

    def not_chosen(self, *builds: Build) -> int:
        """How many candidates of autotuners that were not chosen are among what is asked for."""
        compiled = (each for build in builds for each in build.records if each.regs is not None)
        records = [each for each in compiled if each.rejected_by_autotuner]
        return len(tuple(self.selection(group=True).kernels(records)))

    def launched(
        self,
        kernels: Sequence[KernelRecord],
        by_rules: Sequence[Launches] = (),
        by_other_name: ByOtherName | None = None,
    ) -> tuple[KernelRecord, ...]:
        """Kernels with the block sizes that were given, and those that rules state of them."""
        return stated_launches(kernels, self.launches, by_rules, by_other_name)


def whole(build: Build) -> Build:
    """The build, if all of it could be read: what is missing might be what matters."""
    if build.problems:
        first = build.problems[0]
        others = len(build.problems) - 1
        raise ReadError(first.what, where=first.where, hint=f"{others:,} more problems." if others else "")
    return build


def paths_of(paths: Paths, where: str) -> tuple[str, ...]:
    """The paths of a build, which an error calls so.

    Raises:
        InputError: There are none, or they are no paths.
    """
    try:
        several = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
        if several:
            return tuple(os.fspath(path) for path in several)
    except TypeError:
        pass
    raise InputError(f"got {shown(paths)}", where=where, allowed="a path, or a list of paths")
