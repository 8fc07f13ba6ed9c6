"""Builds: differences between two, baselines, and checks against rules."""

from __future__ import annotations

import json
import os
import shlex
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any

from ..builds.names import stable_name
from ..builds.select import newest
from ..compare.baseline import Build, accepted, baseline_from, read_baseline, read_build, write_baseline
from ..compare.check import Checked, check_kernels
from ..compare.diff import Differences, compare
from ..compare.match import match
from ..compare.rules import RULES_FILE, Exemption, Rule, RuleEntry, Rules, find_rules, read_rules, removable
from ..errors import BaselineError, ErrorCollector, InputError, ReadError, RulesError, shown
from ..readers import KernelRecord, ReadProblem
from ..readers.limits import ReadLimits
from ..readers.reading import check_output
from ..report.check import check_cases, check_findings, check_report
from ..report.diff import changes_by_name, diff_report
from ..report.model import Report, Table
from ..report.scan import Finding
from ..tables.files import written_atomically
from ..values.fields import Unpack
from ..values.records import documented
from .results import Printed
from .scan import Path, Paths, Reading, ReadingOptions, SelectionOptions, as_list, as_sources


@documented
@dataclass(frozen=True, repr=False)
class Diff(Printed, Differences):
    """Differences between two builds."""

    problems: tuple[ReadProblem, ...]
    """Damaged parts of the files."""
    inputs: Mapping[str, Any] = field(hash=False)
    """Arguments, as in the JSON."""

    def report(self, *, in_full: bool = False) -> Report:
        """Return the report, optionally with all rows."""
        return diff_report(self, in_full=in_full)

    def __repr__(self) -> str:
        return f"<Diff: {self.report().headline[0]}>"


@documented
@dataclass(frozen=True, repr=False)
class CheckResult(Printed, Checked):
    """Result of a check, which prints as ``occupancy check``."""

    build: str
    """Name of the build."""
    command: str
    """Command line of the same check."""
    inputs: Mapping[str, Any] = field(hash=False)
    """Arguments, as in the JSON."""
    updated: str = ""
    """Changes of the baseline; empty if it was not updated."""

    def findings(self, *, with_passed: bool = False) -> list[Finding]:
        """Return a finding for each failing kernel, or for every kernel."""
        folder = self.build if os.path.isdir(self.build) else os.path.dirname(self.build)
        found = check_cases(self.kernels, check_findings(self)) if with_passed else check_findings(self)
        paths = ((each, os.path.join(folder, each.file)) for each in found)
        return [each._replace(file=path) if os.path.exists(path) else each for each, path in paths]

    def report(self) -> Report:
        return check_report(self, {"build": self.build, **self.inputs}, self.command, self.updated)

    def __repr__(self) -> str:
        """Return the headline and the first failing kernels, for ``assert result.passed, result``."""
        report = self.report()
        titles = [each.title for each in report.details if isinstance(each, Table)]
        # pytest shows 240 characters, from the start and the end.
        shown = [report.headline[0].partition(" (")[0], *titles[:3], *(["..."] if titles[3:] else [])]
        return f"<CheckResult: {'; '.join(shown)}>"

    def __bool__(self) -> bool:
        return self.passed


def diff(
    old: Paths, new: Paths, *, threshold: float = 0, with_same: bool = False, ignore_arch: bool = False,
    **options: Unpack[ReadingOptions],
) -> Diff:  # fmt: skip
    """Return the differences between the kernels of two builds.

    Kernels are matched by name and architecture, then by the name without parameters and compiler-generated
    parts, then by their code. Other kernels are added or removed.

    Args:
        old, new: A baseline, or files and folders that `scan` reads.
        threshold: Largest change to ignore, in percent of the larger value or percentage points of occupancy.
        with_same: Include kernels that did not change.
        ignore_arch: Match a kernel with another architecture if its own is missing.
        options: As in `scan`; by default, threads come from the newer baseline.

    Raises:
        InputError, ReadError: As in `scan`.
        BaselineError: A baseline is damaged, or a newer version wrote it.
    """
    reading = Reading(options, diff)
    if not (isinstance(threshold, (int, float)) and 0 <= threshold <= 100):  # also NaN
        problem = f"{shown(threshold).removesuffix('.0')} is out of range"
        raise InputError(problem, where="threshold", allowed="0 to 100")
    common = ReadLimits()
    old_paths, new_paths = (as_sources(*each, with_streams=False) for each in ((old, "old"), (new, "new")))
    as_sources([*old_paths, *new_paths], "new")  # refuses standard input for both
    before, after = read_build(old_paths, common), read_build(new_paths, common)
    reading.check_names(before.kernels + after.kernels)
    any_arch = ignore_arch or reading.gpu is not None
    was, now = map(reading.sized, _both(reading, before, after, any_arch))
    evaluator = reading.evaluator(after.threads or before.threads)
    differences = compare(was, now, evaluator, threshold=threshold, with_same=with_same, ignore_arch=any_arch)
    inputs = reading.inputs(old=before.name, new=after.name, threshold=threshold, ignore_arch=ignore_arch)
    return Diff(**vars(differences), problems=before.problems + after.problems, inputs=inputs)


def check(
    build: Paths, rules: Path | RuleEntry | Sequence[RuleEntry] | None = None, *,
    baseline: Path | None = None, allow_removed: bool | str | Sequence[str] = False, update: bool = False,
    **options: Unpack[ReadingOptions],
) -> CheckResult:  # fmt: skip
    """Check the kernels of a build against rules.

        >>> rules = [occupancy.Rule(kernels="*gemm*", min_occupancy=0.5, max_spill_bytes=0)]
        >>> result = occupancy.check("build/", rules)    # doctest: +SKIP
        >>> assert result.passed, str(result)    # doctest: +SKIP

    Args:
        build: Files and folders that `scan` reads.
        rules: A TOML file, or `Rule` and `Exemption` objects; by default, ``occupancy.toml`` in the current
            folder, or ``[tool.occupancy]`` in its ``pyproject.toml``.
        baseline: Baseline or build to compare with; by default, the baseline in the rules.
        allow_removed: Patterns of kernels that can be removed, in addition to those in the rules; True for all.
        update: Update the baseline, or only the kernels selected by ``name``, ``arch`` and other options. Kernels
            that fail because they do not launch keep their entries.
        options: As in `scan`; by default, threads come from the rules, then from the baseline.

    Raises:
        RulesError: The rules cannot be read, or match no kernel, or none of those selected.
        BaselineError: The baseline cannot be read or written, or contains no kernel of the build.
        InputError, ReadError: As in `scan`, or a part of the build is damaged.
    """
    reading = Reading(options, check)
    paths = as_sources(build, "build", with_streams=False)
    wanted = _rules(rules)
    path = wanted.baseline if baseline is None else os.fspath(baseline)
    command = check_command(paths, reading, "" if rules is None else wanted.source, baseline)
    after = _read_whole(paths)
    wanted = replace(wanted, baseline=path, allow_removed=wanted.allow_removed + removable(allow_removed))
    done, text = _update(reading, after, wanted) if update else (_check(reading, after, wanted, command), "")
    return CheckResult(**vars(done), build=after.name, command=command, inputs=reading.inputs(), updated=text)


def _check(reading: Reading, after: Build, rules: Rules, command: str) -> Checked:
    path = rules.baseline
    if path is not None and not os.path.exists(path):
        hint = f"Write it with `update=True` (`{command} --update`)."
        raise BaselineError("does not exist yet", where=path or "''", hint=hint)
    try:
        before = Build(()) if path is None else _read_whole([path])
    except ReadError as error:
        hint = "To write a baseline, run occupancy scan BUILD --save-baseline FILE."
        raise BaselineError(error.problem.partition(". ")[0], where=error.where, hint=hint) from error
    reading.check_names(before.kernels + after.kernels)
    evaluator, ignore_arch = reading.evaluator(rules.threads or before.threads), reading.gpu is not None
    old, new = (reading.sized(each, rules.rules) for each in _both(reading, before, after, ignore_arch))
    whole = (after.kernels, before.kernels) if reading.selects else None
    known = None if path is None else old
    done = check_kernels(new, rules, evaluator, known, whole=whole, ignore_arch=ignore_arch)
    if not (done.kernels or done.removed):
        raise RulesError("no rule applies to the selected kernels", where=rules.source, hint="Add one.")
    return done


def _update(reading: Reading, after: Build, rules: Rules) -> tuple[Checked, str]:
    """Write the new baseline; return the check against it, and its changes."""
    path = rules.baseline
    if path is None:
        raise InputError("needs a baseline", where="update", hint="Set `baseline` (`--baseline FILE`).")
    before = read_baseline(path) if os.path.exists(path) else Build(())
    reading.check_names(before.kernels + after.kernels)
    threads = reading.threads or rules.threads or before.threads
    evaluator, ignore_arch = reading.evaluator(threads), reading.gpu is not None
    old, new = _both(reading, before, after, ignore_arch)
    sized = reading.sized(new, rules.rules)
    whole = (after.kernels, before.kernels) if reading.selects else None
    itself = check_kernels(sized, rules, evaluator, sized, whole=whole, ignore_arch=ignore_arch)
    refused = {id(each.kernel.record) for each in itself.broken if each.is_refused}
    failing = {id(record) for record, each in zip(new, sized, strict=True) if id(each) in refused}
    pairs = match(before.kernels, after.kernels).pairs + match(old, new, ignore_arch=ignore_arch).pairs
    stays = {id(record) for pair in pairs if id(pair.new) in failing for record in pair[:2]}
    # With --newest or --gpu, a removed kernel goes with all architectures: an older one would be missing next.
    names = {stable_name(each.name) for each in after.kernels}
    names |= {each.name for each in before.kernels if id(each) in stays}
    selected = replace(reading.selection, only_newest=False, gpu=None).records
    gone = [each for each in selected(before.kernels, is_partial=True) if each.name not in names]
    accepts = {id(record) for record in (*old, *new, *gone)} - stays
    updated = accepted(replace(before, threads=threads), after.kernels, lambda each: id(each) in accepts)
    old, new = (reading.sized(each, rules.rules) for each in _both(reading, updated, after, ignore_arch))
    done = check_kernels(new, rules, evaluator, old, whole=whole, ignore_arch=ignore_arch)
    changes = changes_by_name(compare(before.kernels, updated.kernels, evaluator)) or "no changes"
    write_baseline(path, updated)
    return done, f"Wrote {path}: {updated.size} ({changes})"


def save_baseline(build: Paths, path: Path, **options: Unpack[SelectionOptions]) -> Build:
    """Write the baseline of a build, replacing an existing one; arguments and errors as in `check`.

    It records ``threads`` for all kernels whose file does not contain them, but no other sizes and no GPU.
    """
    reading = Reading(options, save_baseline, SelectionOptions)
    if reading.sizes:
        name, _, value = reading.sizes[0]
        raise InputError(f"{value} cannot be stored in a baseline", where=name, hint="Set it in the rules.")
    return _save_baseline(build, path, reading)


def _save_baseline(build: Paths, path: Path, reading: Reading) -> Build:
    paths = as_sources(build, "build", with_streams=False)
    file = os.fspath(path)
    check_output(file, paths)
    after = _read_whole(paths)
    reading.check_names(after.kernels)
    baseline = baseline_from(reading.selection.records(after.kernels), reading.threads or after.threads)
    write_baseline(file, baseline)
    return baseline


FIRST_RULES = """\
# Rules for the kernels of this build. The documentation lists all rules under "Rules".
# To check: occupancy check BUILD. To accept changes: --update, for some kernels with --name PART.
baseline = {baseline}{threads}
# allow_removed = "legacy_*"   # kernels that may be removed; any other removal fails the check

[[rules]]                      # every kernel
max_occupancy_drop = 0         # allowed drop in percentage points
{growth}
# [[rules]]                    # some kernels, on one architecture
# kernels = ["*gemm*", "!*debug*"]
# arch = "sm_90"
# min_occupancy = 50           # percent

{sizes}# [[exemptions]]               # kernels that may break a rule
# kernels = "legacy_*"
# reason = "rewritten in #123"
"""
"""Initial rules file, without violations if the build is its own baseline."""


def init(build: Paths, rules: str, baseline: str, **options: Any) -> Build:
    """Write the first rules and the first baseline of a build; refuse to replace a file."""
    if os.path.abspath(rules) == os.path.abspath(baseline):
        raise InputError("is the file of the rules", where="baseline", hint="Choose another file.")
    for path in (rules, baseline):
        if os.path.exists(path):
            hint = "Accept changes with occupancy check BUILD --update. For other files, pass --rules and --baseline."
            raise InputError("already exists", where=path, hint=hint)
    reading = Reading(options, init, SelectionOptions)
    by_pattern = defaultdict[str, str](str)
    for name, pattern, value in reading.sizes:
        by_pattern[pattern] += f"{name} = {value}\n"
    sizes = "".join(f"[[rules]]\nkernels = {json.dumps(each)}\n{by_pattern[each]}\n" for each in by_pattern)
    path = PurePath(os.path.relpath(baseline, os.path.dirname(rules) or ".")).as_posix()
    with written_atomically(rules) as file:  # both files, or none
        saved = _save_baseline(build, baseline, reading)
        threads = f"\nthreads = {saved.threads:<21}# per block, unless recorded" if saved.threads else ""
        growth = ""  # rules for values that every kernel has
        if all(kernel.spill_store_bytes is not None for kernel in saved.kernels):
            growth = "no_new_spills = true\n"
        elif all(kernel.stack_bytes is not None for kernel in saved.kernels):
            growth = "max_stack_growth = 0           # no_new_spills needs the output of ptxas -v\n"
        if all(kernel.spill_smem is not None for kernel in saved.kernels):
            growth += "no_new_smem_spills = true      # spills into shared memory\n"
        file.write(FIRST_RULES.format(baseline=json.dumps(path), threads=threads, growth=growth, sizes=sizes))
    return saved


def check_command(build: Sequence[str], reading: Reading, rules: str, baseline: Path | None = None) -> str:
    """Return the command line of a check, whose update accepts only the kernels that the check shows."""
    sizes = {
        name.replace("_", "-"): [f"{pattern}={value}".removeprefix("*=") for pattern, value in values.items()]
        for name, values in reading.given.items()
    }
    gpu = reading.gpu and ({"gpu": reading.gpu.name} if reading.gpu.name else {"cc": reading.gpu.cc})
    values = {"rules": rules or None, "baseline": baseline, **sizes}
    values |= {name: reading.options.get(name) for name in ("name", "arch")} | (gpu or {})
    values["limits"] = reading.options.get("limits_file")
    words = [word for name, value in values.items() for x in as_list(value) for word in (f"--{name}", str(x))]
    words += ["--newest"] * reading.selection.only_newest + ["--runtime"] * reading.selection.with_runtime
    return shlex.join(["occupancy", "check", *build, *words])


def _rules(rules: Path | RuleEntry | Sequence[RuleEntry] | None) -> Rules:
    if rules is not None and not isinstance(rules, (str, os.PathLike)):
        given = as_list(rules)
        wrong = [each for each in given if not isinstance(each, RuleEntry)]
        if wrong or not any(isinstance(each, Rule) for each in given):
            problem = f"{shown(wrong[0])} is not a Rule or an Exemption" if wrong else "is empty"
            hint = "Pass at least one rule, such as [Rule(min_occupancy=0.5)]."
            raise InputError(problem, where="rules", hint=hint)
        return Rules(
            rules=tuple(each for each in given if isinstance(each, Rule)),
            exemptions=tuple(each for each in given if isinstance(each, Exemption)),
        )
    path = find_rules() if rules is None else rules
    if path is None:
        problem = f"this folder has no {RULES_FILE}, and no pyproject.toml with [tool.occupancy]"
        hint = "Pass `rules` (`--rules FILE`), or write a rules file: occupancy init BUILD."
        raise RulesError(problem, where="rules", hint=hint)
    return read_rules(path)


def _both(reading: Reading, before: Build, after: Build, any_arch: bool) -> list[list[KernelRecord]]:
    """Return the selected kernels; unless ``any_arch``, those newest in either build with their match."""
    is_joint = reading.selection.only_newest and not any_arch
    selection = replace(reading.selection, only_newest=False) if is_joint else reading.selection
    selected = [selection.records(each.kernels, is_partial=True) for each in (before, after)]
    if is_joint:
        chosen = {id(each) for of in selected for each in newest(of)}
        pairs = [{id(pair.old), id(pair.new)} for pair in match(*selected).pairs]
        chosen = chosen.union(*(pair for pair in pairs if pair & chosen))
        selected = [[each for each in of if id(each) in chosen] for of in selected]
    return selected


def _read_whole(paths: Sequence[str]) -> Build:
    """Read a build; refuse one with a damaged part, without which a check would pass."""
    build = read_build(paths)
    with ErrorCollector() as errors:
        for problem in build.problems:
            errors.add(problem.error())
    if not build.kernels:
        raise ReadError("contains no compiled kernels", where=build.name)
    return build
