"""Laws of comparing builds, for builds of all kinds."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from occupancy.builds.kernel_names import stable_name
from occupancy.builds.scan_row import ScanRow
from occupancy.builds.scanner import Scanner
from occupancy.compare import diff
from occupancy.compare.baseline import accept, baseline_of, records_of
from occupancy.compare.baseline_file import parse_baseline, to_text
from occupancy.compare.diff import DiffRow
from occupancy.compare.matching import match
from occupancy.compare.measures import MEASURES, compared
from occupancy.readers import KernelRecord
from occupancy.report.compare.diff import DiffReport, diff_report
from occupancy.tables.shipped import limits

SCANNER = Scanner(limits, with_advice=False)

NAMES = (
    "_Z4gemmILi16EEvPf", "_Z4gemmILi32EEvPf", "_Z4gemmILi32ELb1EEvPf", "_Z4gemmILi64EEvPfi", "_Z3addPf",
    "_ZN36_GLOBAL__N__9e609c31_4_a_cu_f763c0353addEPf", "_ZN36_GLOBAL__N__bf52febb_4_a_cu_f763c0353addEPf",
    "cname",
)  # fmt: skip

RECORDS = st.builds(
    KernelRecord,
    source=st.sampled_from(["a.cubin", "b.cubin"]),
    format=st.just("ptxas"),
    name=st.sampled_from(NAMES),
    arch=st.sampled_from(["sm_80", "sm_90", "sm_90a", None]),
    regs=st.sampled_from([16, 32, 40, 128, 255]),
    static_smem=st.none() | st.sampled_from([0, 4096, 40_000]),
    dynamic_smem=st.none() | st.sampled_from([0, 60_000]),
    barriers=st.none() | st.integers(0, 16),
    stack_bytes=st.none() | st.sampled_from([0, 16, 712]),
    spill_store_bytes=st.none() | st.sampled_from([0, 4, 1008]),
    spill_load_bytes=st.none() | st.sampled_from([0, 8]),
    max_threads=st.none() | st.sampled_from([128, 1024]),
    threads=st.none() | st.sampled_from([64, 256]),
)
BUILDS = st.lists(RECORDS, max_size=12)
KERNEL = (
    "name", "arch", "source", "regs", "static_smem", "barriers", "stack_bytes", "spill_store_bytes",
    "spill_load_bytes", "max_threads",
)  # fmt: skip
MIRRORED = {"worse": "better", "better": "worse"}


def compare(old: list[KernelRecord], new: list[KernelRecord], threshold: float = 0) -> DiffReport:
    changes = diff.compare(old, new, SCANNER, threshold=threshold, with_same=True)
    return diff_report(changes, names=("old", "new"), threshold=threshold)


@given(BUILDS, st.randoms(use_true_random=False))
def test_a_build_does_not_differ_from_itself(build: list[KernelRecord], chance: random.Random) -> None:
    shuffled = chance.sample(build, len(build))
    report = compare(build, shuffled)
    assert {row.verdict for row in report.kernels} <= {"same"}
    assert (report.added, report.removed, report.summary.same) == ((), (), len(build))
    assert diff.compare(build, shuffled, SCANNER).rows == ()


@given(BUILDS, BUILDS, st.sampled_from([0, 0, 10, 60]))
def test_the_way_back_mirrors_the_way_there(
    old: list[KernelRecord], new: list[KernelRecord], threshold: float
) -> None:
    there, back = compare(old, new, threshold), compare(new, old, threshold)
    assert (there.added, there.removed) == (back.removed, back.added)

    ours = {(_kernel(row.old), _kernel(row.new)): row for row in there.kernels}
    theirs = {(_kernel(row.new), _kernel(row.old)): row for row in back.kernels}
    assert ours.keys() == theirs.keys()
    for pair, row in ours.items():
        twin = theirs[pair]
        assert row.matched_by == twin.matched_by
        if _decides(row) != _decides(twin)[::-1]:
            # It drops with some block sizes and rises with others: the worst decides on both ways. Where
            # that is within the threshold, the registers and the memory decide.
            verdicts = {row.verdict, twin.verdict}
            within = {"other"} if threshold else set()
            assert verdicts <= {"worse", "mixed", "same"} | within or verdicts == {"worse", "better"}
            continue
        assert MIRRORED.get(row.verdict, row.verdict) == twin.verdict
        for name in MEASURES:
            change, reverse = getattr(row.change, name), getattr(twin.change, name)
            assert (change is None and reverse is None) or change == -reverse


def _decides(row: DiffRow) -> tuple[int | None, int | None]:
    """The block sizes of the old and the new build that decide about the occupancy."""
    if row.deciding is not None:
        return row.deciding.threads, row.deciding.threads
    return row.old.threads, row.new.threads


@given(RECORDS, RECORDS)
def test_no_size_loses_more_than_the_one_that_decides(old: KernelRecord, new: KernelRecord) -> None:
    """Both of one architecture; the sizes that both launch with, one by one."""
    old, new = (replace(each, threads=None, arch="sm_90", dynamic_smem=None) for each in (old, new))
    row = diff.row_of(old, new, "name", SCANNER)
    shown = (row.old.occupancy or 0) - (row.new.occupancy or 0)
    most = shown if row.deciding is None else row.deciding.old - row.deciding.new
    pairs = zip(SCANNER.occupancies(old), SCANNER.occupancies(new), strict=False)
    lost = [before - after for before, after in pairs if before and after]
    assert max(lost) <= max(most, 0)
    assert row.deciding is None or most in lost
    if max(lost) <= 0 and any(lost):
        assert most < 0, "what wins somewhere is shown to win"


def _kernel(row: ScanRow) -> tuple[object, ...]:
    return tuple(getattr(row, name) for name in KERNEL)


@given(BUILDS, BUILDS, st.randoms(use_true_random=False))
def test_each_kernel_is_matched_once_whatever_the_order(
    old: list[KernelRecord], new: list[KernelRecord], chance: random.Random
) -> None:
    result = match(old, new, compared)
    assert len(result.pairs) + len(result.removed) == len(old)
    assert len(result.pairs) + len(result.added) == len(new)
    again = match(chance.sample(old, len(old)), chance.sample(new, len(new)), compared)
    assert sorted(map(repr, result.pairs)) == sorted(map(repr, again.pairs))


@given(BUILDS, BUILDS)
def test_nothing_that_could_be_matched_is_left_over(old: list[KernelRecord], new: list[KernelRecord]) -> None:
    result = match(old, new, compared)
    gone = {(row.name, row.arch) for row in result.removed}
    assert not gone & {(row.name, row.arch) for row in result.added}


@given(BUILDS, BUILDS)
def test_a_higher_threshold_never_shows_more(old: list[KernelRecord], new: list[KernelRecord]) -> None:
    same = [compare(old, new, threshold).summary.same for threshold in (0, 5, 50, 100)]
    assert same == sorted(same)


@given(BUILDS)
def test_a_baseline_comes_back_and_compares_as_the_build(build: list[KernelRecord]) -> None:
    text = to_text(baseline_of(build))
    baseline = parse_baseline(text.encode(), "base.json")
    assert to_text(baseline) == text
    read = list(records_of(baseline))
    assert to_text(baseline_of(read)) == text
    once = list({(compared(row), row.name, row.arch, row.source): row for row in build}.values())
    assert {row.verdict for row in compare(read, once).kernels} <= {"same"}


@given(BUILDS, BUILDS, st.sets(st.sampled_from(NAMES)))
def test_what_is_not_asked_for_stays_in_a_baseline_and_what_is_is_as_in_the_build(
    old: list[KernelRecord], new: list[KernelRecord], names: set[str]
) -> None:
    baseline = baseline_of(old)

    def wanted(records: Iterable[KernelRecord]) -> list[KernelRecord]:
        return [each for each in records if each.name in asked]

    asked = {stable_name(name) for name in names} | names
    accepted = accept(baseline, new, wanted)
    assert {each for each in baseline.kernels if each.name not in asked} - set(accepted.kept) <= {
        each
        for pair in match(list(records_of(baseline)), new, compared).pairs
        if pair[1].name in asked
        for each in baseline_of([pair[0]]).kernels
    }, "what is now called what was asked for"
    assert not wanted(records_of(replace(baseline, kernels=accepted.kept)))
    assert {id(each) for each in wanted(new)} <= {id(each) for each in accepted.new}

    def everything(records: Iterable[KernelRecord]) -> Iterable[KernelRecord]:
        return records

    assert accept(baseline, new, everything).kept == ()
    assert accept(baseline, new, lambda _: ()).kept == baseline.kernels
