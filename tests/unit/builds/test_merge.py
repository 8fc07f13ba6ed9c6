"""Merging of records of one kernel from several files, without merging different kernels."""

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from occupancy import KernelRecord
from occupancy.builds.merge import merge

IMAGE = KernelRecord(
    source="a.o", format="fatbin", name="_Z4blurPf", arch="sm_80", regs=22, static_smem=4096, barriers=1,
    stack_bytes=16, frame_bytes=16, max_threads=256, code=1, linked=True,
)  # fmt: skip
LOG = KernelRecord(
    source="build.log", format="ptxas", name="_Z4blurPf", arch="sm_80", regs=22, static_smem=4096,
    barriers=1, stack_bytes=16, frame_bytes=16, spill_store_bytes=8, spill_load_bytes=12,
    spills_from="compiler",
)  # fmt: skip
LAUNCH = KernelRecord(
    source="p.ncu-rep", format="ncu-rep", name="_Z4blurPf", arch="sm_80", regs=22, static_smem=4096,
    dynamic_smem=0, threads=256, threads_from="launch", grid_dim=(8, 1, 1), launches=1, duration_us=3.0,
)  # fmt: skip


def one(*records: KernelRecord) -> KernelRecord:
    merged = merge(records)
    assert merged.problems == ()
    (record,) = merged.records
    return record


def test_the_log_adds_the_spills_to_the_image() -> None:
    stated: dict[str, Any] = {"spill_store_bytes": 8, "spill_load_bytes": 12, "spills_from": "compiler"}
    expected = replace(IMAGE, **stated, also_in=("build.log",))
    assert one(IMAGE, LOG) == one(LOG, IMAGE) == expected
    counted = replace(IMAGE, spill_store_bytes=4, spill_load_bytes=4, spills_from="code")
    assert one(counted, LOG) == one(LOG, counted) == expected, "what is stated goes before a count"


def test_of_several_lines_the_one_that_states_spills_counts() -> None:
    silent = replace(LOG, source="other.log", spill_store_bytes=None, spill_load_bytes=None)
    none = replace(LOG, spill_store_bytes=0, spill_load_bytes=0)
    assert one(IMAGE, silent, none).spills == one(IMAGE, none, silent).spills == (0, 0)


def test_what_was_counted_stays_where_nothing_states_it() -> None:
    counted = replace(IMAGE, spill_store_bytes=4, spill_load_bytes=0, spills_from="code")
    silent = replace(LOG, spill_store_bytes=None, spill_load_bytes=None, spills_from=None)
    for record in (one(counted, silent), one(counted, LAUNCH)):
        assert (record.spills, record.spills_from) == ((4, 0), "code")
    record = one(replace(LAUNCH, spill_store_bytes=4, spill_load_bytes=0, spills_from="code"), counted, LOG)
    assert (record.launches, record.spills, record.spills_from) == (1, (8, 12), "compiler")


def test_copies_are_one_kernel_named_after_the_smallest_file() -> None:
    other = replace(IMAGE, name="_Z5otherv", code=2)
    files = ("app", "b.a", "lib.so")
    merged = merge([replace(each, source=file) for file in files for each in (other, IMAGE)] + [IMAGE])
    found = [(each.name, each.source, each.also_in) for each in merged.records]
    assert found == [("_Z5otherv", "app", files[1:]), ("_Z4blurPf", "a.o", files)]


def test_static_kernels_of_two_files_stay_two_and_have_their_files() -> None:
    first, second = (replace(IMAGE, name="_Z4zeroPf", code=code) for code in (1, 2))
    files = [
        first, replace(second, source="b.o"), replace(first, source="app"), replace(second, source="app"),
    ]  # fmt: skip
    found = [(each.source, each.also_in, each.code) for each in merge(files).records]
    assert found == [("a.o", ("app",), 1), ("b.o", ("app",), 2)]


def test_each_of_two_kernels_gets_the_spills_of_its_own_line() -> None:
    two = [IMAGE, replace(IMAGE, source="b.o", regs=40, code=2)]
    lines = [replace(LOG, regs=40, spill_store_bytes=99), LOG]
    assert [each.spill_store_bytes for each in merge([*two, *lines]).records] == [8, 99]


def test_a_linked_image_takes_the_place_of_the_relocatable_one_whose_line_is_in_the_log() -> None:
    relocatable = replace(IMAGE, linked=False)
    row = one(relocatable, replace(IMAGE, source="app", regs=32, stack_bytes=80, code=3), LOG)
    assert one(replace(IMAGE, stack_bytes=80), LOG).spill_store_bytes == 8, "older compilers exclude callees"
    assert (row.regs, row.spill_store_bytes) == (32, 8)
    assert (row.source, row.also_in) == ("app", ("a.o", "build.log"))
    assert one(relocatable, replace(relocatable, source="b.a")).linked is False
    assert one(relocatable, replace(LOG, static_smem=9999)).spill_store_bytes == 8, "ptxas pads it"


@pytest.mark.parametrize("other", [{"regs": 40}, {"stack_bytes": 8, "frame_bytes": 8}])
def test_a_log_of_another_build_is_said_and_not_believed(other: dict[str, Any]) -> None:
    others = [replace(IMAGE, name="_Z1kv"), replace(LOG, name="_Z1kv", stack_bytes=64, barriers=9)]
    merged = merge([IMAGE, replace(LOG, **other), *others])
    assert [each.spill_store_bytes for each in merged.records] == [None, None]
    (problem,) = merged.problems
    assert problem.source == "build.log"
    assert " a.o about k for sm_80 (9 barriers in the log, 1 in the machine code, 64" in problem.what


@pytest.mark.parametrize("stale", [replace(LOG, regs=40), replace(LOG, static_smem=0, spill_store_bytes=400)])
def test_lines_of_an_earlier_compilation_in_a_log_that_goes_on_are_passed_over(stale: KernelRecord) -> None:
    assert one(stale, LOG, IMAGE).spill_store_bytes == 8


def test_a_log_alone() -> None:
    assert one(LOG, LOG) == LOG
    assert one(LOG, replace(LOG, source="more.log")).also_in == ("more.log",)
    assert len(merge([LOG, replace(LOG, regs=40)]).records) == 2


def test_the_linkers_line_belongs_to_the_one_architecture() -> None:
    linker = replace(
        LOG, arch=None, linked=True, regs=30, static_smem=5120, stack_bytes=48, spill_store_bytes=None,
        spill_load_bytes=None, notes=("counts the system's",),
    )  # fmt: skip
    row = one(replace(LOG, arch="sm_90"), linker)  # with 1 KiB of reserved shared memory
    assert (row.arch, row.regs, row.static_smem, row.stack_bytes) == ("sm_90", 30, 4096, 48)
    assert (row.spill_store_bytes, row.notes) == (8, ())
    assert one(IMAGE, linker) == IMAGE
    linked = replace(IMAGE, regs=30, static_smem=5120, stack_bytes=48)
    assert one(linked, LOG, linker).spill_store_bytes == 8, "the log belongs to the linked image"
    assert merge([linked, replace(LOG, frame_bytes=8), linker]).problems
    assert one(LOG, linker).static_smem == 5120
    assert len(merge([LOG, replace(LOG, arch="sm_90"), linker]).records) == 3


def test_ptx_adds_what_only_it_states_and_is_no_kernel_beside_an_image() -> None:
    bounds: dict[str, Any] = {"min_blocks": 4, "max_threads": 512}
    ptx = KernelRecord(source="a.ptx", format="ptx", name="_Z4blurPf", arch="sm_80", **bounds)
    row = one(ptx, IMAGE)
    assert (row.min_blocks, row.max_threads) == (4, 256)
    assert one(replace(ptx, arch="sm_70"), IMAGE) == IMAGE
    assert one(ptx) == ptx
    linked, part = replace(IMAGE, ptx=("compute_80",)), replace(IMAGE, linked=False, format="fatbin", ptx=())
    assert one(linked, part).ptx == linked.ptx, "other objects were linked"


class TestLaunches:
    def test_they_have_what_the_image_states_and_take_its_row(self) -> None:
        row = one(IMAGE, LOG, LAUNCH)
        assert (row.threads, row.launches, row.max_threads) == (256, 1, 256)
        assert (row.stack_bytes, row.spill_load_bytes) == (16, 12)
        assert (row.source, row.also_in) == ("p.ncu-rep", ("a.o", "build.log"))
        assert len(merge([IMAGE, LAUNCH, replace(LAUNCH, threads=128)]).records) == 2
        assert len(merge([IMAGE, replace(LAUNCH, regs=40)]).records) == 2, "of another build they stay apart"

    def test_whoever_wrote_the_name(self) -> None:
        pytest.importorskip("demangle", reason="needs Python 3.11")
        image = replace(IMAGE, name="_Z4blurILi16EEvPKf")
        spellings = "void blur<(int)16>(const float *)", "blur<16>(float const*)", "blur<16>(float const *)"
        for name in spellings:
            assert one(image, replace(LAUNCH, name=name)).name == image.name
        assert len(merge([image, replace(LAUNCH, name="blur<32>(float const*)")]).records) == 2

    def test_the_kernel_of_the_same_name_comes_before_one_of_another_file(self) -> None:
        names = [f"_ZN36_GLOBAL__N__{path}_4_a_cu_f763c0354anonEPf" for path in ("9e609c31", "bf52febb")]
        images = [replace(IMAGE, name=name, code=n, max_threads=n) for n, name in enumerate(names, 32)]
        merged = merge([*images, replace(LAUNCH, name=names[1])]).records
        assert [each.max_threads for each in merged if each.launches] == [33]

    def test_on_a_later_chip_of_the_same_kind(self) -> None:
        older = replace(IMAGE, regs=24, max_threads=128)
        later = replace(LAUNCH, arch="sm_86", regs=24)
        assert one(older, later).max_threads == 128
        assert one(older, later).arch == "sm_86"
        assert len(merge([older, replace(later, arch="sm_90")]).records) == 2
        merged = merge([older, replace(IMAGE, arch="sm_86", regs=24, max_threads=64), later]).records
        assert [(each.arch, each.max_threads) for each in merged] == [("sm_80", 128), ("sm_86", 64)]

    def test_equal_ones_are_summed_up(self) -> None:
        other = replace(LAUNCH, achieved_occupancy=0.4, duration_us=5.0)
        row = one(replace(LAUNCH, achieved_occupancy=0.8), other)
        assert (row.launches, row.duration_us) == (2, 8.0)
        assert row.achieved_occupancy == pytest.approx(0.6)
        assert len(merge([LAUNCH, replace(LAUNCH, grid_dim=(9, 1, 1))]).records) == 2


RECORDS = st.builds(
    replace,
    st.sampled_from([IMAGE, LOG, LAUNCH, replace(IMAGE, linked=False), replace(LOG, arch=None, linked=True)]),
    source=st.sampled_from("abc"), name=st.sampled_from(["_Z4blurPf", "_Z4zeroPf"]),
    arch=st.sampled_from(["sm_80", "sm_80", "sm_90"]), regs=st.sampled_from([22, 40]),
    stack_bytes=st.sampled_from([16, 64]),
)  # fmt: skip


@given(st.lists(RECORDS, max_size=12), st.randoms(use_true_random=False))
def test_the_order_plays_no_part(found: list[KernelRecord], chance: random.Random) -> None:
    ours, theirs = merge(found), merge(chance.sample(found, len(found)))
    assert sorted(map(repr, ours.records)) == sorted(map(repr, theirs.records))
    assert ours.problems == theirs.problems


MANY = 200
"""Number of kernels of one name in images, and in a log, that exceeds the maximum comparisons."""


def test_logs_that_are_too_much_to_merge_are_said() -> None:
    images = [replace(IMAGE, code=number, regs=number) for number in range(MANY)]
    merged = merge([*images, *[replace(LOG, regs=number) for number in range(MANY)]])
    assert [record.spill_store_bytes for record in merged.records] == [None] * MANY
    (problem,) = merged.problems
    assert problem.source == "build.log"
    assert "too many different kernels named blur" in problem.what


def test_launches_that_are_too_many_to_merge_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("occupancy.builds.merge.MAX_COMPARISONS", 3)
    images = [replace(IMAGE, code=number) for number in range(3)]
    other = replace(LAUNCH, regs=24, source="q.ncu-rep")
    assert merge([*images, LAUNCH]).problems == ()
    (problem,) = merge([*images, LAUNCH, other]).problems
    assert problem.source == "q.ncu-rep"
    assert merge([LAUNCH, other]).problems == (), "where there is no kernel of the name, nothing is lost"
