"""A build and its baseline: saving one, what has changed since, and whether the kernels meet the rules."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from ..builds.atomic_file import write_atomically
from ..compare.baseline import Baseline, accept, baseline_of
from ..compare.baseline_file import read_baseline, update_baseline, write_baseline
from ..compare.build import Build, build_of, read_build
from ..compare.check import check as check_kernels
from ..compare.diff import compare
from ..compare.first_rules import first_rules
from ..compare.no_kernel import NoKernel
from ..compare.renamed import launches_of_renamed, no_longer_for, refuse_idle, told
from ..compare.rules import Rules, without_comparisons
from ..compare.rules_file import RULES_FILE, read_rules, rules_of_this_folder
from ..errors import BaselineError, InputError, Mistakes, RulesError
from ..readers.limits import ReadLimits
from ..report.compare.check import CheckReport, check_report
from ..report.compare.diff import DiffReport, diff_report
from ..tables.files import PYPROJECT
from ..values.asking import Asking
from .reading import Path, Paths, Reading, ReadingArguments, takes_reading
from .several_builds import Builds, paths_of, whole

if TYPE_CHECKING:
    from typing_extensions import Unpack


@takes_reading
def diff(
    old: Paths,
    new: Paths,
    *,
    threshold: float = 0,
    with_same: bool = False,
    ignore_arch: bool = False,
    **reading: Unpack[ReadingArguments],
) -> DiffReport:
    """How each kernel changed between two builds.

    Without ``threads``, those of the baseline count. Without any, both builds are shown at the launch bound,
    else at 256 threads or the nearest size that both launch with; the worst drop of all such sizes decides.

    Args:
        old: The path of a baseline, or paths of whatever holds kernels.
        new: Likewise.
        threshold: Up to so many percent of the larger value, or points of occupancy, a change counts as none.
        with_same: Whether the report has the kernels that are the same, too.
        ignore_arch: Whether a kernel without a counterpart of its own architecture is compared with that of
            another, as between an sm_80 build and an sm_90 one.
        {arguments}

    Raises:
        ReadError: One of them holds no compiled kernel.
        BaselineError: A baseline is damaged, or one of a later version.
        InputError: The two baselines assume different block sizes, and none is given; or the threshold is
            not 0 to 100.
    """
    how = Builds(**reading)
    if not 0 <= threshold <= 100:  # also where it is not a number
        raise InputError(f"{threshold} is out of range", where="threshold", allowed="0 to 100")
    common = ReadLimits()
    before = read_build(paths_of(old, "old"), common)
    after = read_build(paths_of(new, "new"), common)
    scanner = how.scanner_for(before, after)
    # What a chip runs of a kernel can be of another architecture than it was.
    ignores_arch = ignore_arch or how.is_for_one_chip
    kernels_before, kernels_after = how.kernels_of_both(before, after, ignore_arch=ignores_arch)
    return diff_report(
        compare(
            how.launched(kernels_before),
            how.launched(kernels_after),
            scanner,
            threshold=threshold,
            with_same=with_same,
            ignore_arch=ignores_arch,
        ),
        names=(before.name, after.name),
        threshold=threshold,
        ignores_arch=ignores_arch,
        runs_on=how.runs_on,
        problems=before.problems + after.problems,
        not_chosen=how.not_chosen(before, after),
    )


@takes_reading
def check(
    build: Paths,
    rules: Path | None = None,
    *,
    baseline: Path | None = None,
    update: bool = False,
    **reading: Unpack[ReadingArguments],
) -> CheckReport:
    """Whether the kernels of a build meet all rules.

    Without ``threads``, those of the rules count, else those of the baseline. Without any, both builds are
    compared at every size that both can launch with, and the worst drop decides.

    Args:
        build: Paths of whatever holds kernels.
        rules: A TOML file; by default the ``occupancy.toml`` of the current folder, else its
            ``pyproject.toml``.
        baseline: What to compare with; by default what the rules name.
        update: Whether to make the build the baseline, once the rules that compare nothing are checked. Where
            only some kernels are asked for, all others of the baseline stay as they are.
        {arguments}

    Raises:
        RulesError: The rules cannot be read, contradict each other, or look at nothing.
        BaselineError: The baseline cannot be read or written, or has nothing to compare with.
        ReadError: Some part of the build cannot be read.
        InputError: To update, a baseline must be named, and the kernels be taken as they are.
    """
    how = Builds(**reading)
    paths = paths_of(build, "build")
    asked = read_rules(_rules_file(rules))
    path = asked.baseline if baseline is None else os.fspath(baseline)
    if update:
        return _update(how, paths, asked, _path_to_write(path, how))
    if path is not None and not os.path.exists(path):
        of = [] if baseline is None else ["--baseline", path]
        raise BaselineError("is not there yet", where=path, hint=_how_to_begin(paths, asked.source, of))
    before = [] if path is None else [build_of(read_baseline(path), path)]
    after = whole(read_build(paths))
    how.take_threads_of(asked)
    scanner = how.scanner_for(*before, after)
    every = how.every(after)
    every_old = how.every(before[0]) if before else ()
    by_other_name, fits = launches_of_renamed(
        asked.launches, every, every_old, ignore_arch=how.is_for_one_chip
    )
    with Mistakes() as found:
        no_kernel = NoKernel(after.name, every, every_old, ignore_arch=how.is_for_one_chip)
        unfit = found.by(refuse_idle, asked, every, fits, no_kernel)
        old, kernels = how.wanted_of(every_old, every)
        how.refuse_absent((*old, *kernels), (*before, after))
        # A rule can be for a kernel by the name that the baseline has.
        relevant = how.relevant(asked.rules, (*every, *every_old), (*kernels, *old))
        if kernels and not relevant:  # that all of them are gone is to be told, too
            raise how.no_rules()
        done = check_kernels(
            how.launched(kernels, asked.launches, by_other_name),
            relevant if kernels else (),
            scanner,
            how.launched(old, asked.launches, by_other_name) if before else None,
            (after.name, path or ""),
            ignore_arch=how.is_for_one_chip,
            whole=(every_old, every) if how.is_partial else None,
            exemptions=asked.exemptions,
            no_kernel=no_kernel,
        )
    looked_at = set(map(id, kernels))
    done.renamed += told("launches", [fit for fit in fits if id(fit.kernel) in looked_at])
    if done.likely_renamed:
        done.renamed += no_longer_for(asked, kernels, every, no_kernel, is_update=False)
    done.unfit = tuple((pattern, no_kernel.near(pattern)) for pattern in unfit)
    done.not_chosen = how.not_chosen(*before, after)
    return check_report(
        done, asked, build=after.name, baseline=path, is_whole=not how.is_partial, runs_on=how.runs_on
    )


def check_command(build: Sequence[str], rules: str, options: Sequence[str] = ()) -> str:
    """The command that checks a build, without what it finds by itself, ready for a shell."""
    found = rules_of_this_folder()
    is_found = found is not None and os.path.exists(rules) and os.path.samefile(found, rules)
    of = [] if is_found else ["--rules", rules]
    return shlex.join(["occupancy", "check", *build, *of, *options])


def _how_to_begin(build: Sequence[str], rules: str, options: Sequence[str]) -> str:
    return f"To make it of this build: {check_command(build, rules, options)} --update."


def _update(how: Builds, build: Sequence[str], asked: Rules, path: str) -> CheckReport:
    """Check what compares nothing, then make the build the baseline, or what is asked for of it."""
    after = whole(read_build(build))
    how.take_threads_of(asked)
    # Reading a build takes long, and others may accept kernels of it meanwhile.
    return update_baseline(path, lambda baseline: _updated(how, after, asked, baseline, path))


def _updated(
    how: Builds, after: Build, asked: Rules, baseline: Baseline, path: str
) -> tuple[Baseline, CheckReport]:
    """What becomes of a baseline where a build is accepted, or what is asked for of it."""
    before = build_of(baseline, path)
    scanner = how.scanner_for(before, after)
    every = how.every(after)
    accepted = accept(baseline, every, how.wanted)
    how.refuse_absent((*accepted.old, *accepted.new), (before, after))
    new = how.launched(accepted.new, asked.launches)
    relevant = how.relevant(asked.rules, every, new)
    with Mistakes() as found:
        # The new baseline has the new names alone, so that the rules have to have them first.
        no_kernel = NoKernel(after.name, every, before.records)
        unfit = found.by(refuse_idle, asked, every, None, no_kernel)
        done = check_kernels(
            new,
            without_comparisons(relevant if new else ()),
            scanner,
            None,
            (after.name, ""),
            exemptions=asked.exemptions,
            no_kernel=no_kernel,
        )
    done.renamed += no_longer_for(asked, accepted.new, every, no_kernel, is_update=True)
    done.unfit = tuple((pattern, no_kernel.near(pattern)) for pattern in unfit)
    by_other_name, _ = launches_of_renamed(asked.launches, accepted.new, accepted.old)
    change = compare(how.launched(accepted.old, asked.launches, by_other_name), new, scanner)
    done.not_chosen = how.not_chosen(after)
    report = check_report(
        done,
        asked,
        build=after.name,
        baseline=path,
        updated=change.summary,
        kept=len(accepted.kept) if how.chooses_kernels else None,
        is_whole=not how.chooses_kernels,
    )
    threads = baseline.threads if accepted.kept else how.assumed(before, after)
    return baseline_of(how.launched(accepted.new), threads, accepted.kept, scanner), report


@takes_reading
def save_baseline(
    build: Paths,
    path: Path,
    **reading: Unpack[ReadingArguments],
) -> Baseline:
    """Write the baseline of a build.

    The ``threads`` are kept with it, as said and not as found.

    Args:
        build: Paths of whatever holds kernels.
        path: The file to write; one that is there already is replaced.
        {arguments}

    Raises:
        BaselineError: It cannot be written.
        ReadError: Some part of the build cannot be read.
        InputError: The kernels would not be taken as they are.
    """
    how = Builds(**reading)
    target = _path_to_write(os.fspath(path), how)
    after = whole(read_build(paths_of(build, "build")))
    scanner = how.scanner_for(after)
    kernels = how.kernels(after)
    baseline = baseline_of(how.launched(kernels), how.assumed(after), scanner=scanner)
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
            raise InputError("is there already", where=path, hint="Remove it, or name another file.")
    saved = save_baseline(build, baseline, **options)
    kernels = saved.kernels
    knows_spills = all(kernel.knows_spills for kernel in kernels)
    knows_smem_spills = all(kernel.spill_smem is not None for kernel in kernels)
    try:
        seen = os.path.relpath(baseline, os.path.dirname(rules) or ".")
    except ValueError:  # on another drive of Windows
        seen = os.path.abspath(baseline)
    text = first_rules(
        PurePath(seen).as_posix(), knows_spills, knows_smem_spills, saved.threads, Reading(**options).launches
    )
    try:
        write_atomically(rules, text)
    except OSError as error:
        raise RulesError(f"cannot be written: {error.strerror or error}", where=rules) from error
    return len(kernels)


def _path_to_write(path: str | None, how: Builds) -> str:
    if path is None:
        raise InputError(
            "there is none",
            where="baseline",
            hint=Asking.of("Say which file to write: ", Asking("--baseline FILE", "baseline=FILE"), "."),
        )
    if how.what_if is not None:
        raise InputError(
            "a baseline holds kernels as they were compiled",
            where=Asking("--cc", "cc"),
            hint="Leave it out here, and give it when you compare.",
        )
    return path


def _rules_file(path: Path | None) -> str:
    if path is not None:
        return os.fspath(path)
    found = rules_of_this_folder()
    if found is None:
        raise RulesError(
            "there are none",
            where="rules",
            hint=Asking.of(
                f"This folder has no {RULES_FILE}, which occupancy init writes, and no {PYPROJECT} with "
                "[tool.occupancy]; or give ",
                Asking("--rules FILE", "rules=FILE"),
                ".",
            ),
        )
    return found
