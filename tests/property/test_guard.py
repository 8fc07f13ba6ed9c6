"""Laws of comparing builds."""

import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from occupancy.builds.names import stable_name
from occupancy.builds.rows import ScannedKernel
from occupancy.compare.baseline import accepted, baseline_from, baseline_text, parse_baseline
from occupancy.compare.diff import MEASURES, Differences, compare
from occupancy.compare.match import compared_values, match
from occupancy.readers import KernelRecord
from tests.builds import EVALUATOR

NAMES = (
    "_Z4gemmILi16EEvPf", "_Z4gemmILi32EEvPf", "_Z4gemmILi32ELb1EEvPf", "_Z4gemmILi64EEvPfi", "_Z3addPf",
    "_ZN36_GLOBAL__N__9e609c31_4_a_cu_f763c0353addEPf", "_ZN36_GLOBAL__N__bf52febb_4_a_cu_f763c0353addEPf",
    "cname",
)  # fmt: skip

RECORDS = st.builds(
    KernelRecord, source=st.sampled_from(["a.cubin", "b.cubin"]), format=st.just("ptxas"),
    name=st.sampled_from(NAMES), arch=st.sampled_from(["sm_80", "sm_90", "sm_90a", None]),
    regs=st.sampled_from([16, 32, 40, 128, 255]),
    static_smem=st.none() | st.sampled_from([0, 4096, 40_000]),
    dynamic_smem=st.none() | st.sampled_from([0, 60_000]), barriers=st.none() | st.integers(0, 16),
    stack_bytes=st.none() | st.sampled_from([0, 16, 712]),
    spill_store_bytes=st.none() | st.sampled_from([0, 4, 1008]),
    spill_load_bytes=st.none() | st.sampled_from([0, 8]),
    max_threads=st.none() | st.sampled_from([128, 1024]), threads=st.none() | st.sampled_from([64, 256]),
)  # fmt: skip
BUILDS = st.lists(RECORDS, max_size=12)
MIRRORED = {"worse": "better", "better": "worse"}


def diff(old: list[KernelRecord], new: list[KernelRecord], threshold: float = 0) -> Differences:
    return compare(old, new, EVALUATOR, threshold=threshold, with_same=True)


@given(BUILDS, st.randoms(use_true_random=False))
def test_a_build_does_not_differ_from_itself(build: list[KernelRecord], chance: random.Random) -> None:
    shuffled = chance.sample(build, len(build))
    found = diff(build, shuffled)
    assert {row.verdict for row in found.kernels} <= {"same"}
    assert (found.added, found.removed, found.same) == ((), (), len(build))
    assert compare(build, shuffled, EVALUATOR).kernels == ()


@given(BUILDS, BUILDS, st.sampled_from([0, 0, 10, 60]))
def test_the_way_back_mirrors_it(old: list[KernelRecord], new: list[KernelRecord], threshold: float) -> None:
    there, back = diff(old, new, threshold), diff(new, old, threshold)
    assert (there.added, there.removed) == (back.removed, back.added)
    pairs = [(row.old, row.new, row.verdict) for row in there.kernels]
    mirrored = [(row.new, row.old, MIRRORED.get(row.verdict, row.verdict)) for row in back.kernels]
    ways = [
        Counter((repr(a.record), repr(b.record), verdict, _change(a, b)) for a, b, verdict in way)
        for way in (pairs, mirrored)
    ]
    assert ways[0] == ways[1]


def _change(old: ScannedKernel, new: ScannedKernel) -> str:
    return repr([(value(old), value(new)) for value in MEASURES.values()])


@given(BUILDS, BUILDS, st.randoms(use_true_random=False))
def test_pairs_and_rest(old: list[KernelRecord], new: list[KernelRecord], chance: random.Random) -> None:
    found = match(old, new)
    for build, paired, alone in (
        (old, [pair.old for pair in found.pairs], found.removed),
        (new, [pair.new for pair in found.pairs], found.added),
    ):
        assert not set(map(id, paired)) & set(map(id, alone))
        assert {*map(id, paired), *map(id, alone)} <= set(map(id, build))
    # Only copies of one kernel share a match.
    times = Counter(id(each) for pair in found.pairs for each in pair[:2])
    assert all(pair.matched_by != "code" for pair in found.pairs if max(times[id(x)] for x in pair[:2]) > 1)
    again = match(chance.sample(old, len(old)), chance.sample(new, len(new)))
    assert sorted(map(repr, found.pairs)) == sorted(map(repr, again.pairs))
    assert not {(row.name, row.arch) for row in found.removed} & {(row.name, row.arch) for row in found.added}


@given(BUILDS, BUILDS)
def test_a_higher_threshold_never_shows_more(old: list[KernelRecord], new: list[KernelRecord]) -> None:
    same = [diff(old, new, threshold).same for threshold in (0, 5, 50, 100)]
    assert same == sorted(same)


@given(BUILDS)
def test_a_baseline_comes_back_and_compares_as_the_build(build: list[KernelRecord]) -> None:
    text = baseline_text(baseline_from(build))
    baseline = parse_baseline(text.encode(), "base.json")
    assert baseline_text(baseline) == text
    assert baseline_text(baseline_from(baseline.kernels)) == text
    once = list(
        {(compared_values(row), stable_name(row.name), row.arch, row.source): row for row in build}.values()
    )
    assert {row.verdict for row in diff(list(baseline.kernels), once).kernels} <= {"same"}


@given(BUILDS, BUILDS, st.sets(st.sampled_from(NAMES)))
def test_unwanted_kernels_stay(old: list[KernelRecord], new: list[KernelRecord], names: set[str]) -> None:
    baseline = baseline_from(old)
    wanted = {stable_name(name) for name in names} | names

    def is_wanted(record: KernelRecord) -> bool:
        return record.name in wanted

    done = accepted(baseline, new, is_wanted)
    matched = {id(pair.old) for pair in match(baseline.kernels, new).pairs if is_wanted(pair.new)}
    kept = [each for each in baseline.kernels if not is_wanted(each) and id(each) not in matched]
    assert set(map(repr, kept)) <= set(map(repr, done.kernels))
    assert {stable_name(each.name) for each in new if is_wanted(each)} <= {each.name for each in done.kernels}
    assert accepted(baseline, new, lambda _: False) == baseline
