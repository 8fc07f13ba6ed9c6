"""A build and its baseline: saving one, what has changed since, and whether the kernels meet the rules."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from ..builds.atomic_file import write_atomically
from ..builds.baseline import Baseline, baseline_of
from ..builds.baseline_file import read_baseline, write_baseline
from ..builds.build import Build, build_of, read_build
from ..builds.check import check as check_rows
from ..builds.diff import compare
from ..builds.first_rules import first_rules
from ..builds.rules import Rule, Rules, without_comparisons
from ..builds.rules_file import has_rules, read_rules
from ..builds.scanner import Scanner, ScanRow
from ..errors import BaselineError, InputError, ReadError, RulesError
from ..readers.budget import Allowance
from ..report.check import CheckReport, check_report
from ..report.diff import DiffReport, diff_report
from ..tables.toml_file import PYPROJECT
from .arguments import ComputeCapabilityLike, ThreadsLike
from .reading import ArchitectureLike, Path, Paths, Reading


def diff(
    old: Paths,
    new: Paths,
    *,
    threshold: float = 0,
    only_changes: bool = False,
    threads: ThreadsLike | None = None,
    cc: ComputeCapabilityLike | None = None,
    limits_file: Path | None = None,
    name: str | None = None,
    archs: Sequence[ArchitectureLike] = (),
    only_newest: bool = False,
    with_runtime: bool = False,
) -> DiffReport:
    """How each kernel changed between two builds.

    Args:
        old: The path of a baseline, or paths of whatever holds kernels.
        new: Likewise.
        threshold: Up to so many percent of the larger value, or points of occupancy, a change counts as none.
        only_changes: Whether to leave out the kernels that are the same.
        threads: Threads per block, for kernels whose source does not state them; by default those of the
            baseline, then the launch bound, then whatever is best for the kernel.
        cc: What if the kernels ran on this compute capability?
        limits_file: A table of your own (YAML), whose rows go before ours.
        name: Only kernels with this in their name, mangled or readable; ``*`` stands for anything.
        archs: Only kernels for these architectures.
        only_newest: Of each kernel only the newest architecture.
        with_runtime: With kernels of CUDA's own device runtime, too.

    Raises:
        ReadError: One of them holds no compiled kernel.
        BaselineError: A baseline is damaged, or one of a later version.
        InputError: The two baselines assume different block sizes, and none is given; or the threshold is
            not 0 to 100.
    """
    how = _Builds(threads, cc, limits_file, name, archs, only_newest, with_runtime)
    if not 0 <= threshold <= 100:  # also where it is not a number
        raise InputError(f"{threshold} is out of range", where="threshold", allowed="0 to 100")
    common = Allowance()
    before, after = read_build(_paths(old), common), read_build(_paths(new), common)
    scanner = how.scanner_for(before, after)
    return diff_report(
        compare(how.rows(before, scanner), how.rows(after, scanner), threshold),
        names=(before.name, after.name),
        threshold=threshold,
        only_changes=only_changes,
        problems=before.problems + after.problems,
    )


def check(
    build: Paths,
    rules: Path | None = None,
    *,
    baseline: Path | None = None,
    update: bool = False,
    threads: ThreadsLike | None = None,
    cc: ComputeCapabilityLike | None = None,
    limits_file: Path | None = None,
    name: str | None = None,
    archs: Sequence[ArchitectureLike] = (),
    only_newest: bool = False,
    with_runtime: bool = False,
) -> CheckReport:
    """Whether the kernels of a build meet all rules.

    Args:
        build: Paths of whatever holds kernels.
        rules: A TOML file; by default the ``pyproject.toml`` of the current folder.
        baseline: What to compare with; by default what the rules name.
        update: Whether to make the build the baseline, once the rules that compare nothing are checked.
        threads: Threads per block, for kernels whose source does not state them; by default those of the
            baseline, then the launch bound, then whatever is best for the kernel.
        cc: What if the kernels ran on this compute capability?
        limits_file: A table of your own (YAML), whose rows go before ours.
        name: Only kernels with this in their name, mangled or readable; ``*`` stands for anything.
        archs: Only kernels for these architectures.
        only_newest: Of each kernel only the newest architecture.
        with_runtime: With kernels of CUDA's own device runtime, too.

    Raises:
        RulesError: The rules cannot be read, contradict each other, or look at nothing.
        BaselineError: The baseline cannot be read or written, or has nothing to compare with.
        ReadError: Some part of the build cannot be read.
        InputError: To update, a baseline must be named, and the kernels be taken as they are.
    """
    how = _Builds(threads, cc, limits_file, name, archs, only_newest, with_runtime)
    asked = read_rules(_rules_file(rules))
    path = asked.baseline if baseline is None else os.fspath(baseline)
    if update:
        return _update(how, _paths(build), asked, _path_to_write(path, how))
    if path is not None and not os.path.exists(path):
        raise BaselineError("is not there yet", where=path, cure=_how_to_begin(_paths(build), asked.source))
    before = [] if path is None else [build_of(read_baseline(path), path)]
    after = _whole(read_build(_paths(build)))
    scanner = how.scanner_for(*before, after)
    rows = how.rows(after, scanner)
    old_rows = how.rows(before[0], scanner) if before else None
    done = check_rows(rows, how.relevant(asked.rules), scanner, old_rows, (after.name, path or ""))
    return check_report(done, asked, build=after.name, baseline=path)


def _how_to_begin(build: Sequence[str], rules: str) -> str:
    of = "" if rules == PYPROJECT else f" --rules {rules}"
    return f"To make it of this build: occupancy check {' '.join(build)}{of} --update."


def _update(how: _Builds, build: Sequence[str], asked: Rules, path: str) -> CheckReport:
    """Check what compares nothing, then make the build the baseline."""
    before = [build_of(read_baseline(path), path)] if os.path.exists(path) else []
    after = _whole(read_build(build))
    scanner = how.scanner_for(*before, after)
    rows = how.rows(after, scanner)
    old_rows = [row for each in before for row in how.rows(each, scanner)]
    done = check_rows(rows, without_comparisons(how.relevant(asked.rules)), scanner, None, (after.name, ""))
    change = compare(old_rows, rows)
    write_baseline(path, baseline_of(rows, how.assumed(*before, after)))
    return check_report(done, asked, build=after.name, baseline=path, updated=change.summary)


def save_baseline(
    build: Paths,
    path: Path,
    *,
    threads: ThreadsLike | None = None,
    cc: ComputeCapabilityLike | None = None,
    limits_file: Path | None = None,
    name: str | None = None,
    archs: Sequence[ArchitectureLike] = (),
    only_newest: bool = False,
    with_runtime: bool = False,
) -> Baseline:
    """Write the baseline of a build.

    Args:
        build: Paths of whatever holds kernels.
        path: The file to write; one that is there already is replaced.
        threads: Threads per block, for kernels whose source does not state them; by default those of the
            baseline, then the launch bound, then whatever is best for the kernel.
        cc: What if the kernels ran on this compute capability?
        limits_file: A table of your own (YAML), whose rows go before ours.
        name: Only kernels with this in their name, mangled or readable; ``*`` stands for anything.
        archs: Only kernels for these architectures.
        only_newest: Of each kernel only the newest architecture.
        with_runtime: With kernels of CUDA's own device runtime, too.

    Raises:
        BaselineError: It cannot be written.
        ReadError: Some part of the build cannot be read.
        InputError: The kernels would not be taken as they are.
    """
    how = _Builds(threads, cc, limits_file, name, archs, only_newest, with_runtime)
    target = _path_to_write(os.fspath(path), how)
    after = _whole(read_build(_paths(build)))
    scanner = how.scanner_for(after)
    baseline = baseline_of(how.rows(after, scanner), how.assumed(after))
    write_baseline(target, baseline)
    return baseline


def begin(build: Paths, rules: str, baseline: str, **options: Any) -> int:
    """Write the first rules and the first baseline of a build.

    Args:
        build: Paths of whatever holds kernels.
        rules: The file of rules to write.
        baseline: The baseline to write.
        options: As for `save_baseline`.

    Returns:
        The number of kernels in the baseline.

    Raises:
        InputError: One of the files is there already.
        BaselineError: It cannot be written.
        ReadError: Some part of the build cannot be read.
    """
    for path in (rules, baseline):
        if os.path.exists(path):
            raise InputError("is there already", where=path, cure="Remove it, or name another file.")
    kernels = save_baseline(build, baseline, **options).kernels
    knows_spills = all(kernel.spill_store_bytes is not None for kernel in kernels)
    seen = os.path.relpath(baseline, os.path.dirname(rules) or ".")
    text = first_rules(" ".join(_paths(build)), rules, PurePath(seen).as_posix(), knows_spills)
    try:
        write_atomically(rules, text)
    except OSError as error:
        raise RulesError(f"cannot be written: {error.strerror or error}", where=rules) from error
    return len(kernels)


class _Builds(Reading):
    """How several builds are read, all in the same way."""

    def assumed(self, *builds: Build) -> int | None:
        """Threads per block where a source does not state them: as given, else as the baselines say."""
        if self.threads is not None:
            return self.threads
        assumed = {build.threads for build in builds if build.threads is not None}
        if len(assumed) > 1:
            raise InputError(
                f"the baselines assume {' and '.join(map(str, sorted(assumed)))}",
                where="threads per block",
                cure="Say which one to compare with: --threads.",
            )
        return next(iter(assumed), None)

    def relevant(self, rules: Sequence[Rule]) -> tuple[Rule, ...]:
        """The rules less those for architectures that are not asked for.

        Raises:
            RulesError: None are left.
        """
        left = tuple(
            rule for rule in rules if not (self.archs and rule.archs) or self.archs & set(rule.archs)
        )
        if not left:
            asked = ", ".join(arch.sm for arch in sorted(self.archs))
            raise RulesError(f"there are none for {asked}", where="rules")
        return left

    def scanner_for(self, *builds: Build) -> Scanner:
        """What answers for all of the builds."""
        return self.scanner(self.assumed(*builds), with_advice=False)

    def rows(self, build: Build, scanner: Scanner) -> tuple[ScanRow, ...]:
        """The compiled kernels of a build; without registers, as in PTX, there is nothing to compare."""
        selected = self.selection(group=True).rows(build.records, scanner)
        rows = tuple(row for row in selected if row.regs is not None)
        if not rows:
            raise ReadError(
                "holds no compiled kernel, or none that is asked for",
                where=build.name,
                cure="PTX alone has no registers: compile it for an architecture.",
            )
        return rows


def _path_to_write(path: str | None, how: _Builds) -> str:
    if path is None:
        raise InputError("there is none", where="baseline", cure="Say which file to write: --baseline FILE.")
    if how.what_if is not None:
        raise InputError(
            "a baseline holds kernels as they were compiled",
            where="--cc",
            cure="Leave it out here, and give it when you compare.",
        )
    return path


def _rules_file(path: Path | None) -> str:
    if path is not None:
        return os.fspath(path)
    if not has_rules(PYPROJECT):
        raise RulesError(
            "there are none",
            where="rules",
            allowed=f"--rules FILE, or [tool.occupancy] in the {PYPROJECT} of this folder",
        )
    return PYPROJECT


def _whole(build: Build) -> Build:
    """The build, if all of it could be read: what is missing might be what matters."""
    if build.problems:
        first = build.problems[0]
        others = len(build.problems) - 1
        raise ReadError(first.what, where=first.where, cure=f"{others:,} more problems." if others else "")
    return build


def _paths(paths: Paths) -> tuple[str, ...]:
    several = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    return tuple(os.fspath(path) for path in several)
